/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cost: what recording takes from the machine, as an account of samples: in each window of time, how
 * often the programs ran and how long, and the recorder's own CPU time beside. No kernel, no clock:
 * meter.h takes the samples.
 *
 * What is counted is the time inside the programs. The hook's own cost in front of them, some 10 ns
 * or more, is not counted; so all of it is an estimate, and rather too low.
 */
#ifndef SONDE_RECORD_COST_H
#define SONDE_RECORD_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalogue;

#define COST_TOGETHER_MAX 4 /* measurements that one program makes */
#define COST_LABEL_BYTES 160
/* A run now and then takes many times as long as the others (caches, interrupts, a hypervisor): the
 * mean of fewer says little. Measured: docs/decisions.md. */
#define COST_RUNS_LEAST 100u
#define COST_RECORDER "(recorder)" /* its label, in notes and answers */

/* Whose programs: those of one measurement, or of several that share a program, or of a service. */
struct cost_key {
	const char *service; /* NULL: of measurements */
	uint32_t items[COST_TOGETHER_MAX]; /* class.index of the measurements */
	uint32_t count;
};

struct cost_sum {
	uint64_t window_ns; /* time looked at */
	uint64_t runs;
	uint64_t run_ns; /* time these took, less what the counting itself takes */
};

struct cost_row {
	struct cost_key key;
	struct cost_sum all; /* since the beginning */
	struct cost_sum last; /* in the last window */
	struct cost_sum fresh; /* since cost_noted */
};

struct cost {
	struct cost_row *rows;
	size_t count;
	size_t room;
	uint32_t cpus;
	double bias_ns; /* what counting adds to each run */
	int denied; /* -errno: runs are not counted */
	uint64_t windows;
	uint64_t window_ns; /* of all windows together */
	uint64_t last_window_ns;
	struct cost_row recorder; /* its runs are 0, its run_ns CPU time */
};

void cost_init(struct cost *cost, uint32_t cpus, double bias_ns);
void cost_fini(struct cost *cost);

/* Begins the results of a window of @window_ns; cost_add adds them. */
void cost_begin(struct cost *cost, uint64_t window_ns);
/* One program's part of the window. -ENOMEM. */
int cost_add(struct cost *cost, const struct cost_key *key, uint64_t runs, uint64_t ns);
/* The recorder's CPU time since the last such call, @elapsed_ns ago. */
void cost_add_recorder(struct cost *cost, uint64_t elapsed_ns, uint64_t cpu_ns);
/* All that is fresh has been noted. */
void cost_noted(struct cost *cost);

/* CPU time for each time that passed: 1.0 is one CPU. 0 of nothing. */
double cost_load(const struct cost_sum *sum);
/* What one run takes; false where too few were timed to tell (COST_RUNS_LEAST). */
bool cost_ns_each(const struct cost_sum *sum, double *ns);
/* The last window's share of the machine, the recorder included: 1.0 is all of its CPUs. */
double cost_last_share(const struct cost *cost);
/* Rows by what they cost since the beginning, the dearest first. */
void cost_sort(struct cost *cost);

/* "tcp.ack, tcp.cwnd", or "(follow)" for a service. @cat: where the key's measurements are. */
char *cost_label(const struct cost_key *key, const struct catalogue *cat, char *text, size_t room);

#endif /* SONDE_RECORD_COST_H */

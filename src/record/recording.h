/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording: one recording from load to close: programs in the kernel, their rings, the trace on
 * disk, and the account of what was lost.
 *
 *	open -> start -> (pump, tick, poll, ask_rx, measure, watch, snapshot, enable, disable)* -> stop -> close
 *
 * All calls come from one thread; enabling and polling have others do some of it. A recording that is not stopped (a killed process) leaves a
 * readable trace and nothing in the kernel.
 */
#ifndef SONDE_RECORD_RECORDING_H
#define SONDE_RECORD_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/catalogue.h"
#include "record/recording_config.h"
#include "record/recording_totals.h"
#include "trace/writer.h"
#include "wire/filter.h"

struct budget;
struct cost;
struct diag;
struct packet_sink;
struct recording;
struct rx_place_account;
struct rx_poll_config;
struct triggers;
struct warden;

#define RECORDING_TICK_NS 500000000u
#define RECORDING_FLUSH_NS \
	(2ull * RECORDING_TICK_NS) /* more, and followers would wait in vain (trace/follow.h) */
#define RECORDING_FLUSH_MIN_NS 10000000u
#define RECORDING_WATCH_NS 20000000u

/* Loads the programs and makes the trace directory. -EPERM, -ENOENT as loader_open; -EPERM too where
 * a budget is set and the cost of programs cannot be read. */
int recording_open(const struct recording_config *config, struct recording **ret,
		   struct diag *diag);
/* One more process that is wanted, while filter->by_pid. */
void recording_want_pid(struct recording *rec, uint32_t pid);
int recording_start(struct recording *rec, struct diag *diag);

/* Readable when there is something to pump; -1 = that is never so: no program runs. */
int recording_fd(const struct recording *rec);
/* When it is readable: writes what waits, and looks after what comes and goes. */
int recording_answer(struct recording *rec);
/* Writes closed sub-buffers. 0, or the first error of writing: the recording should stop. */
int recording_pump(struct recording *rec);
/* Every RECORDING_TICK_NS: losses, changes on the host, and the work of recording_flush. */
int recording_tick(struct recording *rec);
/* Every half of flush_ns, where that is shorter than a tick: open sub-buffers too, where they have been waiting
 * that long. So nothing waits longer than flush_ns. */
int recording_flush(struct recording *rec);
uint64_t recording_flush_ns(const struct recording *rec);
/* A round of tcp.poll, if that is on. @periods: that have passed since the last call; more than one
 * means that rounds were missed. */
int recording_poll(struct recording *rec, uint64_t periods);
/* Readable when a server of rx has answered, or is to be asked; -1 = none. */
int recording_rx_fd(const struct recording *rec);
/* Then, and with every tick: takes answers, asks. */
int recording_ask_rx(struct recording *rec);
/* How the asking went; NULL past the last server. */
const struct rx_place_account *recording_rx_server(const struct recording *rec, size_t i,
						   const char **name);
/* Readable when it is time to look at what recording costs. */
int recording_meter_fd(const struct recording *rec);
/* Looks, and keeps the budget: what costs too much goes off, and is tried again later. */
int recording_measure(struct recording *rec);
/* Every RECORDING_WATCH_NS, where there are triggers: looks for what they wait for, and does what they
 * ask. */
bool recording_watches(const struct recording *rec);
int recording_watch(struct recording *rec);
/* Whether one of them has asked for the end. */
bool recording_wants_stop(const struct recording *rec);
/* A flight recorder's rings, from where the last snapshot ended. */
int recording_snapshot(struct recording *rec);

/*
 * Turns measurements on or off, @which by class.index of the catalogue. What the kernel does not
 * take stays off, with the reason in its hook; recording_is_on says which are on. Disabled ones
 * are detached. The trace says when, in sonde.state. -errno: nothing was turned on, or writing failed.
 */
int recording_enable(struct recording *rec, const bool *which);
int recording_disable(struct recording *rec, const bool *which);
bool recording_is_on(const struct recording *rec, size_t i);
/* Off for the budget's sake: on again when that allows it. */
bool recording_is_held(const struct recording *rec, size_t i);

/* What it costs so far, borrowed until the next call that changes @rec. */
struct cost *recording_cost(const struct recording *rec);
/* The measurements that the budget has disabled, and since when; NULL without a budget. */
const struct budget *recording_budget(const struct recording *rec);

void recording_totals(const struct recording *rec, struct recording_totals *ret);
/* Whether the trace is still where it was made (trace/writer.h); always, of one that is not on disk. */
enum writer_place recording_place(const struct recording *rec, char *where, size_t room);
/* Lost on @cpu; false past the last possible CPU. */
bool recording_cpu_lost(const struct recording *rec, uint32_t cpu, uint64_t *full,
			uint64_t *nested);
/* Lost by recursion, per program; false past the end. */
bool recording_program(const struct recording *rec, size_t i, const char **name,
		       const char **section, uint64_t *misses);

/* Losses that are not counted are possible: on the kernel's own tracepoints, before Linux 6.7. */
bool recording_is_uncounted(const struct recording *rec);

/* Detaches and writes what is left. Returns the first error of the whole recording. */
int recording_stop(struct recording *rec);
/* Frees it, after stopping it if need be. NULL is fine. */
void recording_close(struct recording *rec);

#endif /* SONDE_RECORD_RECORDING_H */

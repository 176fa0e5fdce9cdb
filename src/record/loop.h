/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loop: runs a recording until something ends it: its time, its command, a client, a signal, an error. It
 * sleeps until a quarter of a ring is full, a tick has passed or a client connects.
 */
#ifndef SONDE_RECORD_LOOP_H
#define SONDE_RECORD_LOOP_H

#include <signal.h>
#include <stdint.h>

struct control;
struct recording;

enum loop_end {
	LOOP_END_TIME,
	LOOP_END_COMMAND, /* the command has ended */
	LOOP_END_STOP, /* a client asked for it */
	LOOP_END_TRIGGER, /* one of --stop-on has fired */
	LOOP_END_SIGNAL, /* SIGINT, SIGTERM or SIGHUP */
	LOOP_END_ERROR, /* writing failed: recording_stop returns why */
};

struct loop_config {
	uint64_t duration_ns; /* 0 = no limit */
	uint64_t period_ns; /* of tcp.poll; 0 = no rounds */
	int command_fd; /* pidfd of the command; -1 = none */
	struct control *control; /* clients; NULL = none */
	/* Called every RECORDING_TICK_NS, for a progress line; may be NULL. */
	void (*tick)(void *ctx, const struct recording *rec, uint64_t elapsed_ns);
	void *ctx;
};

/* Blocks the signals that the loop waits for: before any child is made that should not have them
 * blocked, its mask must be put back. */
void loop_block_signals(void);
/* How it ended, or -errno. SIGUSR2 takes a snapshot of a flight recorder; a second SIGINT ends
 * the process at once. */
int loop_run(struct recording *rec, const struct loop_config *config);

/* Real-time priority where permitted, else a better nice value, so that the rings are drained
 * while the machine is busy. Children do not inherit it. */
void loop_raise_priority(void);

#endif /* SONDE_RECORD_LOOP_H */

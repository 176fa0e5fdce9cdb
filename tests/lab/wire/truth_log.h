/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * truth_log: the log of what the wire did. It is the truth that tools are compared with.
 *
 * Text; lines that begin with "#" are comments, but the last, "# end ...": without it the log is not complete. One line for
 * each packet that came, in the order of time; README.md has the columns. Times are CLOCK_MONOTONIC.
 */
#ifndef LAB_WIRE_TRUTH_LOG_H
#define LAB_WIRE_TRUTH_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "frame.h"
#include "settings.h"
#include "shaper.h"

struct diag;

struct truth_log {
	FILE *file;
	uint64_t packets;
	/* Of what left: how much later than it was due. */
	uint64_t left;
	uint64_t late; /* later than LATE_NS */
	uint64_t late_max_ns;
	uint64_t late_sum_ns;
	uint64_t failed; /* the device did not take it, or the wire had no room */
};

#define LATE_NS 1000000u

int truth_log_open(struct truth_log *log, const char *path, uint64_t seed, struct diag *diag);
/* What was decided on a packet that came at @now_ns. */
void truth_log_verdict(struct truth_log *log, uint64_t now_ns, enum direction direction,
		       const struct frame *frame, const struct verdict *verdict);
/* A packet leaves. Writes a line only if it is late. */
void truth_log_leave(struct truth_log *log, uint64_t now_ns, enum direction direction,
		     const struct frame *frame, uint64_t due_ns);
/* A packet that should have left did not. */
void truth_log_failed(struct truth_log *log, uint64_t now_ns, enum direction direction,
		      const struct frame *frame);
/* Keys of the schedule hold from now on. */
void truth_log_change(struct truth_log *log, uint64_t now_ns, size_t line, const char *keys);
/* Writes the end mark. 0, or the first error of any write: -errno. */
int truth_log_close(struct truth_log *log, const struct shaper *shaper);

#endif /* LAB_WIRE_TRUTH_LOG_H */

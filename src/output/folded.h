/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folded: stacks as flame graphs are drawn from: a line for each, frames from the outermost to the
 * innermost with semicolons between them, a space, how many samples had it.
 */
#ifndef SONDE_OUTPUT_FOLDED_H
#define SONDE_OUTPUT_FOLDED_H

struct buffer;
struct sample_stats;

/* The first frame is the name of the task; those of the kernel end in "_[k]". @stats has kept its
 * stacks. 0 or -ENOMEM. */
int folded_write(const struct sample_stats *stats, struct buffer *out);

#endif /* SONDE_OUTPUT_FOLDED_H */

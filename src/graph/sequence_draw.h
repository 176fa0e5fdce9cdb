/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequence_draw: the time-sequence diagram of a TCP connection: time to the right, sequence numbers upwards.
 * What was sent stands between what was acknowledged and the edge of the peer's window.
 */
#ifndef SONDE_GRAPH_SEQUENCE_DRAW_H
#define SONDE_GRAPH_SEQUENCE_DRAW_H

#include <stdint.h>

struct canvas;
struct sequence;

struct sequence_look {
	const char *title; /* NULL = none */
	int64_t origin_ns; /* where the time axis is 0 */
	const char *trace_note; /* plot_trace_note */
};

/* Draws the connection that was chosen, once ended; there has to be one. 0, or -ENOMEM. */
int sequence_draw(const struct sequence *sequence, const struct sequence_look *look,
		  struct canvas *canvas);

#endif /* SONDE_GRAPH_SEQUENCE_DRAW_H */

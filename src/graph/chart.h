/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chart: a sink that makes one of the pictures that are not lines over time: a histogram, a heat map, a
 * timeline of tasks and CPUs, a time-sequence diagram, a flame graph. It collects, and draws when all has been seen.
 */
#ifndef SONDE_GRAPH_CHART_H
#define SONDE_GRAPH_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/stack_weights.h"
#include "graph/bins.h"
#include "graph/measure.h"
#include "graph/picture.h"

struct buffer;
struct cpu_set;
struct diag;
struct event_sink;
struct analysis;
struct where;

enum chart_kind {
	CHART_HIST,
	CHART_HEAT,
	CHART_TIMELINE,
	CHART_SEQUENCE,
	CHART_FLAME,
	CHART_KINDS,
};

struct chart_options {
	enum chart_kind kind;
	struct measure_request
		measure; /* of histograms and heat maps; of a sequence: its conns, if any */
	enum spacing values; /* of the axis of values */
	bool log_counts; /* of histograms */
	size_t top; /* rows at most; 0 = as many as there is room for */
	struct stack_weights_request stacks; /* of flame graphs */
	const struct cpu_set *cpus; /* of timelines; NULL = all */
	struct picture picture;
	/* To be asked of each event here, as in graph/time_plot. NULL: nothing is to be asked. */
	struct where *where;
};

/* What became of it. */
struct chart_told {
	bool drawn; /* there was anything */
	uint64_t limitless; /* values that stand for no limit: they are not in it */
};

/*
 * NULL: no memory, or, with the diag, the source has nothing for such a picture. Borrows @analysis, and what @options point to; @out gets the picture when the sink is
 * finished, and stays empty where there is nothing to draw.
 */
struct event_sink *chart_new(const struct analysis *analysis, const struct chart_options *options,
			     struct buffer *out, struct diag *diag);
/* Whether @sink is one of these. */
bool chart_is(const struct event_sink *sink);
/* Whether what was taken of parts of a source can be added up: not of what follows from several events. */
bool chart_can_add(const struct event_sink *sink);
/* Adds what @from, of another part, has taken; false: not possible exactly, or no memory. */
bool chart_add(struct event_sink *into, const struct event_sink *from);
/* Once it is finished. */
void chart_tell(const struct event_sink *sink, struct chart_told *ret);

#endif /* SONDE_GRAPH_CHART_H */

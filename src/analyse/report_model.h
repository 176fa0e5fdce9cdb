/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_model: what a report follows: a model gets every event that passes, in batches, chooses by its class,
 * for which it looks up once what it means to it, and has rows in the end. It prints nothing.
 */
#ifndef SONDE_ANALYSE_REPORT_MODEL_H
#define SONDE_ANALYSE_REPORT_MODEL_H

#include <stddef.h>
#include <stdint.h>

struct analysis;
struct event;
struct report;

/* The time of the events that were shown. */
struct report_span {
	int64_t begin_ns;
	int64_t end_ns;
};

struct report_ops {
	/* Losses are among them, and must make it forget what they may have cut in two. */
	void (*batch)(struct report *report, const struct event *events, size_t count);
	/* Those that an expression does not choose: they are not counted, but what is may follow from them. NULL: nothing
	 * does. */
	void (*learn)(struct report *report, const struct event *events, size_t count);
	/* All events were seen. */
	void (*end)(struct report *report, const struct report_span *span);
	void (*free)(struct report *report); /* not NULL */
};

/* The first member of each. */
struct report {
	const struct report_ops *ops;
	const struct analysis *analysis;
	uint64_t events; /* that it is made of, without losses; 0: it has nothing to say */
};

/* NULL: no memory. Borrows @analysis. */
typedef struct report *report_new_fn(const struct analysis *analysis);

#endif /* SONDE_ANALYSE_REPORT_MODEL_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * terms: events of another format said in Sonde's own: a system call that a file of the measurement
 * system has as meas.syscallstart, as sys.enter. What computes from events needs to know one set of
 * classes only.
 *
 * A format fills `terms`: which own classes it has something for, and what each of its events becomes.
 * It uses the names of classes and fields, so that it does not matter what the events were read from.
 * source/own_terms puts them among the events of a source.
 */
#ifndef SONDE_SCHEMA_TERMS_H
#define SONDE_SCHEMA_TERMS_H

#include <stddef.h>
#include <stdint.h>

#include "schema/event.h"

struct class_table;
struct trace_info;

#define TERMS_EVENTS_MAX 4u /* that one event becomes */
#define TERMS_SLOTS_MAX 64u /* that these take together */

/* Field @i of an own class, of 64 bits in the order of this host, at @slot of its payload. */
#define TERMS_FIELD(called, at, with_sign)                                                         \
	{                                                                                          \
		.name = called, .kind = FIELD_INT, .is_signed = with_sign,                         \
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, .bits = 64, .align_bits = 8, \
		.count = 1, .offset_bits = (uint32_t)(64 * (at))                                   \
	}
#define TERMS_UINT(called, at) TERMS_FIELD(called, at, false)
#define TERMS_INT(called, at) TERMS_FIELD(called, at, true)

/* Where own events are put, of one event at a time. */
struct terms_out {
	struct event *events;
	size_t count;
	uint64_t *slots;
	size_t slot_count;
};

struct terms;

struct terms_ops {
	/* Makes its classes, behind those of the source. 0, or -ENOMEM. */
	int (*classes)(struct terms *terms, struct class_table *table);
	/* What @event becomes: at most TERMS_EVENTS_MAX, none earlier than what it gave before, none
	 * later than @event. NULL: the source has ended, and nothing more will come. */
	void (*take)(struct terms *terms, const struct event *event, struct terms_out *out);
	void (*free)(struct terms *terms); /* NULL is fine */
};

/* The first member of each. */
struct terms {
	const struct terms_ops *ops;
};

/* One that a format makes for a source; *@ret untouched where no class of it is the format's. 0 or
 * -ENOMEM. Borrows @info. */
typedef int (*terms_new_fn)(const struct trace_info *info, struct terms **ret);

/* An event of the own @class, with @slots of payload, zeros, for the caller to fill; it happened when
 * and where @like did. */
uint64_t *terms_put(struct terms_out *out, const struct event_class *class, size_t slots,
		    const struct event *like);

#endif /* SONDE_SCHEMA_TERMS_H */

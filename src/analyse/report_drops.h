/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_drops: which packets the kernel dropped: why, where, of which protocol, how many.
 */
#ifndef SONDE_ANALYSE_REPORT_DROPS_H
#define SONDE_ANALYSE_REPORT_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/report_events.h"
#include "base/map.h"
#include "symbol/symbols.h"

/* The most rows; further drops are counted together. */
#define REPORT_DROPS_LIMIT 4096u

/* Drops with the same key are one row. Keys are compared as bytes: no padding. */
struct drop_key {
	uint64_t location; /* in the kernel; 0 = not recorded */
	int64_t reason; /* -1 = not recorded */
	uint64_t protocol; /* 0 = not known */
};

struct drop_row {
	struct drop_key key;
	bool harmless; /* nothing is missing because of it */
	const char *reason; /* its name, borrowed from the class; NULL = none */
	struct symbol_place place; /* at the end; function NULL: not known */
	uint64_t packets;
	uint64_t bytes; /* with the headers that the place sees */
	int64_t first_ns;
	int64_t last_ns;
};

struct drops_class; /* what a class of events means */

struct drops_report {
	struct report report;
	struct drops_class *classes; /* by event_class.index */
	struct map index; /* in rows, by drop_key */
	struct drop_row *rows; /* the most packets first, at the end */
	size_t room;
	struct drop_row all;
	uint64_t others; /* beyond the limit */
	uint64_t harmless; /* packets, of `all` */
	const char *flow_by[REPORT_KEYS_MAX];
	struct report *
		flows; /* an events_report: the same by flow and owner; NULL: drops have no ports */
};

report_new_fn report_drops_new;

#endif /* SONDE_ANALYSE_REPORT_DROPS_H */

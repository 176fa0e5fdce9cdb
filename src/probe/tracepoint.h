/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracepoint: one of the kernel's own tracepoints as sonde records it: the fields of its event
 * class, and the plan by which the kernel half packs its arguments into a record.
 *
 * A record holds first all that is fixed, without the holes that C leaves in front of 64-bit members;
 * then how long each array is that varies; then the varying texts and arrays, and what of them did
 * not fit. It ends at a multiple of RECORD_ALIGN, where readers look for the next one.
 */
#ifndef SONDE_PROBE_TRACEPOINT_H
#define SONDE_PROBE_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "probe/tracepoint_format.h"
#include "schema/event.h"
#include "wire/tracepoint.h"

struct diag;

#define TRACEPOINT_OBJECT "tracepoint" /* the program in it is what others are cloned from */
#define WATCH_OBJECT "watch" /* likewise: counts what these miss, where the kernel does not */
#define TRACEPOINT_GROUP "kernel"
#define TRACEPOINT_PREFIX TRACEPOINT_GROUP ":" /* of a measurement's name */
/* In the kernel a group and an event have less than 64 bytes each (MAX_EVENT_NAME_LEN). */
#define TRACEPOINT_NAME_BYTES 144
/* Lengths of arrays, and what was cut off. */
#define TRACEPOINT_FIELD_MAX (FORMAT_FIELD_MAX + TRACEPOINT_DYNAMIC_MAX + 1)

struct tracepoint {
	char name[TRACEPOINT_NAME_BYTES]; /* "kernel:sched:sched_switch" */
	char section[TRACEPOINT_NAME_BYTES]; /* "tp/sched/sched_switch" */
	struct tracepoint_format format; /* without fields if it was not understood */
	const char *event; /* the last part of its name */
	struct tracepoint_plan plan; /* its id is given by the catalogue */
	struct event_class class; /* without its id */
	struct field fields[TRACEPOINT_FIELD_MAX];
	uint32_t offsets[TRACEPOINT_FIELD_MAX];
	char lengths[TRACEPOINT_DYNAMIC_MAX][64]; /* names of fields that are not the kernel's */
	char what[256]; /* the names of its fields, as far as they fit */
	char *text; /* what the format points into */
};

/*
 * @text: what stands in the format file, which the tracepoint takes; the caller frees the
 * tracepoint. -EBADMSG, -E2BIG with the diag: it exists, but cannot be recorded;
 * -ENOMEM: none is made, and @text is freed.
 */
int tracepoint_new(const char *group, const char *event, char *text, struct tracepoint **ret,
		   struct diag *diag);
/* NULL is fine. */
void tracepoint_free(struct tracepoint *tp);

#endif /* SONDE_PROBE_TRACEPOINT_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event: one decoded event, its class, and getters for its fields.
 *
 * An event is a view: its payload is the packet's own bytes, and it lives until the source's next
 * batch. Nothing is allocated or copied per event.
 */
#ifndef SONDE_SCHEMA_EVENT_H
#define SONDE_SCHEMA_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/field.h"

/* What readers treat specially. Found by the name of the class when the metadata is read. */
enum event_role {
	EVENT_ROLE_PLAIN,
	EVENT_ROLE_LOST, /* the reader's own: events are missing here (schema/lost.h) */
	EVENT_ROLE_TASK, /* sonde.task: names a task */
	EVENT_ROLE_NAME, /* sonde.name: what a number stands for */
	EVENT_ROLE_SYMBOL, /* sonde.symbol: names a function of the kernel */
	EVENT_ROLE_MAPPING, /* sonde.mapping: code that a process has mapped */
	EVENT_ROLE_STREAM, /* sonde.stream: what a stream holds */
	EVENT_ROLE_END, /* sonde.end: the trace is complete */
	EVENT_ROLE_STACK, /* sonde.stack: the frames of a stack, by its id */
};

struct event_variant;
struct origin;

struct event_class {
	uint32_t id; /* in its trace */
	const char *name; /* "sys.enter" */
	const char *text; /* description; NULL = none */
	enum event_role role;
	bool quiet; /* its events teach names, and only views see them */
	bool again; /* its events are normalized copies of other events of the source (schema/terms.h) */
	uint32_t stream; /* among trace_info.streams: which kind its events come in */
	const struct origin
		*origin; /* host and process of its trace (schema/origin.h); NULL = not known */
	bool fixed; /* every field is where field->offset_bits says */
	bool optional; /* some field is not in every event */
	bool tells_task; /* event.tid is of each event's own, and none of the fields */
	uint32_t payload_bytes; /* of a fixed layout */
	size_t field_count;
	/* Of these, the first: what the event happened in, not what it is about. */
	size_t context_count;
	size_t detail_count; /* of these, the last: a recording has them only with --detail full */
	const struct field *fields;
	const struct event_variant *variants; /* schema/variant.h */
	size_t variant_count;
	const uint32_t *offsets; /* field_count of them: offset_bits again, for struct event */
	size_t offset_count; /* of a trace's classes: field_count, and counts of sequences behind */
	size_t index; /* position among the source's classes: for tables of counters */
};

/* Sonde's own packets tell which of them hold such events (wire/record.h, name_packets). */
static inline bool event_class_tells_names(const struct event_class *class)
{
	return class->role == EVENT_ROLE_TASK || class->role == EVENT_ROLE_NAME;
}

/* Whether its events are the recorder's notes for readers, and say nothing of what happened. */
bool event_class_is_note(const struct event_class *class);

/* In place of the offset of a field that the event does not have. */
#define EVENT_ABSENT UINT32_MAX

struct event {
	const struct event_class *class;
	const uint8_t *payload;
	/* Bit offset of each field from @payload; of a list, where in here its items begin. */
	const uint32_t *offsets;
	int64_t time_ns; /* since the epoch */
	int32_t cpu; /* -1 = the source does not know */
	int32_t tid; /* -1 = the source does not know */
	uint32_t bytes; /* that it takes in its packet, header included; 0 = none */
	uint32_t level; /* of the context that recorded it (wire/record.h); 0 = a task's, or not known */
};

/* Index of the field called @name, or -1. Look up once per class, not per event. */
int event_class_find_any(const struct event_class *class, const char *name);
/* The same of those that every event has. */
int event_class_find(const struct event_class *class, const char *name);
/* The same where that field is one integer; -1 where it is anything else. */
int event_class_find_number(const struct event_class *class, const char *name);
/* The field with the inode of a file whose device is in the fields major and minor; -1: there are none. */
int event_class_find_inode(const struct event_class *class);

/* Whether it has the field: only optional ones may be absent, and nothing may be asked of them. */
static inline bool event_has(const struct event *event, size_t field)
{
	return event->offsets[field] != EVENT_ABSENT;
}

/* The bits of element @i of an integer field, sign-extended where the field is signed. */
uint64_t event_element(const struct event *event, size_t field, uint32_t i);
static inline uint64_t event_uint(const struct event *event, size_t field);
/* Elements of a field: 1 unless it is an array, a text, a sequence or a list. */
static inline uint32_t event_count(const struct event *event, size_t field);
double event_float(const struct event *event, size_t field, uint32_t i);
/* Text without its padding. Borrowed until the next batch; never NULL. */
const char *event_text(const struct event *event, size_t field, size_t *len);
/* Item @i of a list, below its count: an event of the list's own class, to be read like any. */
static inline struct event event_item(const struct event *event, size_t field, uint32_t i);
/* First byte of a byte-aligned field (addresses). */
static inline const uint8_t *event_bytes(const struct event *event, size_t field);

static inline const uint8_t *event_bytes(const struct event *event, size_t field)
{
	return event->payload + (event->offsets[field] >> 3);
}

/*
 * The little-endian integer of @bits at bit @at of @payload, where it lies in 1, 2, 4 or 8 bytes: one
 * load of exactly those, so that it never reads past them. False: it does not.
 */
static inline bool event_load_fast(const uint8_t *payload, uint64_t at, unsigned int bits,
				   bool is_signed, uint64_t *ret)
{
	const uint8_t *p = payload + (at >> 3);
	unsigned int skip = at & 7, unused = 64u - bits;
	uint64_t v = 0;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return false;
	switch ((skip + bits + 7) >> 3) {
	case 8:
		__builtin_memcpy(&v, p, 8);
		break;
	case 4:
		__builtin_memcpy(&v, p, 4);
		break;
	case 2:
		__builtin_memcpy(&v, p, 2);
		break;
	case 1:
		v = *p;
		break;
	default:
		return false;
	}
	v = v >> skip << unused;
	*ret = is_signed ? (uint64_t)((int64_t)v >> unused) : v >> unused;
	return true;
}

/* As event_element. Inline for the layouts that matter. */
static inline uint64_t event_element_fast(const struct event *event, size_t field, uint32_t i)
{
	const struct field *f = &event->class->fields[field];
	uint64_t at = event->offsets[field] + (uint64_t)i * f->bits, value;

	if (f->big_endian || !event_load_fast(event->payload, at, f->bits, f->is_signed, &value))
		return event_element(event, field, i);
	return value;
}

static inline uint64_t event_uint(const struct event *event, size_t field)
{
	return event_element_fast(event, field, 0);
}

static inline uint32_t event_count(const struct event *event, size_t field)
{
	const struct field *f = &event->class->fields[field];

	if (f->length)
		return (uint32_t)event_uint(event, f->length - 1);
	return f->count_at ? event->offsets[f->count_at - 1] : f->count;
}

static inline struct event event_item(const struct event *event, size_t field, uint32_t i)
{
	struct event item = *event;

	item.class = event->class->fields[field].items;
	item.offsets = event->offsets + event->offsets[field] + i * item.class->offset_count;
	return item;
}

#endif /* SONDE_SCHEMA_EVENT_H */

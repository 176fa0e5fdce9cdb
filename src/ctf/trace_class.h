/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_class: what metadata says of a trace: its clocks, environment, stream classes and event
 * classes. Made by ctf/metadata; readers borrow all of it until the trace class is freed.
 */
#ifndef SONDE_CTF_TRACE_CLASS_H
#define SONDE_CTF_TRACE_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf/arena.h"
#include "ctf/steps.h"
#include "ctf/type.h"
#include "schema/event.h"
#include "schema/source.h"
#include "schema/trace_info.h"
#include "wire/ctf.h"

struct ctf_clock {
	const char *name;
	const char *id; /* of CTF 2; NULL = the name */
	unsigned int line;
	const char *uid; /* of what it runs on, for example a boot; NULL = none */
	const char *text; /* NULL = none */
	uint64_t precision; /* cycles; 0 = not known */
	uint64_t freq; /* cycles per second */
	int64_t offset_s;
	int64_t offset; /* cycles, on top of offset_s */
	int64_t offset_ns; /* both of them, ns since the epoch */
};

/* Where the fields of an event lie (ctf/flatten makes it). */
struct ctf_layout {
	struct event_class class;
	struct ctf_steps
		packet_steps; /* of the packet context, where it has fields (ctf_stream_class.shows_packet) */
	struct ctf_steps steps;
	uint32_t align; /* bits: where the first of it begins, from the start of the packet */
	uint32_t align_max; /* of anything inside: a fixed layout holds where it begins at such */
	uint32_t bits; /* of a fixed layout */
	/* The task, where contexts tell it. */
	uint8_t tid_bits; /* 0 = they do not */
	bool tid_big_endian;
	bool tid_signed;
	uint16_t tid_slot; /* where steps keep it */
	uint32_t tid_offset; /* bits, of a fixed layout */
};

struct ctf_event_decl {
	uint64_t id;
	uint64_t stream_id;
	bool has_stream_id;
	unsigned int line;
	const char *name;
	const char *text; /* NULL = none */
	const struct ctf_type *context; /* NULL = none */
	const struct ctf_type *fields; /* NULL = none */
	struct ctf_layout *layout;
};

struct ctf_stream_class {
	uint64_t id;
	uint32_t index; /* among the trace's */
	unsigned int line; /* 0 = no declaration: the one that a trace without any has */
	const struct ctf_type *packet_context; /* NULL = none, and so the next two */
	const struct ctf_type *event_header;
	const struct ctf_type *event_context;
	const struct ctf_clock *clock; /* of its timestamps; NULL = none */
	uint32_t header_align; /* bits, of where an event begins */
	bool whole_end; /* packets say in 64 bits when they end */
	bool shows_packet; /* its packet context has members that are fields of each event */
	bool head_has_context; /* nothing but the task: read with the header, and none of the fields */
	/* Its events, ascending by id. */
	struct ctf_event_decl **events;
	size_t event_count;
	/* The decoder's fast path; NULL = headers are of another form at each event. */
	struct ctf_head_plan *plan;
};

struct ctf_trace_class {
	struct arena arena;
	bool big_endian;
	bool has_order;
	bool has_uuid;
	bool names_clocks; /* CTF 2: each stream says which is its own */
	const char *place; /* what `line` of types and classes counts: "line", "fragment" */
	bool without_events; /* metadata_read_head: its event classes are counted, and not read */
	size_t skipped_events;
	bool cut; /* the text ends in the middle of a declaration; `cut_*` tell where */
	char cut_text[256];
	/* Where the metadata breaks the standard, and was read all the same. */
	struct problem_list breaches;
	uint8_t uuid[CTF_UUID_BYTES];
	const struct ctf_type *packet_header; /* NULL = none */
	struct ctf_type *types; /* all of them, linked by `next` */
	size_t type_count;
	size_t name_bytes; /* of fields, all events' together */
	uint32_t slot_count; /* values that walks must keep; slot 0 is unused */
	struct ctf_clock **clocks;
	size_t clock_count;
	struct trace_env *env;
	size_t env_count;
	struct ctf_stream_class **streams;
	size_t stream_count;
	struct ctf_event_decl **events;
	size_t event_count;
	/* By event_class.index; the first is lost_class. */
	const struct event_class **classes;
	size_t class_count;
	/* Streams and clock for trace_info; NULL if the trace does not have one clock. */
	struct trace_stream *kinds; /* stream_count of them */
	struct trace_clock *clock;
};

/* NULL = no memory. */
struct ctf_trace_class *ctf_trace_class_new(void);
void ctf_trace_class_free(struct ctf_trace_class *trace);
/* A new type of it, declared in @line. The caller holds to CTF_TYPES_MAX. NULL = no memory. */
struct ctf_type *ctf_trace_class_type_new(struct ctf_trace_class *trace, enum ctf_kind kind,
					  unsigned int line);

/*
 * Whatever reads metadata reports here what breaks the standard and can be read all the same: a sentence without
 * the place, which is @line (of TSDL) or the fragment (of CTF 2). Each is kept once, CTF_BREACHES_MAX at most.
 */
void ctf_trace_class_breach(struct ctf_trace_class *trace, unsigned int line, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));

struct ctf_stream_class *ctf_trace_class_stream(const struct ctf_trace_class *trace, uint64_t id);
/* Whether packets say of which stream class they are. */
bool ctf_trace_class_has_stream_ids(const struct ctf_trace_class *trace);
struct ctf_event_decl *ctf_stream_class_event(const struct ctf_stream_class *stream, uint64_t id);
/* Of several that are read as one: its classes have the numbers from @first_class on (but for lost_class), its
 * streams those from @first_stream on. A single one has them from 1 and from 0 on. */
void ctf_trace_class_place(struct ctf_trace_class *trace, size_t first_class,
			   uint32_t first_stream);
/* Cycles of @clock as ns since the epoch; a clock that is NULL counts ns. */
int64_t ctf_clock_ns(const struct ctf_clock *clock, uint64_t cycles);

#endif /* SONDE_CTF_TRACE_CLASS_H */

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/resolve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "ctf/flatten.h"
#include "ctf/head_plan.h"
#include "ctf/reference.h"
#include "ctf/stream_kind.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "schema/lost.h"
#include "wire/ctf.h"
#include "wire/record.h"

/*
 * Recognises our own event header (wire/record.h) in a stream class. There the task is
 * part of the head, and no field of events.
 */

/* A little-endian unsigned bit field of the given role, packed against what is before it. */
static bool is_bits(const struct ctf_member *member, enum ctf_role role, uint32_t size)
{
	const struct ctf_type *type = member->type;

	return ctf_type_is_number(type) && member->role == role && type->size == size &&
	       type->align == 1 && !type->is_signed && !type->big_endian;
}

/* Ids below the extended one choose a member that is nothing but the 32 bits of the time. */
static bool is_short_time(const struct ctf_type *variant)
{
	const struct ctf_reference *ref = variant->ref;
	const struct ctf_type *chosen;

	if (!ref || !ref->choice_count || ref->choices[0].first != 0 ||
	    ref->choices[0].last != RECORD_ID_EXTENDED - 1)
		return false;
	chosen = variant->members[ref->choices[0].member].type;
	return chosen->kind == CTF_STRUCT && chosen->member_count == 1 && chosen->align == 1 &&
	       is_bits(&chosen->members[0], CTF_ROLE_TIME, RECORD_TIME_BITS) &&
	       chosen->members[0].type->clock;
}

/* Once references are resolved. */
static bool compact_is(const struct ctf_stream_class *stream)
{
	const struct ctf_type *header = stream->event_header, *context = stream->event_context;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !header || !context || !stream->clock)
		return false;
	return stream->clock->freq == NS_PER_SEC && header->align <= 8 * RECORD_ALIGN &&
	       header->member_count == 2 &&
	       is_bits(&header->members[0], CTF_ROLE_ID, RECORD_ID_BITS) &&
	       header->members[0].slot && header->members[1].type->kind == CTF_VARIANT &&
	       header->members[1].type->ref->slot == header->members[0].slot &&
	       is_short_time(header->members[1].type) && context->member_count == 1 &&
	       context->align == 1 && is_bits(&context->members[0], CTF_ROLE_TID, RECORD_TID_BITS);
}

static int fail(const struct ctf_trace_class *trace, struct diag *diag, int err, unsigned int line,
		const char *what, const char *name)
{
	(void)diag_set(diag, err, "%s %u: %s '%s'", trace->place, line, what, name);
	if (diag)
		diag->line = line;
	return err;
}

/* Both offsets in ns. */
static int settle_clock(const struct ctf_trace_class *trace, struct ctf_clock *clock,
			struct diag *diag)
{
	__int128 ns = (__int128)clock->offset * (int64_t)NS_PER_SEC / (__int128)clock->freq +
		      (__int128)clock->offset_s * (int64_t)NS_PER_SEC;

	if (ns < INT64_MIN || ns > INT64_MAX)
		return fail(trace, diag, -EBADMSG, clock->line,
			    "the offset is more than 292 years from the epoch: clock",
			    clock->name ?: "");
	clock->offset_ns = (int64_t)ns;
	return 0;
}

static const struct ctf_clock *find_clock(const struct ctf_trace_class *trace, const char *name)
{
	for (size_t i = 0; i < trace->clock_count; i++) {
		if (!strcmp(trace->clocks[i]->name, name))
			return trace->clocks[i];
	}
	return NULL;
}

/* A sequence whose length is in the environment (CTF 1.8.3, 7.3.2) has as many elements in each event. */
static int settle_length(const struct ctf_trace_class *trace, struct ctf_type *type,
			 struct diag *diag)
{
	const char *path = type->ref ? type->ref->path : "";

	if (type->kind != CTF_SEQUENCE || strncmp(path, "env.", 4))
		return 0;
	for (size_t i = 0; i < trace->env_count; i++) {
		const struct trace_env *env = &trace->env[i];

		if (strcmp(env->name, path + 4) || env->text)
			continue;
		if (env->number < 0 || env->number > (int64_t)CTF_ARRAY_MAX)
			return fail(trace, diag, -E2BIG, type->line,
				    "an array cannot have so many elements:", path);
		type->kind = CTF_ARRAY;
		type->count = (uint32_t)env->number;
		return 0;
	}
	return fail(trace, diag, -EBADMSG, type->line, "the environment has no number", path);
}

static int settle_types(struct ctf_trace_class *trace, struct diag *diag)
{
	for (struct ctf_type *type = trace->types; type; type = type->next) {
		int err;

		type->big_endian = type->order == CTF_ORDER_BE ||
				   (type->order == CTF_ORDER_NATIVE && trace->big_endian);
		err = settle_length(trace, type, diag);
		if (err)
			return err;
		if (!type->clock_name)
			continue;
		type->clock = find_clock(trace, type->clock_name);
		if (!type->clock)
			return fail(trace, diag, -EBADMSG, type->line, "no clock is called",
				    type->clock_name);
	}
	return 0;
}

/* The clock of the integers inside; false where there are two. */
static bool find_type_clock(const struct ctf_type *type, const struct ctf_clock **clock)
{
	bool one = true;

	if (!type)
		return true;
	if (type->clock) {
		one = !*clock || *clock == type->clock;
		*clock = type->clock;
	}
	for (size_t i = 0; i < type->member_count && one; i++)
		one = find_type_clock(type->members[i].type, clock);
	return one && find_type_clock(type->element, clock);
}

/* In TSDL (CTF 2 has roles for this): the magic number is the first of a packet, and streams of one trace
 * are distinguished by stream_id. */
static void check_header(struct ctf_trace_class *trace)
{
	const struct ctf_type *header = trace->packet_header;

	for (size_t i = 0; header && i < header->member_count; i++) {
		const struct ctf_member *member = &header->members[i];

		if (member->role == CTF_ROLE_MAGIC && ctf_type_is_number(member->type) &&
		    (i || member->type->size != 32))
			ctf_trace_class_breach(
				trace, member->line,
				"'magic' is not an integer of 32 bits at the begin of "
				"the packet header");
	}
	if (trace->stream_count > 1 && !ctf_trace_class_has_stream_ids(trace))
		ctf_trace_class_breach(
			trace, header ? header->line : trace->streams[1]->line,
			"there are %zu streams, and the packet header has no stream_id",
			trace->stream_count);
}

static bool has_time(const struct ctf_type *type)
{
	for (size_t i = 0; type && i < type->member_count; i++) {
		const struct ctf_member *member = &type->members[i];

		if (member->role == CTF_ROLE_TIME || member->role == CTF_ROLE_BEGIN ||
		    (!ctf_type_is_number(member->type) && has_time(member->type)))
			return true;
	}
	return false;
}

/* In TSDL, timestamps without a map belong to the clock, where there is only one. */
static void imply_clock(const struct ctf_trace_class *trace, struct ctf_stream_class *stream)
{
	if (!stream->clock && !trace->names_clocks && trace->clock_count == 1 &&
	    (has_time(stream->packet_context) || has_time(stream->event_header)))
		stream->clock = trace->clocks[0];
}

/* Members of a packet context that have no role in reading it are what its events happened in. */
static bool has_fields(const struct ctf_type *context)
{
	for (size_t i = 0; context && i < context->member_count; i++)
		if (!ctf_role_is_of_packet(context->members[i].role))
			return true;
	return false;
}

static bool has_whole_end(const struct ctf_type *context)
{
	for (size_t i = 0; context && i < context->member_count; i++)
		if (context->members[i].role == CTF_ROLE_END)
			return context->members[i].type->size == 64;
	return false;
}

static int settle_stream(struct ctf_trace_class *trace, struct ctf_stream_class *stream,
			 struct diag *diag)
{
	int err;

	if (!find_type_clock(stream->packet_context, &stream->clock) ||
	    !find_type_clock(stream->event_header, &stream->clock))
		return fail(trace, diag, -ENOTSUP, stream->line,
			    "a stream has two clocks, one of them", stream->clock->name);
	imply_clock(trace, stream);
	stream->whole_end = has_whole_end(stream->packet_context);
	stream->shows_packet = has_fields(stream->packet_context);
	stream->header_align = stream->event_header ? stream->event_header->align : 1;
	err = reference_resolve(trace, stream, diag);
	stream->head_has_context = !err && compact_is(stream);
	return err;
}

static struct ctf_stream_class *add_implied_stream(struct ctf_trace_class *trace)
{
	void *array = trace->streams;
	struct ctf_stream_class *stream = arena_alloc(&trace->arena, sizeof(*stream)), **slot;

	slot = stream ? arena_push(&trace->arena, &array, &trace->stream_count, sizeof(*slot)) :
			NULL;
	if (!slot)
		return NULL;
	*slot = stream;
	trace->streams = (struct ctf_stream_class **)array;
	return stream;
}

static int sort_event(struct ctf_trace_class *trace, struct ctf_event_decl *event,
		      struct diag *diag)
{
	struct ctf_stream_class *stream;
	struct ctf_event_decl **slot;
	void *array;

	if (!event->has_stream_id && trace->stream_count > 1 && !trace->names_clocks)
		ctf_trace_class_breach(
			trace, event->line,
			"the event '%.64s' has no stream_id, and there are %zu streams",
			event->name, trace->stream_count);
	if (!event->has_stream_id && trace->stream_count == 1)
		event->stream_id = trace->streams[0]->id;
	stream = ctf_trace_class_stream(trace, event->stream_id);
	if (!stream)
		return fail(trace, diag, -EBADMSG, event->line, "no stream for the event",
			    event->name);
	array = stream->events;
	slot = arena_push(&trace->arena, &array, &stream->event_count, sizeof(*slot));
	if (!slot)
		return diag_set(diag, -ENOMEM, "out of memory");
	*slot = event;
	stream->events = (struct ctf_event_decl **)array;
	return 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct ctf_event_decl *left = *(struct ctf_event_decl *const *)a;
	const struct ctf_event_decl *right = *(struct ctf_event_decl *const *)b;

	return left->id < right->id ? -1 : left->id > right->id;
}

static int sort_events(struct ctf_trace_class *trace, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < trace->event_count && !err; i++)
		err = sort_event(trace, trace->events[i], diag);
	for (size_t i = 0; i < trace->stream_count && !err; i++) {
		struct ctf_stream_class *stream = trace->streams[i];

		if (!stream->event_count)
			continue;
		qsort(stream->events, stream->event_count, sizeof(struct ctf_event_decl *),
		      compare_events);
		for (size_t j = 1; j < stream->event_count && !err; j++) {
			if (stream->events[j]->id == stream->events[j - 1]->id)
				err = fail(trace, diag, -EBADMSG, stream->events[j]->line,
					   "another event of the stream has the id of",
					   stream->events[j]->name);
		}
	}
	return err;
}

static int add_class(struct ctf_trace_class *trace, const struct event_class *class)
{
	void *array = trace->classes;
	const struct event_class **slot;

	slot = arena_push(&trace->arena, &array, &trace->class_count, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	*slot = class;
	trace->classes = (const struct event_class **)array;
	return 0;
}

static uint64_t nodes_of(const struct ctf_type *type)
{
	return type ? type->nodes : 1;
}

static int make_layouts(struct ctf_trace_class *trace, struct diag *diag)
{
	uint64_t nodes = 0;
	int err = add_class(trace, &lost_class);

	for (size_t i = 0; i < trace->event_count && !err; i++) {
		struct ctf_event_decl *event = trace->events[i];
		const struct ctf_stream_class *stream;

		stream = ctf_trace_class_stream(trace, event->stream_id);
		nodes += nodes_of(event->fields) + nodes_of(event->context) +
			 nodes_of(stream->event_context);
		if (nodes > CTF_NODES_TOTAL_MAX)
			return fail(trace, diag, -E2BIG, event->line,
				    "too many fields, up to event", event->name);
		err = ctf_layout_make(trace, stream, event, &event->layout, diag);
		if (err)
			return err;
		event->layout->class.index = trace->class_count;
		err = add_class(trace, &event->layout->class);
	}
	return err ? diag_set(diag, err, "out of memory") : 0;
}

int resolve_trace(struct ctf_trace_class *trace, struct diag *diag)
{
	int err = 0;

	if (!trace->stream_count && !add_implied_stream(trace))
		return diag_set(diag, -ENOMEM, "out of memory");
	if (!trace->has_order)
		return diag_set(diag, -EBADMSG,
				"the metadata has no trace block that gives the byte order");
	for (size_t i = 0; i < trace->clock_count && !err; i++)
		err = settle_clock(trace, trace->clocks[i], diag);
	err = err ? err : settle_types(trace, diag);
	if (!err && !trace->names_clocks)
		check_header(trace);
	for (size_t i = 0; i < trace->stream_count && !err; i++)
		err = settle_stream(trace, trace->streams[i], diag);
	err = err ? err : sort_events(trace, diag);
	err = err ? err : make_layouts(trace, diag);
	for (size_t i = 0; i < trace->stream_count && !err; i++)
		err = head_plan_make(trace, trace->streams[i], diag);
	return err ? err : stream_kinds_make(trace, diag);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "trace/symbol_notes.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/decoder.h"
#include "ctf/trace_class.h"
#include "schema/event.h"
#include "schema/trace_info.h"
#include "symbol/symbols.h"
#include "trace/end_notes.h"
#include "trace/frame_input.h"
#include "trace/merge.h"
#include "trace/name_stream.h"
#include "trace/stream_input.h"
#include "trace/stream_reader.h"
#include "wire/frame.h"

#define RECORDER_STREAM "recorder"
#define WINDOW_BYTES (128u << 10)
#define PACKET_BATCH_EVENTS 64u
#define PACKET_BATCH_OFFSETS (4 * CTF_FIELDS_MAX)

/* Where the fields of both classes are; -1 = not there, or of another form. */
struct places {
	const struct event_class *symbol; /* NULL: no such class */
	const struct event_class *mapping;
	int start, size, name;
	int map_start, map_end, map_offset, map_age, map_pid, map_build_id, map_path;
};

struct symbol_notes {
	int dir;
	const struct ctf_trace_class *trace;
	struct symbols *symbols;
	struct end_notes *end; /* NULL = not wanted */
	struct places places;
	bool looked;
	struct merge *merge; /* of the one stream; NULL = it is not there yet */
	struct problem_list problems;
};

static int find_text(const struct event_class *class, const char *name)
{
	int i = event_class_find(class, name);

	return i >= 0 && class->fields[i].kind == FIELD_STRING ? i : -1;
}

static int find_build_id(const struct event_class *class)
{
	int i = event_class_find(class, "build_id");
	const struct field *field = i >= 0 ? &class->fields[i] : NULL;

	if (!field || field->kind != FIELD_INT || field->length || field->bits != 8 ||
	    field->align_bits % 8 || field->count != BUILD_ID_BYTES)
		return -1;
	return i;
}

static void find_symbol(struct places *p, const struct event_class *class)
{
	p->start = event_class_find_number(class, "start");
	p->size = event_class_find_number(class, "size");
	p->name = find_text(class, "name");
	if (p->start >= 0 && p->size >= 0 && p->name >= 0)
		p->symbol = class;
}

static void find_mapping(struct places *p, const struct event_class *class)
{
	p->map_start = event_class_find_number(class, "start");
	p->map_end = event_class_find_number(class, "end");
	p->map_offset = event_class_find_number(class, "offset");
	p->map_age = event_class_find_number(class, "age_ns");
	p->map_pid = event_class_find_number(class, "pid");
	p->map_build_id = find_build_id(class);
	p->map_path = find_text(class, "path");
	if (p->map_start >= 0 && p->map_end >= 0 && p->map_offset >= 0 && p->map_age >= 0 &&
	    p->map_pid >= 0 && p->map_build_id >= 0 && p->map_path >= 0)
		p->mapping = class;
}

/* Of the classes that are @quiet, or of the others. */
static void find_places(struct places *p, const struct ctf_trace_class *trace, bool quiet)
{
	*p = (struct places){0};
	for (size_t i = 0; i < trace->class_count; i++) {
		const struct event_class *class = trace->classes[i];

		if (class->quiet != quiet)
			continue;
		if (class->role == EVENT_ROLE_SYMBOL)
			find_symbol(p, class);
		if (class->role == EVENT_ROLE_MAPPING)
			find_mapping(p, class);
	}
}

static int take_symbol(const struct places *p, const struct event *event, struct symbols *symbols)
{
	size_t len;
	const char *name = event_text(event, (size_t)p->name, &len);

	return symbols_add_kernel(symbols, event_uint(event, (size_t)p->start),
				  event_uint(event, (size_t)p->size), name, len);
}

static int take_mapping(const struct places *p, const struct event *event, struct symbols *symbols)
{
	struct symbol_mapping m = {
		.since_ns =
			(int64_t)((uint64_t)event->time_ns - event_uint(event, (size_t)p->map_age)),
		.start = event_uint(event, (size_t)p->map_start),
		.end = event_uint(event, (size_t)p->map_end),
		.offset = event_uint(event, (size_t)p->map_offset),
		.pid = (uint32_t)event_uint(event, (size_t)p->map_pid),
		.build_id = event_bytes(event, (size_t)p->map_build_id),
	};

	m.path = event_text(event, (size_t)p->map_path, &m.path_len);
	return symbols_add_mapping(symbols, &m);
}

/* More than there is room for stays without names. */
static int take(const struct places *p, const struct event *event, struct symbols *symbols)
{
	int err = 0;

	if (event->class == p->symbol)
		err = take_symbol(p, event, symbols);
	else if (event->class == p->mapping)
		err = take_mapping(p, event, symbols);
	return err == -E2BIG ? 0 : err;
}

static int read_all(struct symbol_notes *notes)
{
	const struct event *events;
	int count, err = 0;

	while (!err && (count = merge_next(notes->merge, &events)) > 0) {
		for (int i = 0; !err && i < count; i++) {
			err = take(&notes->places, &events[i], notes->symbols);
			if (!err && notes->end)
				err = end_notes_take(notes->end, &events[i]);
		}
	}
	return err ?: count;
}

/* Whether the recorder's stream can have anything of what is looked for. */
static bool has_any(const struct symbol_notes *notes)
{
	return notes->places.symbol || notes->places.mapping ||
	       (notes->end && end_notes_expected(notes->end));
}

struct symbol_notes *symbol_notes_new(int dir, const struct ctf_trace_class *trace,
				      struct symbols *symbols, struct end_notes *end)
{
	struct symbol_notes *notes = calloc(1, sizeof(*notes));

	if (!notes)
		return NULL;
	notes->dir = dir;
	notes->trace = trace;
	notes->symbols = symbols;
	notes->end = end;
	problem_list_init(&notes->problems);
	find_places(&notes->places, trace, false);
	return notes;
}

void symbol_notes_free(struct symbol_notes *notes)
{
	if (!notes)
		return;
	merge_free(notes->merge);
	problem_list_fini(&notes->problems);
	free(notes);
}

/* 0, -ENOMEM, or -errno: no such stream. */
static int open_stream(struct symbol_notes *notes, const char *name)
{
	struct stream_reader *stream;
	struct stream_input *input;
	struct merge *merge;
	int err = stream_open(notes->dir, name, &input);

	if (err)
		return err;
	merge = merge_new();
	stream = stream_reader_new(input, notes->trace, WINDOW_BYTES, &notes->problems);
	err = !merge || !stream ? -ENOMEM : merge_add(merge, stream);
	if (!merge)
		stream_reader_free(stream);
	if (err)
		merge_free(merge);
	else
		notes->merge = merge;
	return err;
}

/* Reads one stream. */
static int read_stream(int dir, const struct ctf_trace_class *trace, const char *name, bool quiet,
		       struct symbols *symbols, struct end_notes *end)
{
	struct symbol_notes *notes = symbol_notes_new(dir, trace, symbols, end);
	int err = 0;

	if (!notes)
		return -ENOMEM;
	find_places(&notes->places, trace, quiet);
	if (has_any(notes) && !open_stream(notes, name))
		err = read_all(notes);
	symbol_notes_free(notes);
	return err;
}

/* Its file, or those that a relay has made of it: "recorder_0" and so on; compressed or not. */
static int is_of_recorder(const struct dirent *entry)
{
	const char *rest = entry->d_name;

	if (strncmp(rest, RECORDER_STREAM, strlen(RECORDER_STREAM)) != 0)
		return false;
	rest += strlen(RECORDER_STREAM);
	if (*rest == '_')
		rest += 1 + strspn(rest + 1, "0123456789");
	return !*rest || !strcmp(rest, FRAME_SUFFIX);
}

int symbol_notes_read(int dir, const struct ctf_trace_class *trace, struct symbols *symbols,
		      struct end_notes *end)
{
	struct dirent **entries = NULL;
	int count = scandirat(dir, ".", &entries, is_of_recorder, versionsort);
	int err = count < 0 ? -errno : 0;

	for (int i = 0; i < count; i++) {
		err = err ?: read_stream(dir, trace, entries[i]->d_name, false, symbols, end);
		free(entries[i]);
	}
	free(entries);
	return err ?: read_stream(dir, trace, NAMES_STREAM, true, symbols, NULL);
}

int symbol_notes_more(struct symbol_notes *notes)
{
	int err = 0;

	if (!notes->looked)
		err = read_stream(notes->dir, notes->trace, NAMES_STREAM, true, notes->symbols,
				  NULL);
	notes->looked = true;
	if (err || !has_any(notes))
		return err;
	if (!notes->merge)
		err = open_stream(notes, RECORDER_STREAM);
	if (!notes->merge && err != -ENOMEM)
		err = open_stream(notes, RECORDER_STREAM FRAME_SUFFIX);
	if (!notes->merge)
		return err == -ENOMEM ? err : 0;
	merge_look(notes->merge, true);
	return read_all(notes);
}

static int take_batch(const struct places *p, const struct event_batch *batch,
		      struct symbols *symbols, struct end_notes *end)
{
	int err = 0;

	for (size_t i = 0; i < batch->count && !err; i++)
		err = take(p, &batch->events[i], symbols) ?: end_notes_take(end, &batch->events[i]);
	return err;
}

static int decode_packet(struct decoder *decoder, const struct places *p, struct symbols *symbols,
			 struct end_notes *end)
{
	struct event_batch batch = {
		.events = calloc(PACKET_BATCH_EVENTS, sizeof(struct event)),
		.room = PACKET_BATCH_EVENTS,
		.offsets = calloc(PACKET_BATCH_OFFSETS, sizeof(uint32_t)),
		.offset_room = PACKET_BATCH_OFFSETS,
	};
	int err = batch.events && batch.offsets ? 0 : -ENOMEM, more = 1;

	/* Damage in it is reported when it is read again. */
	while (!err && more == 1) {
		batch.count = batch.offset_count = 0;
		batch.full = false;
		more = decoder_run(decoder, INT64_MAX, &batch, NULL);
		err = take_batch(p, &batch, symbols, end);
		if (!batch.count) /* one that is too large for so small a batch */
			break;
	}
	free(batch.events);
	free(batch.offsets);
	free(batch.copies);
	return err;
}

/* The end mark is in the recorder's stream, as what addresses mean is, but for names that a copy keeps apart. */
static bool may_end(const struct end_notes *end, uint32_t stream)
{
	return end_notes_expected(end) && end->end_class->stream == stream;
}

int symbol_notes_packet(const struct ctf_trace_class *trace, const void *packet, size_t len,
			struct symbols *symbols, struct end_notes *end)
{
	struct decoder decoder;
	struct places p;
	uint32_t stream;
	int ret = 0;

	decoder_init(&decoder, trace);
	if (decoder_open(&decoder, packet, len, len, NULL))
		goto out;
	stream = decoder.packet.stream->index;
	for (int quiet = 0; quiet < 2 && !ret; quiet++) {
		bool tells;

		find_places(&p, trace, quiet);
		tells = (p.symbol && p.symbol->stream == stream) ||
			(p.mapping && p.mapping->stream == stream);
		if (tells || (!quiet && may_end(end, stream)))
			ret = decode_packet(&decoder, &p, symbols, end) ?: tells;
	}
out:
	decoder_fini(&decoder);
	return ret;
}

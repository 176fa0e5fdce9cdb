// SPDX-License-Identifier: BSD-2-Clause
#include "trace/name_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/code_names.h"
#include "base/buffer.h"
#include "base/map.h"
#include "ctf/arena.h"
#include "ctf/metadata_write.h"
#include "ctf/natural.h"
#include "symbol/symbol_table.h"
#include "symbol/symbols.h"
#include "trace/packet_writer.h"

enum note { NOTE_TASK, NOTE_NAME, NOTE_SYMBOL, NOTE_MAPPING, NOTE_COUNT };

#define TOLD_TEXT_MAX SYMBOL_NAME_MAX
#define TOLD_MAX (1u << 20) /* functions, and mappings: further ones stay without a name */

/* As wire/note.h has them, without heads. */
struct task_note {
	uint64_t cgroup;
	uint32_t tid;
	uint32_t pid;
	char comm[16];
};
struct name_note {
	uint64_t key;
	uint16_t major;
	uint16_t minor;
	uint32_t kind;
	char text[NAME_TEXT_MAX];
};

struct symbol_note {
	uint64_t start;
	uint32_t size;
	char name[TOLD_TEXT_MAX];
};
struct mapping_note {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t age_ns;
	uint32_t pid;
	uint8_t build_id[BUILD_ID_BYTES];
	char path[TOLD_TEXT_MAX];
};

#define BITS_OF(note, member) (8 * (uint32_t)offsetof(struct note, member))
#define NUMBER(called, size)                                                                       \
	{                                                                                          \
		.name = called, .bits = size, .align_bits = (size) > 32 ? 32 : (size), .count = 1, \
		.scope = FIELD_SCOPE_OBJECT,                                                       \
	}

#define ENDED_TEXT(called)                                                                    \
	{                                                                                     \
		.name = called, .kind = FIELD_STRING, .bits = 8, .align_bits = 8, .count = 1, \
	}

static const struct field task_fields[] = {
	NUMBER("cgroup", 64),
	NUMBER("tid", 32),
	NUMBER("pid", 32),
	{.name = "comm", .kind = FIELD_TEXT, .bits = 8, .align_bits = 8, .count = 16},
};
static const uint32_t task_offsets[] = {BITS_OF(task_note, cgroup), BITS_OF(task_note, tid),
					BITS_OF(task_note, pid), BITS_OF(task_note, comm)};
static const struct field name_fields[] = {
	NUMBER("key", 64),  NUMBER("major", 16), NUMBER("minor", 16),
	NUMBER("kind", 32), ENDED_TEXT("text"),
};
static const uint32_t name_offsets[] = {BITS_OF(name_note, key), BITS_OF(name_note, major),
					BITS_OF(name_note, minor), BITS_OF(name_note, kind),
					BITS_OF(name_note, text)};

static const struct field symbol_fields[] = {
	NUMBER("start", 64),
	NUMBER("size", 32),
	ENDED_TEXT("name"),
};
static const uint32_t symbol_offsets[] = {BITS_OF(symbol_note, start), BITS_OF(symbol_note, size),
					  BITS_OF(symbol_note, name)};
static const struct field mapping_fields[] = {
	NUMBER("start", 64),
	NUMBER("end", 64),
	NUMBER("offset", 64),
	NUMBER("age_ns", 64),
	NUMBER("pid", 32),
	{.name = "build_id", .bits = 8, .align_bits = 8, .count = BUILD_ID_BYTES},
	ENDED_TEXT("path"),
};
static const uint32_t mapping_offsets[] = {
	BITS_OF(mapping_note, start),  BITS_OF(mapping_note, end), BITS_OF(mapping_note, offset),
	BITS_OF(mapping_note, age_ns), BITS_OF(mapping_note, pid), BITS_OF(mapping_note, build_id),
	BITS_OF(mapping_note, path)};

static const struct event_class classes[NOTE_COUNT] = {
	[NOTE_TASK] = {.id = NOTE_TASK,
		       .name = "sonde.task",
		       .field_count = 4,
		       .fields = task_fields,
		       .offsets = task_offsets},
	[NOTE_NAME] = {.id = NOTE_NAME,
		       .name = "sonde.name",
		       .field_count = 5,
		       .fields = name_fields,
		       .offsets = name_offsets},
	[NOTE_SYMBOL] = {.id = NOTE_SYMBOL,
			 .name = "sonde.symbol",
			 .field_count = 3,
			 .fields = symbol_fields,
			 .offsets = symbol_offsets},
	[NOTE_MAPPING] = {.id = NOTE_MAPPING,
			  .name = "sonde.mapping",
			  .field_count = 7,
			  .fields = mapping_fields,
			  .offsets = mapping_offsets},
};

struct name_stream {
	const struct analysis *analysis;
	bool *named; /* by event_class.index: it has fields whose values have names */
	struct natural naturals[NOTE_COUNT];
	struct arena arena; /* for these */
	/* The names that a reader of the output so far knows. */
	struct task_names *tasks;
	struct known *known;
	struct map symbols; /* by start */
	struct map mappings; /* by mapping_key */
};

/* Zeros between its members: it is compared byte by byte. */
struct mapping_key {
	int64_t since_ns;
	uint64_t start;
	uint64_t pid;
};

void name_stream_file(uint32_t trace, char *name, size_t room)
{
	if (trace)
		snprintf(name, room, NAMES_STREAM "%u", trace);
	else
		snprintf(name, room, NAMES_STREAM);
}

bool name_stream_is_file(const char *name)
{
	size_t len = strlen(NAMES_STREAM);

	return !strncmp(name, NAMES_STREAM, len) && !name[len + strspn(name + len, "0123456789")];
}

static bool is_named(const struct field *field)
{
	return field->show == FIELD_SHOW_SYMBOL || field->show == FIELD_SHOW_NETNS ||
	       field->show == FIELD_SHOW_CGROUP || field->show == FIELD_SHOW_FILE;
}

static bool *find_named(const struct trace_info *info)
{
	bool *named = calloc(info->class_count ?: 1, sizeof(*named));

	for (size_t i = 0; named && i < info->class_count; i++) {
		const struct event_class *class = info->classes[i];

		for (size_t j = 0; j < class->field_count && !named[i]; j++)
			named[i] = is_named(&class->fields[j]);
	}
	return named;
}

struct name_stream *name_stream_new(const struct analysis *analysis)
{
	struct name_stream *ns = calloc(1, sizeof(*ns));
	int err = 0;

	if (!ns)
		return NULL;
	ns->analysis = analysis;
	arena_init(&ns->arena);
	ns->named = find_named(analysis->info);
	ns->tasks = task_names_new(analysis->info);
	ns->known = known_new(analysis->info);
	map_init(&ns->symbols, sizeof(uint64_t), 1, TOLD_MAX);
	map_init(&ns->mappings, sizeof(struct mapping_key), 1, TOLD_MAX);
	for (size_t i = 0; i < NOTE_COUNT && !err; i++)
		err = natural_init(&ns->naturals[i], &classes[i], false, &ns->arena, NULL);
	if (err || !ns->named || !ns->tasks || !ns->known) {
		name_stream_free(ns);
		return NULL;
	}
	return ns;
}

void name_stream_free(struct name_stream *ns)
{
	if (!ns)
		return;
	arena_fini(&ns->arena);
	task_names_free(ns->tasks);
	known_free(ns->known);
	map_fini(&ns->symbols);
	map_fini(&ns->mappings);
	free(ns->named);
	free(ns);
}

int name_stream_describe(const struct name_stream *ns, uint32_t id, struct buffer *out)
{
	int err = 0;

	metadata_write_stream(out, id, METADATA_NAMES, NULL);
	for (size_t i = 0; i < NOTE_COUNT && !err; i++)
		err = metadata_write_event(out, &ns->naturals[i].class, id);
	return err;
}

/* Notes that an event needs: counted where @pw is NULL, else written. */
struct telling {
	struct name_stream *ns;
	uint32_t trace; /* that the event is of */
	struct packet_writer *pw;
	uint64_t clock;
	int lead; /* so much is it before that of the event */
	size_t count;
	int err;
};

static void put(struct telling *telling, enum note note, const void *payload)
{
	const struct event event = {.class = &classes[note],
				    .payload = payload,
				    .offsets = classes[note].offsets,
				    .cpu = -1,
				    .tid = -1};

	telling->count++;
	if (telling->pw && !telling->err)
		telling->err = packet_writer_event(telling->pw, telling->clock,
						   &telling->ns->naturals[note], &event);
}

static void tell_name(struct telling *telling, const struct known_key *key)
{
	struct name_stream *ns = telling->ns;
	const char *name = known_text(ns->analysis->known, key), *told = known_text(ns->known, key);
	struct name_note note = {
		.key = key->number, .major = key->major, .minor = key->minor, .kind = key->kind};
	size_t len;

	if (!name || (told && !strcmp(name, told)))
		return;
	len = strnlen(name, sizeof(note.text) - 1);
	memcpy(note.text, name, len);
	put(telling, NOTE_NAME, &note);
	if (telling->pw)
		known_set(ns->known, key, note.text, len);
}

static bool is_same(const struct task_name *a, const struct task_name *b)
{
	return TASK_NAME_LEN(a) == TASK_NAME_LEN(b) && !memcmp(a->text, b->text, TASK_NAME_LEN(a));
}

static void tell_number(struct telling *telling, enum name_kind kind, uint64_t number)
{
	tell_name(telling, &(struct known_key){.number = number,
					       .kind = (uint16_t)kind,
					       .trace = (uint16_t)telling->trace});
}

/* The cgroup's path, and the name of the container that the path shows. */
static void tell_cgroup(struct telling *telling, uint64_t cgroup)
{
	struct known_key key = {
		.number = cgroup, .kind = NAME_CGROUP, .trace = (uint16_t)telling->trace};
	const char *path = known_text(telling->ns->analysis->known, &key);

	tell_name(telling, &key);
	if (path && known_container_key(path, key.trace, &key))
		tell_name(telling, &key);
}

static void tell_task(struct telling *telling, const struct event *event)
{
	struct name_stream *ns = telling->ns;
	const struct event_class *class = event->class;
	int32_t tid = event->tid;
	const struct task_name *name = task_names_get(ns->analysis->names, class, tid);
	struct task_note note = {.cgroup = task_names_cgroup(ns->analysis->names, class, tid),
				 .tid = (uint32_t)tid,
				 .pid = task_names_pid(ns->analysis->names, class, tid)};

	if (note.cgroup)
		tell_cgroup(telling, note.cgroup);
	if (is_same(name, task_names_get(ns->tasks, class, tid)) &&
	    note.pid == task_names_pid(ns->tasks, class, tid) &&
	    note.cgroup == task_names_cgroup(ns->tasks, class, tid))
		return;
	memcpy(note.comm, name->text, TASK_NAME_LEN(name));
	put(telling, NOTE_TASK, &note);
	if (!telling->pw)
		return;
	task_names_set(ns->tasks, telling->trace, tid, note.comm, TASK_NAME_LEN(name));
	task_names_set_pid(ns->tasks, telling->trace, tid, note.pid);
	task_names_set_cgroup(ns->tasks, telling->trace, tid, note.cgroup);
}

static uint16_t device_part(const struct event *event, const char *name)
{
	int field = event_class_find_number(event->class, name);

	return field < 0 ? 0 : (uint16_t)event_uint(event, (size_t)field);
}

static void tell_file(struct telling *telling, const struct event *event, uint64_t number)
{
	struct known_key key = {.number = number,
				.kind = NAME_FILE,
				.trace = (uint16_t)telling->trace,
				.major = device_part(event, "major"),
				.minor = device_part(event, "minor")};

	tell_name(telling, &key);
	key.number = 0;
	key.kind = NAME_FILESYSTEM;
	tell_name(telling, &key);
}

/* Whether @key needs a note: it is not in @told yet. Adds it there. */
static bool is_new(struct telling *telling, struct map *told, const void *key)
{
	if (map_get(told, key))
		return false;
	return !telling->pw || map_at(told, key);
}

static void tell_symbol(struct telling *telling, const struct symbol *symbol)
{
	struct symbol_note note;
	size_t len = strnlen(symbol->name, sizeof(note.name) - 1);

	if (!is_new(telling, &telling->ns->symbols, &symbol->start))
		return;
	note.start = symbol->start;
	note.size = symbol->size > UINT32_MAX ? UINT32_MAX : (uint32_t)symbol->size;
	memcpy(note.name, symbol->name, len);
	note.name[len] = '\0';
	put(telling, NOTE_SYMBOL, &note);
}

/* @time_ns: of the note. */
static void tell_mapping(struct telling *telling, const struct symbol_mapping *mapping,
			 int64_t time_ns)
{
	const struct mapping_key key = {mapping->since_ns, mapping->start, mapping->pid};
	struct mapping_note note = {.start = mapping->start,
				    .end = mapping->end,
				    .offset = mapping->offset,
				    .age_ns = (uint64_t)time_ns - (uint64_t)mapping->since_ns,
				    .pid = mapping->pid};

	if (!is_new(telling, &telling->ns->mappings, &key) || mapping->path_len >= TOLD_TEXT_MAX)
		return;
	memcpy(note.build_id, mapping->build_id, sizeof(note.build_id));
	memcpy(note.path, mapping->path, mapping->path_len);
	put(telling, NOTE_MAPPING, &note);
}

/* As analyse/code_names looks them up. */
static void tell_code(struct telling *telling, const struct event *event, size_t field)
{
	struct symbols *symbols = telling->ns->analysis->info->symbols;
	const struct task_names *names = telling->ns->analysis->names;
	int pid = code_name_process(event->class);
	uint32_t whose = pid >= 0 ? (uint32_t)event_uint(event, (size_t)pid) :
			 names	  ? task_names_pid(names, event->class, event->tid) :
				    0;

	for (uint32_t i = 0; symbols && i < event_count(event, field); i++) {
		uint64_t address = event_element_fast(event, field, i) - (i > 0);
		struct symbol_mapping mapping;
		struct symbol symbol;

		if (symbols_find_kernel(symbols, address, &symbol))
			tell_symbol(telling, &symbol);
		else if (symbols_find_mapping(symbols, whose, event->time_ns, address, &mapping))
			tell_mapping(telling, &mapping, event->time_ns - telling->lead);
	}
}

static void tell_field(struct telling *telling, const struct event *event, size_t i)
{
	const struct field *field = &event->class->fields[i];

	if (!event_has(event, i))
		return;
	if (field->show == FIELD_SHOW_SYMBOL && field->kind == FIELD_INT)
		tell_code(telling, event, i);
	if (field_is_many(field))
		return;
	if (field->show == FIELD_SHOW_NETNS)
		tell_number(telling, NAME_NETNS, event_uint(event, i));
	else if (field->show == FIELD_SHOW_CGROUP)
		tell_number(telling, NAME_CGROUP, event_uint(event, i));
	else if (field->show == FIELD_SHOW_FILE)
		tell_file(telling, event, event_uint(event, i));
}

static void tell_all(struct telling *telling, const struct event *event)
{
	if (event->tid > 0)
		tell_task(telling, event);
	if (!telling->ns->named[event->class->index])
		return;
	for (size_t i = 0; i < event->class->field_count; i++)
		tell_field(telling, event, i);
}

uint32_t name_stream_trace(const struct name_stream *ns, const struct event *event)
{
	return trace_info_trace(ns->analysis->info, event->class->stream);
}

bool name_stream_needs(struct name_stream *ns, const struct event *event)
{
	struct telling telling = {.ns = ns, .trace = name_stream_trace(ns, event)};

	if (task_names_has(ns->tasks, event->class))
		task_names_learn(ns->tasks, event);
	if (known_has(ns->known, event->class->index))
		known_learn(ns->known, event);
	tell_all(&telling, event);
	return telling.count > 0;
}

/* One tick before the event, as a reader may take either of two of the same time first. */
int name_stream_tell(struct name_stream *ns, struct packet_writer *pw, uint64_t clock,
		     const struct event *event)
{
	int lead = clock > 0;
	struct telling telling = {.ns = ns,
				  .trace = name_stream_trace(ns, event),
				  .pw = pw,
				  .clock = clock - (uint64_t)lead,
				  .lead = lead};

	tell_all(&telling, event);
	return telling.err;
}

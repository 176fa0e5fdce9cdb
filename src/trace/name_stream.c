// SPDX-License-Identifier: BSD-2-Clause
#include "trace/name_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/metadata_write.h"
#include "ctf/natural.h"
#include "trace/packet_writer.h"
#include "view/view.h"

enum note { NOTE_TASK, NOTE_NAME, NOTE_COUNT };

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

#define BITS_OF(note, member) (8 * (uint32_t)offsetof(struct note, member))
#define NUMBER(called, size)                                                                       \
	{                                                                                          \
		.name = called, .bits = size, .align_bits = (size) > 32 ? 32 : (size), .count = 1, \
		.scope = FIELD_SCOPE_OBJECT,                                                       \
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
	NUMBER("key", 64),
	NUMBER("major", 16),
	NUMBER("minor", 16),
	NUMBER("kind", 32),
	{.name = "text", .kind = FIELD_STRING, .bits = 8, .align_bits = 8, .count = 1},
};
static const uint32_t name_offsets[] = {BITS_OF(name_note, key), BITS_OF(name_note, major),
					BITS_OF(name_note, minor), BITS_OF(name_note, kind),
					BITS_OF(name_note, text)};

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
};

struct name_stream {
	const struct view *view;
	uint32_t id;
	struct natural naturals[NOTE_COUNT];
	/* What is known to who reads what was written until now. */
	struct task_names *tasks;
	struct known *known;
};

struct name_stream *name_stream_new(const struct view *view, uint32_t id)
{
	struct name_stream *ns = calloc(1, sizeof(*ns));
	int err = 0;

	if (!ns)
		return NULL;
	ns->view = view;
	ns->id = id;
	ns->tasks = task_names_new(view->info);
	ns->known = known_new(view->info);
	for (size_t i = 0; i < NOTE_COUNT && !err; i++)
		err = natural_init(&ns->naturals[i], &classes[i], NULL);
	if (err || !ns->tasks || !ns->known) {
		name_stream_free(ns);
		return NULL;
	}
	return ns;
}

void name_stream_free(struct name_stream *ns)
{
	if (!ns)
		return;
	for (size_t i = 0; i < NOTE_COUNT; i++)
		natural_fini(&ns->naturals[i]);
	task_names_free(ns->tasks);
	known_free(ns->known);
	free(ns);
}

int name_stream_describe(const struct name_stream *ns, struct buffer *out)
{
	int err = 0;

	metadata_write_stream(out, ns->id, METADATA_NAMES);
	for (size_t i = 0; i < NOTE_COUNT && !err; i++)
		err = metadata_write_event(out, &ns->naturals[i].class, ns->id);
	return err;
}

/* Notes that an event needs: counted where @pw is NULL, else written. */
struct telling {
	struct name_stream *ns;
	struct packet_writer *pw;
	uint64_t clock;
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
	const char *name = known_text(ns->view->known, key), *told = known_text(ns->known, key);
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

static void tell_task(struct telling *telling, int32_t tid)
{
	struct name_stream *ns = telling->ns;
	const struct task_name *name = task_names_get(ns->view->names, tid);
	struct task_note note = {.cgroup = task_names_cgroup(ns->view->names, tid),
				 .tid = (uint32_t)tid,
				 .pid = task_names_pid(ns->view->names, tid)};

	if (note.cgroup)
		tell_name(telling, &(struct known_key){note.cgroup, NAME_CGROUP, 0, 0});
	if (is_same(name, task_names_get(ns->tasks, tid)) &&
	    note.pid == task_names_pid(ns->tasks, tid) &&
	    note.cgroup == task_names_cgroup(ns->tasks, tid))
		return;
	memcpy(note.comm, name->text, TASK_NAME_LEN(name));
	put(telling, NOTE_TASK, &note);
	if (!telling->pw)
		return;
	task_names_set(ns->tasks, tid, note.comm, TASK_NAME_LEN(name));
	task_names_set_pid(ns->tasks, tid, note.pid);
	task_names_set_cgroup(ns->tasks, tid, note.cgroup);
}

static uint16_t device_part(const struct event *event, const char *name)
{
	int field = event_class_find_number(event->class, name);

	return field < 0 ? 0 : (uint16_t)event_uint(event, (size_t)field);
}

static void tell_file(struct telling *telling, const struct event *event, uint64_t number)
{
	struct known_key key = {number, NAME_FILE, device_part(event, "major"),
				device_part(event, "minor")};

	tell_name(telling, &key);
	key.number = 0;
	key.kind = NAME_FILESYSTEM;
	tell_name(telling, &key);
}

static void tell_field(struct telling *telling, const struct event *event, size_t i)
{
	const struct field *field = &event->class->fields[i];

	if (field_is_many(field) || !event_has(event, i))
		return;
	if (field->show == FIELD_SHOW_NETNS)
		tell_name(telling, &(struct known_key){event_uint(event, i), NAME_NETNS, 0, 0});
	else if (field->show == FIELD_SHOW_CGROUP)
		tell_name(telling, &(struct known_key){event_uint(event, i), NAME_CGROUP, 0, 0});
	else if (field->show == FIELD_SHOW_FILE)
		tell_file(telling, event, event_uint(event, i));
}

static void tell_all(struct telling *telling, const struct event *event)
{
	if (event->tid > 0)
		tell_task(telling, event->tid);
	for (size_t i = 0; i < event->class->field_count; i++)
		tell_field(telling, event, i);
}

bool name_stream_needs(struct name_stream *ns, const struct event *event)
{
	struct telling telling = {.ns = ns};

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
	struct telling telling = {.ns = ns, .pw = pw, .clock = clock - (clock > 0)};

	tell_all(&telling, event);
	return telling.err;
}

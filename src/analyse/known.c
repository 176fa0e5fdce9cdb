// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/container.h"
#include "base/map.h"
#include "schema/event.h"
#include "schema/source.h"

/* The places of the fields of a class that has names. */
struct telling {
	bool tells;
	uint16_t trace; /* that the class is of */
	size_t key, major, minor, kind, text;
};

struct known {
	struct map names; /* by known_key: char *, owned */
	uint32_t trace_count;
	size_t class_count;
	struct telling *tellings; /* by event_class.index: each kind of stream has its own class */
	char path[KNOWN_TEXT_MAX];
	/* The cgroup asked for last, which views ask for with each event; NULL: ask the map. */
	uint64_t cgroup;
	uint16_t cgroup_trace;
	const char *cgroup_path;
	/* The path that was asked for its container last (NULL: none), and that container. */
	const char *container_path;
	struct container container;
	bool in_container;
	char short_id[CONTAINER_ID_SHOWN + 1];
};

static void telling_init(struct telling *telling, const struct event_class *class)
{
	int key = event_class_find_number(class, "key");
	int major = event_class_find_number(class, "major");
	int minor = event_class_find_number(class, "minor");
	int kind = event_class_find_number(class, "kind");
	int text = event_class_find(class, "text");

	if (strcmp(class->name, "sonde.name") || key < 0 || major < 0 || minor < 0 || kind < 0 ||
	    text < 0 || class->fields[text].kind != FIELD_STRING)
		return;
	*telling = (struct telling){.tells = true,
				    .key = (size_t)key,
				    .major = (size_t)major,
				    .minor = (size_t)minor,
				    .kind = (size_t)kind,
				    .text = (size_t)text};
}

struct known *known_new(const struct trace_info *info)
{
	struct known *known = calloc(1, sizeof(*known));

	if (!known)
		return NULL;
	map_init(&known->names, sizeof(struct known_key), sizeof(char *), KNOWN_MAX);
	known->trace_count = trace_info_traces(info);
	known->class_count = info->class_count;
	known->tellings = calloc(info->class_count ?: 1, sizeof(*known->tellings));
	if (!known->tellings) {
		known_free(known);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++) {
		uint32_t trace = trace_info_trace(info, info->classes[i]->stream);

		telling_init(&known->tellings[i], info->classes[i]);
		known->tellings[i].trace = (uint16_t)trace;
	}
	return known;
}

void known_free(struct known *known)
{
	const void *key;
	size_t at = 0;
	void *name;

	if (!known)
		return;
	while (map_next(&known->names, &at, &key, &name))
		free(*(char **)name);
	map_fini(&known->names);
	free(known->tellings);
	free(known);
}

struct known *known_renew(struct known *old, const struct trace_info *info)
{
	struct known *known = known_new(info);
	uint16_t shift;
	const void *key;
	void *name, *to;
	size_t at = 0;

	/* The only trace of a source has number 0, the first of several has 1. */
	shift = known && old && old->trace_count == 1 && known->trace_count > 1;
	while (known && old && map_next(&old->names, &at, &key, &name)) {
		struct known_key moved = *(const struct known_key *)key;

		moved.trace = (uint16_t)(moved.trace + shift);
		to = map_at(&known->names, &moved);
		if (!to)
			continue;
		*(char **)to = *(char **)name;
		*(char **)name = NULL;
	}
	known_free(old);
	return known;
}

bool known_has(const struct known *known, size_t class_index)
{
	return class_index < known->class_count && known->tellings[class_index].tells;
}

void known_learn(struct known *known, const struct event *event)
{
	const struct telling *telling = &known->tellings[event->class->index];
	uint64_t kind = event_uint(event, telling->kind);
	const struct known_key key = {
		.number = event_uint(event, telling->key),
		.kind = (uint16_t)kind,
		.trace = telling->trace,
		.major = (uint16_t)event_uint(event, telling->major),
		.minor = (uint16_t)event_uint(event, telling->minor),
	};
	size_t len;
	const char *text = event_text(event, telling->text, &len);

	if (kind > UINT16_MAX)
		return; /* none that we know */
	known_set(known, &key, text, len);
}

void known_set(struct known *known, const struct known_key *key, const char *text, size_t len)
{
	char **name = len < NAME_TEXT_MAX ? map_at(&known->names, key) : NULL;
	char *copy = name ? strndup(text, len) : NULL;

	if (!copy)
		return; /* it stays as it was */
	known->cgroup_path = NULL;
	known->container_path = NULL;
	free(*name);
	*name = copy;
}

const char *known_text(const struct known *known, const struct known_key *key)
{
	char **name = map_get(&known->names, key);

	return name ? *name : NULL;
}

static const char *get_file(struct known *known, const struct known_key *file, const char *name)
{
	const struct known_key system = {.kind = NAME_FILESYSTEM,
					 .trace = file->trace,
					 .major = file->major,
					 .minor = file->minor};
	const char *mount = known_text(known, &system);

	if (!mount || !strcmp(mount, "/") || *name != '/')
		return name;
	snprintf(known->path, sizeof(known->path), "%s%s", mount, name);
	return known->path;
}

static const char *get(struct known *known, const struct known_key *key)
{
	const char *name;

	if (key->kind == NAME_CGROUP && known->cgroup_path && known->cgroup == key->number &&
	    known->cgroup_trace == key->trace)
		return known->cgroup_path;
	name = known_text(known, key);
	if (name && key->kind == NAME_CGROUP) {
		known->cgroup = key->number;
		known->cgroup_trace = key->trace;
		known->cgroup_path = name;
	}
	return name && key->kind == NAME_FILE ? get_file(known, key, name) : name;
}

static uint16_t trace_of(const struct known *known, const struct event_class *class)
{
	return class->index < known->class_count ? known->tellings[class->index].trace : 0;
}

const char *known_get(struct known *known, const struct event_class *class, enum name_kind kind,
		      uint64_t key, uint16_t major, uint16_t minor)
{
	struct known_key full = {key, (uint16_t)kind, 0, major, minor};
	const char *name;

	if (class) {
		full.trace = trace_of(known, class);
		return get(known, &full);
	}
	name = get(known, &full);
	while (!name && ++full.trace < known->trace_count)
		name = get(known, &full);
	return name;
}

bool known_container_key(const char *path, uint16_t trace, struct known_key *ret)
{
	struct container container;

	if (!container_of_path(path, &container) || !container.has_id)
		return false;
	*ret = (struct known_key){
		.number = container_key(container.text), .kind = NAME_CONTAINER, .trace = trace};
	return true;
}

/* A name for the container of known->container, or the beginning of its id. */
static const char *name_container(struct known *known, uint16_t trace, bool any_trace)
{
	const struct container *container = &known->container;
	struct known_key key = {.kind = NAME_CONTAINER, .trace = trace};
	const char *name;

	if (!container->has_id)
		return container->text;
	key.number = container_key(container->text);
	name = known_text(known, &key);
	while (!name && any_trace && ++key.trace < known->trace_count)
		name = known_text(known, &key);
	if (name)
		return name;
	(void)snprintf(known->short_id, sizeof(known->short_id), "%s", container->text);
	return known->short_id;
}

const char *known_container(struct known *known, const struct event_class *class, uint64_t cgroup)
{
	const char *path = known_get(known, class, NAME_CGROUP, cgroup, 0, 0);

	if (!path)
		return NULL;
	if (known->container_path != path) {
		known->in_container = container_of_path(path, &known->container);
		known->container_path = path;
	}
	if (!known->in_container)
		return NULL;
	return name_container(known, class ? trace_of(known, class) : 0, !class);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "view/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "schema/event.h"
#include "schema/source.h"

/* Where the fields of a class are that tells names. */
struct telling {
	bool tells;
	size_t key, major, minor, kind, text;
};

struct known {
	struct map names; /* by known_key: char *, owned */
	size_t class_count;
	struct telling *tellings; /* by event_class.index: each kind of stream has its own class */
	char path[KNOWN_TEXT_MAX];
	/* The cgroup asked for last, which views ask for with each event; NULL: ask the map. */
	uint64_t cgroup;
	const char *cgroup_path;
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
	*telling = (struct telling){true,	   (size_t)key,	 (size_t)major,
				    (size_t)minor, (size_t)kind, (size_t)text};
}

struct known *known_new(const struct trace_info *info)
{
	struct known *known = calloc(1, sizeof(*known));

	if (!known)
		return NULL;
	map_init(&known->names, sizeof(struct known_key), sizeof(char *), KNOWN_MAX);
	known->class_count = info->class_count;
	known->tellings = calloc(info->class_count ?: 1, sizeof(*known->tellings));
	if (!known->tellings) {
		known_free(known);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++)
		telling_init(&known->tellings[i], info->classes[i]);
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

bool known_has(const struct known *known, size_t class_index)
{
	return class_index < known->class_count && known->tellings[class_index].tells;
}

void known_learn(struct known *known, const struct event *event)
{
	const struct telling *telling = &known->tellings[event->class->index];
	const struct known_key key = {
		.number = event_uint(event, telling->key),
		.kind = (uint32_t)event_uint(event, telling->kind),
		.major = (uint16_t)event_uint(event, telling->major),
		.minor = (uint16_t)event_uint(event, telling->minor),
	};
	size_t len;
	const char *text = event_text(event, telling->text, &len);

	known_set(known, &key, text, len);
}

void known_set(struct known *known, const struct known_key *key, const char *text, size_t len)
{
	char **name = len < NAME_TEXT_MAX ? map_at(&known->names, key) : NULL;
	char *copy = name ? strndup(text, len) : NULL;

	if (!copy)
		return; /* it stays as it was */
	known->cgroup_path = NULL;
	free(*name);
	*name = copy;
}

const char *known_text(const struct known *known, const struct known_key *key)
{
	char **name = map_get(&known->names, key);

	return name ? *name : NULL;
}

static const char *find(const struct known *known, enum name_kind kind, uint64_t number,
			uint16_t major, uint16_t minor)
{
	const struct known_key key = {number, kind, major, minor};

	return known_text(known, &key);
}

const char *known_get(struct known *known, enum name_kind kind, uint64_t key, uint16_t major,
		      uint16_t minor)
{
	const char *name, *mount;

	if (kind == NAME_CGROUP && known->cgroup_path && known->cgroup == key)
		return known->cgroup_path;
	name = find(known, kind, key, major, minor);
	if (name && kind == NAME_CGROUP) {
		known->cgroup = key;
		known->cgroup_path = name;
	}
	if (!name || kind != NAME_FILE)
		return name;
	mount = find(known, NAME_FILESYSTEM, 0, major, minor);
	if (!mount || !strcmp(mount, "/") || *name != '/')
		return name;
	snprintf(known->path, sizeof(known->path), "%s%s", mount, name);
	return known->path;
}

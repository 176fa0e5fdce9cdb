/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known: names of numbers in a trace (network namespaces, cgroups, files), learnt from its
 * sonde.name events (wire/note.h) as they pass: the last name counts. Each of several traces that are
 * read as one has numbers of its own.
 *
 * Bounded: names beyond the limit are not kept, and their numbers show without them.
 */
#ifndef SONDE_ANALYSE_KNOWN_H
#define SONDE_ANALYSE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/note.h"

struct event;
struct event_class;
struct known;
struct trace_info;

#define KNOWN_MAX 262144u /* names */
#define KNOWN_TEXT_MAX (2 * NAME_TEXT_MAX) /* a file's path behind that of its file system */

/* What has a name; no other bytes are in it. */
struct known_key {
	uint64_t number;
	uint16_t kind; /* enum name_kind */
	uint16_t trace; /* that it is a number of (trace_info_trace) */
	uint16_t major;
	uint16_t minor;
};

/* NULL: no memory. */
struct known *known_new(const struct trace_info *info);
void known_free(struct known *known);
/* As task_names_renew. */
struct known *known_renew(struct known *old, const struct trace_info *info);

/* Whether events of the class of this index tell names. */
bool known_has(const struct known *known, size_t class_index);
void known_learn(struct known *known, const struct event *event);

/* Sets the name as an event has it: @len bytes of @text. */
void known_set(struct known *known, const struct known_key *key, const char *text, size_t len);
/* The recorded name of @key itself, or NULL. Borrowed until the next name is learnt. */
const char *known_text(const struct known *known, const struct known_key *key);

/* The name of @key in an event of @class, or NULL. For a file: its path from the root of the
 * host. Borrowed until the next call. @class may be NULL: the first trace that has a name for it counts. */
const char *known_get(struct known *known, const struct event_class *class, enum name_kind kind,
		      uint64_t key, uint16_t major, uint16_t minor);

/*
 * What runs in the cgroup numbered @cgroup, as of known_get: the name that the container's runtime gives
 * it, or the first digits of its id if the trace has no name for it; NULL: the cgroup is not known, or
 * no container's. Borrowed until the next call.
 */
const char *known_container(struct known *known, const struct event_class *class, uint64_t cgroup);
/* The key of the name of the container in the cgroup at @path, in trace @trace. False: it has none. */
bool known_container_key(const char *path, uint16_t trace, struct known_key *ret);

#endif /* SONDE_ANALYSE_KNOWN_H */

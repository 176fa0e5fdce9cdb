// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/scope.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "ctf/arena.h"

void scope_init(struct scope *scope, struct scope *outer)
{
	*scope = (struct scope){.outer = outer};
}

static unsigned int bucket_of(enum scope_space space, const char *name)
{
	uint32_t hash = 2166136261u ^ space; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 16) % SCOPE_BUCKETS;
}

static const struct ctf_type *find_here(const struct scope *scope, enum scope_space space,
					const char *name)
{
	const struct scope_entry *entry;

	if (!scope->buckets)
		return NULL;
	entry = scope->buckets[bucket_of(space, name)];
	while (entry && (entry->space != space || strcmp(entry->name, name)))
		entry = entry->chain;
	return entry ? entry->type : NULL;
}

int scope_declare(struct scope *scope, struct arena *arena, enum scope_space space,
		  const char *name, const struct ctf_type *type)
{
	struct scope_entry *entry;
	unsigned int bucket = bucket_of(space, name);

	if (find_here(scope, space, name))
		return -EEXIST;
	if (!scope->buckets)
		scope->buckets = arena_alloc(arena, SCOPE_BUCKETS * sizeof(*scope->buckets));
	entry = arena_alloc(arena, sizeof(*entry));
	if (!scope->buckets || !entry)
		return -ENOMEM;
	*entry = (struct scope_entry){
		.chain = scope->buckets[bucket],
		.space = space,
		.name = name,
		.type = type,
	};
	scope->buckets[bucket] = entry;
	return 0;
}

const struct ctf_type *scope_find(const struct scope *scope, enum scope_space space,
				  const char *name)
{
	const struct ctf_type *type = NULL;

	for (; scope && !type; scope = scope->outer)
		type = find_here(scope, space, name);
	return type;
}

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

#define BUCKETS_FIRST 64u

static struct scope_entry **bucket_of(const struct scope *scope, enum scope_space space,
				      const char *name)
{
	uint32_t hash = 2166136261u ^ space; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &scope->buckets[(hash ^ hash >> 16) & (scope->bucket_count - 1)];
}

static const struct ctf_type *find_here(const struct scope *scope, enum scope_space space,
					const char *name)
{
	const struct scope_entry *entry;

	if (!scope->buckets)
		return NULL;
	entry = *bucket_of(scope, space, name);
	while (entry && (entry->space != space || strcmp(entry->name, name)))
		entry = entry->chain;
	return entry ? entry->type : NULL;
}

/* Twice as many buckets, or the first ones. 0 or -ENOMEM. */
static int grow(struct scope *scope, struct arena *arena)
{
	const struct scope old = *scope;
	const size_t count = old.bucket_count ? old.bucket_count * 2 : BUCKETS_FIRST;

	scope->buckets = arena_alloc(arena, count * sizeof(*scope->buckets));
	if (!scope->buckets) {
		scope->buckets = old.buckets;
		return -ENOMEM;
	}
	scope->bucket_count = count;
	for (size_t i = 0; i < old.bucket_count; i++) {
		for (struct scope_entry *entry = old.buckets[i], *next; entry; entry = next) {
			struct scope_entry **bucket = bucket_of(scope, entry->space, entry->name);

			next = entry->chain;
			entry->chain = *bucket;
			*bucket = entry;
		}
	}
	return 0;
}

int scope_declare(struct scope *scope, struct arena *arena, enum scope_space space,
		  const char *name, const struct ctf_type *type)
{
	struct scope_entry *entry, **bucket;

	if (find_here(scope, space, name))
		return -EEXIST;
	if (scope->count >= scope->bucket_count && grow(scope, arena))
		return -ENOMEM;
	entry = arena_alloc(arena, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	bucket = bucket_of(scope, space, name);
	*entry = (struct scope_entry){
		.chain = *bucket,
		.space = space,
		.name = name,
		.type = type,
	};
	*bucket = entry;
	scope->count++;
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

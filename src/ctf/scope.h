/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scope: the names of types that are visible at one place of the metadata: aliases, and
 * structures, enumerations and variants by their tags. Inner scopes see outer ones.
 */
#ifndef SONDE_CTF_SCOPE_H
#define SONDE_CTF_SCOPE_H

#include <stddef.h>

struct arena;
struct ctf_type;

enum scope_space {
	SCOPE_ALIAS, /* "unsigned long", "u32" */
	SCOPE_STRUCT,
	SCOPE_ENUM,
	SCOPE_VARIANT,
};

struct scope_entry {
	struct scope_entry *chain; /* same hash */
	enum scope_space space;
	const char *name;
	const struct ctf_type *type;
};

struct scope {
	struct scope *outer;
	struct scope_entry **buckets; /* NULL until something is declared here */
	size_t bucket_count; /* a power of two, or 0 */
	size_t count; /* of entries */
};

void scope_init(struct scope *scope, struct scope *outer);
/* -EEXIST where this very scope has the name already, -ENOMEM. Borrows @name. */
int scope_declare(struct scope *scope, struct arena *arena, enum scope_space space,
		  const char *name, const struct ctf_type *type);
/* NULL where neither this scope nor one around it has the name. */
const struct ctf_type *scope_find(const struct scope *scope, enum scope_space space,
				  const char *name);

#endif /* SONDE_CTF_SCOPE_H */

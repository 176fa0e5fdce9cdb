/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe: event classes out of BTF: a record struct's members become fields, its decl tags
 * their texts, units, scopes and displays (probe/measure.bpf.h).
 */
#ifndef SONDE_PROBE_DESCRIBE_H
#define SONDE_PROBE_DESCRIBE_H

#include <stdint.h>

#include "schema/event.h"

struct btf;
struct describe;
struct diag;

/* Owns what the classes that it makes point to. NULL: no memory. */
struct describe *describe_new(void);
void describe_free(struct describe *d);
/* A copy that lives as long as @d, or NULL. */
char *describe_copy(struct describe *d, const char *text);

/* The rest of the @n-th decl tag that begins with @prefix, of member @component (-1: the type or
 * function itself), or NULL. Borrowed from @btf. */
const char *describe_tag(const struct btf *btf, uint32_t id, int component, const char *prefix,
			 unsigned int n);
/* The value of @name in the enumeration @type, or -ENOENT. */
int describe_enum_value(const struct btf *btf, const char *type, const char *name, int64_t *ret);

/*
 * Fills fields and layout of @class from the struct @record: offsets count from behind the record
 * head. @kernel (may be NULL) has the enumerations that NAMES asks for. -EINVAL, with the diag,
 * for padding between members or a member that has no place in a trace.
 */
int describe_record(struct describe *d, const struct btf *btf, const struct btf *kernel,
		    const char *record, struct event_class *class, struct diag *diag);

/* A field more, of fixed length, in front of those that @class has, which may be another's. 0 or -ENOMEM. */
int describe_add_first(struct describe *d, struct event_class *class, const struct field *field);

#endif /* SONDE_PROBE_DESCRIBE_H */

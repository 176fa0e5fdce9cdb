/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_member: what a field is compared with in an expression, as numbers, texts or networks of the
 * code that is being made: each in the field's own units, so that a test has nothing to convert.
 */
#ifndef SONDE_SCHEMA_EXPR_MEMBER_H
#define SONDE_SCHEMA_EXPR_MEMBER_H

#include "schema/expr_code.h"
#include "schema/expr_side.h"

struct diag;
struct event_class;
struct syscalls;

/* One comparison in the making. */
struct expr_making {
	struct expr_code *code; /* that it goes to */
	const struct syscalls *calls; /* NULL: they have no names */
	struct diag *diag; /* NULL = not wanted */
	const struct expr_node *node;
	const struct event_class *class;
	enum expr_side_kind kind; /* of the left side */
	struct expr_test test;
};

/* Fills the diag, which points to @at; returns -EINVAL. */
int expr_making_fail(const struct expr_making *m, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends what @member stands for to the pool of the left side's kind. -EINVAL: they cannot be
 * compared so. -ENOMEM. */
int expr_member_add(struct expr_making *m, const struct expr_member *member);
/* That the left side is 0, or empty. */
int expr_member_add_zero(struct expr_making *m);

/* @pool, which holds @count of @bytes, with room for one more; NULL: no memory. */
void *expr_pool_grown(void *pool, size_t count, size_t bytes);

#endif /* SONDE_SCHEMA_EXPR_MEMBER_H */

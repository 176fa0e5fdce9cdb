/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_side: what a name in an expression stands for in a class of events: where its value is, and
 * of what kind that is.
 */
#ifndef SONDE_SCHEMA_EXPR_SIDE_H
#define SONDE_SCHEMA_EXPR_SIDE_H

#include <stdbool.h>

#include "schema/expr_code.h"

enum expr_side_kind {
	SIDE_NUMBER,
	SIDE_FLOAT,
	SIDE_TEXT,
	SIDE_ADDRESS,
};

/* -ENOENT: the class has nothing called so; -EINVAL: it has, but not in this form. @pids: as of expr_scope. */
int expr_side_find(const struct event_class *class, const struct expr_value *value, bool pids,
		   struct expr_side *ret, enum expr_side_kind *kind, struct diag *diag);

/* The names that every event has, and of them that at @i, or NULL. @pids: as of expr_scope. */
const char *expr_side_builtin(size_t i, bool pids);

#endif /* SONDE_SCHEMA_EXPR_SIDE_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_bind: finds out what the names of an expression mean in each class of events, once, so that
 * asking of an event looks nothing up.
 *
 * A name is a field; or a value derived for that class (schema/derived); or `time`, `cpu`, `tid`,
 * `pid`, `comm`, `event` of any event. `tid`, `pid` and `comm` are those of its owner, which `owner.` in front of them
 * says too; `task.` means the task that ran. Alone it may also be the name of a class. Behind an operator a name that
 * is unknown here is the label of an enumeration, the name of a system call or of an error, or a text.
 */
#ifndef SONDE_SCHEMA_EXPR_BIND_H
#define SONDE_SCHEMA_EXPR_BIND_H

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct event_class;
struct expr;
struct expr_code;
struct syscalls;

struct expr_scope {
	const struct event_class *const *classes; /* by event_class.index */
	size_t class_count;
	const struct syscalls *calls; /* NULL: they have no names */
	bool pids; /* the source knows which process a task is of */
};

/*
 * A class that lacks what is asked for satisfies no comparison with it; but each name must mean
 * something in some class. -ENOENT: one means nothing; -EINVAL: it cannot be compared with that. In
 * both cases the diag says why, and its offset where in the expression. -ENOMEM. The code borrows
 * from @expr and from the classes.
 */
int expr_bind(const struct expr *expr, const struct expr_scope *scope, struct expr_code **ret,
	      struct diag *diag);

#endif /* SONDE_SCHEMA_EXPR_BIND_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_test: one comparison of an expression becomes a test on events of one class. Only expr_bind
 * calls it.
 */
#ifndef SONDE_SCHEMA_EXPR_TEST_H
#define SONDE_SCHEMA_EXPR_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/expr_bind.h"
#include "schema/expr_code.h"

struct expr_binder {
	const struct expr *expr;
	const struct expr_scope *scope;
	struct expr_code *code;
	struct diag *diag; /* of the current class; NULL = not wanted */
	bool unmatched; /* of the last test: the class's name is not what it is compared with */
};

/*
 * The entry of @node (EXPR_TRUTH or EXPR_COMPARE) for @class, from which evaluation continues at @yes or @no,
 * appended to the code. -ENOENT: the class does not have what is asked for; -EINVAL: what it has
 * cannot be compared with that. -ENOMEM.
 */
int expr_test_make(struct expr_binder *binder, const struct expr_node *node,
		   const struct event_class *class, uint32_t yes, uint32_t no, uint32_t *ret);

#endif /* SONDE_SCHEMA_EXPR_TEST_H */

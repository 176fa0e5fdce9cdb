/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_parse: an expression over the fields of events, from its text into a tree. What its names
 * mean is found out later, for each class of events (expr_bind): the tree knows only their form.
 *
 *	either    = both { "||" both }
 *	both      = one { "&&" one }
 *	one       = "!" one | "(" either ")" | value [ operator value | "in" set ]
 *	operator  = "==" | "!=" | "<" | "<=" | ">" | ">=" | "~"
 *	set       = member | "(" member { "," member } ")"
 *	member    = value [ ".." value ]
 *	value     = name { "[" number "]" [ "." name ] } | [ "-" ] number | text | address
 */
#ifndef SONDE_SCHEMA_EXPR_PARSE_H
#define SONDE_SCHEMA_EXPR_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/expr_number.h"

struct diag;

#define EXPR_MAX_BYTES 4096u
#define EXPR_MAX_NODES 512u
#define EXPR_MAX_DEPTH 64u /* of parentheses and '!' */
#define EXPR_MAX_STEPS 4u /* into lists in lists */

enum expr_value_kind { EXPR_NAME, EXPR_NUMBER, EXPR_TEXT }; /* an address is a text */

/* After the element of a list: the part of it that is meant. */
struct expr_step {
	const char *name; /* "" = it is a list itself: its element */
	int32_t element; /* as in expr_value */
};

struct expr_value {
	enum expr_value_kind kind;
	size_t at; /* in the expression */
	const char *text; /* of a name or a text, ends with NUL */
	size_t len;
	int32_t element; /* of a name, NAME[element]; -1 = none */
	struct expr_step steps[EXPR_MAX_STEPS];
	size_t step_count;
	struct expr_number number;
};

/* What may stand behind "in": from low to high, which are the same for a single one. */
struct expr_member {
	struct expr_value low;
	struct expr_value high;
	bool is_range;
};

enum expr_kind {
	EXPR_OR,
	EXPR_AND,
	EXPR_NOT,
	EXPR_TRUTH, /* `left` alone: a measurement, or a field that is not 0 */
	EXPR_COMPARE,
};

enum expr_operator {
	EXPR_EQUAL,
	EXPR_DIFFERENT,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	EXPR_LIKE,
	EXPR_IN,
};

struct expr_node {
	enum expr_kind kind;
	enum expr_operator op;
	size_t at; /* of the operator */
	uint32_t first; /* of EXPR_NOT, and the left one of EXPR_OR and EXPR_AND */
	uint32_t second;
	struct expr_value left; /* a name */
	struct expr_member *members; /* what it is compared with; one unless EXPR_IN */
	size_t member_count;
};

struct expr {
	char *text; /* as it was given */
	char *pool; /* names and texts, taken out of it */
	struct expr_node *nodes;
	size_t node_count;
	uint32_t root;
};

/* -EINVAL: the diag says why, and its offset where in @text. -E2BIG: over a limit. -ENOMEM. */
int expr_parse(const char *text, struct expr **ret, struct diag *diag);
/* NULL is fine. */
void expr_free(struct expr *expr);

/* The @i-th name in it, of whatever kind, or NULL behind the last; so are texts that `event` is compared
 * with. Borrowed. */
const char *expr_name(const struct expr *expr, size_t i);

#endif /* SONDE_SCHEMA_EXPR_PARSE_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_code: an expression that has been bound to the classes of a source (expr_bind), and the
 * question whether an event satisfies it.
 *
 * For each class there is a chain of tests, each of which says which one comes next if it holds and
 * if it does not; facts known of a class beforehand need no test. Asking allocates nothing and
 * does not recurse.
 */
#ifndef SONDE_SCHEMA_EXPR_CODE_H
#define SONDE_SCHEMA_EXPR_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/derived.h"
#include "schema/event.h"
#include "schema/expr_parse.h"

/* Where a chain ends. */
#define EXPR_YES UINT32_MAX
#define EXPR_NO (UINT32_MAX - 1)

/* What expr_code.needs has beside a bit for each `enum derived`. */
#define EXPR_NEEDS_COMM (1u << DERIVED_COUNT)
#define EXPR_NEEDS_PID (2u << DERIVED_COUNT)
#define EXPR_NEEDS_TID (4u << DERIVED_COUNT)
#define EXPR_NEEDS_TASK (8u << DERIVED_COUNT)
#define EXPR_NEEDS_CGROUP (16u << DERIVED_COUNT) /* and its container */
#define EXPR_NEEDS_STACK (32u << DERIVED_COUNT)
#define EXPR_NEEDS_PATH (64u << DERIVED_COUNT)
/* All that means the owner of an event, which may have to be derived. */
#define EXPR_NEEDS_OWNER (EXPR_NEEDS_TID | EXPR_NEEDS_PID | EXPR_NEEDS_COMM | EXPR_NEEDS_CGROUP)

/* Where a value comes from. */
enum expr_source {
	EXPR_FROM_FIELD,
	EXPR_FROM_TIME,
	EXPR_FROM_CPU,
	EXPR_FROM_TID, /* of the owner; so are the next one and EXPR_FROM_COMM */
	EXPR_FROM_PID, /* the process of that task, if the source knows it */
	EXPR_FROM_TASK, /* tid of the task that ran; so are the next one and EXPR_FROM_TASK_COMM */
	EXPR_FROM_TASK_PID,
	EXPR_FROM_DERIVED,
	EXPR_FROM_CALL, /* number of a system call, and above 32 bits whose table it is of */
	EXPR_FROM_COMM, /* a text */
	EXPR_FROM_TASK_COMM, /* a text */
	EXPR_FROM_CGROUP, /* the path of the owner's, a text; so is the next one */
	EXPR_FROM_CONTAINER,
	EXPR_FROM_STACK,
	EXPR_FROM_PATH, /* of the file that the event is about by its inode, a text */
	EXPR_FROM_NAME, /* the class's, a text */
	EXPR_FROM_TEXT, /* one that all events of the class have in common: `name` */
	EXPR_FROM_NUMBER, /* likewise: `number` */
};

/* An element of a list. */
struct expr_item {
	uint32_t field;
	uint32_t element;
};

struct expr_side {
	enum expr_source source;
	bool is_signed;
	bool counted; /* of a sequence, which may be shorter */
	bool optional; /* not in every event */
	uint32_t field; /* or enum derived */
	uint32_t element;
	uint16_t bits; /* of an integer; 0 = not one that event_load_fast takes */
	int32_t compat; /* EXPR_FROM_CALL: the field, or -1 */
	uint64_t unit_ns; /* 0 = no unit of time */
	const char *name; /* EXPR_FROM_NAME, EXPR_FROM_TEXT */
	int64_t number; /* EXPR_FROM_NUMBER */
	/* Whose `field` it is: the event's, or that of the items of the last of the lists. */
	const struct event_class *class;
	uint32_t depth; /* lists that it is in */
	struct expr_item lists[EXPR_MAX_STEPS];
};

/* From first to first + width, in 64 bits that wrap: signed or not, one comparison decides. */
struct expr_range {
	uint64_t first;
	uint64_t width;
};

enum expr_test_kind {
	EXPR_TEST_RANGE, /* an integer field, which is always there, is in the only one */
	EXPR_TEST_CALLS, /* a system call is one of them: each a range of one */
	EXPR_TEST_RANGES, /* a whole number is in one of them */
	EXPR_TEST_FLOATS,
	EXPR_TEST_TEXTS, /* equal to one of them */
	EXPR_TEST_GLOBS, /* matches one of them */
	EXPR_TEST_PREFIXES, /* an address is in one of these networks */
	EXPR_TEST_TWO_NUMBERS, /* left and right, both of the event */
	EXPR_TEST_TWO_FLOATS,
	EXPR_TEST_TWO_TEXTS,
	EXPR_TEST_TWO_ADDRESSES,
};

struct expr_test {
	enum expr_test_kind kind;
	bool invert; /* for values that are present: a missing one is false both ways */
	enum expr_operator op; /* of two numbers */
	struct expr_side left;
	struct expr_side right;
	struct expr_range range; /* of EXPR_TEST_RANGE */
	uint32_t first; /* of what it is compared with, in its pool */
	uint32_t count;
	uint32_t yes; /* the next test, or EXPR_YES, or EXPR_NO */
	uint32_t no;
};

struct expr_span {
	double low;
	double high;
	bool low_open; /* low itself is outside */
	bool high_open;
};

struct expr_text {
	const char *text;
	size_t len;
};

struct expr_prefix {
	uint8_t address[16];
	uint8_t bits;
};

struct expr_code {
	uint32_t *entries; /* the first test of each class, by event_class.index */
	size_t class_count;
	uint32_t needs; /* facts that must be known for its answer to be right */
	struct expr_test *tests;
	struct expr_range *ranges;
	struct expr_span *spans;
	struct expr_text *texts; /* what they point to is the expression's */
	struct expr_prefix *prefixes;
	size_t test_count, range_count, span_count, text_count, prefix_count;
};

/* NULL is fine. */
void expr_code_free(struct expr_code *code);

/* The value of @side in @event; false or NULL: the event does not have it. The text and the address are borrowed. */
bool expr_load_number(const struct expr_side *side, const struct event *event,
		      const struct event_facts *facts, uint64_t *value);
double expr_load_float(const struct expr_side *side, const struct event *event,
		       const struct event_facts *facts, bool *there);
const char *expr_load_text(const struct expr_side *side, const struct event *event,
			   const struct event_facts *facts, size_t *len);
const uint8_t *expr_load_address(const struct expr_side *side, const struct event *event);

bool expr_code_run(const struct expr_code *code, uint32_t entry, const struct event *event,
		   const struct event_facts *facts);

static inline uint32_t expr_code_entry(const struct expr_code *code,
				       const struct event_class *class)
{
	return class->index < code->class_count ? code->entries[class->index] : EXPR_NO;
}

/* Whether any event of @class can satisfy it. */
static inline bool expr_may_match(const struct expr_code *code, const struct event_class *class)
{
	return expr_code_entry(code, class) != EXPR_NO;
}

/* Whether @event does. @facts: the values that code->needs names, as far as they are known. */
static inline bool expr_matches(const struct expr_code *code, const struct event *event,
				const struct event_facts *facts)
{
	uint32_t entry = expr_code_entry(code, event->class);

	if (entry >= EXPR_NO)
		return entry == EXPR_YES;
	return expr_code_run(code, entry, event, facts);
}

#endif /* SONDE_SCHEMA_EXPR_CODE_H */

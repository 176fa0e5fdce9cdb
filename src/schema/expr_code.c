// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"

void expr_code_free(struct expr_code *code)
{
	if (!code)
		return;
	free(code->entries);
	free(code->tests);
	free(code->ranges);
	free(code->spans);
	free(code->texts);
	free(code->prefixes);
	free(code);
}

/* The item of lists that @side is of, made in @item; false: none. */
static bool find_item(const struct expr_side *side, const struct event **event, struct event *item)
{
	for (uint32_t d = 0; d < side->depth; d++) {
		const struct expr_item *at = &side->lists[d];

		if (!event_has(*event, at->field) || at->element >= event_count(*event, at->field))
			return false;
		*item = event_item(*event, at->field, at->element);
		*event = item;
	}
	return true;
}

/* What has the field, which is *@event, or @item in its place. False: it is not there, or not so many
 * elements of it. */
static bool find_field(const struct expr_side *side, const struct event **event, struct event *item)
{
	if (side->depth && !find_item(side, event, item))
		return false;
	if (side->optional && !event_has(*event, side->field))
		return false;
	return !side->counted || side->element < event_count(*event, side->field);
}

static bool is_compat(const struct expr_side *side, const struct event *event)
{
	return side->compat >= 0 && event_uint(event, (size_t)side->compat);
}

bool expr_load_number(const struct expr_side *side, const struct event *event,
		      const struct event_facts *facts, uint64_t *value)
{
	struct event item;

	switch (side->source) {
	case EXPR_FROM_FIELD:
		if (!find_field(side, &event, &item))
			return false;
		*value = event_element_fast(event, side->field, side->element);
		return true;
	case EXPR_FROM_TIME:
		*value = (uint64_t)event->time_ns;
		return true;
	case EXPR_FROM_CPU:
		*value = (uint64_t)event->cpu;
		return event->cpu >= 0;
	case EXPR_FROM_TID:
		*value = (uint64_t)event->tid;
		return event->tid >= 0;
	case EXPR_FROM_TASK:
		*value = (uint64_t)facts->task;
		return facts->task >= 0;
	case EXPR_FROM_TASK_PID:
		*value = facts->task_pid;
		return facts->task_pid != 0;
	case EXPR_FROM_PID:
		*value = facts->pid;
		return facts->pid != 0;
	case EXPR_FROM_DERIVED:
		*value = facts->derived[side->field];
		return facts->has >> side->field & 1;
	case EXPR_FROM_CALL:
		if (!find_field(side, &event, &item))
			return false;
		*value = (uint32_t)event_uint(event, side->field) | (uint64_t)is_compat(side, event)
									    << 32;
		return true;
	case EXPR_FROM_NUMBER:
		*value = (uint64_t)side->number;
		return true;
	case EXPR_FROM_COMM:
	case EXPR_FROM_TASK_COMM:
	case EXPR_FROM_CGROUP:
	case EXPR_FROM_CONTAINER:
	case EXPR_FROM_STACK:
	case EXPR_FROM_PATH:
	case EXPR_FROM_NAME:
	case EXPR_FROM_TEXT:
		break;
	}
	return false;
}

const char *expr_load_text(const struct expr_side *side, const struct event *event,
			   const struct event_facts *facts, size_t *len)
{
	struct event item;

	switch (side->source) {
	case EXPR_FROM_COMM:
		*len = facts->comm_len;
		return facts->comm_len ? facts->comm : NULL;
	case EXPR_FROM_TASK_COMM:
		*len = facts->task_comm_len;
		return facts->task_comm_len ? facts->task_comm : NULL;
	case EXPR_FROM_CGROUP:
		*len = facts->cgroup ? strlen(facts->cgroup) : 0;
		return facts->cgroup;
	case EXPR_FROM_CONTAINER:
		*len = facts->container ? strlen(facts->container) : 0;
		return facts->container;
	case EXPR_FROM_DERIVED: /* the only one that is a text */
		if (!(facts->has >> DERIVED_FILE & 1))
			return NULL;
		*len = facts->files[0].len;
		return facts->files[0].name;
	case EXPR_FROM_STACK:
		*len = facts->stack ? strlen(facts->stack) : 0;
		return facts->stack;
	case EXPR_FROM_PATH:
		*len = facts->path ? strlen(facts->path) : 0;
		return facts->path;
	case EXPR_FROM_NAME:
	case EXPR_FROM_TEXT:
		*len = strlen(side->name);
		return side->name;
	default:
		if (!find_field(side, &event, &item))
			return NULL;
		return event_text(event, side->field, len);
	}
}

double expr_load_float(const struct expr_side *side, const struct event *event,
		       const struct event_facts *facts, bool *there)
{
	uint64_t value = 0;
	struct event item;

	if (side->source == EXPR_FROM_FIELD &&
	    side->class->fields[side->field].kind == FIELD_FLOAT) {
		*there = find_field(side, &event, &item);
		return *there ? event_float(event, side->field, side->element) : 0;
	}
	*there = expr_load_number(side, event, facts, &value);
	return side->is_signed ? (double)(int64_t)value : (double)value;
}

static inline uint64_t load_field(const struct expr_side *side, const struct event *event)
{
	uint64_t at = event->offsets[side->field] + (uint64_t)side->element * side->bits, value;

	if (!side->bits ||
	    !event_load_fast(event->payload, at, side->bits, side->is_signed, &value))
		return event_element(event, side->field, side->element);
	return value;
}

/* What most tests are. */
static inline bool in_range(const struct expr_test *test, const struct event *event)
{
	return load_field(&test->left, event) - test->range.first <= test->range.width;
}

/* Whose number it is matters only where it is the number. */
static bool in_calls(const struct expr_code *code, const struct expr_test *test,
		     const struct event *event)
{
	uint32_t number = (uint32_t)load_field(&test->left, event);

	for (uint32_t i = 0; i < test->count; i++) {
		uint64_t call = code->ranges[test->first + i].first;

		if ((uint32_t)call == number && call >> 32 == is_compat(&test->left, event))
			return true;
	}
	return false;
}

static bool in_ranges(const struct expr_code *code, const struct expr_test *test, uint64_t value)
{
	for (uint32_t i = 0; i < test->count; i++) {
		const struct expr_range *range = &code->ranges[test->first + i];

		if (value - range->first <= range->width)
			return true;
	}
	return false;
}

static bool in_spans(const struct expr_code *code, const struct expr_test *test, double value)
{
	for (uint32_t i = 0; i < test->count; i++) {
		const struct expr_span *span = &code->spans[test->first + i];

		if ((span->low_open ? value > span->low : value >= span->low) &&
		    (span->high_open ? value < span->high : value <= span->high))
			return true;
	}
	return false;
}

static bool in_texts(const struct expr_code *code, const struct expr_test *test, const char *text,
		     size_t len)
{
	for (uint32_t i = 0; i < test->count; i++) {
		const struct expr_text *one = &code->texts[test->first + i];

		if (test->kind == EXPR_TEST_GLOBS ?
			    glob_match(one->text, one->len, text, len) :
			    one->len == len && !memcmp(one->text, text, len))
			return true;
	}
	return false;
}

static bool in_prefix(const struct expr_prefix *prefix, const uint8_t *address)
{
	unsigned int whole = prefix->bits / 8, rest = prefix->bits % 8;

	if (memcmp(prefix->address, address, whole) != 0)
		return false;
	return !rest || !((prefix->address[whole] ^ address[whole]) >> (8 - rest));
}

static bool in_prefixes(const struct expr_code *code, const struct expr_test *test,
			const uint8_t *address)
{
	for (uint32_t i = 0; i < test->count; i++) {
		if (in_prefix(&code->prefixes[test->first + i], address))
			return true;
	}
	return false;
}

/* @order: below, equal to or above 0, as the left one is less, equal or more. */
static bool holds(enum expr_operator op, int order)
{
	switch (op) {
	case EXPR_EQUAL:
		return order == 0;
	case EXPR_DIFFERENT:
		return order != 0;
	case EXPR_LESS:
		return order < 0;
	case EXPR_LESS_EQUAL:
		return order <= 0;
	case EXPR_GREATER:
		return order > 0;
	case EXPR_GREATER_EQUAL:
		return order >= 0;
	case EXPR_LIKE:
	case EXPR_IN:
		break;
	}
	return false;
}

/* As numbers, whatever their signs and, where both are times, their units. */
static bool two_numbers(const struct expr_test *test, const struct event *event,
			const struct event_facts *facts)
{
	uint64_t left, right;
	__int128 l, r;

	if (!expr_load_number(&test->left, event, facts, &left) ||
	    !expr_load_number(&test->right, event, facts, &right))
		return false;
	l = test->left.is_signed ? (int64_t)left : (__int128)left;
	r = test->right.is_signed ? (int64_t)right : (__int128)right;
	if (test->left.unit_ns && test->right.unit_ns) {
		l *= test->left.unit_ns;
		r *= test->right.unit_ns;
	}
	return holds(test->op, (l > r) - (l < r));
}

/* IEEE 754: NaN is different from all values, and neither less nor greater. */
static bool two_floats(const struct expr_test *test, const struct event *event,
		       const struct event_facts *facts)
{
	bool has_left, has_right;
	double left = expr_load_float(&test->left, event, facts, &has_left);
	double right = expr_load_float(&test->right, event, facts, &has_right);

	if (!has_left || !has_right)
		return false;
	if (left != left || right != right)
		return test->op == EXPR_DIFFERENT;
	return holds(test->op, (left > right) - (left < right));
}

static bool two_texts(const struct expr_test *test, const struct event *event,
		      const struct event_facts *facts)
{
	size_t left_len, right_len;
	const char *left = expr_load_text(&test->left, event, facts, &left_len);
	const char *right = expr_load_text(&test->right, event, facts, &right_len);

	if (!left || !right)
		return false;
	if (test->op == EXPR_LIKE)
		return glob_match(right, right_len, left, left_len);
	return (left_len == right_len && !memcmp(left, right, left_len)) ==
	       (test->op == EXPR_EQUAL);
}

const uint8_t *expr_load_address(const struct expr_side *side, const struct event *event)
{
	struct event item;

	return find_field(side, &event, &item) ? event_bytes(event, side->field) : NULL;
}

static bool two_addresses(const struct expr_test *test, const struct event *event)
{
	const uint8_t *left = expr_load_address(&test->left, event);
	const uint8_t *right = expr_load_address(&test->right, event);

	return left && right && !memcmp(left, right, 16) == (test->op == EXPR_EQUAL);
}

/* Not inlined: it would make the chain's frame, which most tests need nothing of, a large one. */
static __attribute__((noinline)) bool test_holds(const struct expr_code *code,
						 const struct expr_test *test,
						 const struct event *event,
						 const struct event_facts *facts)
{
	const uint8_t *address;
	const char *text;
	uint64_t value;
	double number;
	size_t len;
	bool there;

	switch (test->kind) {
	case EXPR_TEST_RANGE:
		return in_range(test, event) != test->invert;
	case EXPR_TEST_CALLS:
		return in_calls(code, test, event) != test->invert;
	case EXPR_TEST_RANGES:
		return expr_load_number(&test->left, event, facts, &value) &&
		       in_ranges(code, test, value) != test->invert;
	case EXPR_TEST_FLOATS:
		number = expr_load_float(&test->left, event, facts, &there);
		return there && in_spans(code, test, number) != test->invert;
	case EXPR_TEST_TEXTS:
	case EXPR_TEST_GLOBS:
		text = expr_load_text(&test->left, event, facts, &len);
		return text && in_texts(code, test, text, len) != test->invert;
	case EXPR_TEST_PREFIXES:
		address = expr_load_address(&test->left, event);
		return address && in_prefixes(code, test, address) != test->invert;
	case EXPR_TEST_TWO_NUMBERS:
		return two_numbers(test, event, facts);
	case EXPR_TEST_TWO_FLOATS:
		return two_floats(test, event, facts);
	case EXPR_TEST_TWO_TEXTS:
		return two_texts(test, event, facts);
	case EXPR_TEST_TWO_ADDRESSES:
		return two_addresses(test, event);
	}
	return false;
}

/* A test's successors were made before it: the chain ends. */
bool expr_code_run(const struct expr_code *code, uint32_t entry, const struct event *event,
		   const struct event_facts *facts)
{
	while (entry < EXPR_NO) {
		const struct expr_test *test = &code->tests[entry];

		if (test->kind == EXPR_TEST_RANGE)
			entry = in_range(test, event) != test->invert ? test->yes : test->no;
		else
			entry = test_holds(code, test, event, facts) ? test->yes : test->no;
	}
	return entry == EXPR_YES;
}

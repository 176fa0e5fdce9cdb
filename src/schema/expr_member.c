// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_member.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/glob.h"
#include "base/nearest.h"
#include "schema/syscalls.h"

#define CALLS_MAX 1024 /* numbers of system calls that are tried for a pattern */
#define ERRNO_MAX 133 /* EHWPOISON, the last that has a name */

int expr_making_fail(const struct expr_making *m, size_t at, const char *format, ...)
{
	struct diag *diag = m->diag;
	char text[sizeof(diag->text)];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)diag_set(diag, -EINVAL, "%s", text);
	if (diag)
		diag->offset = at;
	return -EINVAL;
}

/* Room for one more of @bytes behind @count in @pool, which doubles; or NULL. */
void *expr_pool_grown(void *pool, size_t count, size_t bytes)
{
	if (count & (count - 1))
		return pool;
	return reallocarray(pool, count ? 2 * count : 1, bytes);
}

static int add_range(struct expr_making *m, __int128 low, __int128 high)
{
	bool is_signed = m->test.left.is_signed;
	__int128 min = is_signed ? INT64_MIN : 0, max = is_signed ? INT64_MAX : UINT64_MAX;
	struct expr_code *code = m->code;
	struct expr_range *ranges;

	low = low < min ? min : low;
	high = high > max ? max : high;
	if (low > high)
		return 0;
	ranges = expr_pool_grown(code->ranges, code->range_count, sizeof(*ranges));
	if (!ranges)
		return -ENOMEM;
	code->ranges = ranges;
	ranges[code->range_count++] =
		(struct expr_range){(uint64_t)low, (uint64_t)high - (uint64_t)low};
	m->test.count++;
	return 0;
}

static int add_span(struct expr_making *m, struct expr_span span)
{
	struct expr_code *code = m->code;
	struct expr_span *spans = expr_pool_grown(code->spans, code->span_count, sizeof(*spans));

	if (!spans)
		return -ENOMEM;
	code->spans = spans;
	spans[code->span_count++] = span;
	m->test.count++;
	return 0;
}

static int add_text(struct expr_making *m, const struct expr_value *value)
{
	struct expr_code *code = m->code;
	struct expr_text *texts = expr_pool_grown(code->texts, code->text_count, sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	code->texts = texts;
	texts[code->text_count++] = (struct expr_text){value->text, value->len};
	m->test.count++;
	return 0;
}

static const char *unit_name(const struct expr_making *m)
{
	const struct expr_side *left = &m->test.left;

	return left->source == EXPR_FROM_FIELD ? left->class->fields[left->field].unit : NULL;
}

/* Percent are those of a field in percent, or hundredths of a number that can have such. */
static int check_percent(const struct expr_making *m, const struct expr_value *value)
{
	const char *unit = unit_name(m);

	if (unit ? !strcmp(unit, "%") : m->kind == SIDE_FLOAT)
		return 0;
	if (unit)
		return expr_making_fail(m, value->at, "'%s' is in %s: this is a percentage",
					m->node->left.text, unit);
	return expr_making_fail(m, value->at, "'%s' is a whole number, and this a percentage",
				m->node->left.text);
}

/* Whether @number has the same unit as the left side: both are times, or neither. */
static int check_unit(const struct expr_making *m, const struct expr_value *value)
{
	const char *unit = unit_name(m);

	if (value->number.is_percent)
		return check_percent(m, value);
	if (!value->number.is_time || m->test.left.unit_ns)
		return 0;
	if (unit)
		return expr_making_fail(m, value->at, "'%s' is in %s: this is a time",
					m->node->left.text, unit);
	return expr_making_fail(m, value->at, "'%s' has no unit of time: give a plain number",
				m->node->left.text);
}

/* The unit that @value is compared in: plain numbers are in the field's own. */
static uint64_t unit_of(const struct expr_making *m, const struct expr_value *value)
{
	return value->number.is_time ? m->test.left.unit_ns : 1;
}

static int range_member(struct expr_making *m, const struct expr_member *member)
{
	bool exact_low, exact_high;
	__int128 low = expr_number_floor(&member->low.number, unit_of(m, &member->low), &exact_low);
	__int128 high =
		expr_number_floor(&member->high.number, unit_of(m, &member->high), &exact_high);
	const __int128 least = INT64_MIN, most = UINT64_MAX;

	switch (m->node->op) {
	case EXPR_LESS:
		return add_range(m, least, high - exact_high);
	case EXPR_LESS_EQUAL:
		return add_range(m, least, high);
	case EXPR_GREATER:
		return add_range(m, low + 1, most);
	case EXPR_GREATER_EQUAL:
		return add_range(m, low + !exact_low, most);
	default: /* one number, or from low to high */
		return add_range(m, low + !exact_low, high);
	}
}

static double double_of(const struct expr_making *m, const struct expr_value *value)
{
	double number = expr_number_double(&value->number, unit_of(m, value));

	return value->number.is_percent && !unit_name(m) ? number / 100 : number;
}

static int span_member(struct expr_making *m, const struct expr_member *member)
{
	struct expr_span span = {
		.low = double_of(m, &member->low),
		.high = double_of(m, &member->high),
		.low_open = m->node->op == EXPR_GREATER,
		.high_open = m->node->op == EXPR_LESS,
	};

	if (m->node->op == EXPR_LESS || m->node->op == EXPR_LESS_EQUAL)
		span.low = -INFINITY;
	if (m->node->op == EXPR_GREATER || m->node->op == EXPR_GREATER_EQUAL)
		span.high = INFINITY;
	return add_span(m, span);
}

static bool is_wanted(const struct expr_making *m, const struct expr_value *value, const char *name)
{
	size_t len = strlen(name);

	if (m->node->op == EXPR_LIKE)
		return glob_match(value->text, value->len, name, len);
	return value->len == len && !memcmp(value->text, name, len);
}

/* Of an unsigned field labels have the bits of its values. */
static int add_label(struct expr_making *m, const struct field *field,
		     const struct field_label *label)
{
	if (field->is_signed)
		return add_range(m, label->first, label->last);
	return add_range(m, (uint64_t)label->first, (uint64_t)label->last);
}

static int label_member(struct expr_making *m, const struct field *field,
			const struct expr_value *value)
{
	uint32_t before = m->test.count;
	struct nearest near;
	int err = 0;

	nearest_init(&near, value->text);
	for (size_t i = 0; !err && i < field->label_count; i++) {
		const struct field_label *label = &field->labels[i];

		nearest_offer(&near, label->name);
		if (is_wanted(m, value, label->name))
			err = add_label(m, field, label);
	}
	if (err || m->test.count > before || m->node->op == EXPR_LIKE)
		return err;
	if (near.name)
		return expr_making_fail(m, value->at, "'%s' is never %s: did you mean %s?",
					field->name, value->text, near.name);
	return expr_making_fail(m, value->at, "'%s' is never %s", field->name, value->text);
}

/* System calls are numbered twice: natively, and for 32-bit callers. */
static int call_member(struct expr_making *m, const struct expr_value *value)
{
	const struct syscalls *calls = m->calls;
	uint32_t before = m->test.count;
	int err = 0;

	for (int compat = 0; compat < 2; compat++) {
		for (int nr = 0; !err && nr < CALLS_MAX; nr++) {
			const char *name = calls ? syscalls_name(calls, compat, nr) : NULL;
			__int128 key = nr + ((__int128)compat << 32);

			if (name && is_wanted(m, value, name))
				err = add_range(m, key, key);
		}
	}
	if (err || m->test.count > before || m->node->op == EXPR_LIKE)
		return err;
	return expr_making_fail(m, value->at, "unknown system call %s", value->text);
}

static int error_member(struct expr_making *m, const struct expr_value *value)
{
	uint32_t before = m->test.count;
	int err = 0;

	for (int number = 1; !err && number <= ERRNO_MAX; number++) {
		const char *name = strerrorname_np(number);

		if (name && is_wanted(m, value, name))
			err = add_range(m, -number, -number);
	}
	if (err || m->test.count > before || m->node->op == EXPR_LIKE)
		return err;
	return expr_making_fail(m, value->at, "unknown error %s", value->text);
}

/* What a number is called. */
static int name_member(struct expr_making *m, const struct expr_value *value)
{
	const struct expr_side *left = &m->test.left;
	const struct field *field =
		left->source == EXPR_FROM_FIELD ? &left->class->fields[left->field] : NULL;

	if (left->source == EXPR_FROM_CALL)
		return call_member(m, value);
	if (field && field->show == FIELD_SHOW_RESULT)
		return error_member(m, value);
	if (field && field->label_count)
		return label_member(m, field, value);
	return expr_making_fail(m, value->at, "'%s' is a number, and this is %s",
				m->node->left.text,
				value->kind == EXPR_NAME ? "neither a number nor a field" : "none");
}

static int number_member(struct expr_making *m, const struct expr_member *member)
{
	int err;

	if (member->low.kind != EXPR_NUMBER) {
		if (m->node->op >= EXPR_LESS && m->node->op <= EXPR_GREATER_EQUAL)
			return expr_making_fail(
				m, member->low.at,
				"names have no order: compare them with ==, !=, ~ or in");
		return name_member(m, &member->low);
	}
	if (m->node->op == EXPR_LIKE)
		return expr_making_fail(m, member->low.at, "~ needs a pattern: a text in quotes");
	if (m->test.left.source == EXPR_FROM_CALL)
		return expr_making_fail(m, member->low.at,
					"numbers and names together in one list");
	err = check_unit(m, &member->low) ?: check_unit(m, &member->high);
	if (err)
		return err;
	return m->kind == SIDE_FLOAT ? span_member(m, member) : range_member(m, member);
}

static int text_member(struct expr_making *m, const struct expr_member *member)
{
	if (member->low.kind == EXPR_NUMBER)
		return expr_making_fail(m, member->low.at,
					"'%s' is a text: compare it with a text in quotes",
					m->node->left.text);
	if (m->node->op >= EXPR_LESS && m->node->op <= EXPR_GREATER_EQUAL)
		return expr_making_fail(m, m->node->at,
					"texts have no order: compare them with ==, !=, ~ or in");
	return add_text(m, &member->low);
}

/* "10.0.0.1", "fd00::/8": IPv4 mapped into IPv6. */
static bool parse_prefix(const struct expr_value *value, struct expr_prefix *ret)
{
	struct expr_prefix prefix = {.bits = 128};
	unsigned long bits, most = 128;
	char text[INET6_ADDRSTRLEN];
	const char *rest;
	size_t len;
	char *end;

	if (value->kind != EXPR_TEXT || strlen(value->text) != value->len)
		return false;
	len = strcspn(value->text, "/");
	rest = value->text + len;
	if (len >= sizeof(text))
		return false;
	memcpy(text, value->text, len);
	text[len] = '\0';
	if (inet_pton(AF_INET6, text, prefix.address) != 1) {
		prefix.address[10] = prefix.address[11] = 0xff;
		most = 32;
		if (inet_pton(AF_INET, text, prefix.address + 12) != 1)
			return false;
	}
	if (*rest) {
		bits = strtoul(rest + 1, &end, 10);
		if (end == rest + 1 || *end || bits > most)
			return false;
		prefix.bits = (uint8_t)(bits + 128 - most);
	}
	*ret = prefix;
	return true;
}

static int address_member(struct expr_making *m, const struct expr_member *member)
{
	struct expr_code *code = m->code;
	struct expr_prefix *prefixes, prefix;

	if (m->node->op != EXPR_EQUAL && m->node->op != EXPR_DIFFERENT && m->node->op != EXPR_IN)
		return expr_making_fail(m, m->node->at, "addresses are compared with ==, != or in");
	if (!parse_prefix(&member->low, &prefix))
		return expr_making_fail(
			m, member->low.at,
			"'%s' is an address: compare it with one, 10.0.0.1 or fd00::/8",
			m->node->left.text);
	prefixes = expr_pool_grown(code->prefixes, code->prefix_count, sizeof(*prefixes));
	if (!prefixes)
		return -ENOMEM;
	code->prefixes = prefixes;
	prefixes[code->prefix_count++] = prefix;
	m->test.count++;
	return 0;
}

int expr_member_add(struct expr_making *m, const struct expr_member *member)
{
	switch (m->kind) {
	case SIDE_TEXT:
		return text_member(m, member);
	case SIDE_ADDRESS:
		return address_member(m, member);
	case SIDE_NUMBER:
	case SIDE_FLOAT:
		break;
	}
	return number_member(m, member);
}

int expr_member_add_zero(struct expr_making *m)
{
	static const struct expr_value empty = {.text = ""};

	switch (m->kind) {
	case SIDE_NUMBER:
		return add_range(m, 0, 0);
	case SIDE_FLOAT:
		return add_span(m, (struct expr_span){0});
	case SIDE_TEXT:
		return add_text(m, &empty);
	case SIDE_ADDRESS:
		break;
	}
	return expr_making_fail(m, m->node->left.at, "'%s' is an address: compare it with one",
				m->node->left.text);
}

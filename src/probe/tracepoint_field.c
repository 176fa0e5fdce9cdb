// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint_field.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RECORD "REC->"
#define SYMBOLIC "__print_symbolic("
#define DEPTH_MAX 32 /* of an expression's parentheses */

/* A part of the text. */
struct piece {
	const char *at;
	const char *end;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void skip_blanks(struct piece *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
}

static struct piece trim(struct piece p)
{
	skip_blanks(&p);
	while (p.end > p.at && (p.end[-1] == ' ' || p.end[-1] == '\t'))
		p.end--;
	return p;
}

/* Behind the string that begins at @at, or @end where it has none. */
static const char *string_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
	}
	return at < end ? at + 1 : end;
}

/* Up to the next comma, or closing bracket, that no bracket and no string encloses. */
static struct piece next_argument(struct piece *rest)
{
	struct piece argument = {rest->at, rest->end};
	const char *at = rest->at;
	int depth = 0;

	while (at < rest->end) {
		if (*at == '"') {
			at = string_end(at, rest->end);
			continue;
		}
		if (strchr("([{", *at))
			depth++;
		if (strchr(")]}", *at) && --depth < 0)
			break;
		if (*at == ',' && !depth)
			break;
		at++;
	}
	argument.end = at;
	rest->at = at < rest->end ? at + 1 : at;
	if (at < rest->end && *at != ',') /* closed: nothing follows */
		rest->end = rest->at;
	return trim(argument);
}

/* Where the bracket that opens at p.at closes, or NULL. */
static const char *closing(struct piece p)
{
	int depth = 0;

	for (; p.at < p.end; p.at++) {
		depth += *p.at == '(';
		depth -= *p.at == ')';
		if (!depth)
			return p.at;
	}
	return NULL;
}

static bool is_type(struct piece p)
{
	for (; p.at < p.end; p.at++) {
		if (!is_word(*p.at) && *p.at != ' ' && *p.at != '*')
			return false;
	}
	return true;
}

/* Takes off brackets around all of it, and casts in front. */
static struct piece bare(struct piece p)
{
	const char *close;

	p = trim(p);
	while (p.at < p.end && *p.at == '(' && (close = closing(p))) {
		if (close + 1 == p.end)
			p.end = close, p.at++;
		else if (is_type((struct piece){p.at + 1, close}))
			p.at = close + 1;
		else
			break;
		p = trim(p);
	}
	return p;
}

static bool is_field(struct piece p, const char *name)
{
	size_t head = strlen(RECORD), len = strlen(name);

	p = bare(p);
	return (size_t)(p.end - p.at) == head + len && !memcmp(p.at, RECORD, head) &&
	       !memcmp(p.at + head, name, len);
}

/* How the next conversion of the format shows its argument; false without one. A star takes
 * an argument of its own. */
static bool next_conversion(struct piece *format, enum field_show *ret)
{
	*ret = FIELD_SHOW_DECIMAL;
	for (; format->at + 1 < format->end; format->at++) {
		if (*format->at != '%')
			continue;
		format->at++;
		if (*format->at == '%')
			continue;
		while (format->at < format->end && strchr("-+ #0.123456789hlLqjzt", *format->at))
			format->at++;
		if (format->at == format->end)
			return false;
		if (strchr("xXp", *format->at))
			*ret = FIELD_SHOW_HEX;
		if (format->end - format->at > 2 && !memcmp(format->at, "pI6", 3))
			*ret = FIELD_SHOW_ADDRESS;
		format->at++;
		return true;
	}
	return false;
}

enum field_show print_show(const char *print, const char *name)
{
	struct piece rest = {print, print + strlen(print)};
	struct piece format = next_argument(&rest);
	enum field_show show;

	while (rest.at < rest.end && next_conversion(&format, &show)) {
		if (is_field(next_argument(&rest), name))
			return show;
	}
	return FIELD_SHOW_DECIMAL;
}

/* A constant as C writes it: numbers, shifts, sums and ors of them. */
struct constant {
	struct piece rest;
	int depth;
	bool bad;
};

static uint64_t take_or(struct constant *c);

static uint64_t take_number(struct constant *c)
{
	char *end;
	uint64_t value;

	if (c->rest.at >= c->rest.end || *c->rest.at < '0' || *c->rest.at > '9') {
		c->bad = true; /* a name, which the kernel has not resolved */
		return 0;
	}
	value = strtoull(c->rest.at, &end, 0);
	while (end < c->rest.end && strchr("uUlL", *end))
		end++;
	c->bad |= end > c->rest.end || (end < c->rest.end && is_word(*end));
	c->rest.at = end;
	return value;
}

static uint64_t take_unary(struct constant *c)
{
	uint64_t value;
	char sign;

	skip_blanks(&c->rest);
	if (c->rest.at >= c->rest.end || ++c->depth > DEPTH_MAX) {
		c->bad = true;
		return 0;
	}
	sign = *c->rest.at;
	if (sign == '-' || sign == '~') {
		c->rest.at++;
		value = take_unary(c);
		value = sign == '-' ? -value : ~value;
	} else if (sign == '(') {
		c->rest.at++;
		value = take_or(c);
		c->bad |= c->rest.at >= c->rest.end || *c->rest.at != ')';
		c->rest.at += !c->bad;
	} else {
		value = take_number(c);
	}
	c->depth--;
	skip_blanks(&c->rest);
	return value;
}

static uint64_t take_sum(struct constant *c)
{
	uint64_t value = take_unary(c);

	while (!c->bad && c->rest.at < c->rest.end && strchr("+-", *c->rest.at)) {
		char sign = *c->rest.at++;
		uint64_t other = take_unary(c);

		value = sign == '+' ? value + other : value - other;
	}
	return value;
}

static uint64_t take_shift(struct constant *c)
{
	uint64_t value = take_sum(c);

	while (!c->bad && c->rest.end - c->rest.at > 1 && !memcmp(c->rest.at, "<<", 2)) {
		c->rest.at += 2;
		value <<= take_sum(c) & 63;
	}
	return value;
}

static uint64_t take_or(struct constant *c)
{
	uint64_t value = take_shift(c);

	while (!c->bad && c->rest.at < c->rest.end && *c->rest.at == '|') {
		c->rest.at++;
		value |= take_shift(c);
	}
	return value;
}

static bool constant_parse(struct piece p, int64_t *ret)
{
	struct constant c = {.rest = trim(p)};

	*ret = (int64_t)take_or(&c);
	return !c.bad && c.rest.at == c.rest.end;
}

/* "{ 1, \"A\" }": the name is a part of the text. */
static bool take_entry(struct piece entry, int64_t *value, struct piece *name)
{
	struct piece rest = {entry.at + 1, entry.end - 1};

	if (entry.end - entry.at < 2 || *entry.at != '{' || entry.end[-1] != '}')
		return false;
	if (!constant_parse(next_argument(&rest), value))
		return false;
	*name = next_argument(&rest);
	if (name->end - name->at < 3 || *name->at != '"' ||
	    string_end(name->at, name->end) != name->end)
		return false;
	name->at++;
	name->end--;
	return !memchr(name->at, '\\', (size_t)(name->end - name->at));
}

/* The entries of the table that is for the field @name; at its end if not found. */
static struct piece find_table(const char *print, const char *name)
{
	const char *end = print + strlen(print);

	for (const char *at = print; (at = strstr(at, SYMBOLIC));) {
		struct piece rest = {at + strlen(SYMBOLIC), end};

		if (is_field(next_argument(&rest), name))
			return rest;
		at += strlen(SYMBOLIC);
	}
	return (struct piece){end, end};
}

static bool has_label(const struct field_label *labels, size_t count, int64_t value)
{
	for (size_t i = 0; i < count; i++) {
		if (labels[i].first == value)
			return true;
	}
	return false;
}

int print_labels(const char *print, const char *name, struct field_label **ret, size_t *ret_count)
{
	struct piece rest = find_table(print, name), word;
	struct field_label *labels = NULL;
	size_t count = 0;
	char *names;
	int64_t value;

	*ret = NULL;
	*ret_count = 0;
	if (rest.at == rest.end)
		return 0;
	/* The names together are shorter than the text. */
	labels = malloc(PRINT_LABEL_MAX * sizeof(*labels) + strlen(rest.at) + 1);
	if (!labels)
		return -ENOMEM;
	names = (char *)(labels + PRINT_LABEL_MAX);
	while (rest.at < rest.end && count < PRINT_LABEL_MAX) {
		if (!take_entry(next_argument(&rest), &value, &word) ||
		    has_label(labels, count, value)) /* the kernel takes the first */
			continue;
		labels[count++] = (struct field_label){value, value, names};
		memcpy(names, word.at, (size_t)(word.end - word.at));
		names += word.end - word.at;
		*names++ = 0;
	}
	if (!count) {
		free(labels);
		return 0;
	}
	*ret = labels;
	*ret_count = count;
	return 0;
}

static const struct {
	const char *type;
	uint8_t bytes;
} sizes[] = {
	{"char", 1},	  {"signed char", 1}, {"unsigned char", 1},
	{"u8", 1},	  {"__u8", 1},	      {"uint8_t", 1},
	{"s8", 1},	  {"__s8", 1},	      {"bool", 1},
	{"u16", 2},	  {"__u16", 2},	      {"uint16_t", 2},
	{"short", 2},	  {"s16", 2},	      {"__be16", 2},
	{"int", 4},	  {"unsigned", 4},    {"unsigned int", 4},
	{"u32", 4},	  {"__u32", 4},	      {"uint32_t", 4},
	{"s32", 4},	  {"__be32", 4},      {"u64", 8},
	{"__u64", 8},	  {"uint64_t", 8},    {"s64", 8},
	{"long long", 8}, {"long", 8},	      {"unsigned long", 8},
	{"cpumask_t", 8}, {"dma_addr_t", 8},
};

/* Of a type that kernels on 64 bits declare so; 0 = not known. */
static uint32_t size_of(const char *type)
{
	if (!strncmp(type, "const ", 6))
		type += 6;
	if (strchr(type, '*'))
		return sizeof(uint64_t);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (!strcmp(sizes[i].type, type))
			return sizes[i].bytes;
	}
	return 0;
}

bool tracepoint_field_is_text(const struct format_field *from)
{
	return from->brackets && (!strcmp(from->type, "char") || !strcmp(from->type, "const char"));
}

static bool is_pointer(const struct format_field *from)
{
	return strchr(from->type, '*');
}

static bool is_width(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Of the array's type, or, where that is not known, what its brackets leave each. */
uint32_t tracepoint_field_bytes(const struct format_field *from)
{
	uint32_t known = size_of(from->type);
	unsigned long count = from->brackets ? strtoul(from->brackets, NULL, 0) : 0;

	if (from->place != FORMAT_INSIDE)
		return known ?: 1;
	if (!from->brackets)
		return is_width(from->size) ? from->size : 1;
	if (!known && count && count <= from->size && !(from->size % count))
		known = (uint32_t)(from->size / count);
	return is_width(known) && !(from->size % known) ? known : 1;
}

/* By its type, or else as the kernel prints it. */
static enum field_show show_of(const char *print, const struct format_field *from,
			       const struct field *field)
{
	enum field_show show;

	if (field->kind != FIELD_INT)
		return FIELD_SHOW_DECIMAL;
	if (!strcmp(from->type, "bool"))
		return FIELD_SHOW_FLAG;
	if (is_pointer(from) || strstr(from->type, "cpumask"))
		return FIELD_SHOW_HEX;
	show = print_show(print, from->name);
	if (show == FIELD_SHOW_ADDRESS)
		return field->bits == 8 && field->count == 16 ? show : FIELD_SHOW_DECIMAL;
	return field->count == 1 ? show : FIELD_SHOW_DECIMAL;
}

struct field tracepoint_field_make(const struct format_field *from, const char *print)
{
	bool varies = from->place != FORMAT_INSIDE, text = tracepoint_field_is_text(from);
	uint32_t bytes = tracepoint_field_bytes(from);
	struct field field = {
		.name = from->name,
		.text = from->type,
		.scope = FIELD_SCOPE_OBJECT,
		.is_signed = from->is_signed && !text && !is_pointer(from),
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.bits = (uint16_t)(bytes * 8),
		.count = !varies ? from->size / bytes : text,
	};

	if (text)
		field.kind = varies ? FIELD_STRING : FIELD_TEXT;
	field.show = show_of(print, from, &field);
	return field;
}

/* As the field holds it: -1 in a table is 0xffffffff in an unsigned field of 32 bits. */
static int64_t value_in(const struct field *field, int64_t value)
{
	unsigned int unused = 64u - field->bits;
	uint64_t high = (uint64_t)value << unused;

	return field->is_signed ? (int64_t)high >> unused : (int64_t)(high >> unused);
}

int tracepoint_field_name_values(struct field *field, const char *print)
{
	struct field_label *labels;
	int err;

	if (field->kind != FIELD_INT || field->count != 1)
		return 0;
	err = print_labels(print, field->name, &labels, &field->label_count);
	for (size_t i = 0; !err && i < field->label_count; i++)
		labels[i].first = labels[i].last = value_in(field, labels[i].first);
	field->labels = labels;
	return err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/number_parse.h"

#include <errno.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/parser.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

/* Attributes of one number as they were met. */
struct number {
	struct ctf_type *type;
	uint64_t exponent;
	uint64_t mantissa;
};

typedef int take_fn(struct parser *parser, struct number *number, const char *name,
		    const struct parser_value *value);

static int fail_value(struct parser *parser, const char *name)
{
	return parser_fail(parser, -EBADMSG, "not a value for '%s'", name);
}

static bool text_is(const struct parser_value *value, const char *text)
{
	return value->text && !strcmp(value->text, text);
}

static int take_order(struct parser *parser, struct ctf_type *type,
		      const struct parser_value *value)
{
	if (text_is(value, "le"))
		type->order = CTF_ORDER_LE;
	else if (text_is(value, "be") || text_is(value, "network"))
		type->order = CTF_ORDER_BE;
	else if (text_is(value, "native"))
		type->order = CTF_ORDER_NATIVE;
	else
		return fail_value(parser, "byte_order");
	return 0;
}

static int take_align(struct parser *parser, struct ctf_type *type,
		      const struct parser_value *value)
{
	uint64_t align = value->number;

	if (!value->is_number || !align || align > CTF_ALIGN_MAX || (align & (align - 1)))
		return parser_fail(parser, -EBADMSG,
				   "an alignment is a power of two and at most %u", CTF_ALIGN_MAX);
	type->align = (uint32_t)align;
	return 0;
}

static int take_encoding(struct parser *parser, struct ctf_type *type,
			 const struct parser_value *value)
{
	if (text_is(value, "UTF8") || text_is(value, "ASCII") || text_is(value, "utf8") ||
	    text_is(value, "ascii"))
		type->is_text = true;
	else if (text_is(value, "none") || text_is(value, "NONE"))
		type->is_text = false;
	else
		return fail_value(parser, "encoding");
	return 0;
}

static int take_base(struct parser *parser, struct ctf_type *type, const struct parser_value *value)
{
	static const struct {
		const char *name;
		uint8_t base;
	} names[] = {
		{"decimal", 10},     {"dec", 10}, {"d", 10}, {"i", 10},	    {"u", 10},
		{"hexadecimal", 16}, {"hex", 16}, {"x", 16}, {"X", 16},	    {"p", 16},
		{"octal", 8},	     {"oct", 8},  {"o", 8},  {"binary", 2}, {"b", 2},
	};
	uint64_t base = value->is_number ? value->number : 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (text_is(value, names[i].name))
			base = names[i].base;
	}
	if (base != 2 && base != 8 && base != 10 && base != 16)
		return fail_value(parser, "base");
	type->base = (uint8_t)base;
	return 0;
}

/* "clock.NAME.value" */
static int take_map(struct parser *parser, struct ctf_type *type, const struct parser_value *value)
{
	const char *name = value->text, *end;

	if (!name || strncmp(name, "clock.", 6))
		return fail_value(parser, "map");
	name += 6;
	end = strrchr(name, '.');
	if (!end || end == name || strcmp(end, ".value"))
		return fail_value(parser, "map");
	type->clock_name = arena_text(&parser->trace->arena, name, (size_t)(end - name));
	return type->clock_name ? 0 : parser_no_memory(parser);
}

static int take_signed(struct parser *parser, struct ctf_type *type,
		       const struct parser_value *value)
{
	if (text_is(value, "true") || text_is(value, "TRUE") ||
	    (value->is_number && value->number == 1))
		type->is_signed = true;
	else if (text_is(value, "false") || text_is(value, "FALSE") ||
		 (value->is_number && !value->number))
		type->is_signed = false;
	else
		return fail_value(parser, "signed");
	return 0;
}

static int take_integer(struct parser *parser, struct number *number, const char *name,
			const struct parser_value *value)
{
	struct ctf_type *type = number->type;

	if (!strcmp(name, "size")) {
		if (!value->is_number || !value->number || value->number > 64)
			return parser_fail(parser, -EBADMSG, "an integer has 1 to 64 bits");
		type->size = (uint32_t)value->number;
		return 0;
	}
	if (!strcmp(name, "align"))
		return take_align(parser, type, value);
	if (!strcmp(name, "signed"))
		return take_signed(parser, type, value);
	if (!strcmp(name, "base"))
		return take_base(parser, type, value);
	if (!strcmp(name, "byte_order"))
		return take_order(parser, type, value);
	if (!strcmp(name, "encoding"))
		return take_encoding(parser, type, value);
	if (!strcmp(name, "map"))
		return take_map(parser, type, value);
	return 0;
}

static int take_float(struct parser *parser, struct number *number, const char *name,
		      const struct parser_value *value)
{
	if (!strcmp(name, "exp_dig") && value->is_number)
		number->exponent = value->number;
	else if (!strcmp(name, "mant_dig") && value->is_number)
		number->mantissa = value->number;
	else if (!strcmp(name, "align"))
		return take_align(parser, number->type, value);
	else if (!strcmp(name, "byte_order"))
		return take_order(parser, number->type, value);
	return 0;
}

static int take_string(struct parser *parser, struct number *number, const char *name,
		       const struct parser_value *value)
{
	return strcmp(name, "encoding") ? 0 : take_encoding(parser, number->type, value);
}

/* "{ name = value; ... }" */
static int parse_attributes(struct parser *parser, struct number *number,
			    struct parser_attributes *attributes, take_fn *take)
{
	int err = parser_expect(parser, '{');

	while (!err && !parser_is_mark(parser, '}')) {
		const unsigned int line = parser->token.line;
		struct parser_value value;
		const char *name;

		err = parser_word(parser, &name);
		if (!err)
			parser_check_attribute(parser, attributes, name, line);
		err = err ? err : parser_expect(parser, '=');
		err = err ? err : parser_value(parser, &value);
		err = err ? err : take(parser, number, name, &value);
		err = err ? err : parser_expect(parser, ';');
	}
	return err ? err : parser_advance(parser);
}

int number_parse_integer(struct parser *parser, const struct ctf_type **ret)
{
	static const char *const names[] = {"size",	  "align",    "signed", "base",
					    "byte_order", "encoding", "map",	NULL};
	struct parser_attributes attributes = {.what = "integer", .names = names};
	struct number number = {0};
	int err = parser_type_new(parser, CTF_INTEGER, &number.type);

	err = err ? err : parser_advance(parser);
	err = err ? err : parse_attributes(parser, &number, &attributes, take_integer);
	if (err)
		return err;
	if (!number.type->size)
		return parser_fail(parser, -EBADMSG, "the integer has no size");
	if (!number.type->base)
		number.type->base = 10;
	if (!number.type->align)
		number.type->align = number.type->size % 8 ? 1 : 8;
	*ret = number.type;
	return parser_type_done(parser, number.type);
}

int number_parse_float(struct parser *parser, const struct ctf_type **ret)
{
	static const char *const names[] = {"exp_dig", "mant_dig", "align", "byte_order", NULL};
	struct parser_attributes attributes = {.what = "floating_point", .names = names};
	struct number number = {0};
	int err = parser_type_new(parser, CTF_FLOAT, &number.type);

	err = err ? err : parser_advance(parser);
	err = err ? err : parse_attributes(parser, &number, &attributes, take_float);
	if (err)
		return err;
	if (!(number.exponent == 8 && number.mantissa == 24) &&
	    !(number.exponent == 11 && number.mantissa == 53))
		return parser_fail(parser, -ENOTSUP,
				   "only floating-point numbers of 32 and 64 bits can be read");
	number.type->size = (uint32_t)(number.exponent + number.mantissa);
	*ret = number.type;
	return parser_type_done(parser, number.type);
}

int number_parse_string(struct parser *parser, const struct ctf_type **ret)
{
	static const char *const names[] = {"encoding", NULL};
	struct parser_attributes attributes = {.what = "string", .names = names};
	struct number number = {0};
	int err = parser_type_new(parser, CTF_STRING, &number.type);

	err = err ? err : parser_advance(parser);
	if (err)
		return err;
	number.type->is_text = true;
	number.type->align = 8;
	if (parser_is_mark(parser, '{'))
		err = parse_attributes(parser, &number, &attributes, take_string);
	*ret = number.type;
	return err ? err : parser_type_done(parser, number.type);
}

static int parse_label_name(struct parser *parser, const char **ret)
{
	if (parser->token.kind != TOKEN_STRING)
		return parser_word(parser, ret);
	*ret = token_unescape(&parser->token, &parser->trace->arena);
	return *ret ? parser_advance(parser) : parser_no_memory(parser);
}

/* NAME, NAME = 3 or NAME = 3 ... 5; without a value it is one more than the last one. */
static int parse_label(struct parser *parser, struct ctf_type *type, uint64_t *value)
{
	struct field_label *label;
	void *labels = type->labels;
	uint64_t last;
	const char *name;
	bool negative;
	int err = parse_label_name(parser, &name);

	if (err)
		return err;
	err = parser_accept(parser, '=');
	if (err > 0)
		err = parser_number(parser, value, &negative);
	last = *value;
	if (!err && parser->token.kind == TOKEN_RANGE) {
		err = parser_advance(parser);
		err = err ? err : parser_number(parser, &last, &negative);
	}
	if (err)
		return err;
	if (type->is_signed ? (int64_t)*value > (int64_t)last : *value > last)
		parser_breach(parser, "the values of the label '%.64s' end before they begin",
			      name);
	label = arena_push(&parser->trace->arena, &labels, &type->label_count, sizeof(*label));
	if (!label)
		return parser_no_memory(parser);
	type->labels = labels;
	*label = (struct field_label){(int64_t)*value, (int64_t)last, name};
	*value = last + 1;
	return 0;
}

int number_parse_labels(struct parser *parser, struct ctf_type *type)
{
	uint64_t value = 0;
	int err = parser_expect(parser, '{');

	while (!err && !parser_is_mark(parser, '}')) {
		err = parse_label(parser, type, &value);
		if (err)
			return err;
		err = parser_accept(parser, ',');
		if (!err)
			break;
		err = err < 0 ? err : 0;
	}
	return err ? err : parser_expect(parser, '}');
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/type_parse.h"

#include <errno.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/compound_parse.h"
#include "ctf/number_parse.h"
#include "ctf/parser.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

/*
 * The words of an alias's name: "unsigned long". Where a member's name follows (@last), the last
 * word is that name and not part of the alias, unless asterisks end the alias before it.
 */
static int parse_alias_name(struct parser *parser, const char **alias, const char **last)
{
	char text[CTF_NAME_MAX_BYTES];
	size_t len = 0, before = 0;
	const char *word = NULL;
	int err;

	while (parser->token.kind == TOKEN_WORD || (len && parser_is_mark(parser, '*'))) {
		if (parser->token.kind == TOKEN_WORD && len && text[len - 1] == '*')
			break;
		if (parser->token.len + 2 > sizeof(text) - len)
			return parser_fail(parser, -E2BIG, "the name of the type is too long");
		before = len;
		if (len)
			text[len++] = ' ';
		memcpy(text + len, parser->token.start, parser->token.len);
		len += parser->token.len;
		err = parser_advance(parser);
		if (err)
			return err;
	}
	if (!len)
		return parser_fail(parser, parser->token.kind == TOKEN_END ? -ENODATA : -EBADMSG,
				   "a type is expected here");
	if (last && text[len - 1] != '*') {
		if (!before)
			return parser_fail(parser,
					   parser->token.kind == TOKEN_END ? -ENODATA : -EBADMSG,
					   "a name is expected behind the type '%.*s'", (int)len,
					   text);
		word = arena_text(&parser->trace->arena, text + before + 1, len - before - 1);
		if (!word)
			return parser_no_memory(parser);
		len = before;
	}
	*alias = arena_text(&parser->trace->arena, text, len);
	if (last)
		*last = word;
	return *alias ? 0 : parser_no_memory(parser);
}

/* An alias is made of names, or of the words by which C calls its numbers. */
static void check_alias(struct parser *parser, const char *alias)
{
	static const char *const words[] = {"const", "char",	 "double",    "float",	  "int",
					    "long",  "short",	 "signed",    "unsigned", "void",
					    "_Bool", "_Complex", "_Imaginary"};
	size_t i = 0;

	while (i < sizeof(words) / sizeof(words[0]) && strcmp(words[i], alias))
		i++;
	if (i == sizeof(words) / sizeof(words[0]))
		parser_check_name(parser, alias);
}

/* What is constant is of no other form: such names are kept without the word. */
static const char *without_const(const char *name)
{
	return strncmp(name, "const ", 6) ? name : name + 6;
}

static int parse_alias(struct parser *parser, const struct ctf_type **ret, const char **last)
{
	const struct ctf_type *type;
	const char *alias;
	int err = parse_alias_name(parser, &alias, last);

	if (err)
		return err;
	alias = without_const(alias);
	type = scope_find(parser->scope, SCOPE_ALIAS, alias);
	if (!type)
		return parser_fail(parser, -EBADMSG, "no type is called '%s'", alias);
	*ret = type;
	return 0;
}

/* A type; where it is an alias, its words also hold the member's name, given in @last. */
static int parse_specifier(struct parser *parser, const struct ctf_type **ret, const char **last)
{
	if (parser_is_word(parser, "const")) {
		int err = parser_advance(parser);

		if (err)
			return err;
	}
	if (parser_is_word(parser, "integer"))
		return number_parse_integer(parser, ret);
	if (parser_is_word(parser, "floating_point"))
		return number_parse_float(parser, ret);
	if (parser_is_word(parser, "string"))
		return number_parse_string(parser, ret);
	if (parser_is_word(parser, "enum"))
		return compound_parse_enum(parser, ret);
	if (parser_is_word(parser, "struct"))
		return compound_parse_struct(parser, ret);
	if (parser_is_word(parser, "variant"))
		return compound_parse_variant(parser, ret);
	return parse_alias(parser, ret, last);
}

int type_parse(struct parser *parser, const struct ctf_type **ret)
{
	return parse_specifier(parser, ret, NULL);
}

/* One pair of brackets: [16] or [path.of.length]. */
static int parse_dimension(struct parser *parser, struct ctf_type **ret)
{
	struct ctf_type *type = NULL;
	const char *path;
	uint64_t count;
	bool negative;
	int err = parser_expect(parser, '[');

	if (err)
		return err;
	if (parser->token.kind == TOKEN_WORD) {
		err = parser_type_new(parser, CTF_SEQUENCE, &type);
		err = err ? err : parser_path(parser, &path);
		err = err ? err : parser_reference(parser, type, path);
	} else {
		err = parser_type_new(parser, CTF_ARRAY, &type);
		err = err ? err : parser_number(parser, &count, &negative);
		if (!err && (negative || count > CTF_ARRAY_MAX))
			err = parser_fail(parser, -E2BIG,
					  "an array cannot have more than %u elements",
					  CTF_ARRAY_MAX);
		if (!err)
			type->count = (uint32_t)count;
	}
	err = err ? err : parser_expect(parser, ']');
	if (!err)
		*ret = type;
	return err;
}

/* Brackets behind a name: the last pair is the innermost array. */
static int parse_dimensions(struct parser *parser, const struct ctf_type **type)
{
	struct ctf_type *dimensions[CTF_DIMENSIONS_MAX];
	size_t count = 0;
	int err;

	while (parser_is_mark(parser, '[')) {
		if (count == CTF_DIMENSIONS_MAX)
			return parser_fail(parser, -E2BIG, "the array has too many dimensions");
		err = parse_dimension(parser, &dimensions[count]);
		if (err)
			return err;
		count++;
	}
	while (count) {
		struct ctf_type *array = dimensions[--count];

		array->element = *type;
		err = parser_type_done(parser, array);
		if (err)
			return err;
		*type = array;
	}
	return 0;
}

int type_parse_member(struct parser *parser, type_parse_fn *take, void *arg)
{
	const struct ctf_type *base = NULL, *type;
	const char *name = NULL;
	int more = 1;
	int err = parse_specifier(parser, &base, &name);

	while (!err && more > 0) {
		unsigned int line = parser->token.line;

		type = base;
		if (!name)
			err = parser_word(parser, &name);
		err = err ? err : parse_dimensions(parser, &type);
		err = err ? err : take(parser, name, type, line, arg);
		name = NULL;
		if (err)
			return err;
		more = parser_accept(parser, ',');
	}
	if (err || more < 0)
		return err ? err : more;
	return parser_expect(parser, ';');
}

static int declare_alias(struct parser *parser, const char *name, const struct ctf_type *type)
{
	int err;

	name = without_const(name);
	err = scope_declare(parser->scope, &parser->trace->arena, SCOPE_ALIAS, name, type);

	if (err == -EEXIST)
		return parser_fail(parser, err, "there is a type called '%s' already", name);
	return err ? parser_no_memory(parser) : 0;
}

static int parse_typealias(struct parser *parser)
{
	const struct ctf_type *type;
	const char *alias;
	int err = parser_advance(parser);

	err = err ? err : type_parse(parser, &type);
	if (err)
		return err;
	if (parser->token.kind != TOKEN_ASSIGN_TYPE)
		return parser_fail(parser, parser->token.kind == TOKEN_END ? -ENODATA : -EBADMSG,
				   "':=' is expected behind the type of a typealias");
	err = parser_advance(parser);
	err = err ? err : parse_alias_name(parser, &alias, NULL);
	if (!err)
		check_alias(parser, alias);
	err = err ? err : declare_alias(parser, alias, type);
	return err ? err : parser_expect(parser, ';');
}

static int take_typedef(struct parser *parser, const char *name, const struct ctf_type *type,
			unsigned int line, void *arg)
{
	(void)line;
	(void)arg;
	parser_check_name(parser, name);
	return declare_alias(parser, name, type);
}

bool type_parse_is_declaration(const struct parser *parser)
{
	return parser_is_word(parser, "typealias") || parser_is_word(parser, "typedef") ||
	       parser_is_word(parser, "struct") || parser_is_word(parser, "enum") ||
	       parser_is_word(parser, "variant");
}

int type_parse_declaration(struct parser *parser)
{
	const struct ctf_type *type;
	int err;

	if (parser_is_word(parser, "typealias"))
		return parse_typealias(parser);
	if (parser_is_word(parser, "typedef")) {
		err = parser_advance(parser);
		return err ? err : type_parse_member(parser, take_typedef, NULL);
	}
	err = type_parse(parser, &type);
	return err ? err : parser_expect(parser, ';');
}

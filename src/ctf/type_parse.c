// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/type_parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ctf/arena.h"
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

/* The name behind a keyword, if there is one. */
static int parse_tag(struct parser *parser, const char **ret)
{
	int err;

	*ret = NULL;
	if (parser->token.kind != TOKEN_WORD)
		return 0;
	err = parser_word(parser, ret);
	if (!err)
		parser_check_name(parser, *ret);
	return err;
}

static int find_tagged(struct parser *parser, enum scope_space space, const char *name,
		       const struct ctf_type **ret)
{
	static const char *const what[] = {"type", "structure", "enumeration", "variant"};

	if (!name)
		return parser_fail(parser, parser->token.kind == TOKEN_END ? -ENODATA : -EBADMSG,
				   "the %s has neither a name nor a body", what[space]);
	*ret = scope_find(parser->scope, space, name);
	return *ret ? 0 : parser_fail(parser, -EBADMSG, "no %s is called '%s'", what[space], name);
}

static int declare_tagged(struct parser *parser, enum scope_space space, const char *name,
			  const struct ctf_type *type)
{
	int err;

	if (!name)
		return 0;
	err = scope_declare(parser->scope, &parser->trace->arena, space, name, type);
	if (err == -EEXIST)
		return parser_fail(parser, err, "'%s' is declared already", name);
	return err ? parser_no_memory(parser) : 0;
}

static int take_member(struct parser *parser, const char *name, const struct ctf_type *type,
		       unsigned int line, void *arg)
{
	struct ctf_type *compound = arg;
	void *members = compound->members;
	struct ctf_member *member;
	bool escaped = false;

	parser_check_name(parser, name);
	if (name[0] == '_' && name[1]) {
		name++;
		escaped = true;
	}
	if (compound->member_count >= CTF_NODES_MAX)
		return parser_fail(parser, -E2BIG, "there are more than %u members", CTF_NODES_MAX);
	member = arena_push(&parser->trace->arena, &members, &compound->member_count,
			    sizeof(*member));
	if (!member)
		return parser_no_memory(parser);
	compound->members = members;
	member->name = name;
	member->type = type;
	member->line = line;
	member->escaped = escaped;
	member->role = ctf_role_find(name);
	member->doc.scope = FIELD_SCOPE_OBJECT;
	if (type->doc)
		member->doc = *type->doc;
	return 0;
}

/* A variant that only stands for a field that may be absent: of nothing, or of that. The comment is
 * behind the declaration of the type, so no other type has it. */
static void take_optional(const struct ctf_member *member)
{
	const struct ctf_type *type = member->type;

	while (type->element)
		type = type->element;
	if (type->kind == CTF_VARIANT && type->member_count == 2 &&
	    type->members[0].type->kind == CTF_STRUCT && !type->members[0].type->member_count)
		((struct ctf_type *)(uintptr_t)type)->optional = true;
}

/* The comment behind a member's semicolon is about that member. */
static int take_doc(struct parser *parser, struct ctf_type *type, size_t before)
{
	struct ctf_member *member;

	if (!parser->token.doc || type->member_count == before)
		return 0;
	member = &type->members[type->member_count - 1];
	if (ctf_doc_parse(parser->token.doc, parser->token.doc_len, &parser->trace->arena,
			  &member->doc))
		return parser_no_memory(parser);
	if (member->doc.optional)
		take_optional(member);
	return 0;
}

/* "{ members }" of a structure or a variant. */
static int parse_members(struct parser *parser, struct ctf_type *type)
{
	struct scope scope;
	int err = parser_enter(parser, &scope);

	if (err)
		return err;
	parser->structs++;
	err = parser_expect(parser, '{');
	while (!err && !parser_is_mark(parser, '}')) {
		size_t before = type->member_count;

		if (parser_is_word(parser, "typealias") || parser_is_word(parser, "typedef"))
			err = type_parse_declaration(parser);
		else
			err = type_parse_member(parser, take_member, type);
		err = err ? err : take_doc(parser, type, before);
	}
	parser->structs--;
	parser_leave(parser);
	return err ? err : parser_advance(parser);
}

/* Finds out whether an earlier member has the name of member @i. True: in its written form; "a" and "_a" are two. */
static bool find_repeated(const struct ctf_type *type, size_t i)
{
	struct ctf_member *member = &type->members[i], *first;
	char name[CTF_NAME_MAX_BYTES];
	int len = snprintf(name, sizeof(name), "_%s", member->name);
	int at = len < (int)sizeof(name) ? ctf_type_member(type, name, (size_t)len) : -1;
	bool repeated;

	if (at < 0 || (size_t)at == i)
		return false;
	first = &type->members[at];
	member->is_repeated = true;
	repeated = first->escaped == member->escaped || first->has_twin;
	first->has_twin |= first->escaped != member->escaped;
	return repeated;
}

/* Once @type is measured: its members can be found by their names. */
static void check_members(struct parser *parser, const struct ctf_type *type)
{
	if (type->kind == CTF_VARIANT && !type->member_count)
		ctf_trace_class_breach(parser->trace, type->line, "the variant has no members");
	for (size_t i = 0; i < type->member_count; i++) {
		if (find_repeated(type, i))
			ctf_trace_class_breach(parser->trace, type->members[i].line,
					       "the %s has two members with the name '%.64s'",
					       ctf_type_name(type->kind), type->members[i].name);
	}
}

/* "align(N)" behind a structure. */
static int parse_align(struct parser *parser, struct ctf_type *type)
{
	uint64_t align;
	bool negative;
	int err = parser_advance(parser);

	err = err ? err : parser_expect(parser, '(');
	err = err ? err : parser_number(parser, &align, &negative);
	if (err)
		return err;
	if (negative || !align || align > CTF_ALIGN_MAX || (align & (align - 1)))
		return parser_fail(parser, -EBADMSG,
				   "an alignment is a power of two and at most %u", CTF_ALIGN_MAX);
	type->align = (uint32_t)align;
	return parser_expect(parser, ')');
}

static int parse_struct(struct parser *parser, const struct ctf_type **ret)
{
	struct ctf_type *type;
	const char *name;
	int err = parser_advance(parser);

	err = err ? err : parse_tag(parser, &name);
	if (err)
		return err;
	if (!parser_is_mark(parser, '{'))
		return find_tagged(parser, SCOPE_STRUCT, name, ret);
	err = parser_type_new(parser, CTF_STRUCT, &type);
	err = err ? err : parse_members(parser, type);
	if (!err && parser_is_word(parser, "align"))
		err = parse_align(parser, type);
	err = err ? err : parser_type_done(parser, type);
	err = err ? err : declare_tagged(parser, SCOPE_STRUCT, name, type);
	if (err)
		return err;
	check_members(parser, type);
	*ret = type;
	return 0;
}

/* "<path>": the field that chooses. */
static int parse_selector(struct parser *parser, const char **ret)
{
	int err = parser_accept(parser, '<');

	if (err <= 0)
		return err;
	err = parser_path(parser, ret);
	return err ? err : parser_expect(parser, '>');
}

/* A variant that was declared without a tag gets one where it is used: a type of its own. */
static int copy_variant(struct parser *parser, const char *name, const char *path,
			const struct ctf_type **ret)
{
	const struct ctf_type *original;
	struct ctf_type *copy, *next;
	int err = find_tagged(parser, SCOPE_VARIANT, name, &original);

	if (err)
		return err;
	if (!path) {
		*ret = original;
		return 0;
	}
	err = parser_type_new(parser, CTF_VARIANT, &copy);
	if (err)
		return err;
	next = copy->next;
	*copy = *original;
	copy->next = next;
	*ret = copy;
	return parser_reference(parser, copy, path);
}

static int parse_variant(struct parser *parser, const struct ctf_type **ret)
{
	struct ctf_type *type;
	const char *name = NULL, *path = NULL;
	int err = parser_advance(parser);

	err = err ? err : parse_tag(parser, &name);
	err = err ? err : parse_selector(parser, &path);
	if (err)
		return err;
	if (!parser_is_mark(parser, '{'))
		return copy_variant(parser, name, path, ret);
	err = parser_type_new(parser, CTF_VARIANT, &type);
	if (!err && path)
		err = parser_reference(parser, type, path);
	err = err ? err : parse_members(parser, type);
	err = err ? err : parser_type_done(parser, type);
	err = err ? err : declare_tagged(parser, SCOPE_VARIANT, name, type);
	if (err)
		return err;
	check_members(parser, type);
	*ret = type;
	return 0;
}

/* ": TYPE", or what is called "int". */
static int parse_container(struct parser *parser, struct ctf_type *type)
{
	const struct ctf_type *container;
	struct scope scope;
	int err = parser_accept(parser, ':');

	if (err < 0)
		return err;
	if (err) {
		/* The container may be an enumeration again: depth has to be counted. */
		err = parser_enter(parser, &scope);
		if (err)
			return err;
		err = type_parse(parser, &container);
		parser_leave(parser);
		if (err)
			return err;
	} else {
		container = scope_find(parser->scope, SCOPE_ALIAS, "int");
	}
	if (!container || !ctf_type_is_number(container))
		return parser_fail(parser, -EBADMSG, "an enumeration needs an integer type");
	type->size = container->size;
	type->align = container->align;
	type->is_signed = container->is_signed;
	type->order = container->order;
	type->base = container->base;
	type->clock_name = container->clock_name;
	return 0;
}

static int parse_enum(struct parser *parser, const struct ctf_type **ret)
{
	struct ctf_type *type;
	const char *name = NULL;
	int err = parser_advance(parser);

	err = err ? err : parse_tag(parser, &name);
	if (err)
		return err;
	if (!parser_is_mark(parser, '{') && !parser_is_mark(parser, ':'))
		return find_tagged(parser, SCOPE_ENUM, name, ret);
	err = parser_type_new(parser, CTF_ENUM, &type);
	err = err ? err : parse_container(parser, type);
	err = err ? err : number_parse_labels(parser, type);
	if (!err && !type->label_count)
		ctf_trace_class_breach(parser->trace, type->line, "the enumeration has no labels");
	err = err ? err : parser_type_done(parser, type);
	err = err ? err : declare_tagged(parser, SCOPE_ENUM, name, type);
	if (!err)
		*ret = type;
	return err;
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
		return parse_enum(parser, ret);
	if (parser_is_word(parser, "struct"))
		return parse_struct(parser, ret);
	if (parser_is_word(parser, "variant"))
		return parse_variant(parser, ret);
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

/* The comment behind the alias of a number or a string, which has to be of our form, is about the members of this type. */
static int take_alias_doc(struct parser *parser, const struct ctf_type **type)
{
	const struct ctf_type *plain = *type;
	struct ctf_type *described, *next;
	struct ctf_doc *doc;
	int err;

	if (!parser->token.doc || *parser->token.doc != '[' ||
	    !(ctf_type_has_size(plain) || plain->kind == CTF_STRING))
		return 0;
	doc = arena_alloc(&parser->trace->arena, sizeof(*doc));
	if (!doc ||
	    ctf_doc_parse(parser->token.doc, parser->token.doc_len, &parser->trace->arena, doc))
		return parser_no_memory(parser);
	err = parser_type_new(parser, plain->kind, &described);
	if (err)
		return err;
	next = described->next;
	*described = *plain;
	described->next = next;
	described->doc = doc;
	*type = described;
	return 0;
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
	err = err ? err : parser_expect(parser, ';');
	err = err ? err : take_alias_doc(parser, &type);
	return err ? err : declare_alias(parser, alias, type);
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

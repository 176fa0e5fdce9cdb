// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

void scope_init(struct scope *scope, struct scope *outer)
{
	*scope = (struct scope){.outer = outer};
}

#define BUCKETS_FIRST 64u

static struct scope_entry **bucket_of(const struct scope *scope, enum scope_space space,
				      const char *name)
{
	uint32_t hash = 2166136261u ^ space; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &scope->buckets[(hash ^ hash >> 16) & (scope->bucket_count - 1)];
}

static const struct ctf_type *find_here(const struct scope *scope, enum scope_space space,
					const char *name)
{
	const struct scope_entry *entry;

	if (!scope->buckets)
		return NULL;
	entry = *bucket_of(scope, space, name);
	while (entry && (entry->space != space || strcmp(entry->name, name)))
		entry = entry->chain;
	return entry ? entry->type : NULL;
}

/* Twice as many buckets, or the first ones. 0 or -ENOMEM. */
static int grow(struct scope *scope, struct arena *arena)
{
	const struct scope old = *scope;
	const size_t count = old.bucket_count ? old.bucket_count * 2 : BUCKETS_FIRST;

	scope->buckets = arena_alloc(arena, count * sizeof(*scope->buckets));
	if (!scope->buckets) {
		scope->buckets = old.buckets;
		return -ENOMEM;
	}
	scope->bucket_count = count;
	for (size_t i = 0; i < old.bucket_count; i++) {
		for (struct scope_entry *entry = old.buckets[i], *next; entry; entry = next) {
			struct scope_entry **bucket = bucket_of(scope, entry->space, entry->name);

			next = entry->chain;
			entry->chain = *bucket;
			*bucket = entry;
		}
	}
	return 0;
}

int scope_declare(struct scope *scope, struct arena *arena, enum scope_space space,
		  const char *name, const struct ctf_type *type)
{
	struct scope_entry *entry, **bucket;

	if (find_here(scope, space, name))
		return -EEXIST;
	if (scope->count >= scope->bucket_count && grow(scope, arena))
		return -ENOMEM;
	entry = arena_alloc(arena, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	bucket = bucket_of(scope, space, name);
	*entry = (struct scope_entry){
		.chain = *bucket,
		.space = space,
		.name = name,
		.type = type,
	};
	*bucket = entry;
	scope->count++;
	return 0;
}

const struct ctf_type *scope_find(const struct scope *scope, enum scope_space space,
				  const char *name)
{
	const struct ctf_type *type = NULL;

	for (; scope && !type; scope = scope->outer)
		type = find_here(scope, space, name);
	return type;
}

int parser_fail(struct parser *parser, int err, const char *format, ...)
{
	char text[384];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)diag_set(parser->diag, err, "line %u: %s", parser->token.line, text);
	if (parser->diag) {
		parser->diag->line = parser->token.line;
		parser->diag->offset = (uint64_t)(parser->token.start - parser->lexer.text);
	}
	return err;
}

int parser_no_memory(struct parser *parser)
{
	return parser_fail(parser, -ENOMEM, "out of memory");
}

int parser_advance(struct parser *parser)
{
	int err = lexer_next(&parser->lexer, &parser->token, parser->diag);

	if (err)
		return diag_prefix(parser->diag, err, "line %u", parser->lexer.line);
	if (parser->token.has_nul)
		parser_breach(parser, "the string has a zero byte in it");
	return 0;
}

/* CTF 1.8.3, C.1.2; and blocks, which readers take for keywords as well. */
static bool is_keyword(const char *name)
{
	static const char *const keywords[] = {
		"align",  "callsite", "clock",	   "const",	 "char",	   "double",
		"enum",	  "env",      "event",	   "float",	 "floating_point", "integer",
		"int",	  "long",     "short",	   "signed",	 "stream",	   "string",
		"struct", "trace",    "typealias", "typedef",	 "unsigned",	   "variant",
		"void",	  "_Bool",    "_Complex",  "_Imaginary",
	};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (!strcmp(name, keywords[i]))
			return true;
	}
	return false;
}

void parser_check_name(struct parser *parser, const char *name)
{
	if (is_keyword(name))
		parser_breach(parser, "'%s' is a keyword and cannot be a name", name);
}

/* The bit of @name in parser_attributes.seen; 0 = unknown attribute. */
static uint32_t attribute_bit(const struct parser_attributes *attributes, const char *name)
{
	for (unsigned int i = 0; attributes->names[i]; i++) {
		if (!strcmp(attributes->names[i], name))
			return 1u << i;
	}
	return 0;
}

bool parser_has_attribute(const struct parser_attributes *attributes, const char *name)
{
	return attributes->seen & attribute_bit(attributes, name);
}

void parser_check_attribute(struct parser *parser, struct parser_attributes *attributes,
			    const char *name, unsigned int line)
{
	uint32_t bit = attribute_bit(attributes, name);

	if (!bit)
		ctf_trace_class_breach(parser->trace, line, "unknown attribute '%.64s' of the %s",
				       name, attributes->what);
	else if (attributes->seen & bit)
		ctf_trace_class_breach(parser->trace, line,
				       "the %s has the attribute '%s' twice; the last one counts",
				       attributes->what, name);
	attributes->seen |= bit;
}

/* What stands where @wanted should. */
static int fail_expected(struct parser *parser, const char *wanted)
{
	const struct token *token = &parser->token;
	int shown = token->len > 40 ? 40 : (int)token->len;

	if (token->kind == TOKEN_END)
		return parser_fail(parser, -ENODATA, "the metadata ends where %s should be",
				   wanted);
	return parser_fail(parser, -EBADMSG, "%s is expected, not '%.*s'", wanted, shown,
			   token->start);
}

bool parser_is_mark(const struct parser *parser, char mark)
{
	return parser->token.kind == TOKEN_MARK && parser->token.value == (uint64_t)mark;
}

bool parser_is_word(const struct parser *parser, const char *word)
{
	return parser->token.kind == TOKEN_WORD && parser->token.len == strlen(word) &&
	       !memcmp(parser->token.start, word, parser->token.len);
}

int parser_accept(struct parser *parser, char mark)
{
	int err;

	if (!parser_is_mark(parser, mark))
		return 0;
	err = parser_advance(parser);
	return err ? err : 1;
}

int parser_expect(struct parser *parser, char mark)
{
	char wanted[] = "' '";

	wanted[1] = mark;
	if (!parser_is_mark(parser, mark))
		return fail_expected(parser, wanted);
	return parser_advance(parser);
}

int parser_word(struct parser *parser, const char **ret)
{
	const char *text;
	int err;

	if (parser->token.kind != TOKEN_WORD)
		return fail_expected(parser, "a name");
	text = arena_text(&parser->trace->arena, parser->token.start, parser->token.len);
	if (!text)
		return parser_no_memory(parser);
	err = parser_advance(parser);
	if (!err)
		*ret = text;
	return err;
}

int parser_number(struct parser *parser, uint64_t *ret, bool *negative)
{
	bool minus = parser_is_mark(parser, '-');
	uint64_t value;
	int err = 0;

	if (minus || parser_is_mark(parser, '+'))
		err = parser_advance(parser);
	if (err)
		return err;
	if (parser->token.kind != TOKEN_NUMBER)
		return fail_expected(parser, "a number");
	value = parser->token.value;
	if (minus && value > 1ull << 63)
		return parser_fail(parser, -EBADMSG, "the number does not fit 64 bits");
	err = parser_advance(parser);
	if (err)
		return err;
	*ret = minus ? 0 - value : value;
	*negative = minus;
	return 0;
}

/* Blanks and comments inside are kept out: the parts are put together again. */
int parser_path(struct parser *parser, const char **ret)
{
	char text[CTF_NAME_MAX_BYTES];
	size_t len = 0;
	int more = 1, err;

	while (more > 0) {
		if (parser->token.kind != TOKEN_WORD)
			return fail_expected(parser, "a name");
		if (parser->token.len + 2 > sizeof(text) - len)
			return parser_fail(parser, -E2BIG, "the name is too long");
		memcpy(text + len, parser->token.start, parser->token.len);
		len += parser->token.len;
		err = parser_advance(parser);
		if (err)
			return err;
		more = parser_accept(parser, '.');
		if (more > 0)
			text[len++] = '.';
	}
	if (more < 0)
		return more;
	*ret = arena_text(&parser->trace->arena, text, len);
	return *ret ? 0 : parser_no_memory(parser);
}

int parser_value(struct parser *parser, struct parser_value *ret)
{
	*ret = (struct parser_value){0};
	if (parser->token.kind == TOKEN_WORD)
		return parser_path(parser, &ret->text);
	if (parser->token.kind == TOKEN_STRING) {
		ret->text = token_unescape(&parser->token, &parser->trace->arena);
		return ret->text ? parser_advance(parser) : parser_no_memory(parser);
	}
	if (parser->token.kind != TOKEN_NUMBER && !parser_is_mark(parser, '-') &&
	    !parser_is_mark(parser, '+'))
		return fail_expected(parser, "a value");
	ret->is_number = true;
	return parser_number(parser, &ret->number, &ret->negative);
}

int parser_enter(struct parser *parser, struct scope *scope)
{
	if (parser->depth >= CTF_DEPTH_MAX)
		return parser_fail(parser, -E2BIG, "blocks are nested deeper than %u",
				   CTF_DEPTH_MAX);
	parser->depth++;
	scope_init(scope, parser->scope);
	parser->scope = scope;
	return 0;
}

void parser_leave(struct parser *parser)
{
	parser->scope = parser->scope->outer;
	parser->depth--;
}

int parser_type_new(struct parser *parser, enum ctf_kind kind, struct ctf_type **ret)
{
	struct ctf_trace_class *trace = parser->trace;
	struct ctf_type *type;

	if (trace->type_count >= CTF_TYPES_MAX)
		return parser_fail(parser, -E2BIG, "there are more than %u types", CTF_TYPES_MAX);
	type = ctf_trace_class_type_new(trace, kind, parser->token.line);
	if (!type)
		return parser_no_memory(parser);
	*ret = type;
	return 0;
}

/* What follows the name of a dynamic scope in @path (CTF 1.8.3, 7.3.2); NULL: it is relative. */
static const char *behind_scope(const char *path)
{
	static const char *const scopes[] = {
		"trace.packet.header.",
		"stream.packet.context.",
		"stream.event.header.",
		"stream.event.context.",
		"event.context.",
		"event.fields.",
		"env.",
	};

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		if (!strncmp(path, scopes[i], strlen(scopes[i])))
			return path + strlen(scopes[i]);
	}
	return NULL;
}

/* A relative path is that of a member of the structure around it, by its name. */
static void check_reference(struct parser *parser, const struct ctf_type *type, const char *path)
{
	const char *names = behind_scope(path);
	char name[CTF_NAME_MAX_BYTES];

	if (!names && !parser->structs)
		parser_breach(
			parser,
			"'%.64s', to which a %s refers, cannot stand before it: it is declared "
			"outside of a structure",
			path, ctf_type_name(type->kind));
	for (names = names ? names : path; *names; names += strspn(names, ".")) {
		size_t len = strcspn(names, ".");

		memcpy(name, names, len);
		name[len] = '\0';
		parser_check_name(parser, name);
		names += len;
	}
}

int parser_reference(struct parser *parser, struct ctf_type *type, const char *path)
{
	check_reference(parser, type, path);
	type->ref = arena_alloc(&parser->trace->arena, sizeof(*type->ref));
	if (!type->ref)
		return parser_no_memory(parser);
	type->ref->path = path;
	return 0;
}

int parser_type_done(struct parser *parser, struct ctf_type *type)
{
	int err = ctf_type_measure(type, &parser->trace->arena);

	if (err == -ENOMEM)
		return parser_no_memory(parser);
	if (err)
		return parser_fail(parser, err, "the %s is nested too deep or has too many members",
				   ctf_type_name(type->kind));
	return 0;
}

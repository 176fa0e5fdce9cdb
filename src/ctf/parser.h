/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parser: the state of one reading of metadata: one token ahead, the scope of names, the trace
 * class being filled, and the ways to ask for a token or to say what is wrong with it.
 *
 * Functions return 0 or -errno with the diag filled. -ENODATA: the text ends too early.
 */
#ifndef SONDE_CTF_PARSER_H
#define SONDE_CTF_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "ctf/lexer.h"
#include "ctf/type.h"
#include <stddef.h>

/*
 * The names of types that are visible at one place of the metadata: aliases, and
 * structures, enumerations and variants by their tags. Inner scopes see outer ones.
 */

struct arena;
struct ctf_type;

enum scope_space {
	SCOPE_ALIAS, /* "unsigned long", "u32" */
	SCOPE_STRUCT,
	SCOPE_ENUM,
	SCOPE_VARIANT,
};

struct scope_entry {
	struct scope_entry *chain; /* same hash */
	enum scope_space space;
	const char *name;
	const struct ctf_type *type;
};

struct scope {
	struct scope *outer;
	struct scope_entry **buckets; /* NULL until something is declared here */
	size_t bucket_count; /* a power of two, or 0 */
	size_t count; /* of entries */
};

void scope_init(struct scope *scope, struct scope *outer);
/* -EEXIST where this very scope has the name already, -ENOMEM. Borrows @name. */
int scope_declare(struct scope *scope, struct arena *arena, enum scope_space space,
		  const char *name, const struct ctf_type *type);
/* NULL where neither this scope nor one around it has the name. */
const struct ctf_type *scope_find(const struct scope *scope, enum scope_space space,
				  const char *name);

struct ctf_trace_class;
struct diag;

struct parser {
	struct lexer lexer;
	struct token token; /* the next one */
	struct ctf_trace_class *trace;
	struct scope *scope;
	unsigned int depth;
	unsigned int structs; /* structures and variants around the token */
	bool has_trace; /* a trace block */
	struct diag *diag;
};

/* The attributes of one block, or of one type: which it may have, and which it has. */
struct parser_attributes {
	const char *what; /* "stream", "integer" */
	const char *const *names; /* 32 at most, and a NULL */
	uint32_t seen; /* by their places among the names */
};

/* The right side of "name = value;". */
struct parser_value {
	bool is_number;
	uint64_t number; /* two's complement where negative */
	bool negative;
	const char *text; /* a string, or words as written ("clock.monotonic.value") */
};

/* "metadata line N: ..."; returns @err. */
int parser_fail(struct parser *parser, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int parser_no_memory(struct parser *parser);
/* What breaks the standard and is read all the same, at the next token (ctf_trace_class_breach). */
#define parser_breach(parser, ...) \
	ctf_trace_class_breach((parser)->trace, (parser)->token.line, __VA_ARGS__)
/* Reports names that are keywords. */
void parser_check_name(struct parser *parser, const char *name);
/* Reports an attribute that is there twice, or that such a block does not have. @line: where it stands. */
void parser_check_attribute(struct parser *parser, struct parser_attributes *attributes,
			    const char *name, unsigned int line);
/* Whether @attributes has @name by now, which is among its names. */
bool parser_has_attribute(const struct parser_attributes *attributes, const char *name);
/* Goes on to the next token. */
int parser_advance(struct parser *parser);

bool parser_is_mark(const struct parser *parser, char mark);
bool parser_is_word(const struct parser *parser, const char *word);
/* Takes the token if it is @mark: 1 = it was, 0 = it was not. */
int parser_accept(struct parser *parser, char mark);
int parser_expect(struct parser *parser, char mark);
/* Takes a word; the copy lives in the trace's arena. */
int parser_word(struct parser *parser, const char **ret);
/* Takes a whole number, perhaps with a sign. */
int parser_number(struct parser *parser, uint64_t *ret, bool *negative);
/* Takes "a.b.c", with what is in brackets behind. */
int parser_path(struct parser *parser, const char **ret);
int parser_value(struct parser *parser, struct parser_value *ret);

/* Go one block deeper, with a scope of its own, and come back. */
int parser_enter(struct parser *parser, struct scope *scope);
void parser_leave(struct parser *parser);

/* A new type of the trace. */
int parser_type_new(struct parser *parser, enum ctf_kind kind, struct ctf_type **ret);
/* Gives @type a reference to the field that @path names. */
int parser_reference(struct parser *parser, struct ctf_type *type, const char *path);
/* ctf_type_measure, with a sentence where it fails. */
int parser_type_done(struct parser *parser, struct ctf_type *type);

#endif /* SONDE_CTF_PARSER_H */

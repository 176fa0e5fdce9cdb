/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * type_parse: the part of the metadata grammar that declares types (CTF 1.8.3, section 4 and C.3).
 */
#ifndef SONDE_CTF_TYPE_PARSE_H
#define SONDE_CTF_TYPE_PARSE_H

#include <stdbool.h>

struct ctf_type;
struct parser;

/* A type without a name behind it: "u32", "struct { ... } align(8)", "integer { ... }". */
int type_parse(struct parser *parser, const struct ctf_type **ret);
/* Takes one declared name: "u32 a, b[2];" has two. @name is in the trace's arena. */
typedef int type_parse_fn(struct parser *parser, const char *name, const struct ctf_type *type,
			  unsigned int line, void *arg);
/* "TYPE NAME, NAME[N];", the semicolon included. */
int type_parse_member(struct parser *parser, type_parse_fn *take, void *arg);
/* Whether a declaration of types begins here (typealias, typedef, struct, enum, variant). */
bool type_parse_is_declaration(const struct parser *parser);
/* One such declaration, its semicolon included. */
int type_parse_declaration(struct parser *parser);

#endif /* SONDE_CTF_TYPE_PARSE_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compound_parse: the types of metadata that have members or labels: struct, variant, enum. The
 * parser is at the keyword. A body behind a name declares that name in the scope around.
 */
#ifndef SONDE_CTF_COMPOUND_PARSE_H
#define SONDE_CTF_COMPOUND_PARSE_H

struct ctf_type;
struct parser;

int compound_parse_struct(struct parser *parser, const struct ctf_type **ret);
int compound_parse_variant(struct parser *parser, const struct ctf_type **ret);
int compound_parse_enum(struct parser *parser, const struct ctf_type **ret);

#endif /* SONDE_CTF_COMPOUND_PARSE_H */

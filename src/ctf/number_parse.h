/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number_parse: the types of metadata that have nothing inside: integer, floating_point, string,
 * each with its block of attributes. The parser is at the keyword.
 */
#ifndef SONDE_CTF_NUMBER_PARSE_H
#define SONDE_CTF_NUMBER_PARSE_H

struct ctf_type;
struct parser;

int number_parse_integer(struct parser *parser, const struct ctf_type **ret);
int number_parse_float(struct parser *parser, const struct ctf_type **ret);
int number_parse_string(struct parser *parser, const struct ctf_type **ret);

#endif /* SONDE_CTF_NUMBER_PARSE_H */

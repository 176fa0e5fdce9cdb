/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number_parse: the types of metadata that have nothing inside: integer, floating_point, string,
 * each with its block of attributes; the parser is at the keyword. And the labels of enumerations, which
 * are names of numbers.
 */
#ifndef SONDE_CTF_NUMBER_PARSE_H
#define SONDE_CTF_NUMBER_PARSE_H

struct ctf_type;
struct parser;

int number_parse_integer(struct parser *parser, const struct ctf_type **ret);
int number_parse_float(struct parser *parser, const struct ctf_type **ret);
int number_parse_string(struct parser *parser, const struct ctf_type **ret);
/* "{ NAME, NAME = 3, ... }" of the enumeration @type. */
int number_parse_labels(struct parser *parser, struct ctf_type *type);

#endif /* SONDE_CTF_NUMBER_PARSE_H */

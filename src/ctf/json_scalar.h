/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_scalar: field classes that have no others inside (CTF 2, sections 5.3.4 to 5.3.17): bit
 * arrays and what they are taken for, integers of variable length, strings, BLOBs.
 */
#ifndef SONDE_CTF_JSON_SCALAR_H
#define SONDE_CTF_JSON_SCALAR_H

#include <stdint.h>

#include <jansson.h>

struct ctf_type;
struct json_place;
struct json_reader;

typedef int json_scalar_fn(struct json_reader *reader, const struct json_place *place,
			   const json_t *object, struct ctf_type **ret);

json_scalar_fn json_scalar_read_bit_array;
json_scalar_fn json_scalar_read_bit_map;
json_scalar_fn json_scalar_read_boolean;
json_scalar_fn json_scalar_read_unsigned;
json_scalar_fn json_scalar_read_signed;
json_scalar_fn json_scalar_read_float;
json_scalar_fn json_scalar_read_leb128_unsigned;
json_scalar_fn json_scalar_read_leb128_signed;

/* "alignment" or "minimum-alignment": a power of two; 1 where it is not there. */
int json_scalar_read_align(struct json_reader *reader, const struct json_place *place,
			   const json_t *object, const char *name, uint32_t *ret);

#endif /* SONDE_CTF_JSON_SCALAR_H */

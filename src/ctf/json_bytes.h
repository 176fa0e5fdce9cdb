/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_bytes: field classes of runs of bytes (CTF 2, sections 5.3.11 to 5.3.17): strings and BLOBs.
 * But for strings that a NUL ends they are arrays and sequences of bytes.
 */
#ifndef SONDE_CTF_JSON_BYTES_H
#define SONDE_CTF_JSON_BYTES_H

#include <stdint.h>

#include <jansson.h>

/* For a BLOB without one (section 5.3.15). */
#define JSON_BYTES_MEDIA_TYPE "application/octet-stream"

struct ctf_type;
struct json_place;
struct json_reader;
struct json_root;

typedef int json_bytes_fn(struct json_reader *reader, const struct json_place *place,
			  const json_t *object, struct json_root *root, struct ctf_type **ret);

json_bytes_fn json_bytes_read_string; /* null-terminated */
json_bytes_fn json_bytes_read_static_string;
json_bytes_fn json_bytes_read_dynamic_string;
json_bytes_fn json_bytes_read_static_blob;
json_bytes_fn json_bytes_read_dynamic_blob;

/* "length" of an array: elements, perhaps none. */
int json_bytes_read_count(struct json_reader *reader, const struct json_place *place,
			  const json_t *object, uint32_t *ret);
/* "length-field-location": an unsigned integer. */
int json_bytes_read_length(struct json_reader *reader, const struct json_place *place,
			   const json_t *object, struct json_root *root, struct ctf_type *type);

#endif /* SONDE_CTF_JSON_BYTES_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_range: sets of integer ranges (CTF 2, section 5.3.2): what labels stand for, what selects.
 */
#ifndef SONDE_CTF_JSON_RANGE_H
#define SONDE_CTF_JSON_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct ctf_choice;
struct ctf_type;
struct json_place;
struct json_reader;

/* Both ends are in it: as int64_t or, for an unsigned number, as uint64_t in two's complement. */
struct json_range {
	int64_t first;
	int64_t last;
};

/*
 * Reads element @i of the set @set. 1 = it has numbers that a variable, signed or not, can
 * have; 0 = it has none; or -errno.
 */
int json_range_read(struct json_reader *reader, const struct json_place *place, const json_t *set,
		    size_t i, bool is_signed, struct json_range *ret);
/* Whether two members of a variant have a value of the selector in common. */
bool json_range_conflict(const struct ctf_choice *a, const struct ctf_choice *b, bool is_signed);
/* Checks that it is a set, and not empty. */
int json_range_check(struct json_reader *reader, const struct json_place *place, const json_t *set);
/* Names with sets of ranges, as labels of @type. */
int json_range_read_labels(struct json_reader *reader, const struct json_place *place,
			   const json_t *names, struct ctf_type *type);

#endif /* SONDE_CTF_JSON_RANGE_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_location: field locations (CTF 2, section 5.3.1): which integer that lies before it a length
 * or a selector is.
 */
#ifndef SONDE_CTF_JSON_LOCATION_H
#define SONDE_CTF_JSON_LOCATION_H

#include <jansson.h>

struct ctf_type;
struct json_place;
struct json_reader;
struct json_root;

/*
 * Gives @type its reference. *@target is the type of the number that @location means; NULL in the
 * definition of an alias, where only the form is checked.
 */
int json_location_read(struct json_reader *reader, const struct json_place *place,
		       const json_t *location, struct json_root *root, struct ctf_type *type,
		       const struct ctf_type **target);

#endif /* SONDE_CTF_JSON_LOCATION_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_location_write: the field location (CTF 2, section 5.3.1) that is what a path of TSDL means
 * (CTF 1.8.3, section 7.3.2): looked for in the structures around, then in those before.
 */
#ifndef SONDE_CTF_JSON_LOCATION_WRITE_H
#define SONDE_CTF_JSON_LOCATION_WRITE_H

struct ctf_type;
struct json_writer;

/*
 * Writes the location, to which @type refers, as property @name. *@target is the number it means;
 * -ENOTSUP without one.
 */
int json_location_write(struct json_writer *writer, const char *name, const struct ctf_type *type,
			const struct ctf_type **target);

#endif /* SONDE_CTF_JSON_LOCATION_WRITE_H */

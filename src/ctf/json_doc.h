/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_doc: what we tell of fields and events beyond CTF 2 (section 5.2): attributes in the
 * namespace "sonde", as in TSDL comments of a fixed form. See sonde-trace(5).
 */
#ifndef SONDE_CTF_JSON_DOC_H
#define SONDE_CTF_JSON_DOC_H

#include <jansson.h>

struct ctf_doc;
struct json_reader;

#define JSON_DOC_NAMESPACE "sonde"

/* Attributes of another form belong to other programs: not an error. */
int json_doc_read(struct json_reader *reader, const json_t *object, struct ctf_doc *ret);
/* The description alone; *@ret stays NULL without one. */
int json_doc_read_text(struct json_reader *reader, const json_t *object, const char **ret);

#endif /* SONDE_CTF_JSON_DOC_H */

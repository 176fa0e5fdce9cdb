/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_labels_write: the labels of an integer as mappings of CTF 2 (section 5.3.7.1): one name has
 * all of its ranges in one place.
 */
#ifndef SONDE_CTF_JSON_LABELS_WRITE_H
#define SONDE_CTF_JSON_LABELS_WRITE_H

struct ctf_type;
struct json_writer;

/* ,"mappings":{...} */
int json_labels_write(struct json_writer *writer, const struct ctf_type *type);

#endif /* SONDE_CTF_JSON_LABELS_WRITE_H */

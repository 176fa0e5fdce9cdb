/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list_json: the measurements of `sonde list` as objects for programs.
 */
#ifndef SONDE_CLI_LIST_JSON_H
#define SONDE_CLI_LIST_JSON_H

struct buffer;
struct measurement;
struct running;

/* @running may be NULL. */
void list_json_item(const struct measurement *m, const struct running *running, struct buffer *out);

#endif /* SONDE_CLI_LIST_JSON_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_pair: members of a JSON object behind its first, each with a comma in front: what answers one line of
 * JSON to programs is made of them. Keys are plain words.
 */
#ifndef SONDE_BASE_JSON_PAIR_H
#define SONDE_BASE_JSON_PAIR_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;

void json_pair_text(struct buffer *out, const char *key, const char *text);
void json_pair_number(struct buffer *out, const char *key, uint64_t number);
void json_pair_flag(struct buffer *out, const char *key, bool flag);

#endif /* SONDE_BASE_JSON_PAIR_H */

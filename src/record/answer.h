/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answer: reads what a recorder answers: one JSON object of texts, numbers, true or false, and
 * lists of texts or of objects (sonde-control(7)). Whatever else somebody sends has none of the keys.
 */
#ifndef SONDE_RECORD_ANSWER_H
#define SONDE_RECORD_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @json ends with NUL. False where there is no such number. */
bool answer_number(const char *json, const char *key, uint64_t *ret);
/* Whether there is this key, and true. */
bool answer_flag(const char *json, const char *key);
/* The text, or element @i of the list of texts; @text is empty, and the result false, where there
 * is none. What has no room is cut off. */
bool answer_text(const char *json, const char *key, size_t i, char *text, size_t room);

/* Element @i of a list of objects, for the functions above; NULL where there is none. Within @json. */
const char *answer_object(const char *json, const char *key, size_t i);

#endif /* SONDE_RECORD_ANSWER_H */

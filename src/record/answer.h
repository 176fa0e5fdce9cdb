/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answer: reads what a recorder answers: one JSON object of texts, numbers, true or false, and
 * lists of texts or of objects (sonde-control(7)). Any other answer has none of the keys.
 */
#ifndef SONDE_RECORD_ANSWER_H
#define SONDE_RECORD_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @json ends with NUL. False if the key has no number. */
bool answer_number(const char *json, const char *key, uint64_t *ret);
/* Whether there is this key, and true. */
bool answer_flag(const char *json, const char *key);
/* The text, or element @i of the list of texts; @text is empty, and the result false, if the key
 * is missing. Text without room is truncated. */
bool answer_text(const char *json, const char *key, size_t i, char *text, size_t room);

/* Element @i of a list of objects, for the functions above; NULL without one. Within @json. */
const char *answer_object(const char *json, const char *key, size_t i);

#endif /* SONDE_RECORD_ANSWER_H */

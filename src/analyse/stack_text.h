/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_text: the stack of an event as one text, as folded stacks have it: functions from the outermost to the innermost, with
 * semicolons between, those of the kernel marked [k].
 */
#ifndef SONDE_ANALYSE_STACK_TEXT_H
#define SONDE_ANALYSE_STACK_TEXT_H

#include <stddef.h>

#define STACK_TEXT_MAX \
	1900u /* bytes; of a longer one the innermost functions are there, behind "..." */

struct analysis;
struct event;

/* Writes it, with a NUL, at most @room bytes (STACK_TEXT_MAX + 1 at most); its length. 0: the event has no stack, or it
 * is not known. */
size_t stack_text_write(const struct analysis *analysis, const struct event *event, char *text,
			size_t room);
/* @text with its outermost functions left out, behind "...", so that it has at most @room bytes and a NUL. Its length. */
size_t stack_text_cut(const char *text, size_t len, char *ret, size_t room);

#endif /* SONDE_ANALYSE_STACK_TEXT_H */

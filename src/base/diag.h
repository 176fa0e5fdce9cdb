/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diag: why something failed, in a sentence for the user.
 *
 * Filled by the layer that knows (file, offset, what was expected), printed once by cli/. A
 * function that takes a diag fills it on every failure; NULL is always allowed.
 */
#ifndef SONDE_BASE_DIAG_H
#define SONDE_BASE_DIAG_H

#include <stddef.h>
#include <stdint.h>

struct diag {
	char text[512]; /* one sentence or two, no newline at the end */
	uint64_t offset; /* byte offset into the input, where it helps */
	unsigned int line; /* 1 for the first line; 0 = not a text input */
};

/* Writes the sentence; returns @err, so that callers write `return diag_set(d, -EBADMSG, ...)`. */
int diag_set(struct diag *diag, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "PREFIX: " in front of the sentence; returns @err. */
int diag_prefix(struct diag *diag, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* SONDE_BASE_DIAG_H */

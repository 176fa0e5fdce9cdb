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

/*
 * Whether what a program says goes to the journal of a service manager, which takes priorities in
 * front of lines (sd-daemon(3)).
 */

enum journal_priority {
	JOURNAL_ERROR = 3,
	JOURNAL_WARNING = 4,
	JOURNAL_INFO = 6,
};

/* What a line of that priority begins with on @fd: "<4>", or "" where no journal reads it. A constant. */
const char *journal_prefix(int fd, enum journal_priority priority);

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

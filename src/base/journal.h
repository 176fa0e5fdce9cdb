/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * journal: whether what a program says goes to the journal of a service manager, which takes priorities in
 * front of lines (sd-daemon(3)).
 */
#ifndef SONDE_BASE_JOURNAL_H
#define SONDE_BASE_JOURNAL_H

enum journal_priority {
	JOURNAL_ERROR = 3,
	JOURNAL_WARNING = 4,
	JOURNAL_INFO = 6,
};

/* What a line of that priority begins with on @fd: "<4>", or "" where no journal reads it. A constant. */
const char *journal_prefix(int fd, enum journal_priority priority);

#endif /* SONDE_BASE_JOURNAL_H */

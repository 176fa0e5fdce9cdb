// SPDX-License-Identifier: BSD-2-Clause
#include "base/journal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* JOURNAL_STREAM is "DEVICE:INODE" of what the manager has connected; it stays when that is redirected. */
static bool is_journal(int fd)
{
	const char *stream = secure_getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;
	char end;

	return stream && sscanf(stream, "%llu:%llu%c", &device, &inode, &end) == 2 &&
	       !fstat(fd, &st) && st.st_dev == device && st.st_ino == inode;
}

const char *journal_prefix(int fd, enum journal_priority priority)
{
	if (!is_journal(fd))
		return "";
	switch (priority) {
	case JOURNAL_ERROR:
		return "<3>";
	case JOURNAL_WARNING:
		return "<4>";
	default:
		return "<6>";
	}
}

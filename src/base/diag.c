// SPDX-License-Identifier: BSD-2-Clause
#include "base/diag.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int diag_set(struct diag *diag, int err, const char *format, ...)
{
	va_list args;

	if (!diag)
		return err;
	*diag = (struct diag){0};
	va_start(args, format);
	(void)vsnprintf(diag->text, sizeof(diag->text), format, args);
	va_end(args);
	return err;
}

int diag_prefix(struct diag *diag, int err, const char *format, ...)
{
	char before[sizeof(diag->text)];
	size_t len, keep;
	va_list args;

	if (!diag)
		return err;
	va_start(args, format);
	(void)vsnprintf(before, sizeof(before), format, args);
	va_end(args);

	/* ": " and at least the NUL must fit behind the prefix. */
	len = strnlen(before, sizeof(before) - 3);
	memcpy(before + len, ": ", 2);
	len += 2;
	keep = strnlen(diag->text, sizeof(diag->text) - 1 - len);
	memmove(diag->text + len, diag->text, keep);
	memcpy(diag->text, before, len);
	diag->text[len + keep] = '\0';
	return err;
}

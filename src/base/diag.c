// SPDX-License-Identifier: BSD-2-Clause
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

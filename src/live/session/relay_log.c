// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/relay_log.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_BYTES 1024 /* longer ones are cut: paths of peers may be in it */

void relay_log_say(const struct relay_log *log, enum relay_log_level level, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	if (log->level < level)
		return;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	log->write(log->ctx, line);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/verb.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"

#define HELP_WIDTH_MAX 100u /* longer lines are hard to read */

int verb_fail(const struct verb_spec *spec, int status, const struct diag *diag)
{
	char text[sizeof(diag->text)];

	/* What was found out so far goes before the error that ended it. */
	(void)fflush(stdout);
	snprintf(text, sizeof(text), "%s", diag->text);
	/* Names out of a damaged trace may be in it: no control bytes to a terminal. */
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	fprintf(stderr, "sonde %s: %s\n", spec->name, text);
	return status;
}

static unsigned int terminal_width(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return 0;
	return size.ws_col < HELP_WIDTH_MAX ? size.ws_col : HELP_WIDTH_MAX;
}

int verb_usage(const struct verb_spec *spec, int err, const struct diag *diag)
{
	struct buffer out;

	if (err != -ECANCELED) {
		(void)verb_fail(spec, STATUS_USAGE, diag);
		fprintf(stderr, "Try 'sonde %s --help'.\n", spec->name);
		return STATUS_USAGE;
	}
	buffer_init(&out);
	options_help(spec, terminal_width(STDOUT_FILENO), &out);
	err = buffer_error(&out) ?: write_all(STDOUT_FILENO, out.data, out.len);
	buffer_fini(&out);
	return err ? STATUS_ERROR : STATUS_COMPLETE;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/verb.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/io.h"

#define NOTE_BYTES 4096u
#define HELP_WIDTH_MAX 100u /* longer lines are hard to read */

int verb_fail(const struct verb_spec *spec, int status, const struct diag *diag)
{
	char text[sizeof(diag->text)];

	/* What was found out so far goes before the error that ended it. */
	(void)fflush(stdout);
	snprintf(text, sizeof(text), "%s", diag->text);
	/* Names out of a damaged trace may be in it: none of it to a terminal. */
	escape_blank(text);
	fprintf(stderr, "%s%s%s: %s\n",
		journal_prefix(STDERR_FILENO, status ? JOURNAL_ERROR : JOURNAL_WARNING),
		options_prefix(spec), spec->name, text);
	return status;
}

void verb_note(const char *format, ...)
{
	char text[NOTE_BYTES];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	escape_blank(text);
	fprintf(stderr, "%s\n", text);
}

void verb_say(void *ctx, const char *text)
{
	const struct verb_spec *spec = ctx;

	verb_note("%s%s%s: %s", journal_prefix(STDERR_FILENO, JOURNAL_INFO), options_prefix(spec),
		  spec->name, text);
}

int verb_next(const struct verb_spec *spec, struct options *opts, int *id, const char **arg,
	      struct diag *diag)
{
	int got = options_next(opts, id, arg, diag);

	if (got > 0 && options_note(opts))
		verb_note("%s%s: %s", options_prefix(spec), spec->name, options_note(opts));
	return got;
}

struct options *verb_options(const struct verb_spec *spec, int argc, char **argv)
{
	struct options *opts = options_new(spec, argc, argv);
	struct diag diag = {0};

	if (!opts) {
		(void)diag_set(&diag, -ENOMEM, "no memory for the options");
		(void)verb_fail(spec, STATUS_ERROR, &diag);
	}
	return opts;
}

/* Where a long text is cut, so that what is pointed to can be seen. */
#define POINT_BEFORE 40u
#define POINT_WIDTH 76

int verb_fail_in(const struct verb_spec *spec, int status, const struct diag *diag,
		 const char *text)
{
	size_t len = strlen(text), at = diag->offset < len ? (size_t)diag->offset : len;
	size_t start = at > POINT_WIDTH - 1 ? at - POINT_BEFORE : 0;
	char shown[POINT_WIDTH + 1];
	int column = 0;

	(void)verb_fail(spec, status, diag);
	while (start && (text[start] & 0xc0) == 0x80) /* not within a character of UTF-8 */
		start--;
	snprintf(shown, sizeof(shown), "%s", text + start);
	escape_blank(shown);
	fprintf(stderr, "%s%s", start ? "  ..." : "  ", shown);
	for (const char *c = shown; *c && c < shown + (at - start); c++)
		column += (*c & 0xc0) != 0x80;
	fprintf(stderr, "\n%*s^\n", column + (start ? 5 : 2), "");
	return status;
}

int verb_put(const struct verb_spec *spec, const struct buffer *out, int status)
{
	int err = buffer_error(out) ?: write_all(STDOUT_FILENO, out->data, out->len);
	struct diag diag = {0};

	if (!err)
		return status;
	(void)diag_set(&diag, err, "output: %s", strerror(-err));
	return verb_fail(spec, STATUS_ERROR, &diag);
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
	int status;

	if (err != -ECANCELED && err != OPTIONS_HELP_ALL) {
		(void)verb_fail(spec, STATUS_USAGE, diag);
		fprintf(stderr, "Try '%s%s %s'.\n", options_prefix(spec), spec->name,
			spec->classic ? "-h" : "--help");
		return STATUS_USAGE;
	}
	buffer_init(&out);
	options_help(spec, err == OPTIONS_HELP_ALL, terminal_width(STDOUT_FILENO), &out);
	status = verb_put(spec, &out, STATUS_COMPLETE);
	buffer_fini(&out);
	return status;
}

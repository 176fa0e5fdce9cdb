// SPDX-License-Identifier: BSD-2-Clause
#include "cli/picture_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"

/* The program that shows a picture: $BROWSER, else xdg-open. */

#define PATIENCE_TRIES 100 /* of 10 ms: one that has nothing to show it on says so by then */
#define NAME_BYTES 256u

extern char **environ;

/* The first of those that $BROWSER lists. */
static void find_program(char *name, size_t room)
{
	const char *browser = secure_getenv("BROWSER");

	if (browser && *browser)
		(void)snprintf(name, room, "%.*s", (int)strcspn(browser, ":"), browser);
	else
		(void)snprintf(name, room, "xdg-open");
}

/* Its exit status, or 0 if it continues. */
static int wait_a_moment(pid_t pid)
{
	int status;

	for (int i = 0; i < PATIENCE_TRIES; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		(void)usleep(10000);
	}
	return 0;
}

/* Starts it, and does not wait until it ends; but one that gives up at once is an error. 0, or -errno with
 * the diag. */
static int viewer_open(const char *path, struct diag *diag)
{
	char program[NAME_BYTES];
	char *argv[] = {program, (char *)path, NULL};
	pid_t pid;
	int err, status;

	find_program(program, sizeof(program));
	err = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
	if (err)
		return diag_set(diag, -err,
				"--open: cannot run '%s' (%s): set BROWSER to a program that shows "
				"pictures, or open %s in one",
				program, strerror(err), path);
	status = wait_a_moment(pid);
	if (status)
		return diag_set(
			diag, -EIO,
			"--open: '%s' ended with status %d: is there a display? The picture is "
			"in %s",
			program, status, path);
	return 0;
}

/*
 * Where a finished picture goes: standard output, or a file, which is there whole or not at all.
 * A picture that was there before is written over: pictures are made again and again.
 */

#define PATH_BYTES 4096u

static int fail(const char *path, int err, struct diag *diag)
{
	return diag_set(diag, err, "%s: cannot be written: %s", path, strerror(-err));
}

/* Closes @fd. */
static int write_and_close(int fd, const struct buffer *picture)
{
	int err = write_all(fd, picture->data, picture->len), close_err = fd_close(fd);

	return err ? err : close_err;
}

/* As open would have made it: mkstemp permits only the owner to read. */
static int allow_others(int fd)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return fchmod(fd, 0666 & ~mask) ? -errno : 0;
}

/* Beside what may be there, then in its place. */
static int replace(const char *path, const struct buffer *picture)
{
	char name[PATH_BYTES];
	int fd, err;

	if ((size_t)snprintf(name, sizeof(name), "%s.XXXXXX", path) >= sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = allow_others(fd);
	if (err)
		(void)fd_close(fd);
	else
		err = write_and_close(fd, picture);
	if (!err && rename(name, path))
		err = -errno;
	if (err)
		(void)unlink(name);
	return err;
}

/* A device, a pipe. */
static int write_into(const char *path, const struct buffer *picture)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : write_and_close(fd, picture);
}

/* @path: "-" is standard output. 0, or -errno with the diag. */
static int picture_out_write(const char *path, const struct buffer *picture, struct diag *diag)
{
	struct stat st;
	int err;

	if (!strcmp(path, "-")) {
		err = write_all(STDOUT_FILENO, picture->data, picture->len);
		/* Whoever read it has seen enough. */
		return err && err != -EPIPE ? fail("output", err, diag) : 0;
	}
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (!stat(path, &st) && !S_ISREG(st.st_mode))
		err = write_into(path, picture);
	else
		err = replace(path, picture);
	return err ? fail(path, err, diag) : 0;
}

/* The same into a new file for temporary things, whose name ends in @suffix. */
static int picture_out_temporary(const char *suffix, const struct buffer *picture, char *path,
				 size_t room, struct diag *diag)
{
	const char *dir = secure_getenv("TMPDIR");
	int fd, err;

	(void)snprintf(path, room, "%s/sonde-graph-XXXXXX%s", dir && *dir ? dir : "/tmp", suffix);
	fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
	if (fd < 0)
		return fail(path, -errno, diag);
	err = write_and_close(fd, picture);
	return err ? fail(path, err, diag) : 0;
}

#define TEXT_COLUMNS 80ul /* if the terminal has no size */
#define TEXT_ROWS 24ul
#define TEXT_MIN 20ul
#define TEXT_ROWS_MIN 8ul
#define TEXT_MAX 1000ul

static int parse_side(const char *name, const char *arg, unsigned long *ret, struct diag *diag)
{
	char *end;
	unsigned long value = strtoul(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || !value || value > (unsigned long)PICTURE_SIDE_MAX)
		return diag_set(diag, -EINVAL, "%s: '%s' is not a number from 1 to %g", name, arg,
				PICTURE_SIDE_MAX);
	*ret = value;
	return 0;
}

static int take_format(struct picture_choice *choice, const char *arg, struct diag *diag)
{
	choice->has_format = true;
	if (picture_format_parse(arg, &choice->picture.format))
		return diag_set(diag, -EINVAL, "--format: '%s' is not one of svg, png, pdf, text",
				arg);
	return 0;
}

static int take_theme(struct picture_choice *choice, const char *arg, struct diag *diag)
{
	if (theme_parse(arg, &choice->picture.theme))
		return diag_set(diag, -EINVAL, "--theme: '%s' is not one of auto, light, dark",
				arg);
	return 0;
}

int picture_choice_take(struct picture_choice *choice, int option, const char *arg,
			struct diag *diag)
{
	switch (option) {
	case PICTURE_OPTION_FORMAT:
		return take_format(choice, arg, diag);
	case PICTURE_OPTION_SIZE:
		return picture_parse_size(arg, &choice->size_width, &choice->size_height, diag);
	case PICTURE_OPTION_WIDTH:
		return parse_side("--width", arg, &choice->columns, diag);
	case PICTURE_OPTION_HEIGHT:
		return parse_side("--height", arg, &choice->rows, diag);
	case PICTURE_OPTION_THEME:
		return take_theme(choice, arg, diag);
	case PICTURE_OPTION_TITLE:
		choice->picture.title = arg;
		return 0;
	default: /* PICTURE_OPTION_OPEN */
		choice->open = true;
		return 0;
	}
}

int picture_choice_take_out(struct picture_choice *choice, const char *arg)
{
	choice->path = arg;
	return 0;
}

/* What -o says by its name; without it, characters. */
static int choose_format(struct picture_choice *choice, struct diag *diag)
{
	if (choice->has_format)
		return 0;
	choice->picture.format = choice->open && !choice->path ? PICTURE_SVG : PICTURE_TEXT;
	if (!choice->path || !picture_format_of(choice->path, &choice->picture.format))
		return 0;
	if (!strcmp(choice->path, "-"))
		return diag_set(diag, -EINVAL,
				"-o -: say by --format whether it is svg, png, pdf or "
				"text");
	return diag_set(
		diag, -EINVAL,
		"-o %s: the name does not tell the format: let it end in .svg, .png, .pdf or "
		".txt, or give --format",
		choice->path);
}

/* What programs go by, where no locale need be installed for it. */
static bool has_utf8(void)
{
	const char *locale = secure_getenv("LC_ALL");

	if (!locale || !*locale)
		locale = secure_getenv("LC_CTYPE");
	if (!locale || !*locale)
		locale = secure_getenv("LANG");
	return locale && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

static bool find_terminal(unsigned long *columns, unsigned long *rows)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ||
	    !size.ws_row)
		return false;
	*columns = size.ws_col;
	*rows = size.ws_row > 1 ? size.ws_row - 1u : 1; /* the prompt */
	return true;
}

static unsigned long within(unsigned long value, unsigned long low, unsigned long high)
{
	return value < low ? low : value > high ? high : value;
}

static void settle_text(struct picture_choice *choice)
{
	unsigned long columns = TEXT_COLUMNS, rows = TEXT_ROWS;
	bool terminal = !choice->path && find_terminal(&columns, &rows);
	const char *no_colour = secure_getenv("NO_COLOR");

	columns = choice->columns ? choice->columns : columns;
	rows = choice->rows ? choice->rows : rows;
	choice->picture.width = (double)within(columns, TEXT_MIN, TEXT_MAX);
	choice->picture.height = (double)within(rows, TEXT_ROWS_MIN, TEXT_MAX);
	choice->picture.ascii = !has_utf8();
	choice->picture.colour = terminal && !(no_colour && *no_colour);
}

/* What does not go together. */
static int check(const struct picture_choice *choice, struct diag *diag)
{
	if (choice->picture.format == PICTURE_TEXT && choice->size_width > 0)
		return diag_set(
			diag, -EINVAL,
			"--size is in pixels: of text give --width and --height, in characters");
	if (choice->open && choice->path && !strcmp(choice->path, "-"))
		return diag_set(diag, -EINVAL,
				"--open: a picture on standard output is not in a file");
	if (choice->picture.format == PICTURE_TEXT && choice->open)
		return diag_set(diag, -EINVAL, "--open: text is not shown by another program");
	if ((choice->picture.format == PICTURE_PNG || choice->picture.format == PICTURE_PDF) &&
	    !choice->open && (!choice->path || !strcmp(choice->path, "-")) && isatty(STDOUT_FILENO))
		return diag_set(diag, -EINVAL, "%s on a terminal: name a file by -o",
				picture_format_name(choice->picture.format));
	return 0;
}

int picture_choice_settle(struct picture_choice *choice, struct diag *diag)
{
	struct picture *picture = &choice->picture;
	int err = choose_format(choice, diag);

	err = err ? err : check(choice, diag);
	if (err)
		return err;
	picture->has_height = choice->rows || choice->size_height > 0;
	picture->has_width = choice->columns || choice->size_width > 0;
	if (picture->format == PICTURE_TEXT) {
		settle_text(choice);
		return 0;
	}
	picture->width = choice->size_width > 0 ? choice->size_width : PICTURE_WIDTH;
	picture->height = choice->size_height > 0 ? choice->size_height : PICTURE_HEIGHT;
	if (choice->columns)
		picture->width = (double)choice->columns;
	if (choice->rows)
		picture->height = (double)choice->rows;
	return 0;
}

int picture_choice_deliver(const struct picture_choice *choice, const struct buffer *picture,
			   struct diag *diag)
{
	char path[256], suffix[8];
	int err;

	if (choice->path || !choice->open) {
		err = picture_out_write(choice->path ? choice->path : "-", picture, diag);
		return err || !choice->open ? err : viewer_open(choice->path, diag);
	}
	(void)snprintf(suffix, sizeof(suffix), ".%s", picture_format_name(choice->picture.format));
	err = picture_out_temporary(suffix, picture, path, sizeof(path), diag);
	return err ? err : viewer_open(path, diag);
}

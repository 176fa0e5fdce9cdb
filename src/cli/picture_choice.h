/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * picture_choice: the options of verbs that draw: where the picture goes, its format, size, theme, title; and what
 * is done with it at the end.
 */
#ifndef SONDE_CLI_PICTURE_CHOICE_H
#define SONDE_CLI_PICTURE_CHOICE_H

#include <stdbool.h>

#include "base/options.h"
#include "graph/picture.h"

struct buffer;
struct diag;

struct picture_choice {
	struct picture picture;
	const char *path; /* of -o; NULL = not given */
	bool has_format;
	bool open;
	double size_width, size_height; /* 0 = not given */
	unsigned long columns, rows; /* likewise, of --width and --height */
};

/* Ids of the options, from @first on; PICTURE_OPTIONS of them. */
enum picture_option {
	PICTURE_OPTION_FORMAT,
	PICTURE_OPTION_SIZE,
	PICTURE_OPTION_WIDTH,
	PICTURE_OPTION_HEIGHT,
	PICTURE_OPTION_THEME,
	PICTURE_OPTION_TITLE,
	PICTURE_OPTION_OPEN,
	PICTURE_OPTIONS,
};

/* One of these options, or PICTURE_OUT: 0 or -EINVAL. */
int picture_choice_take(struct picture_choice *choice, int option, const char *arg,
			struct diag *diag);
int picture_choice_take_out(struct picture_choice *choice, const char *arg);
/* Once all are taken: chooses the format and the size. 0 or -EINVAL. */
int picture_choice_settle(struct picture_choice *choice, struct diag *diag);
/* Writes the picture where it was to go, and shows it if that was asked for. 0, or -errno with the diag. */
int picture_choice_deliver(const struct picture_choice *choice, const struct buffer *picture,
			   struct diag *diag);

#endif /* SONDE_CLI_PICTURE_CHOICE_H */

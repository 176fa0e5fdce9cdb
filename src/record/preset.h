/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preset: what to record, under a name, as a plain file: sonde-presets(5). This reads the text of
 * one; preset_files.h finds them. What a pattern matches and whether a value is good, the caller
 * finds out; the parser knows the names of the settings.
 */
#ifndef SONDE_RECORD_PRESET_H
#define SONDE_RECORD_PRESET_H

#include <stddef.h>

#include "record/control_dir.h"

struct diag;

#define PRESET_BYTES_MAX 65536
#define PRESET_LINES_MAX 128 /* patterns and settings */

struct preset_line {
	const char *key; /* NULL: the text is a pattern */
	const char *text;
	unsigned int number; /* of the line in its file */
};

struct preset {
	char name[RECORDER_NAME_BYTES];
	const char *place; /* what kind of place it is from: "yours", "installed", "built in" */
	char *origin; /* the file's path, or for errors what else it is: "preset tcp" */
	const char *description; /* "" where it has none */
	struct preset_line lines[PRESET_LINES_MAX];
	size_t line_count;
	char *text; /* what the lines point into */
};

/*
 * Reads @len bytes of @text. @settings: the known keys, NULL after the last. -EINVAL with
 * "ORIGIN:LINE: the error", and the nearest name where a key is unknown.
 */
int preset_parse(const char *name, const char *origin, const char *text, size_t len,
		 const char *const *settings, struct preset **ret, struct diag *diag);
/* NULL is fine. */
void preset_free(struct preset *preset);

/* Puts "ORIGIN:LINE: " in front of the diag; returns @err. */
int preset_blame(const struct preset *preset, const struct preset_line *line, int err,
		 struct diag *diag);

#endif /* SONDE_RECORD_PRESET_H */

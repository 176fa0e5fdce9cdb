// SPDX-License-Identifier: BSD-2-Clause
#include "record/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

#define MOUNTINFO_MAX (16u << 20)

static bool is_octal(const char *p)
{
	return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' &&
	       p[2] <= '7';
}

/* "\040" is a blank: in place, since it only gets shorter. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && is_octal(text + 1)) {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				       (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = 0;
}

/* "36 35 98:0 /root /path options [optional...] - type source options" */
static bool parse_line(char *line, struct mount *mount)
{
	char *separator = strstr(line, " - "), *save = NULL, *root, *path, *dev;
	unsigned int major, minor;

	if (!separator)
		return false;
	*separator = 0;
	if (!strtok_r(line, " ", &save) || !strtok_r(NULL, " ", &save))
		return false;
	dev = strtok_r(NULL, " ", &save);
	root = strtok_r(NULL, " ", &save);
	path = strtok_r(NULL, " ", &save);
	if (!path || sscanf(dev, "%u:%u", &major, &minor) != 2)
		return false;
	unescape(root);
	unescape(path);
	*mount = (struct mount){
		.dev = major << 20 | (minor & 0xfffff),
		.root = root,
		.path = path,
		.type = strtok_r(separator + 3, " ", &save),
	};
	return mount->type;
}

int mounts_parse(char *text, int (*found)(void *ctx, const struct mount *mount), void *ctx)
{
	char *save = NULL;
	int err = 0;

	for (char *line = strtok_r(text, "\n", &save); !err && line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct mount mount;

		if (parse_line(line, &mount))
			err = found(ctx, &mount);
	}
	return err;
}

int mounts_walk(int (*found)(void *ctx, const struct mount *mount), void *ctx)
{
	char *text = NULL;
	size_t len;
	int err = file_load(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &text, &len);

	err = err ?: mounts_parse(text, found, ctx);
	free(text);
	return err;
}

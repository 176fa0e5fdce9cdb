// SPDX-License-Identifier: BSD-2-Clause
#include "record/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct root_search {
	char *path;
	size_t room;
};

static int is_root(void *ctx, const struct mount *mount)
{
	struct root_search *search = ctx;

	if (strcmp(mount->type, "cgroup2") || strlen(mount->path) >= search->room)
		return 0;
	strcpy(search->path, mount->path);
	return 1;
}

static int find_root(char *path, size_t room)
{
	struct root_search search = {path, room};
	int found = mounts_walk(is_root, &search);

	return found == 1 ? 0 : found ?: -ENOENT;
}

int cgroups_open(void)
{
	char path[CGROUP_PATH_MAX];
	int err = find_root(path, sizeof(path)), fd;

	if (err)
		return err;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* "0::/user.slice": what /proc/PID/cgroup says of version 2. */
static char *find_path(char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "0::", 3))
			return line + 3;
	}
	return NULL;
}

uint64_t cgroups_of_process(int root, int proc, const char *pid)
{
	char text[2 * CGROUP_PATH_MAX], name[300], *path;
	struct stat st;
	ssize_t len;
	int fd;

	snprintf(name, sizeof(name), "%s/cgroup", pid);
	fd = root < 0 ? -1 : openat(proc, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* it has ended by now */
	len = read_at(fd, text, sizeof(text) - 1, 0);
	fd_close(fd);
	text[len > 0 ? len : 0] = 0;
	path = find_path(text);
	if (!path)
		return 0;
	path += *path == '/';
	return fstatat(root, *path ? path : ".", &st, 0) ? 0 : st.st_ino;
}

int cgroups_walk(void (*found)(void *ctx, uint64_t id, const char *path), void *ctx)
{
	char root[CGROUP_PATH_MAX];
	char *const paths[] = {root, NULL};
	int err = find_root(root, sizeof(root));
	FTSENT *entry;
	FTS *walk;

	if (err)
		return err == -ENOENT ? 0 : err;
	walk = fts_open(paths, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	if (!walk)
		return -errno;
	while ((entry = fts_read(walk))) {
		const char *path = entry->fts_path + strlen(root);

		if (entry->fts_info == FTS_D)
			found(ctx, entry->fts_statp->st_ino, *path ? path : "/");
	}
	fts_close(walk);
	return 0;
}

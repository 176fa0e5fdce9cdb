// SPDX-License-Identifier: BSD-2-Clause
#include "record/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "record/mounts.h"

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

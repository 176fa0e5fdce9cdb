// SPDX-License-Identifier: BSD-2-Clause
#include "trace/find.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/io.h"

struct search {
	int (*found)(void *ctx, int fd, const char *path, struct diag *diag);
	void *ctx;
	struct diag *diag;
};

static bool has_metadata(int fd)
{
	struct stat st;

	return !fstatat(fd, "metadata", &st, 0) && S_ISREG(st.st_mode);
}

static int is_folder(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

static int look_in(const struct search *search, int fd, const char *path, int depth)
{
	struct dirent **entries = NULL;
	int count, err = 0;

	if (has_metadata(fd))
		return search->found(search->ctx, fd, path, search->diag);
	count = depth < TRACE_FIND_DEPTH ? scandirat(fd, ".", &entries, is_folder, versionsort) : 0;
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		int below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		char below_path[PATH_MAX];

		snprintf(below_path, sizeof(below_path), "%s%s%s", path, *path ? "/" : "", name);
		if (below >= 0 && err)
			(void)fd_close(below);
		else if (below >= 0)
			err = look_in(search, below, below_path, depth + 1);
		free(entries[i]);
	}
	free(entries);
	(void)fd_close(fd);
	return err;
}

int trace_find(int dir_fd, int (*found)(void *ctx, int fd, const char *path, struct diag *diag),
	       void *ctx, struct diag *diag)
{
	const struct search search = {found, ctx, diag};

	return look_in(&search, dir_fd, "", 0);
}

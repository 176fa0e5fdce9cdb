// SPDX-License-Identifier: BSD-2-Clause
#include "probe/process_sockets.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* "/proc/PID/fd/N" is a link to "socket:[INODE]". */
int process_sockets_find(uint32_t pid, int (*visit)(void *ctx, uint32_t inode), void *ctx)
{
	struct dirent *entry;
	char path[32];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		char link[64] = "";
		uint32_t inode;

		if (readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1) > 0 &&
		    sscanf(link, "socket:[%u]", &inode) == 1)
			err = visit(ctx, inode);
	}
	closedir(dir);
	return err;
}

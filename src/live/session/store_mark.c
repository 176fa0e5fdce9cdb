// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/store_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define MARK ".sonde-relay"
#define MARK_BYTES 32

int store_mark_make(int dir, int *ret, uint64_t *inode)
{
	int fd = openat(dir, MARK, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	char text[MARK_BYTES];
	struct stat st;
	int err;

	if (fd < 0 || fstat(dir, &st) || flock(fd, LOCK_EX | LOCK_NB)) {
		err = -errno;
		fd_close(fd);
		return err;
	}
	err = write_all(fd, text,
			(size_t)snprintf(text, sizeof(text), "%" PRIu64 "\n", (uint64_t)st.st_ino));
	if (!err && fstat(fd, &st))
		err = -errno;
	if (err) {
		fd_close(fd);
		return err;
	}
	*ret = fd;
	*inode = st.st_ino;
	return 0;
}

bool store_mark_look(int dir, struct store_mark *ret)
{
	int fd = openat(dir, MARK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[MARK_BYTES + 1] = "";
	struct stat folder, mark;
	bool is_mark;

	if (fd < 0)
		return false;
	is_mark = read_at(fd, text, MARK_BYTES, 0) > 0 && !fstat(dir, &folder) &&
		  !fstat(fd, &mark) && S_ISREG(mark.st_mode) &&
		  strtoull(text, NULL, 10) == folder.st_ino;
	if (is_mark)
		*ret = (struct store_mark){mark.st_ino, flock(fd, LOCK_SH | LOCK_NB)};
	fd_close(fd);
	return is_mark;
}

void store_mark_remove(int dir)
{
	(void)unlinkat(dir, MARK, 0);
}

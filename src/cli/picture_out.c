// SPDX-License-Identifier: BSD-2-Clause
#include "cli/picture_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"

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

int picture_out_write(const char *path, const struct buffer *picture, struct diag *diag)
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

int picture_out_temporary(const char *suffix, const struct buffer *picture, char *path, size_t room,
			  struct diag *diag)
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

// SPDX-License-Identifier: BSD-2-Clause
#include "trace/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/place.h"

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

static bool is_empty(int dir_fd)
{
	DIR *dir = fdopendir(dup(dir_fd));
	struct dirent *entry;
	bool empty = true;

	while (dir && empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

int directory_create(struct directory *dir, const char *path, gid_t group, struct diag *diag)
{
	int err;

	*dir = (struct directory){-1, -1, false};
	dir->fd = place_directory(path, &dir->made, diag);
	if (dir->fd < 0)
		return dir->fd;
	if (!is_empty(dir->fd))
		return diag_set(diag, -EEXIST,
				"%s: is there and not empty: give another directory with -o", path);
	/* For followers: it is being written while this is held. Not all file systems have
	 * locks, and none of this is worth failing for. */
	(void)flock(dir->fd, LOCK_EX | LOCK_NB);
	err = place_give(dir->fd, path, group, diag);
	if (err)
		return err;
	if (mkdirat(dir->fd, "index", 0777))
		return diag_set(diag, -errno, "%s/index: %s", path, strerror(errno));
	dir->index_fd = openat(dir->fd, "index", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->index_fd < 0)
		return diag_set(diag, -errno, "%s/index: %s", path, strerror(errno));
	return 0;
}

/* The recorder holds the lock as long as it writes; the kernel takes it back whatever becomes of it. */
bool directory_is_written(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK;
	(void)flock(fd, LOCK_UN);
	return false;
}

void directory_close(struct directory *dir)
{
	fd_close(dir->fd);
	fd_close(dir->index_fd);
	*dir = (struct directory){-1, -1, false};
}

/* Under another name first: a directory that has `metadata` has all of it. */
int directory_metadata(const struct directory *dir, const void *metadata, size_t len)
{
	int fd = openat(dir->fd, ".metadata", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, metadata, len);
	err = fd_close(fd) ?: err;
	if (!err && renameat(dir->fd, ".metadata", dir->fd, "metadata"))
		err = -errno;
	if (err) /* or it would be in the way of the next one */
		(void)unlinkat(dir->fd, ".metadata", 0);
	return err;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Goes through the entries of folder @name in @at: 0 where all are files, but for one folder called
 * @allowed. @remove: takes the files away. */
static int each_file(int at, const char *name, const char *allowed, bool remove)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		err = -errno;
		fd_close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir))) {
		struct stat st;

		if (is_dots(entry->d_name) || fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(st.st_mode))
			err = allowed && !strcmp(entry->d_name, allowed) ? 0 : -ENOTEMPTY;
		else if (remove && unlinkat(fd, entry->d_name, 0))
			err = -errno;
	}
	closedir(dir);
	return err;
}

static int remove_all(int fd)
{
	bool indexed = !faccessat(fd, "index", F_OK, 0);
	int err = indexed ? each_file(fd, "index", NULL, false) : 0;

	err = err ?: each_file(fd, ".", "index", false);
	if (err)
		return err;
	if (indexed && (each_file(fd, "index", NULL, true) || unlinkat(fd, "index", AT_REMOVEDIR)))
		return -errno;
	return each_file(fd, ".", NULL, true);
}

void directory_undo(struct directory *dir, const char *path)
{
	if (dir->fd >= 0)
		(void)remove_all(dir->fd);
	if (dir->made)
		(void)rmdir(path);
	directory_close(dir);
}

int directory_remove(const char *path, struct diag *diag)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (!err && faccessat(fd, "metadata", F_OK, 0))
		err = -EBADMSG;
	err = err ?: remove_all(fd);
	fd_close(fd);
	if (!err && rmdir(path))
		err = -errno;
	if (err == -EBADMSG)
		return diag_set(diag, err, "%s: not a trace, so it is not overwritten", path);
	if (err == -ENOTEMPTY)
		return diag_set(diag, err,
				"%s: has more in it than a trace, and is not overwritten", path);
	return err ? diag_set(diag, err, "%s: cannot be removed: %s", path, strerror(-err)) : 0;
}

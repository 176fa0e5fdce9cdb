// SPDX-License-Identifier: BSD-2-Clause
#include "cli/convert_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/place.h"
#include "trace/directory.h"

static bool is_empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool empty = dir != NULL;

	while (dir && empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

/* What is made within a trace would be one of its streams from then on. */
static int check_parent(const char *path, char *const *sources, int count, struct diag *diag)
{
	const char *slash = strrchr(path, '/');
	char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	struct stat st, source;
	int err = parent ? 0 : diag_set(diag, -ENOMEM, "no memory");

	if (!err && stat(parent, &st))
		count = 0; /* which is reported when it is made */
	for (int i = 0; !err && i < count; i++) {
		if (!stat(sources[i], &source) && source.st_dev == st.st_dev &&
		    source.st_ino == st.st_ino)
			err = diag_set(diag, -EINVAL, "%s: would be within the trace that is read",
				       path);
	}
	free(parent);
	return err;
}

static int check_sources(const char *path, const struct stat *out, char *const *sources, int count,
			 struct diag *diag)
{
	struct stat st;

	for (int i = 0; i < count; i++) {
		if (!stat(sources[i], &st) && st.st_dev == out->st_dev && st.st_ino == out->st_ino)
			return diag_set(diag, -EINVAL, "%s: is read from, and cannot be written to",
					path);
	}
	return 0;
}

static int clear_directory(const char *path, const struct stat *st, bool force, struct diag *diag)
{
	if (!S_ISDIR(st->st_mode))
		return diag_set(diag, -EEXIST, "%s: is there and no directory: name another", path);
	if (is_empty_folder(path))
		return 0;
	if (!force)
		return diag_set(diag, -EEXIST,
				"%s: is there: name another, or give --force to write over it",
				path);
	return directory_remove(path, diag);
}

static int open_file(struct convert_out *out, const struct stat *st, bool there, bool force,
		     struct diag *diag)
{
	int flags = O_WRONLY;

	if (there && S_ISDIR(st->st_mode))
		return diag_set(diag, -EISDIR, "%s: is a directory", out->path);
	if (there && S_ISREG(st->st_mode) && !force)
		return diag_set(diag, -EEXIST,
				"%s: is there: name another, or give --force to write over it",
				out->path);
	out->shared = there && !S_ISREG(st->st_mode);
	flags |= there ? O_TRUNC : O_EXCL;
	out->fd = place_file(out->path, flags, diag);
	if (out->fd < 0)
		return out->fd;
	/* Who follows the file sees by that that more is to come. */
	if (!out->shared)
		(void)flock(out->fd, LOCK_EX | LOCK_NB);
	return 0;
}

int convert_out_open(struct convert_out *out, const char *path, bool directory, bool force,
		     char *const *sources, int source_count, struct diag *diag)
{
	struct stat st;
	bool there;
	int err;

	*out = (struct convert_out){.path = path, .fd = -1};
	if (!strcmp(path, "-")) {
		out->fd = STDOUT_FILENO;
		out->shared = true;
		return 0;
	}
	there = !stat(path, &st);
	err = check_parent(path, sources, source_count, diag);
	if (!err && there)
		err = check_sources(path, &st, sources, source_count, diag);
	if (err)
		return err;
	if (!directory)
		return open_file(out, &st, there, force, diag);
	return there ? clear_directory(path, &st, force, diag) : 0;
}

int convert_out_rewind(const struct convert_out *out, struct diag *diag)
{
	if (out->fd < 0)
		return directory_remove(out->path, diag);
	if (out->shared || ftruncate(out->fd, 0) || lseek(out->fd, 0, SEEK_SET) < 0)
		return diag_set(
			diag, -ESPIPE,
			"%s: cannot go on: new classes of events came, and what was written "
			"cannot be taken back: name a file",
			out->path);
	return 0;
}

int convert_out_close(struct convert_out *out, bool keep, struct diag *diag)
{
	int err = 0;

	if (out->fd < 0 && !keep && out->path)
		(void)directory_remove(out->path, NULL);
	if (out->fd < 0 || out->shared)
		return 0;
	err = fd_close(out->fd);
	if (err)
		(void)diag_set(diag, err, "%s: %s", out->path, strerror(-err));
	if (err || !keep)
		(void)unlink(out->path);
	return err;
}

static uint64_t files_bytes(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
		else if (!strcmp(entry->d_name, "index"))
			bytes += files_bytes(fd, "index");
	}
	if (dir)
		closedir(dir);
	return bytes;
}

uint64_t convert_out_bytes(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	return S_ISDIR(st.st_mode) ? files_bytes(AT_FDCWD, path) : (uint64_t)st.st_size;
}

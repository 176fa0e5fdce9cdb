// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"

#define LINKS_MAX 40u /* as the kernel follows */
#define FOLDER_FLAGS (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A path that is followed one name at a time, so that nothing can be exchanged behind a check. */
struct walk {
	int fd; /* the folder reached so far, O_PATH */
	unsigned int links;
	char left[PATH_MAX]; /* still to follow */
	char name[NAME_MAX + 1]; /* at the end: the last one */
};

static bool is_foreign(const struct stat *st)
{
	return geteuid() == 0 && st->st_uid != 0;
}

static int fail(const char *path, int err, struct diag *diag)
{
	return diag_set(diag, err, "%s: cannot be made: %s", path, strerror(-err));
}

/* Begins at "/" or at the working directory, as @path says. */
static int walk_from(struct walk *walk, const char *path)
{
	int fd = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	fd_close(walk->fd);
	walk->fd = fd;
	return 0;
}

/* Moves the next name out of `left`; whether there are more behind it. */
static int take_name(struct walk *walk, bool *more)
{
	const char *at = walk->left + strspn(walk->left, "/");
	size_t len = strcspn(at, "/");
	const char *rest = at + len + strspn(at + len, "/");

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(walk->name, at, len);
	walk->name[len] = '\0';
	if (!len)
		strcpy(walk->name, ".");
	*more = *rest;
	memmove(walk->left, rest, strlen(rest) + 1);
	return 0;
}

static int follow_link(struct walk *walk, int link)
{
	char target[PATH_MAX], left[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);

	if (len <= 0)
		return len ? -errno : -ENOENT;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	target[len] = '\0';
	strcpy(left, walk->left);
	if (snprintf(walk->left, sizeof(walk->left), "%s/%s", target, left) >=
	    (int)sizeof(walk->left))
		return -ENAMETOOLONG;
	return *target == '/' ? walk_from(walk, target) : 0;
}

/* One name further. 1: `fd` and `name` are where the path leads; 0: go on. */
static int walk_next(struct walk *walk, const char *path, struct diag *diag)
{
	struct stat st;
	bool more;
	int err = take_name(walk, &more), next;

	if (err)
		return fail(path, err, diag);
	next = openat(walk->fd, walk->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0 && errno == ENOENT && !more)
		return 1;
	if (next < 0 || fstat(next, &st)) {
		err = fail(path, -errno, diag);
	} else if (S_ISLNK(st.st_mode) && is_foreign(&st)) {
		err = diag_set(
			diag, -EACCES,
			"%s: '%s' is a symbolic link of another user (uid %u), which root does not "
			"follow: choose another place with -o",
			path, walk->name, st.st_uid);
	} else if (S_ISLNK(st.st_mode)) {
		err = follow_link(walk, next);
		err = err ? fail(path, err, diag) : 0;
	} else if (!more) {
		err = 1;
	} else {
		fd_close(walk->fd);
		walk->fd = next;
		return 0;
	}
	fd_close(next);
	return err;
}

/* The caller closes walk->fd, behind an error too. */
static int walk_to(struct walk *walk, const char *path, struct diag *diag)
{
	int err;

	walk->fd = -1;
	walk->links = 0;
	if (!*path || strlen(path) >= sizeof(walk->left))
		return fail(path, *path ? -ENAMETOOLONG : -ENOENT, diag);
	strcpy(walk->left, path);
	err = walk_from(walk, path);
	if (err)
		return fail(path, err, diag);
	while (!(err = walk_next(walk, path, diag))) {
	}
	return err < 0 ? err : 0;
}

static int check_owner(int fd, const char *path, struct diag *diag)
{
	struct stat st;

	if (fstat(fd, &st))
		return fail(path, -errno, diag);
	if (is_foreign(&st))
		return diag_set(
			diag, -EACCES,
			"%s: belongs to another user (uid %u), and root does not write there: "
			"choose another place with -o",
			path, st.st_uid);
	return 0;
}

int place_directory(const char *path, bool *made, struct diag *diag)
{
	struct walk walk;
	int fd = -1, err = walk_to(&walk, path, diag);

	*made = false;
	if (err)
		goto out;
	*made = !mkdirat(walk.fd, walk.name, 0777);
	if (!*made && errno != EEXIST) {
		err = fail(path, -errno, diag);
		goto out;
	}
	fd = openat(walk.fd, walk.name, O_RDONLY | FOLDER_FLAGS);
	if (fd < 0)
		err = diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	err = err ?: check_owner(fd, path, diag);

out:
	fd_close(walk.fd);
	if (!err)
		return fd;
	fd_close(fd);
	return err;
}

/* A pipe, a terminal, /dev/stdout: it exists already, and is not a place. */
static bool is_device(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int place_file(const char *path, int flags, struct diag *diag)
{
	struct walk walk = {.fd = -1};
	int fd = -1, err = 0;

	flags |= O_CREAT | O_CLOEXEC;
	if (is_device(path)) {
		fd = open(path, flags, 0666);
	} else {
		err = walk_to(&walk, path, diag);
		if (!err)
			fd = openat(walk.fd, walk.name, flags | O_NOFOLLOW, 0666);
	}
	if (!err && fd < 0)
		err = fail(path, -errno, diag);
	fd_close(walk.fd);
	return err ?: fd;
}

int place_give(int fd, const char *path, gid_t group, struct diag *diag)
{
	struct stat st;

	if (!group)
		return 0;
	if (fstat(fd, &st) || fchown(fd, (uid_t)-1, group) ||
	    (S_ISDIR(st.st_mode) && fchmod(fd, (st.st_mode & 0777) | S_ISGID)))
		return diag_set(diag, -errno, "%s: cannot be given to group %u: %s", path, group,
				strerror(errno));
	return 0;
}

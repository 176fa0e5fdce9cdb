// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/proto/ingest_message.h"

#define ARCHIVES "archives"
#define NAME_BYTES (RELAY_NAME_MAX + 32) /* of an index */
#define FOLDER_MODE 0777 /* and the umask */
#define FILE_MODE 0666
#define SAME_NAME_MAX 1000 /* sessions of one name in one second */
#define MARK ".sonde-relay"
#define MARK_BYTES 32
#define DEPTH_MAX 64 /* of folders that are removed */

bool ingest_store_fails(int err)
{
	switch (err) {
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
	case -EIO:
	case -EROFS:
	case -ESTALE:
	case -EMFILE:
	case -ENFILE:
	case -ENOENT: /* the output directory was removed */
		return true;
	default:
		return false;
	}
}

static int open_folder(int at, const char *name, int *ret)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret = fd;
	return 0;
}

/* One after the other; @make: as far as they are not there yet. */
static int walk_folders(int at, const char *path, bool make, int *ret)
{
	char name[RELAY_NAME_MAX];
	int fd = -1, next = -1, err = open_folder(at, ".", &fd);

	while (!err && *path) {
		size_t len = strcspn(path, "/");

		if (!len || len >= sizeof(name)) {
			err = -ENAMETOOLONG;
			break;
		}
		memcpy(name, path, len);
		name[len] = 0;
		path += len + (path[len] == '/');
		if (make && mkdirat(fd, name, FOLDER_MODE) && errno != EEXIST)
			err = -errno;
		err = err ?: open_folder(fd, name, &next);
		if (!err) {
			fd_close(fd);
			fd = next;
		}
	}
	if (err)
		fd_close(fd);
	else
		*ret = fd;
	return err;
}

static int make_folders(int at, const char *path, int *ret)
{
	return walk_folders(at, path, true, ret);
}

int ingest_store_open(int at, const char *path, int *ret)
{
	return walk_folders(at, path, false, ret);
}

static void time_text(uint64_t time_s, const char *format, char *text, size_t room)
{
	time_t time = (time_t)time_s;
	struct tm tm;

	if (!localtime_r(&time, &tm) || !strftime(text, room, format, &tm))
		snprintf(text, room, "0");
}

/* A name that has the time in it already, "auto-20261122-093015", without. */
static int name_length(const struct ingest_command *create)
{
	size_t len = strlen(create->name), time = sizeof("-YYYYmmdd-HHMMSS") - 1;

	return (int)(create->named_by_time && len > time ? len - time : len);
}

/* "HOST/NAME-TIME", or "HOST/PATH"; by session "NAME/HOST-TIME", and PATH below that. */
static int session_path(const struct ingest_command *create, bool by_session,
			char path[RELAY_PATH_MAX])
{
	char time[32];
	int len;

	time_text(create->time_s ?: clock_realtime_ns() / NS_PER_SEC, "-%Y%m%d-%H%M%S", time,
		  sizeof(time));
	if (by_session)
		len = snprintf(path, RELAY_PATH_MAX, "%.*s/%s%s%s%s", name_length(create),
			       create->name, create->host, time, *create->path ? "/" : "",
			       create->path);
	else if (*create->path)
		len = snprintf(path, RELAY_PATH_MAX, "%s/%s", create->host, create->path);
	else
		len = snprintf(path, RELAY_PATH_MAX, "%s/%s%s", create->host, create->name,
			       create->named_by_time ? "" : time);
	return len < (int)RELAY_PATH_MAX - 16 ? len : -ENAMETOOLONG;
}

/* Nobody else's: the last folder is new. */
static int make_session(int output, const char *path, int *ret)
{
	const char *last = strrchr(path, '/') + 1;
	char parent[RELAY_PATH_MAX];
	int fd = -1, err;

	snprintf(parent, sizeof(parent), "%.*s", (int)(last - path - 1), path);
	err = make_folders(output, parent, &fd);
	if (err)
		return err;
	err = mkdirat(fd, last, FOLDER_MODE) ? -errno : open_folder(fd, last, ret);
	fd_close(fd);
	return err;
}

int ingest_store_session(int output, const struct ingest_command *create, bool by_session, int *ret,
			 char path[RELAY_PATH_MAX])
{
	int len = session_path(create, by_session, path), err = -EEXIST;

	if (len < 0)
		return len;
	while (len && path[len - 1] == '/')
		path[--len] = 0;
	if (create->is_snapshot)
		return make_folders(output, path, ret);
	err = make_session(output, path, ret);
	for (int i = 2; err == -EEXIST && i < SAME_NAME_MAX; i++) {
		snprintf(path + len, 16, "-%d", i);
		err = make_session(output, path, ret);
	}
	return err;
}

int ingest_store_folder(int at, const char *name, int *ret)
{
	char text[RELAY_NAME_MAX + 16];
	int err = -EEXIST;

	snprintf(text, sizeof(text), "%s", name);
	for (int i = 2; err == -EEXIST && i < SAME_NAME_MAX; i++) {
		err = mkdirat(at, text, FOLDER_MODE) ? -errno : open_folder(at, text, ret);
		snprintf(text, sizeof(text), "%s-%d", name, i);
	}
	return err;
}

/* @folder and @name below @path of a chunk. */
static int make_file(int session, const char *chunk, const char *path, const char *folder,
		     const char *name, int *ret)
{
	int chunk_dir = -1, dir = -1, last = -1, fd, err;

	err = make_folders(session, chunk, &chunk_dir)	  ?:
		      make_folders(chunk_dir, path, &dir) ?:
							    make_folders(dir, folder, &last);
	if (!err) {
		fd = openat(last, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			    FILE_MODE);
		if (fd < 0)
			err = -errno;
		else
			*ret = fd;
	}
	fd_close(chunk_dir);
	fd_close(dir);
	fd_close(last);
	return err;
}

int ingest_store_stream(int session, const char *chunk, const char *path, const char *channel,
			int *ret)
{
	return make_file(session, chunk, path, "", channel, ret);
}

int ingest_store_index(int session, const char *chunk, const char *path, const char *channel,
		       int *ret)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s.idx", channel);
	return make_file(session, chunk, path, "index", name, ret);
}

static void remove_file(struct file_pool *pool, int dir, const char *name)
{
	struct stat st;

	if (pool && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		file_pool_unname(pool, &st);
	(void)unlinkat(dir, name, 0);
}

void ingest_store_remove(struct file_pool *pool, int session, const char *chunk, const char *path,
			 const char *channel)
{
	char name[NAME_BYTES];
	int folder = -1, dir = -1;

	snprintf(name, sizeof(name), "index/%s.idx", channel);
	if (!ingest_store_open(session, chunk, &folder) && !ingest_store_open(folder, path, &dir)) {
		remove_file(pool, dir, channel);
		remove_file(pool, dir, name);
	}
	fd_close(folder);
	fd_close(dir);
}

void ingest_store_chunk_name(uint64_t id, uint64_t begin_s, uint64_t end_s,
			     char name[RELAY_NAME_MAX])
{
	char begin[32], end[32];

	time_text(begin_s, "%Y%m%dT%H%M%S%z", begin, sizeof(begin));
	time_text(end_s, "%Y%m%dT%H%M%S%z", end, sizeof(end));
	snprintf(name, RELAY_NAME_MAX, "%s-%s-%llu", begin, end, (unsigned long long)id);
}

/* Those of a chunk: neither archives nor what is hidden. */
static bool is_of_chunk(const char *name)
{
	return *name != '.' && strcmp(name, ARCHIVES) != 0;
}

/* Calls @act on each entry of a chunk in @dir, until an error. */
static int each_entry(int dir, int (*act)(int dir, const char *name, int to), int to)
{
	int fd = -1, err = open_folder(dir, ".", &fd);
	DIR *stream = err ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!stream) {
		fd_close(fd);
		return err ?: -ENOMEM;
	}
	while (!err && (entry = readdir(stream))) {
		if (is_of_chunk(entry->d_name))
			err = act(dir, entry->d_name, to);
	}
	closedir(stream);
	return err;
}

static int move(int dir, const char *name, int to)
{
	return renameat(dir, name, to, name) ? -errno : 0;
}

/* @depth is left. */
static int remove_entry(int dir, const char *name, int depth)
{
	int fd = -1, err;

	if (!unlinkat(dir, name, 0))
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	err = depth ? open_folder(dir, name, &fd) : -ELOOP;
	if (err)
		return err;
	err = each_entry(fd, remove_entry, depth - 1);
	fd_close(fd);
	if (!err && unlinkat(dir, name, AT_REMOVEDIR))
		err = -errno;
	return err;
}

int ingest_store_archive(int session, const char *name, char path[RELAY_PATH_MAX])
{
	int to, err;

	snprintf(path, RELAY_PATH_MAX, ARCHIVES "/%s", name);
	err = make_folders(session, path, &to);
	if (err)
		return err;
	err = each_entry(session, move, to);
	fd_close(to);
	return err;
}

int ingest_store_clear(int session)
{
	return each_entry(session, remove_entry, DEPTH_MAX);
}

int ingest_store_promote(int session)
{
	int from = -1, err = open_folder(session, INGEST_NEXT_CHUNK, &from);

	if (err)
		return err == -ENOENT ? 0 : err; /* nothing has come for it yet */
	err = each_entry(from, move, session);
	fd_close(from);
	if (!err && unlinkat(session, INGEST_NEXT_CHUNK, AT_REMOVEDIR))
		err = -errno;
	return err;
}

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

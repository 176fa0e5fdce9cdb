// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "live/access/file_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"

struct inode_key {
	uint64_t device;
	uint64_t inode;
};

/* A file system may give the inode of a removed file to the next one, which was made later. */
struct identity {
	struct inode_key key;
	int64_t birth_ns; /* 0: the file system does not know it */
};

struct pooled_file {
	TAILQ_ENTRY(pooled_file) link;
	struct file_pool *pool; /* NULL: it is never parked */
	enum pooled_state state;
	int fd; /* -1: parked */
	int access; /* O_RDONLY or O_RDWR */
	int err; /* -errno: why it cannot be opened any more */
	struct identity identity;
	uint64_t bytes; /* that it had when it was parked */
	struct pool_folder *folder;
	char *path; /* in that */
};

void file_pool_init(struct file_pool *pool)
{
	*pool = (struct file_pool){0};
	for (size_t i = 0; i < POOLED_STATES; i++)
		TAILQ_INIT(&pool->files[i]);
	map_init(&pool->by_inode, sizeof(struct inode_key), sizeof(struct pooled_file *), 0);
}

void file_pool_fini(struct file_pool *pool)
{
	for (size_t i = 0; i < POOLED_STATES; i++) {
		struct pooled_file *file;

		while ((file = TAILQ_FIRST(&pool->files[i]))) {
			TAILQ_REMOVE(&pool->files[i], file, link);
			file->pool = NULL;
		}
	}
	map_fini(&pool->by_inode);
}

struct pool_folder *pool_folder_new(struct pool_folder *above, int dir, const char *path)
{
	struct pool_folder *folder = calloc(1, sizeof(*folder));

	if (!folder)
		return NULL;
	folder->refs = 1;
	folder->above = above ? pool_folder_ref(above) : NULL;
	folder->dir = dir;
	snprintf(folder->path, sizeof(folder->path), "%s", path);
	return folder;
}

struct pool_folder *pool_folder_ref(struct pool_folder *folder)
{
	folder->refs++;
	return folder;
}

void pool_folder_unref(struct pool_folder *folder)
{
	if (!folder || --folder->refs)
		return;
	if (folder->above)
		pool_folder_unref(folder->above);
	else
		fd_close(folder->dir);
	free(folder);
}

int pool_folder_dir(const struct pool_folder *folder)
{
	return folder->above ? folder->above->dir : folder->dir;
}

const char *pool_folder_path(const struct pool_folder *folder)
{
	return folder->above ? folder->path : "";
}

static void set_state(struct pooled_file *file, enum pooled_state state)
{
	struct file_pool *pool = file->pool;

	TAILQ_REMOVE(&pool->files[file->state], file, link);
	TAILQ_INSERT_TAIL(&pool->files[state], file, link);
	file->state = state;
}

static void say(const struct file_pool *pool, const char *text)
{
	if (pool->log)
		pool->log(pool->ctx, text);
}

static void say_parks(struct file_pool *pool)
{
	if (!pool->told)
		say(pool,
		    "few file descriptors are left: files of streams that are idle are closed, and opened "
		    "again when they are used");
	pool->told = true;
}

/* For ever; @why: NULL if the file was removed on purpose. */
static void lose(struct pooled_file *file, int err, const char *why)
{
	const struct pool_folder *folder = file->folder;
	const char *below = pool_folder_path(folder);
	struct diag diag;

	file->err = err;
	if (!why)
		return;
	file->pool->totals.lost++;
	(void)diag_set(&diag, 0, "%s%s%s/%s, a file of a stream, cannot be opened again: %s",
		       folder->above ? folder->above->path : folder->path, *below ? "/" : "", below,
		       file->path, why);
	say(file->pool, diag.text);
}

/* Closes it. A file system may say only then that it could not write. */
static void park(struct pooled_file *file)
{
	struct stat st;
	int err = fstat(file->fd, &st) ? -errno : 0;
	int close_err = fd_close(file->fd);

	file->fd = -1;
	file->bytes = err ? 0 : (uint64_t)st.st_size;
	file->pool->totals.open--;
	file->pool->totals.parked++;
	set_state(file, POOLED_PARKED);
	say_parks(file->pool);
	err = err ?: close_err;
	if (err)
		lose(file, err, strerror(-err));
}

static bool park_oldest(struct file_pool *pool)
{
	struct pooled_file *file = TAILQ_FIRST(&pool->files[POOLED_OPEN]);

	if (file)
		park(file);
	return file;
}

/* How many descriptors too many are in use, if @fd was the lowest that was free. */
static uint64_t excess(int fd)
{
	struct rlimit limit;
	uint64_t most;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > INT_MAX)
		return 0;
	most = limit.rlim_cur > FILE_POOL_SPARE ? limit.rlim_cur - FILE_POOL_SPARE : 0;
	return (uint64_t)fd + 1 > most ? (uint64_t)fd + 1 - most : 0;
}

static uint64_t park_some(struct file_pool *pool, uint64_t count)
{
	uint64_t parked = 0;

	while (parked < count && park_oldest(pool))
		parked++;
	return parked;
}

int file_pool_settle(struct file_pool *pool, int fd)
{
	int low;

	if (!pool || TAILQ_EMPTY(&pool->files[POOLED_OPEN]) || !park_some(pool, excess(fd)))
		return fd;
	low = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (low < 0)
		return fd;
	fd_close(low < fd ? fd : low);
	return low < fd ? low : fd;
}

bool file_pool_make_room(struct file_pool *pool)
{
	return pool && park_some(pool, FILE_POOL_SPARE);
}

/* Prepares the pool for a new file with descriptor @fd. Returns the descriptor it has afterwards. */
static int settle_file(struct file_pool *pool, int fd)
{
	while (pool->most && pool->totals.open >= pool->most && park_oldest(pool))
		;
	return file_pool_settle(pool, fd);
}

static int identify(int fd, struct identity *ret, uint64_t *bytes)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_SIZE | STATX_BTIME, &st))
		return -errno;
	ret->key = (struct inode_key){makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino};
	ret->birth_ns = 0;
	if (st.stx_mask & STATX_BTIME)
		ret->birth_ns = st.stx_btime.tv_sec * (int64_t)NS_PER_SEC + st.stx_btime.tv_nsec;
	*bytes = st.stx_size;
	return 0;
}

static bool is_same_file(const struct identity *a, const struct identity *b)
{
	return a->key.device == b->key.device && a->key.inode == b->key.inode &&
	       a->birth_ns == b->birth_ns;
}

/* A file that was removed by others while it was parked may have left its inode to this one. */
static int name(struct file_pool *pool, struct pooled_file *file)
{
	struct pooled_file **slot = map_at(&pool->by_inode, &file->identity.key);

	if (!slot)
		return -ENOMEM;
	if (*slot && !(*slot)->err)
		lose(*slot, -ESTALE, "it was removed");
	*slot = file;
	return 0;
}

/* What others publish may be there twice, and is not removed by the relay. */
static int add(struct file_pool *pool, struct pooled_file *file)
{
	int err = file->folder->above ? name(pool, file) : 0;

	if (err)
		return err;
	file->fd = settle_file(pool, file->fd);
	file->pool = pool;
	TAILQ_INSERT_TAIL(&pool->files[POOLED_OPEN], file, link);
	pool->totals.open++;
	return 0;
}

int pooled_file_new(struct file_pool *pool, struct pool_folder *folder, const char *path, int fd,
		    struct pooled_file **ret)
{
	struct pooled_file *file = calloc(1, sizeof(*file));
	int err = 0;

	if (!file) {
		fd_close(fd);
		return -ENOMEM;
	}
	file->fd = fd;
	if (pool) {
		err = identify(fd, &file->identity, &file->bytes);
		file->access = fcntl(fd, F_GETFL) & O_ACCMODE;
		file->folder = pool_folder_ref(folder);
		file->path = strdup(path);
		err = err ?: file->path ? add(pool, file) : -ENOMEM;
	}
	if (err)
		pooled_file_close(file);
	else
		*ret = file;
	return err;
}

void pooled_file_close(struct pooled_file *file)
{
	struct file_pool *pool;
	struct pooled_file **slot;

	if (!file)
		return;
	pool = file->pool;
	if (pool) {
		slot = map_get(&pool->by_inode, &file->identity.key);
		if (slot && *slot == file)
			map_remove(&pool->by_inode, &file->identity.key);
		TAILQ_REMOVE(&pool->files[file->state], file, link);
		if (file->fd >= 0)
			pool->totals.open--;
		else
			pool->totals.parked--;
	}
	fd_close(file->fd);
	pool_folder_unref(file->folder);
	free(file->path);
	free(file);
}

/* The file or folder @path below @dir, with @flags for each part, @last for the last. Takes @dir. A descriptor or -errno. */
static int open_below(int dir, const char *path, int flags, int last)
{
	char name[RELAY_NAME_MAX + 32];
	int fd = dir;

	while (fd >= 0 && *path) {
		size_t len = strcspn(path, "/");
		bool is_last = !path[len];

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		fd = openat(dir, name, O_CLOEXEC | flags | (is_last ? last : O_DIRECTORY));
		fd = fd < 0 ? -errno : fd;
		fd_close(dir);
		dir = fd;
		path += len + !is_last;
	}
	return fd;
}

static int open_again(const struct pooled_file *file)
{
	const int flags = file->folder->above ? O_NOFOLLOW : 0;
	int dir = openat(pool_folder_dir(file->folder), ".", O_DIRECTORY | O_CLOEXEC);

	dir = dir < 0 ? -errno :
			open_below(dir, pool_folder_path(file->folder), flags, O_DIRECTORY);
	return dir < 0 ? dir : open_below(dir, file->path, flags, file->access | O_NONBLOCK);
}

/* NULL: @fd is the file that was parked, with all that was in it. */
static const char *difference(const struct pooled_file *file, int fd)
{
	struct identity identity;
	uint64_t bytes;
	int err = identify(fd, &identity, &bytes);

	if (err)
		return strerror(-err);
	if (!is_same_file(&identity, &file->identity))
		return "another file has its name";
	return bytes < file->bytes ? "it is shorter than it was" : NULL;
}

/* Its descriptor, or -errno. */
static int wake(struct pooled_file *file)
{
	struct file_pool *pool = file->pool;
	const char *why;
	int fd;

	if (file->err || !pool)
		return file->err ?: -ESTALE;
	fd = open_again(file);
	if ((fd == -EMFILE || fd == -ENFILE) && file_pool_make_room(pool))
		fd = open_again(file);
	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
		return fd; /* for now */
	why = fd < 0 ? strerror(-fd) : difference(file, fd);
	if (why) {
		fd_close(fd);
		lose(file, -ESTALE, why);
		return file->err;
	}
	fd = settle_file(pool, fd);
	file->fd = fd;
	pool->totals.open++;
	pool->totals.parked--;
	pool->totals.reopened++;
	return fd;
}

int pooled_file_fd(struct pooled_file *file)
{
	int fd = file->fd >= 0 ? file->fd : wake(file);

	if (fd >= 0 && file->pool && file->state != POOLED_UNNAMED)
		set_state(file, POOLED_OPEN);
	return fd;
}

/* It gets one of the spare descriptors for no longer than others need them. */
static void unname(struct pooled_file *file)
{
	bool parked = file->fd < 0;
	int fd = pooled_file_fd(file);

	if (fd >= 0 && parked && excess(fd)) {
		park(file);
		fd = -EMFILE;
	}
	if (fd < 0)
		lose(file, -ESTALE, NULL);
	set_state(file, POOLED_UNNAMED);
}

void file_pool_unname(struct file_pool *pool, const struct stat *st)
{
	const struct inode_key key = {st->st_dev, st->st_ino};
	struct pooled_file **slot = pool ? map_get(&pool->by_inode, &key) : NULL;

	if (slot && (*slot)->state != POOLED_UNNAMED)
		unname(*slot);
}

static bool is_same_place(const struct pool_folder *a, const struct pool_folder *b)
{
	return pool_folder_dir(a) == pool_folder_dir(b) &&
	       !strcmp(pool_folder_path(a), pool_folder_path(b));
}

/* Those that were used last come first: a viewer is likely to read them next. */
static void unname_in(struct file_pool *pool, const struct pool_folder *folder,
		      enum pooled_state state)
{
	struct pooled_file *file, *before;

	for (file = TAILQ_LAST(&pool->files[state], pooled_files); file; file = before) {
		before = TAILQ_PREV(file, pooled_files, link);
		if (is_same_place(file->folder, folder))
			unname(file);
	}
}

void file_pool_unname_all(struct file_pool *pool, const struct pool_folder *folder)
{
	if (!pool)
		return;
	unname_in(pool, folder, POOLED_OPEN);
	unname_in(pool, folder, POOLED_PARKED);
}

void file_pool_move(struct file_pool *pool, struct pool_folder *folder, const char *path)
{
	const struct pool_folder old = *folder;
	struct pooled_file *file;

	snprintf(folder->path, sizeof(folder->path), "%s", path);
	for (size_t i = 0; pool && i < POOLED_STATES; i++) {
		TAILQ_FOREACH(file, &pool->files[i], link)
		{
			if (is_same_place(file->folder, &old))
				strcpy(file->folder->path, folder->path);
		}
	}
}

bool pooled_file_is_gone(const struct pooled_file *file)
{
	struct stat st;

	if (file->state == POOLED_UNNAMED)
		return true;
	return file->fd >= 0 && !fstat(file->fd, &st) && !st.st_nlink;
}

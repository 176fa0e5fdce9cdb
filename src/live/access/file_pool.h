/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_pool: files of streams that are received or published, more than the process may have open. The files that were
 * not used for the longest time are parked: closed, and opened again when they are used. ingest_files writes them,
 * session_file reads them; no user of a file knows its position, so that nothing of it is lost when it is closed.
 * A parked file is recognized by its device, inode and time of birth; another file in its place is not used.
 *
 * The kernel gives out the lowest free descriptor, so a number near the limit means that nearly all are in use.
 * Files are parked then until FILE_POOL_SPARE are free, for what is open for a moment, and the new descriptor gets the
 * number of one of these. So does every other that stays open for long (file_pool_settle): one that kept a high number
 * would leave lower ones free that tell nothing.
 */
#ifndef SONDE_LIVE_ACCESS_FILE_POOL_H
#define SONDE_LIVE_ACCESS_FILE_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "base/map.h"
#include "wire/lttng_relay.h"

#define FILE_POOL_SPARE 16u

struct pooled_file;

enum pooled_state {
	POOLED_OPEN,
	POOLED_PARKED,
	POOLED_UNNAMED, /* removed from the disk during use: it stays open */
	POOLED_STATES
};

TAILQ_HEAD(pooled_files, pooled_file);

struct file_pool_totals {
	uint64_t open; /* now */
	uint64_t parked; /* now */
	uint64_t reopened; /* times */
	uint64_t lost; /* files that could not be opened again */
};

struct file_pool {
	struct pooled_files files[POOLED_STATES]; /* the one that was used last is last */
	struct map by_inode; /* struct pooled_file * */
	unsigned int most; /* open files; 0 = as many as the limit of the process permits */
	struct file_pool_totals totals;
	bool told; /* that files are parked */
	void (*log)(void *ctx, const char *text); /* a sentence for the operator; may be NULL */
	void *ctx;
};

/* A folder with files of the pool, which may get another name; it lasts as long as one of them. */
struct pool_folder {
	unsigned int refs;
	struct pool_folder *above; /* has the directory that @path is below; NULL: it is this one */
	int dir;
	char path[RELAY_PATH_MAX]; /* without one above: its name in messages */
};

void file_pool_init(struct file_pool *pool);
/* Files that are left stay as they are: those that are open can be used, parked ones cannot. */
void file_pool_fini(struct file_pool *pool);

/* @fd was opened: parks files until FILE_POOL_SPARE descriptors are free, and returns the one that takes its place, or
 * itself. NULL is fine. */
int file_pool_settle(struct file_pool *pool, int fd);
/* After EMFILE: parks FILE_POOL_SPARE files. False: no file could be parked. NULL is fine. */
bool file_pool_make_room(struct file_pool *pool);
/* Call it before the file that @st describes is removed from the disk. Its users can read it until it is closed, if a
 * descriptor is free for it. NULL is fine. */
void file_pool_unname(struct file_pool *pool, const struct stat *st);
/* The same of all files in @folder. */
void file_pool_unname_all(struct file_pool *pool, const struct pool_folder *folder);
/* What is in @folder was moved to @path. */
void file_pool_move(struct file_pool *pool, struct pool_folder *folder, const char *path);

/*
 * Below @above, which is the relay's own: no symbolic link is followed in it, and its files are removed by file_pool_unname
 * alone. Or, if that is NULL, the directory @dir of others, which it takes. NULL = no memory; @dir is the caller's then.
 */
struct pool_folder *pool_folder_new(struct pool_folder *above, int dir, const char *path);
struct pool_folder *pool_folder_ref(struct pool_folder *folder);
/* NULL is fine. */
void pool_folder_unref(struct pool_folder *folder);
/* To open what is in it: the directory, and the path below that. */
int pool_folder_dir(const struct pool_folder *folder);
const char *pool_folder_path(const struct pool_folder *folder);

/* Takes @fd, the file @path in @folder, on failure too. @pool NULL: it is never parked, and @folder is not asked for. */
int pooled_file_new(struct file_pool *pool, struct pool_folder *folder, const char *path, int fd,
		    struct pooled_file **ret);
/* NULL is fine. */
void pooled_file_close(struct pooled_file *file);
/* Its descriptor, borrowed until the pool is used again, or -errno; -ESTALE: it is not the file any more that was parked. */
int pooled_file_fd(struct pooled_file *file);
/* It is in no folder any more. */
bool pooled_file_is_gone(const struct pooled_file *file);

#endif /* SONDE_LIVE_ACCESS_FILE_POOL_H */

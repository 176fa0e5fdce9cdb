// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_quota.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/map.h"
#include "ctf/packet.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_store.h"
#include "trace/stream_chain.h"
#include "trace/stream_reader.h"
#include "wire/index.h"

#define FILES_OF_QUOTA 64u /* that one stream alone would have */
#define FILE_LEAST (64u << 10)
#define FILE_MOST (64u << 20)
#define ROOM_OF_QUOTA \
	16u /* a sixteenth of it is made free, so that it is not done for each packet */
#define DEPTH_MAX 64
#define INDEX_FOLDER "index"

struct ingest_quota {
	struct ingest_quota_config config;
	struct ingest_quota_totals totals;
	struct map ours; /* marks of the folders that this process stores to, by inode */
};

/* A file of packets that could go by itself, or what goes with the last of a trace. */
struct stored_file {
	char *folder; /* of the trace, below the output directory */
	char *name; /* NULL: all that is left of the trace */
	uint64_t age_ns; /* when it was last written to, since the epoch */
	uint64_t bytes; /* with its index */
	uint64_t packets; /* in the index */
};

/* What lies in the folders that a relay has stored. */
struct stored_files {
	struct stored_file *files; /* those that may go, the oldest first */
	size_t count;
	uint64_t bytes; /* of all that is there */
};

/* One walk through the output directory. */
struct walk {
	struct stored_files *stored;
	const struct map *in_use;
	const struct map *ours;
	bool marked; /* within a folder that was stored here */
	bool foreign; /* another process stores there */
};

/* A trace, while its folder is read. */
struct folder {
	const char *path;
	int fd;
	int depth;
	size_t names; /* that were counted in it */
	struct file_pool *pool; /* is told of removed files, which others may still use */
	struct stream_chain chain;
	struct stored_file rest; /* what goes with the last of them */
	bool in_use;
};

static void free_files(struct stored_files *stored)
{
	for (size_t i = 0; i < stored->count; i++) {
		free(stored->files[i].folder);
		free(stored->files[i].name);
	}
	free(stored->files);
}

static int push(struct stored_files *stored, const char *folder, const char *name,
		const struct stored_file *what)
{
	struct stored_file *files = stored->files, *file;

	if (!(stored->count & (stored->count - 1))) /* it has room for powers of two */
		files = reallocarray(files, stored->count ? 2 * stored->count : 1, sizeof(*files));
	if (!files)
		return -ENOMEM;
	stored->files = files;
	file = &files[stored->count];
	*file = *what;
	file->folder = strdup(folder);
	file->name = name ? strdup(name) : NULL;
	stored->count++;
	return file->folder && (!name || file->name) ? 0 : -ENOMEM;
}

static uint64_t age_of(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * NS_PER_SEC + (uint64_t)st->st_mtim.tv_nsec;
}

/* Entries of the index @name, which has @len bytes. */
static uint64_t count_packets(int dir, const char *name, uint64_t len)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint8_t head[INDEX_HEAD_BYTES];
	struct packet_index index;
	uint64_t count = 0;

	if (fd >= 0 && read_at(fd, head, sizeof(head), 0) == sizeof(head) &&
	    !packet_index_parse(head, sizeof(head), &index, NULL))
		count = (len - INDEX_HEAD_BYTES) / index.entry_bytes;
	fd_close(fd);
	return count;
}

/* Measures a file of a trace, with its index. False: not a regular file. */
static bool measure(int dir, const char *name, struct stored_file *ret, uint64_t *inode)
{
	char index[sizeof(INDEX_FOLDER) + 1 + NAME_MAX + sizeof(".idx")];
	struct stat st, index_st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return false;
	*ret = (struct stored_file){.age_ns = age_of(&st), .bytes = (uint64_t)st.st_size};
	*inode = st.st_ino;
	snprintf(index, sizeof(index), INDEX_FOLDER "/%s.idx", name);
	if (fstatat(dir, index, &index_st, AT_SYMLINK_NOFOLLOW))
		return true;
	ret->bytes += (uint64_t)index_st.st_size;
	if (index_st.st_size > (off_t)INDEX_HEAD_BYTES)
		ret->packets = count_packets(dir, index, (uint64_t)index_st.st_size);
	return true;
}

/* Goes by itself, or with the rest. */
static int add_file(struct walk *walk, struct folder *folder, const char *name)
{
	struct stream_before before;
	struct stored_file file;
	uint64_t inode;

	if (!measure(folder->fd, name, &file, &inode))
		return 0;
	walk->stored->bytes += file.bytes;
	if (map_get(walk->in_use, &inode)) {
		folder->in_use = true;
		return 0;
	}
	if (file.age_ns > folder->rest.age_ns)
		folder->rest.age_ns = file.age_ns;
	if (!walk->foreign && stream_chain_before(&folder->chain, name, &before))
		return push(walk->stored, folder->path, name, &file);
	folder->rest.bytes += file.bytes;
	folder->rest.packets += file.packets;
	return 0;
}

static bool is_file(int dir, const char *name)
{
	struct stat st;

	return *name != '.' && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/* Calls @act for each name in @dir but "." and "..", until an error. */
static int each_name(int dir,
		     int (*act)(struct walk *walk, struct folder *folder, const char *name),
		     struct walk *walk, struct folder *folder)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *names = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!names) {
		fd_close(fd);
		return -errno;
	}
	while (!err && (entry = readdir(names))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = act(walk, folder, entry->d_name);
	}
	closedir(names);
	return err;
}

static int chain_file(struct walk *walk, struct folder *folder, const char *name)
{
	(void)walk;
	return is_file(folder->fd, name) ? stream_chain_add_file(&folder->chain, folder->fd, name) :
					   0;
}

static int take_file(struct walk *walk, struct folder *folder, const char *name)
{
	return is_file(folder->fd, name) ? add_file(walk, folder, name) : 0;
}

static int add_trace(struct walk *walk, struct folder *folder)
{
	int err;

	stream_chain_init(&folder->chain);
	err = each_name(folder->fd, chain_file, walk, folder);
	stream_chain_link(&folder->chain);
	err = err ?: each_name(folder->fd, take_file, walk, folder);
	stream_chain_fini(&folder->chain);
	if (!err && !folder->in_use && !walk->foreign && folder->rest.age_ns)
		err = push(walk->stored, folder->path, NULL, &folder->rest);
	return err;
}

static int walk_folder(struct walk *walk, int fd, const char *path, int depth);

static int walk_below(struct walk *walk, struct folder *folder, const char *name)
{
	struct walk saved = *walk;
	char path[RELAY_PATH_MAX];
	int fd, err, len;

	if (is_file(folder->fd, name) || !strcmp(name, INDEX_FOLDER) ||
	    (*name == '.' && (!walk->marked || strcmp(name, INGEST_NEXT_CHUNK) != 0)))
		return 0;
	fd = openat(folder->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0; /* gone by now, or not stored by a relay */
	len = snprintf(path, sizeof(path), "%s%s%s", folder->path, *folder->path ? "/" : "", name);
	err = len < (int)sizeof(path) ? walk_folder(walk, fd, path, folder->depth + 1) : 0;
	fd_close(fd);
	walk->marked = saved.marked;
	walk->foreign = saved.foreign;
	return err;
}

static int walk_folder(struct walk *walk, int fd, const char *path, int depth)
{
	struct folder folder = {.path = path, .fd = fd, .depth = depth};
	struct store_mark mark;

	if (depth > DEPTH_MAX)
		return 0;
	if (store_mark_look(fd, &mark)) {
		walk->marked = true;
		walk->foreign = mark.held && !map_get(walk->ours, &mark.inode);
	}
	return (walk->marked ? add_trace(walk, &folder) : 0) ?:
		       each_name(fd, walk_below, walk, &folder);
}

/* The rest of a trace is removed after all files that can be removed alone. */
static int compare(const void *a, const void *b)
{
	const struct stored_file *x = a, *y = b;

	if (x->age_ns != y->age_ns)
		return x->age_ns < y->age_ns ? -1 : 1;
	return !x->name - !y->name;
}

/* Lists the files below the directory @output, except those whose inodes are in @in_use, if their trace's mark is in
 * @ours or no process stores to it. 0 or -errno. */
static int list_files(int output, const struct map *in_use, const struct map *ours,
		      struct stored_files *ret)
{
	struct walk walk = {.stored = ret, .in_use = in_use, .ours = ours};
	int err;

	err = walk_folder(&walk, output, "", 0);
	if (ret->count)
		qsort(ret->files, ret->count, sizeof(*ret->files), compare);
	return err;
}

static int remove_file(struct walk *walk, struct folder *folder, const char *name)
{
	struct stat st;

	(void)walk;
	if (*name == '.')
		return 0;
	if (!fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW))
		file_pool_unname(folder->pool, &st);
	(void)unlinkat(folder->fd, name, 0);
	return 0;
}

static int count_name(struct walk *walk, struct folder *folder, const char *name)
{
	(void)walk;
	(void)name;
	folder->names++;
	return 0;
}

/* What was stored there has gone. True: so has the folder. */
static bool remove_folder(int output, const char *path)
{
	struct folder folder = {.fd = -1};
	struct store_mark mark;
	bool is_top;

	if (ingest_store_open(output, path, &folder.fd))
		return false;
	is_top = store_mark_look(folder.fd, &mark);
	if (is_top && !mark.held && !each_name(folder.fd, count_name, NULL, &folder) &&
	    folder.names == 1)
		store_mark_remove(folder.fd);
	fd_close(folder.fd);
	return !unlinkat(output, path, AT_REMOVEDIR) && !is_top;
}

static void remove_trace(struct file_pool *pool, int output, const char *path)
{
	struct folder folder = {.fd = -1, .pool = pool}, index = folder;
	char above[RELAY_PATH_MAX];
	char *slash;

	if (ingest_store_open(output, path, &folder.fd))
		return;
	if (!ingest_store_open(folder.fd, INDEX_FOLDER, &index.fd)) {
		(void)each_name(index.fd, remove_file, NULL, &index);
		(void)unlinkat(folder.fd, INDEX_FOLDER, AT_REMOVEDIR);
	}
	(void)each_name(folder.fd, remove_file, NULL, &folder);
	fd_close(index.fd);
	fd_close(folder.fd);
	snprintf(above, sizeof(above), "%s", path);
	while (remove_folder(output, above) && (slash = strrchr(above, '/')))
		*slash = 0;
}

/* It goes, with its index; and folders that are empty then. */
static void drop_file(struct file_pool *pool, int output, const struct stored_file *file)
{
	if (file->name)
		ingest_store_remove(pool, output, "", file->folder, file->name);
	else
		remove_trace(pool, output, file->folder);
}

uint64_t ingest_quota_file_bytes(const struct ingest_quota *quota)
{
	uint64_t most = quota ? quota->config.most : 0, bytes = most / FILES_OF_QUOTA;

	if (!most)
		return 0;
	return bytes < FILE_LEAST ? FILE_LEAST : bytes > FILE_MOST ? FILE_MOST : bytes;
}

static void say(const struct ingest_quota *quota, uint64_t packets, uint64_t bytes)
{
	const struct ingest_quota_owner *owner = &quota->config.owner;
	char count[32], size[32], most[32];
	struct diag diag;

	if (!bytes)
		return;
	(void)diag_set(&diag, 0, "--quota %s is used up: the oldest %s packets, %s, are dropped",
		       size_format(most, sizeof(most), quota->config.most),
		       count_format(count, sizeof(count), packets),
		       size_format(size, sizeof(size), bytes));
	owner->log(owner->ctx, diag.text);
}

/* Until no more than @target bytes are stored, or nothing more can go. */
static void drop_oldest(struct ingest_quota *quota, const struct stored_files *stored,
			uint64_t target)
{
	struct ingest_quota_totals *totals = &quota->totals;
	uint64_t packets = 0, bytes = 0;

	for (size_t i = 0; i < stored->count && totals->stored > target; i++) {
		const struct stored_file *file = &stored->files[i];

		drop_file(quota->config.files, quota->config.output, file);
		totals->stored -= file->bytes;
		packets += file->packets;
		bytes += file->bytes;
	}
	totals->dropped_packets += packets;
	totals->dropped_bytes += bytes;
	if (bytes)
		quota->config.owner.hide_gone(quota->config.owner.ctx);
	say(quota, packets, bytes);
}

/* Counts again, and drops files until at most @target bytes are stored. */
static int sweep(struct ingest_quota *quota, uint64_t target)
{
	const struct ingest_quota_owner *owner = &quota->config.owner;
	struct stored_files stored = {0};
	struct map in_use;
	int err;

	map_init(&in_use, sizeof(uint64_t), sizeof(bool), 0);
	err = owner->add_inodes(owner->ctx, &in_use);
	err = err ?: list_files(quota->config.output, &in_use, &quota->ours, &stored);
	if (!err) {
		quota->totals.stored = stored.bytes;
		drop_oldest(quota, &stored, target);
	}
	free_files(&stored);
	map_fini(&in_use);
	return err;
}

static int make_room(struct ingest_quota *quota, uint64_t bytes)
{
	const struct ingest_quota_owner *owner = &quota->config.owner;
	uint64_t most = quota->config.most, target = most - most / ROOM_OF_QUOTA;
	int err;

	if (bytes > target)
		return -EDQUOT;
	target -= bytes;
	err = sweep(quota, target);
	if (!err && quota->totals.stored > most - bytes)
		err = owner->cut(owner->ctx) ?: sweep(quota, target);
	return err ?: quota->totals.stored > most - bytes ? -EDQUOT : 0;
}

int ingest_quota_count(struct ingest_quota *quota)
{
	uint64_t most = quota ? quota->config.most : 0;
	int err = most ? sweep(quota, most) : 0;

	return err ?: most && quota->totals.stored > most ? -EDQUOT : 0;
}

int ingest_quota_take(struct ingest_quota *quota, uint64_t bytes)
{
	uint64_t most = quota ? quota->config.most : 0;
	int err = 0;

	if (!most)
		return 0;
	if (quota->totals.stored > most || bytes > most - quota->totals.stored)
		err = make_room(quota, bytes);
	quota->totals.stored += err ? 0 : bytes;
	return err;
}

int ingest_quota_own(struct ingest_quota *quota, uint64_t inode)
{
	return !quota || map_at(&quota->ours, &inode) ? 0 : -ENOMEM;
}

void ingest_quota_disown(struct ingest_quota *quota, uint64_t inode)
{
	if (quota)
		map_remove(&quota->ours, &inode);
}

int ingest_quota_new(const struct ingest_quota_config *config, struct ingest_quota **ret)
{
	struct ingest_quota *quota = calloc(1, sizeof(*quota));

	if (!quota)
		return -ENOMEM;
	quota->config = *config;
	quota->totals.most = config->most;
	map_init(&quota->ours, sizeof(uint64_t), sizeof(bool), 0);
	*ret = quota;
	return 0;
}

void ingest_quota_free(struct ingest_quota *quota)
{
	if (!quota)
		return;
	map_fini(&quota->ours);
	free(quota);
}

struct ingest_quota_totals ingest_quota_totals(const struct ingest_quota *quota)
{
	return quota ? quota->totals : (struct ingest_quota_totals){0};
}

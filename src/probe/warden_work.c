// SPDX-License-Identifier: BSD-2-Clause
#include "probe/warden_work.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "base/map.h"
#include "probe/inet_diag.h"
#include "probe/netfilter_link.h"
#include "probe/netns.h"
#include "probe/run_stats.h"
#include "probe/sockstat.h"
#include "symbol/process_map.h"
#include "wire/warden.h"

#define _GNU_SOURCE

/*
 * Which sockets a process has open. Other users' processes take CAP_SYS_PTRACE: the warden
 * calls it.
 */

/* "/proc/PID/fd/N" is a link to "socket:[INODE]". */
static int process_sockets_find(uint32_t pid, int (*visit)(void *ctx, uint32_t inode), void *ctx)
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

#define MAPS_MAX_BYTES (64u << 20)

struct place {
	char *path;
	int err; /* why it could not be opened; 0 = it could */
};

struct warden_work {
	int command_fd;
	pthread_mutex_t lock; /* of the list */
	struct map places; /* inode -> struct place: what the last list has shown */
};

static void forget_places(struct map *places)
{
	const void *key;
	size_t at = 0;
	void *value;

	while (map_next(places, &at, &key, &value))
		free(((struct place *)value)->path);
	map_fini(places);
}

static void init_places(struct map *places)
{
	map_init(places, sizeof(uint32_t), sizeof(struct place), NETNS_MAX);
}

struct warden_work *warden_work_new(int command_fd)
{
	struct warden_work *work = calloc(1, sizeof(*work));

	if (!work)
		return NULL;
	work->command_fd = command_fd;
	pthread_mutex_init(&work->lock, NULL);
	init_places(&work->places);
	return work;
}

void warden_work_free(struct warden_work *work)
{
	if (!work)
		return;
	forget_places(&work->places);
	pthread_mutex_destroy(&work->lock);
	free(work);
}

/* A reply that does not fit into a datagram is a file without a name, which is read from its start. */
static int pass_bytes(struct buffer *bytes, int *ret)
{
	int fd = -1, err = buffer_error(bytes);

	if (!err) {
		fd = memfd_create("sonde-warden", MFD_CLOEXEC);
		err = fd < 0 ? -errno : write_at(fd, bytes->data, bytes->len, 0);
	}
	buffer_fini(bytes);
	if (err) {
		fd_close(fd);
		return err;
	}
	*ret = fd;
	return 0;
}

static int open_path(const char *path, int *ret)
{
	*ret = file_open(AT_FDCWD, path);
	return *ret < 0 ? *ret : 0;
}

static int open_maps(uint32_t pid, int *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	return open_path(path, ret);
}

/* Code alone: what else a process has mapped may be its data. */
static bool is_code(uint32_t pid, uint64_t start, uint64_t end)
{
	struct code_mapping m;
	char path[32], *maps = NULL;
	const char *at, *stop;
	bool found = false;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (file_load(AT_FDCWD, path, MAPS_MAX_BYTES, &maps, &len))
		return false;
	at = maps;
	stop = maps + len;
	while (!found && process_map_next(&at, stop, &m))
		found = m.start == start && m.end == end && m.inode;
	free(maps);
	return found;
}

/* Also a file that was deleted, or is in another mount namespace. */
static int open_mapped(const struct warden_request *req, int *ret)
{
	char path[96];

	if (!is_code(req->pid, req->start, req->end))
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, req->pid,
		 req->start, req->end);
	return open_path(path, ret);
}

static int add_inode(void *ctx, uint32_t inode)
{
	buffer_append(ctx, &inode, sizeof(inode));
	return buffer_error(ctx);
}

static int list_sockets(uint32_t pid, int *ret)
{
	struct buffer inodes;
	int err;

	buffer_init(&inodes);
	err = process_sockets_find(pid, add_inode, &inodes);
	if (!err)
		return pass_bytes(&inodes, ret);
	buffer_fini(&inodes);
	return err;
}

struct listing {
	struct map places;
	struct buffer bytes;
};

static int list_one(void *ctx, const struct netns *ns)
{
	struct listing *listing = ctx;
	const struct warden_netns one = {ns->inode, ns->fd < 0 ? ns->fd : 0};
	struct place *place = map_at(&listing->places, &ns->inode);

	if (!place)
		return -ENOMEM;
	*place = (struct place){strdup(ns->path), one.err};
	buffer_append(&listing->bytes, &one, sizeof(one));
	return place->path ? buffer_error(&listing->bytes) : -ENOMEM;
}

static int list_netns(struct warden_work *work, int *ret)
{
	struct listing listing;
	struct map old;
	int err;

	init_places(&listing.places);
	buffer_init(&listing.bytes);
	err = netns_walk(NULL, 0, list_one, &listing);
	if (err) {
		forget_places(&listing.places);
		buffer_fini(&listing.bytes);
		return err;
	}
	pthread_mutex_lock(&work->lock);
	old = work->places;
	work->places = listing.places;
	pthread_mutex_unlock(&work->lock);
	forget_places(&old);
	return pass_bytes(&listing.bytes, ret);
}

/* What is done in a namespace. */
struct errand {
	const struct warden_request *req;
	int given;
	int *ret;
};

static int run_errand(void *ctx)
{
	const struct errand *errand = ctx;
	const struct warden_request *req = errand->req;
	int fd = -1, err = 0;

	if (req->kind == WARDEN_NETNS_HOOK)
		fd = netfilter_link_create(errand->given, req->family, req->hook, req->last);
	else if (!sockstat_has_tcp())
		return 0;
	else if (req->kind == WARDEN_NETNS_ITER)
		fd = bpf_iter_create(errand->given);
	else
		err = inet_diag_open(&fd);
	if (err || fd < 0)
		return err ?: fd;
	*errand->ret = fd;
	return 0;
}

static int open_place(struct warden_work *work, uint32_t inode)
{
	const struct place *place;
	int fd = -ENOENT;

	pthread_mutex_lock(&work->lock);
	place = map_get(&work->places, &inode);
	if (place)
		fd = place->err ?: netns_open(place->path, inode);
	pthread_mutex_unlock(&work->lock);
	return fd;
}

static int do_in_netns(struct warden_work *work, const struct warden_request *req, int given,
		       int *ret)
{
	struct errand errand = {req, given, ret};
	struct netns ns = {.inode = req->netns, .fd = open_place(work, req->netns)};
	int err = netns_call(&ns, run_errand, &errand);

	fd_close(ns.fd);
	return err;
}

static int end_command(const struct warden_work *work, uint32_t number)
{
	if (work->command_fd < 0)
		return -ESRCH;
	return syscall(SYS_pidfd_send_signal, work->command_fd, (int)number, NULL, 0) ? -errno : 0;
}

int warden_work_do(struct warden_work *work, const struct warden_request *req, int fd, int *ret)
{
	*ret = -1;
	switch ((enum warden_kind)req->kind) {
	case WARDEN_RUN_STATS:
		return run_stats_open(ret);
	case WARDEN_MAPS:
		return open_maps(req->pid, ret);
	case WARDEN_MAPPED_FILE:
		return open_mapped(req, ret);
	case WARDEN_SOCKETS:
		return list_sockets(req->pid, ret);
	case WARDEN_NETNS_LIST:
		return list_netns(work, ret);
	case WARDEN_NETNS_DIAG:
	case WARDEN_NETNS_ITER:
	case WARDEN_NETNS_HOOK:
		return do_in_netns(work, req, fd, ret);
	case WARDEN_KALLSYMS: /* it shows what its opener may see */
		return open_path("/proc/kallsyms", ret);
	case WARDEN_END_COMMAND:
		return end_command(work, req->signal);
	case WARDEN_KIND_END:
		break;
	}
	return -EBADMSG;
}

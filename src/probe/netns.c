// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/netns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"

#define OWN_FILE "/proc/thread-self/ns/net"
#define LINK_FORMAT "net:[%u]"

struct walk {
	const uint32_t *wanted;
	size_t wanted_count;
	netns_visitor visit;
	void *ctx;
	struct map seen; /* inodes */
};

static bool is_wanted(const struct walk *walk, uint32_t inode)
{
	for (size_t i = 0; i < walk->wanted_count; i++) {
		if (walk->wanted[i] == inode)
			return true;
	}
	return !walk->wanted_count;
}

/* The inode of @fd, or 0 if it is not a network namespace. */
static uint32_t inode_of(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET)
		return 0;
	return (uint32_t)st.st_ino;
}

int netns_open(const char *path, uint32_t inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (inode_of(fd) == inode)
		return fd;
	fd_close(fd);
	return -ENOENT;
}

/* @inode is what @path was when the walk came by; by now it may be gone, or another. */
static int visit_path(struct walk *walk, const char *path, uint32_t inode)
{
	struct netns ns = {.inode = inode, .path = path};
	uint8_t *seen = map_at(&walk->seen, &inode);
	int err = 0;

	if (!seen)
		return walk->seen.count >= NETNS_MAX ? -E2BIG : -ENOMEM;
	if (*seen || !is_wanted(walk, inode))
		return 0;
	ns.fd = netns_open(path, inode);
	/* A namespace that is gone by now is not an error; a lack of descriptors is. */
	if (ns.fd >= 0 || ns.fd == -EMFILE || ns.fd == -ENFILE) {
		*seen = true;
		err = walk->visit(walk->ctx, &ns);
	}
	fd_close(ns.fd);
	return err;
}

static int walk_processes(struct walk *walk)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (entry = readdir(proc))) {
		char path[280], link[32] = "";
		uint32_t inode;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns/net", entry->d_name);
		if (readlink(path, link, sizeof(link) - 1) > 0 &&
		    sscanf(link, LINK_FORMAT, &inode) == 1)
			err = visit_path(walk, path, inode);
	}
	closedir(proc);
	return err;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Blanks and the like stand as \040 in mountinfo. In place. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && is_octal(text[1]) && is_octal(text[2]) &&
		    is_octal(text[3])) {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				       (text[3] - '0'));
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
}

/* proc_pid_mountinfo(5): the fourth word is what of the file system is mounted, the fifth is where. */
static int walk_mounts(struct walk *walk)
{
	FILE *file = fopen("/proc/thread-self/mountinfo", "re");
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	if (!file)
		return -errno;
	while (!err && getline(&line, &room, file) > 0) {
		int start = 0, end = 0;
		uint32_t inode;

		if (sscanf(line, "%*s %*s %*s " LINK_FORMAT " %n%*s%n", &inode, &start, &end) !=
			    1 ||
		    !end)
			continue;
		line[end] = 0;
		unescape(line + start);
		err = visit_path(walk, line + start, inode);
	}
	free(line);
	fclose(file);
	return err;
}

int netns_walk(const uint32_t *wanted, size_t count, netns_visitor visit, void *ctx)
{
	struct walk walk = {
		.wanted = wanted,
		.wanted_count = count,
		.visit = visit,
		.ctx = ctx,
	};
	int err;

	map_init(&walk.seen, sizeof(uint32_t), sizeof(uint8_t), NETNS_MAX);
	err = visit_path(&walk, OWN_FILE, netns_current());
	err = err ?: walk_processes(&walk);
	err = err ?: walk_mounts(&walk);
	map_fini(&walk.seen);
	return err;
}

uint32_t netns_current(void)
{
	struct stat st;

	return stat(OWN_FILE, &st) ? 0 : (uint32_t)st.st_ino;
}

int netns_enter(const struct netns *ns)
{
	if (ns->fd < 0)
		return ns->fd;
	return setns(ns->fd, CLONE_NEWNET) ? -errno : 0;
}

struct call {
	const struct netns *ns;
	int (*job)(void *ctx);
	void *ctx;
	int result;
};

static void *call_inside(void *arg)
{
	struct call *call = arg;

	call->result = netns_enter(call->ns) ?: call->job(call->ctx);
	return NULL;
}

int netns_call(const struct netns *ns, int (*job)(void *ctx), void *ctx)
{
	struct call call = {.ns = ns, .job = job, .ctx = ctx};
	pthread_t thread;
	int err;

	if (ns->inode == netns_current())
		return job(ctx);
	err = -pthread_create(&thread, NULL, call_inside, &call);
	if (err)
		return err;
	pthread_join(thread, NULL);
	return call.result;
}

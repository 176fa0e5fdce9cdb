// SPDX-License-Identifier: BSD-2-Clause
#include "record/host_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyse/container.h"
#include "base/io.h"
#include "base/map.h"
#include "record/cgroups.h"
#include "record/container_names.h"
#include "record/notes.h"

/* Where programs put network namespaces under a name: ip-netns(8), and Docker. */
static const char *const netns_dirs[] = {"/run/netns", "/run/docker/netns"};
#define NETNS_DIRS (sizeof(netns_dirs) / sizeof(netns_dirs[0]))

struct host_names {
	struct notes *notes;
	struct container_names *containers;
	struct timespec changed[NETNS_DIRS]; /* when those directories last did */
	int mountinfo; /* reports by POLLPRI that it has changed; -1 = cannot be had */
	int err;
};

struct host_names *host_names_new(struct notes *notes)
{
	struct host_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->notes = notes;
	names->containers = container_names_new("");
	if (!names->containers) {
		free(names);
		return NULL;
	}
	names->mountinfo = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	return names;
}

void host_names_free(struct host_names *names)
{
	if (!names)
		return;
	fd_close(names->mountinfo);
	container_names_free(names->containers);
	free(names);
}

static void add(struct host_names *names, enum name_kind kind, uint64_t key, uint32_t dev,
		const char *text)
{
	int err = notes_add_name(names->notes, kind, key, dev, text);

	if (err)
		names->err = err;
}

/* Namespaces are all in one file system, nsfs, so the inode is enough. */
static void add_netns_dir(struct host_names *names, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct stat st;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && !fstatat(dirfd(dir), entry->d_name, &st, 0))
			add(names, NAME_NETNS, st.st_ino, 0, entry->d_name);
	}
	closedir(dir);
}

/* All of a directory that is not as it was: a mount in it comes after its file, so a namespace may
 * be seen one time too late, but then the directory is young, and looked at again. */
static void add_netns(struct host_names *names)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	for (size_t i = 0; i < NETNS_DIRS; i++) {
		struct timespec *last = &names->changed[i];
		struct stat st;

		if (stat(netns_dirs[i], &st))
			continue;
		if (st.st_mtim.tv_sec == last->tv_sec && st.st_mtim.tv_nsec == last->tv_nsec)
			continue;
		if (now.tv_sec - st.st_mtim.tv_sec > 2)
			*last = st.st_mtim;
		add_netns_dir(names, netns_dirs[i]);
	}
}

/* The first process's, and where that may not be looked into (a container), our own. */
static void add_first_netns(struct host_names *names)
{
	struct stat st;

	if (!stat("/proc/1/ns/net", &st))
		add(names, NAME_NETNS, st.st_ino, 0, "init");
	else if (!stat("/proc/self/ns/net", &st))
		add(names, NAME_NETNS, st.st_ino, 0, "self");
}

struct file_systems {
	struct host_names *names;
	struct map seen; /* by dev: the first mount of one is where people look */
};

static int add_file_system(void *ctx, const struct mount *mount)
{
	struct file_systems *all = ctx;
	uint8_t *seen;

	if (strcmp(mount->root, "/"))
		return 0;
	seen = map_at(&all->seen, &mount->dev);
	if (!seen)
		return -ENOMEM;
	if (!*seen)
		add(all->names, NAME_FILESYSTEM, 0, mount->dev, mount->path);
	*seen = 1;
	return 0;
}

static void add_file_systems(struct host_names *names)
{
	struct file_systems all = {.names = names};

	map_init(&all.seen, sizeof(uint32_t), sizeof(uint8_t), 0);
	if (mounts_walk(add_file_system, &all) == -ENOMEM)
		names->err = -ENOMEM;
	map_fini(&all.seen);
}

static bool mounts_changed(const struct host_names *names)
{
	struct pollfd fd = {.fd = names->mountinfo, .events = POLLPRI};

	return names->mountinfo >= 0 && poll(&fd, 1, 0) > 0;
}

static void add_cgroup(void *ctx, uint64_t id, const char *path)
{
	add(ctx, NAME_CGROUP, id, 0, path);
}

static void add_container(void *ctx, const char *id, const char *name)
{
	add(ctx, NAME_CONTAINER, container_key(id), 0, name);
}

int host_names_add_all(struct host_names *names)
{
	add_first_netns(names);
	add_netns(names);
	add_file_systems(names);
	(void)cgroups_walk(add_cgroup, names);
	container_names_walk(names->containers, add_container, names);
	return names->err;
}

int host_names_add_new(struct host_names *names)
{
	add_netns(names);
	container_names_walk(names->containers, add_container, names);
	if (mounts_changed(names))
		add_file_systems(names);
	return names->err;
}

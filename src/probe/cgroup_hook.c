// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/cgroup_hook.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/io.h"

/* Of the root of a file system of the kernel's own (fs/kernfs). In a namespace of cgroups the mount
 * shows another directory as its root, below which only some sockets are. */
#define ROOT_INODE 1

static bool is_root(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == ROOT_INODE;
}

/* Takes over @fd. */
static int root_or_none(int fd)
{
	if (fd >= 0 && is_root(fd))
		return fd;
	fd_close(fd);
	return -ENOENT;
}

static int find_mounted(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	int fd = -ENOENT;

	while (mounts && fd < 0 && (mount = getmntent(mounts))) {
		if (!strcmp(mount->mnt_type, "cgroup2"))
			fd = root_or_none(open(mount->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	}
	if (mounts)
		endmntent(mounts);
	return fd;
}

/* If it is not mounted: a mount that no other process sees. It takes CAP_SYS_ADMIN. */
static int mount_own(void)
{
	int context = fsopen("cgroup2", FSOPEN_CLOEXEC);
	int fd = -1;

	if (context >= 0 && !fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(context, FSMOUNT_CLOEXEC, 0);
	fd_close(context);
	return root_or_none(fd);
}

static int root_open(void)
{
	int fd = find_mounted();

	return fd >= 0 ? fd : mount_own();
}

int cgroup_hook_check(char *reason, size_t room)
{
	int fd = root_open();

	if (fd < 0) {
		snprintf(
			reason, room,
			"the root of the cgroups (version 2) cannot be reached: mount -t cgroup2 none "
			"DIR, outside of containers");
		return fd;
	}
	fd_close(fd);
	return 0;
}

int cgroup_hook_open(struct bpf_program *prog, const char *target,
		     const struct loader_config *config, void **ret)
{
	int fd = root_open();
	struct bpf_link *link;
	int err;

	(void)target;
	(void)config;
	if (fd < 0)
		return fd;
	link = bpf_program__attach_cgroup(prog, fd);
	err = link ? 0 : -errno;
	fd_close(fd);
	if (!err)
		*ret = link;
	return err;
}

void cgroup_hook_close(void *link)
{
	bpf_link__destroy(link);
}

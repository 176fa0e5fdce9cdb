// SPDX-License-Identifier: BSD-2-Clause
#include "record/cgroup_path.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/diag.h"

#define ROOT_ID 1 /* of the hierarchy itself (fs/kernfs/mount.c) */

static bool is_of_type(const char *path, long type)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == type;
}

/* Where the hierarchy of version 2 is mounted first. */
static bool find_root(char root[PATH_MAX])
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	bool found = false;

	if (!mounts)
		return false;
	while (!found && (mount = getmntent(mounts))) {
		found = !strcmp(mount->mnt_type, "cgroup2");
		if (found)
			snprintf(root, PATH_MAX, "%s", mount->mnt_dir);
	}
	endmntent(mounts);
	return found;
}

/* Goes up from @path, which is absolute and has no links in it, and counts, while it is in one
 * mount. */
static int measure_level(char *path, struct cgroup_place *place)
{
	struct stat here, above;
	char *slash;

	if (stat(path, &here))
		return -errno;
	if (!S_ISDIR(here.st_mode))
		return -ENOTDIR;
	place->id = here.st_ino;
	place->level = 0;
	while ((slash = strrchr(path, '/')) && slash > path) {
		*slash = 0;
		if (stat(path, &above))
			return -errno;
		if (above.st_dev != here.st_dev)
			break;
		here = above;
		place->level++;
	}
	return here.st_ino == ROOT_ID ? 0 : -ENOTSUP;
}

static int place_in_hierarchy(const char *text, struct cgroup_place *ret, struct diag *diag)
{
	struct cgroup_place place;
	char path[PATH_MAX];
	int err;

	if (!realpath(text, path))
		return diag_set(diag, -ENOENT, "--cgroup: %s does not exist", text);
	err = measure_level(path, &place);
	if (err == -ENOTSUP)
		return diag_set(
			diag, err,
			"--cgroup: %s: only a part of the hierarchy is mounted there, as in "
			"a cgroup namespace: record from outside of it",
			text);
	if (err)
		return diag_set(diag, err, "--cgroup: %s: %s", text, strerror(-err));
	*ret = place;
	return 0;
}

int cgroup_path_find(const char *text, struct cgroup_place *ret, struct diag *diag)
{
	char root[PATH_MAX], path[2 * PATH_MAX];

	if (*text == '/' && is_of_type(text, CGROUP2_SUPER_MAGIC))
		return place_in_hierarchy(text, ret, diag);
	if (*text == '/' && is_of_type(text, CGROUP_SUPER_MAGIC))
		return diag_set(diag, -ENOTSUP,
				"--cgroup: %s is of cgroup version 1, which no BPF program can ask "
				"for: name one of version 2",
				text);
	if (!find_root(root))
		return diag_set(diag, -ENOENT,
				"--cgroup: no cgroup version 2 hierarchy is mounted (mount -t "
				"cgroup2 none DIR)");
	snprintf(path, sizeof(path), "%s/%s", root, text + strspn(text, "/"));
	return place_in_hierarchy(path, ret, diag);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record/filter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "schema/syscalls.h"

#define _GNU_SOURCE

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

typedef int (*add_one)(struct filter *filter, const char *word, struct diag *diag);

void filter_init(struct filter *filter)
{
	memset(filter, 0, sizeof(*filter));
	filter->config.self = (uint32_t)getpid();
}

/* Calls @add for each word of a list separated by commas. A list without any is a mistake: it
 * would select everything although the user asked for less (--pid "$(pidof ...)"). */
static int add_each(struct filter *filter, const char *option, const char *text, add_one add,
		    struct diag *diag)
{
	char *copy = strdup(text);
	char *save = NULL;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	if (!text[strspn(text, ",")])
		err = diag_set(diag, -EINVAL, "%s: no value is given", option);
	for (char *word = strtok_r(copy, ",", &save); word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = add(filter, word, diag);
	free(copy);
	return err;
}

static int too_many(struct diag *diag, const char *option)
{
	return diag_set(diag, -E2BIG, "%s: at most %d values", option, FILTER_MAX);
}

static bool parse_number(const char *text, unsigned long max, unsigned long *ret)
{
	char *end;

	errno = 0;
	*ret = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *ret <= max;
}

static int add_pid(struct filter *filter, const char *word, struct diag *diag)
{
	unsigned long pid;

	if (!parse_number(word, FILTER_PID_WORDS * 64 - 1, &pid) || !pid)
		return diag_set(diag, -EINVAL, "--pid: '%s' is not a process id", word);
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return diag_set(diag, -ENOENT, "--pid: no process %lu", pid);
	if (filter->pid_count == FILTER_PIDS_MAX)
		return diag_set(diag, -E2BIG, "--pid: at most %d values", FILTER_PIDS_MAX);
	filter->pids[filter->pid_count++] = (uint32_t)pid;
	filter->config.by_pid = 1;
	filter->config.tasks = 1;
	return 0;
}

int filter_add_pid(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--pid", text, add_pid, diag);
}

/* A name, or its beginning and a star. */
static int add_comm(struct filter *filter, const char *word, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	size_t len = strlen(word);
	bool prefix = len && word[len - 1] == '*';
	unsigned char text[16] = {0}, mask[16];

	if (config->comm_count == FILTER_MAX)
		return too_many(diag, "--comm");
	len -= prefix;
	if (!len || len > 15 || memchr(word, '*', len))
		return diag_set(
			diag, -EINVAL,
			"--comm: '%s': a name of 1 to 15 characters, or the beginning of one and *",
			word);
	memcpy(text, word, len);
	memset(mask, 0xff, sizeof(mask));
	/* Behind the NUL that ends a name the kernel may have left anything. */
	memset(mask + len + !prefix, 0, sizeof(mask) - len - !prefix);
	memcpy(config->comm[config->comm_count], text, 16);
	memcpy(config->comm_mask[config->comm_count], mask, 16);
	config->comm_count++;
	config->tasks = 1;
	return 0;
}

int filter_add_comm(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--comm", text, add_comm, diag);
}

static int add_uid(struct filter *filter, const char *word, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	struct passwd *user;
	unsigned long uid;

	if (config->uid_count == FILTER_MAX)
		return too_many(diag, "--uid");
	if (!parse_number(word, UINT32_MAX, &uid)) {
		user = getpwnam(word);
		if (!user)
			return diag_set(diag, -ENOENT, "--uid: unknown user '%s'", word);
		uid = user->pw_uid;
	}
	config->uid[config->uid_count++] = (uint32_t)uid;
	config->tasks = 1;
	return 0;
}

int filter_add_uid(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--uid", text, add_uid, diag);
}

int filter_add_cgroup(struct filter *filter, const char *text, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	struct cgroup_place place;
	int err;

	if (config->cgroup_count == FILTER_MAX)
		return too_many(diag, "--cgroup");
	err = cgroup_path_find(text, &place, diag);
	if (err)
		return err;
	config->cgroup_id[config->cgroup_count] = place.id;
	config->cgroup_level[config->cgroup_count] = place.level;
	config->cgroup_count++;
	config->tasks = 1;
	return 0;
}

/* A name of `ip netns`, a file, a process id, or the inode number itself. */
static int add_netns(struct filter *filter, const char *word, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	char path[4096];
	unsigned long number;
	struct stat st;

	if (config->netns_count == FILTER_MAX)
		return too_many(diag, "--netns");
	if (*word == '/')
		snprintf(path, sizeof(path), "%s", word);
	else if (!strcmp(word, "self"))
		snprintf(path, sizeof(path), "/proc/self/ns/net");
	else
		snprintf(path, sizeof(path), "/run/netns/%s", word);
	if (!stat(path, &st))
		number = st.st_ino;
	else if (!parse_number(word, UINT32_MAX, &number))
		return diag_set(diag, -ENOENT, "--netns: %s does not exist", path);
	config->netns[config->netns_count++] = (uint32_t)number;
	config->tasks = 1;
	return 0;
}

int filter_add_netns(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--netns", text, add_netns, diag);
}

static int add_port(struct filter *filter, const char *word, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	unsigned long port;

	if (config->port_count == FILTER_MAX)
		return too_many(diag, "--port");
	if (!parse_number(word, 65535, &port) || !port)
		return diag_set(diag, -EINVAL, "--port: '%s' is not a port (1 to 65535)", word);
	config->port[config->port_count++] = (uint16_t)port;
	return 0;
}

int filter_add_port(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--port", text, add_port, diag);
}

/* "254:1" */
static bool parse_device(const char *text, uint32_t *ret)
{
	unsigned int major, minor;
	int end = 0;

	if (sscanf(text, "%u:%u%n", &major, &minor, &end) != 2 || text[end] || major >= 1u << 12 ||
	    minor >= 1u << 20)
		return false;
	*ret = major << 20 | minor;
	return true;
}

/* What the kernel says of the disk or partition @name. */
static bool find_device(const char *name, uint32_t *ret)
{
	char path[280], *text;
	size_t len;
	bool good;

	snprintf(path, sizeof(path), "/sys/class/block/%.255s/dev", name);
	if (strchr(name, '/') || file_load(AT_FDCWD, path, 64, &text, &len))
		return false;
	text[strcspn(text, "\n")] = 0;
	good = parse_device(text, ret);
	free(text);
	return good;
}

/* A name, as in /dev or with /dev/ in front, or numbers. */
static int add_device(struct filter *filter, const char *word, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	const char *name = strncmp(word, "/dev/", 5) ? word : word + 5;
	uint32_t dev;

	if (config->dev_count == FILTER_MAX)
		return too_many(diag, "--dev");
	if (!parse_device(name, &dev) && !find_device(name, &dev))
		return diag_set(diag, -ENOENT,
				"--dev: no disk or partition '%s' (see /proc/partitions)", word);
	config->dev[config->dev_count++] = dev;
	return 0;
}

int filter_add_device(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--dev", text, add_device, diag);
}

static void prefix_mask(uint8_t mask[16], unsigned int bits)
{
	for (unsigned int i = 0; i < 16; i++) {
		unsigned int in = bits > i * 8 ? bits - i * 8 : 0;

		mask[i] = in >= 8 ? 0xff : (uint8_t)(0xff << (8 - in));
	}
}

static bool parse_address(const char *text, uint8_t address[16], unsigned int *bits)
{
	if (inet_pton(AF_INET6, text, address) == 1) {
		*bits = 128;
		return true;
	}
	memset(address, 0, 10);
	address[10] = address[11] = 0xff;
	*bits = 32;
	return inet_pton(AF_INET, text, address + 12) == 1;
}

/* ADDRESS or ADDRESS/BITS. */
static int add_address(struct filter *filter, const char *word, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	uint8_t address[16], mask[16];
	unsigned long bits = 0;
	unsigned int full;
	char text[64];
	char *slash;

	if (config->address_count == FILTER_MAX)
		return too_many(diag, "--addr");
	snprintf(text, sizeof(text), "%s", word);
	slash = strchr(text, '/');
	if (slash)
		*slash++ = 0;
	if (!parse_address(text, address, &full) || (slash && !parse_number(slash, full, &bits)))
		return diag_set(diag, -EINVAL,
				"--addr: '%s' is not an IPv4 or IPv6 address or network", word);
	prefix_mask(mask, (slash ? (unsigned int)bits : full) + 128 - full);
	for (int i = 0; i < 16; i++)
		address[i] &= mask[i];
	memcpy(config->address[config->address_count], address, 16);
	memcpy(config->address_mask[config->address_count], mask, 16);
	config->address_count++;
	return 0;
}

int filter_add_address(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--addr", text, add_address, diag);
}

/* A name of either table, or a number, which counts in both. */
static int add_syscall(struct filter *filter, const char *word, struct diag *diag)
{
	struct filter_config *config = &filter->config;
	struct syscalls *calls = syscalls_new(syscalls_native_text, syscalls_compat_text);
	unsigned long number = 0;
	bool any = false;

	if (!calls)
		return -ENOMEM;
	for (int compat = 0; compat < 2; compat++) {
		int nr = parse_number(word, FILTER_SYSCALLS - 1, &number) ?
				 (int)number :
				 syscalls_number(calls, compat, word);

		if (nr < 0 || nr >= FILTER_SYSCALLS)
			continue;
		config->syscalls[compat][nr / 64] |= 1ull << (nr % 64);
		any = true;
	}
	syscalls_free(calls);
	config->by_syscall = 1;
	return any ? 0 : diag_set(diag, -ENOENT, "--syscall: unknown system call '%s'", word);
}

int filter_add_syscall(struct filter *filter, const char *text, struct diag *diag)
{
	return add_each(filter, "--syscall", text, add_syscall, diag);
}

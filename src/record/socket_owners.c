// SPDX-License-Identifier: BSD-2-Clause
#include "record/socket_owners.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "probe/warden.h"
#include "wire/filter.h"

/* The next process of @proc, or 0 at the end. */
static uint32_t next_process(DIR *proc)
{
	struct dirent *entry;

	while ((entry = readdir(proc))) {
		unsigned long pid = strtoul(entry->d_name, NULL, 10);

		if (pid && pid / 64 < FILTER_PID_WORDS)
			return (uint32_t)pid;
	}
	return 0;
}

static bool has_bit(const uint64_t *pids, uint32_t pid)
{
	return pids[pid / 64] >> pid % 64 & 1;
}

/* A file of a process, NUL behind it; false where it is gone. */
static bool read_file(int proc, uint32_t pid, const char *name, char *text, size_t room)
{
	char path[32];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%u/%s", pid, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read_at(fd, text, room - 1, 0);
	fd_close(fd);
	text[len > 0 ? len : 0] = 0;
	return len > 0;
}

static bool comm_wanted(const struct filter_config *filter, int proc, uint32_t pid)
{
	uint64_t comm[2] = {0};
	char text[32];

	if (!read_file(proc, pid, "comm", text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = 0;
	memcpy(comm, text, strnlen(text, sizeof(comm) - 1));
	for (int i = 0; i < filter->comm_count; i++) {
		if ((comm[0] & filter->comm_mask[i][0]) == filter->comm[i][0] &&
		    (comm[1] & filter->comm_mask[i][1]) == filter->comm[i][1])
			return true;
	}
	return false;
}

static int add_socket(void *ctx, uint32_t inode)
{
	return map_at(ctx, &inode) ? 0 : -ENOMEM;
}

int socket_owners_find(struct warden *warden, const struct filter_config *filter,
		       const uint64_t *pids, struct map *inodes)
{
	DIR *proc = opendir("/proc");
	uint32_t pid;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (pid = next_process(proc))) {
		if (filter->by_pid && (!pids || !has_bit(pids, pid)))
			continue;
		if (filter->comm_count && !comm_wanted(filter, dirfd(proc), pid))
			continue;
		err = warden_sockets(warden, pid, add_socket, inodes);
		if (err != -ENOMEM) /* a process that has gone has no sockets */
			err = 0;
	}
	closedir(proc);
	return err;
}

/* proc_pid_stat(5): "PID (NAME) STATE PPID ...", and the name may have anything in it. */
static uint32_t parent_of(int proc, uint32_t pid)
{
	char text[512];
	const char *end;
	uint32_t parent = 0;

	if (!read_file(proc, pid, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

struct family {
	uint32_t (*pairs)[2]; /* process, parent */
	size_t count;
	size_t room;
};

static int family_add(struct family *family, uint32_t pid, uint32_t parent)
{
	if (family->count == family->room) {
		size_t room = family->room ? 2 * family->room : 256;
		void *pairs = realloc(family->pairs, room * sizeof(*family->pairs));

		if (!pairs)
			return -ENOMEM;
		family->pairs = pairs;
		family->room = room;
	}
	family->pairs[family->count][0] = pid;
	family->pairs[family->count][1] = parent;
	family->count++;
	return 0;
}

static int family_find(struct family *family)
{
	DIR *proc = opendir("/proc");
	uint32_t pid;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (pid = next_process(proc)))
		err = family_add(family, pid, parent_of(dirfd(proc), pid));
	closedir(proc);
	return err;
}

/* Those of @pids that are in the family, and their descendants. */
static void family_mark(const struct family *family, const uint64_t *pids, uint64_t *marked)
{
	bool more = true;

	for (size_t i = 0; i < family->count; i++) {
		uint32_t pid = family->pairs[i][0];

		if (has_bit(pids, pid))
			marked[pid / 64] |= 1ull << pid % 64;
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < family->count; i++) {
			uint32_t pid = family->pairs[i][0], parent = family->pairs[i][1];

			if (parent / 64 >= FILTER_PID_WORDS || !has_bit(marked, parent) ||
			    has_bit(marked, pid))
				continue;
			marked[pid / 64] |= 1ull << pid % 64;
			more = true;
		}
	}
}

int socket_owners_follow(uint64_t *pids)
{
	uint64_t *marked = calloc(FILTER_PID_WORDS, sizeof(*marked));
	struct family family = {0};
	int err = marked ? family_find(&family) : -ENOMEM;

	if (!err) {
		family_mark(&family, pids, marked);
		memcpy(pids, marked, FILTER_PID_WORDS * sizeof(*pids));
	}
	free(family.pairs);
	free(marked);
	return err;
}

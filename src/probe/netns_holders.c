// SPDX-License-Identifier: BSD-2-Clause
#include "probe/netns_holders.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

struct netns_holders {
	struct bpf_link *link;
};

int netns_holders_open(struct bpf_program *prog, struct netns_holders **ret)
{
	struct netns_holders *holders = calloc(1, sizeof(*holders));
	int err;

	if (!holders)
		return -ENOMEM;
	holders->link = bpf_program__attach_iter(prog, NULL);
	if (!holders->link) {
		err = -errno;
		free(holders);
		return err;
	}
	*ret = holders;
	return 0;
}

void netns_holders_close(struct netns_holders *holders)
{
	if (!holders)
		return;
	bpf_link__destroy(holders->link);
	free(holders);
}

/* The first link of a namespace counts for all of them. */
static bool is_lonely(const struct netns_held *held, size_t count, size_t i)
{
	uint32_t links = 0;

	for (size_t j = 0; j < count; j++) {
		if (held[j].inode != held[i].inode)
			continue;
		if (j < i)
			return false;
		links++;
	}
	return links == held[i].holders;
}

size_t netns_held_lonely(const struct netns_held *held, size_t count, uint32_t *inodes, size_t room)
{
	size_t lonely = 0;

	for (size_t i = 0; i < count && lonely < room; i++) {
		if (is_lonely(held, count, i))
			inodes[lonely++] = held[i].inode;
	}
	return lonely;
}

/* All that the iterator says; the caller frees it. */
static int read_all(int fd, struct netns_held **ret, size_t *count)
{
	size_t len = 0, room = 0;
	char *all = NULL;

	for (;;) {
		ssize_t got;

		if (room - len < sizeof(struct netns_held)) {
			char *more = realloc(all, room += 4096);

			if (!more) {
				free(all);
				return -ENOMEM;
			}
			all = more;
		}
		got = read(fd, all + len, room - len);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0) {
			got = -errno;
			free(all);
			return (int)got;
		}
		if (!got)
			break;
		len += (size_t)got;
	}
	*ret = (struct netns_held *)all;
	*count = len / sizeof(**ret);
	return 0;
}

int netns_holders_lonely(struct netns_holders *holders, uint32_t *inodes, size_t room)
{
	int fd = bpf_iter_create(bpf_link__fd(holders->link));
	struct netns_held *held = NULL;
	size_t count = 0;
	int err;

	if (fd < 0)
		return -errno;
	err = read_all(fd, &held, &count);
	fd_close(fd);
	if (err)
		return err;
	count = netns_held_lonely(held, count, inodes, room);
	free(held);
	return (int)count;
}

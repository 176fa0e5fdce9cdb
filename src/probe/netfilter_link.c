// SPDX-License-Identifier: BSD-2-Clause
#include "probe/netfilter_link.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As NETFILTER_PROG_TYPE. */
#define CMD_LINK_CREATE 28
struct netfilter_link_attr {
	uint32_t prog_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint32_t family;
	uint32_t hook;
	int32_t priority;
	uint32_t netfilter_flags;
};

/* The kernel refuses two BPF programs of the same priority at a hook: several recorders have
 * neighbouring ones. INT_MIN and INT_MAX are the kernel's own. */
#define PRIORITY_TRIES 256

int netfilter_link_create(int prog_fd, uint32_t family, uint32_t hook, bool last)
{
	struct netfilter_link_attr attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = NETFILTER_ATTACH_TYPE,
		.family = family,
		.hook = hook,
	};

	for (int i = 1; i <= PRIORITY_TRIES; i++) {
		long fd;

		attr.priority = last ? INT_MAX - i : INT_MIN + i;
		fd = syscall(SYS_bpf, CMD_LINK_CREATE, &attr, sizeof(attr));
		if (fd >= 0 || errno != EBUSY)
			return fd >= 0 ? (int)fd : -errno;
	}
	return -EBUSY;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record/privileges.h"

#include <linux/capability.h>
#include <stdint.h>
#include <unistd.h>

#include "base/confine.h"
#include "record/control_dir.h"

int privileges_drop(const char *path, bool command)
{
	char sockets[CONTROL_PATH_BYTES];
	struct confine to = {
		.allow = CONFINE_FILES | CONFINE_NETWORK | CONFINE_KERNEL |
			 (command ? CONFINE_PROCESSES : 0),
		.capabilities =
			1ull << CAP_BPF |
			1ull << CAP_PERFMON | /* to load and attach what is enabled later */
			1ull << CAP_NET_ADMIN, /* netfilter programs, and those on cgroups */
	};
	size_t count = 0;

	if (path)
		to.writable[count++] = path;
	control_dir_path(sockets, sizeof(sockets));
	if (!access(sockets, F_OK))
		to.writable[count++] = sockets;
	return confine(&to);
}

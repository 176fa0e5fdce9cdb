// SPDX-License-Identifier: BSD-2-Clause
#include "record/privileges.h"

#include <linux/capability.h>
#include <stdint.h>

#include "base/confine.h"

/* Landlock is not for it: with that it could see no other process's memory map or namespaces. */
int privileges_drop(bool command)
{
	const struct confine to = {
		.allow = CONFINE_FILES | CONFINE_NETWORK | CONFINE_KERNEL,
		.capabilities =
			1ull << CAP_BPF |
			1ull << CAP_PERFMON | /* to attach what is enabled later */
			1ull << CAP_NET_ADMIN | /* netfilter, all of a connection's figures */
			1ull << CAP_SYS_ADMIN | /* other network namespaces; run time of programs */
			1ull << CAP_SYS_PTRACE | /* where code of a process lies, its sockets */
			1ull << CAP_DAC_READ_SEARCH | /* its symbols */
			1ull << CAP_SYSLOG | /* addresses of the kernel */
			(uint64_t)command << CAP_KILL,
	};

	return confine(&to);
}

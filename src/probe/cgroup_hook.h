/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup_hook: programs that see the packets of every socket (cgroup_skb/), or each socket when it is made
 * (cgroup/), attached at the root of the cgroups of version 2, to which all sockets belong. Used by attach
 * and by the catalogue.
 */
#ifndef SONDE_PROBE_CGROUP_HOOK_H
#define SONDE_PROBE_CGROUP_HOOK_H

#include <stddef.h>

struct bpf_program;
struct loader_config;

#define CGROUP_HOOK_PREFIX "cgroup" /* of their sections */

/* 0, or -errno with the reason why the root cannot be reached, and what would help. */
int cgroup_hook_check(char *reason, size_t room);
/* As attach.c calls it: the program goes onto the hook, and off again. */
int cgroup_hook_open(struct bpf_program *prog, const char *target,
		     const struct loader_config *config, void **ret);
void cgroup_hook_close(void *link);

#endif /* SONDE_PROBE_CGROUP_HOOK_H */

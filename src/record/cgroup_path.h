/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup_path: which cgroup a path means, as the kernel half knows it (probe/filter.bpf.h).
 *
 * The hierarchy of version 2 may be alone, beside version 1, or mounted anywhere else.
 */
#ifndef SONDE_RECORD_CGROUP_PATH_H
#define SONDE_RECORD_CGROUP_PATH_H

#include <stdint.h>

struct diag;

struct cgroup_place {
	uint64_t id;
	uint32_t level; /* below the root, which is at 0 */
};

/*
 * @text: a directory in a hierarchy of version 2 wherever it is mounted, or a path below its root,
 * as /proc/PID/cgroup has it. -ENOENT, or -ENOTSUP for what no program of the kernel can tell.
 */
int cgroup_path_find(const char *text, struct cgroup_place *ret, struct diag *diag);

#endif /* SONDE_RECORD_CGROUP_PATH_H */

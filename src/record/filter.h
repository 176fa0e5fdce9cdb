/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter: the words of --pid, --comm, --addr and the others, made into what the kernel half
 * compares with. Each function takes one value; values of one kind add up (FILTER_MAX of each).
 */
#ifndef SONDE_RECORD_FILTER_H
#define SONDE_RECORD_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "wire/filter.h"

/*
 * Which cgroup a path means, as the kernel half knows it (probe/filter.bpf.h).
 *
 * The hierarchy of version 2 may be alone, beside version 1, or mounted anywhere else.
 */

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

#define FILTER_PIDS_MAX 256

struct filter {
	struct filter_config config;
	uint32_t pids[FILTER_PIDS_MAX];
	size_t pid_count;
};

/* Wants everything but this process. */
void filter_init(struct filter *filter);

/* Each: 0, -EINVAL for what it does not understand, -ENOENT for what is not there, -E2BIG for one
 * value too many; with the diag. A list separated by commas is taken apart. */
int filter_add_pid(struct filter *filter, const char *text, struct diag *diag);
int filter_add_comm(struct filter *filter, const char *text, struct diag *diag);
int filter_add_uid(struct filter *filter, const char *text, struct diag *diag);
int filter_add_cgroup(struct filter *filter, const char *text, struct diag *diag);
/* All running containers that @text means (analyse/container.h), as their cgroups. */
int filter_add_container(struct filter *filter, const char *text, struct diag *diag);
int filter_add_netns(struct filter *filter, const char *text, struct diag *diag);
int filter_add_port(struct filter *filter, const char *text, struct diag *diag);
int filter_add_address(struct filter *filter, const char *text, struct diag *diag);
int filter_add_device(struct filter *filter, const char *text, struct diag *diag);
int filter_add_syscall(struct filter *filter, const char *text, struct diag *diag);

#endif /* SONDE_RECORD_FILTER_H */

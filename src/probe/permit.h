/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * permit: what this machine permits and what it lacks, each with what would change it. `record`
 * asks before it attaches anything; `doctor` shows it all.
 */
#ifndef SONDE_PROBE_PERMIT_H
#define SONDE_PROBE_PERMIT_H

#include <stdbool.h>
#include <stddef.h>

struct btf;
struct diag;

enum permit_state {
	PERMIT_OK,
	PERMIT_LIMITED, /* recording works, something is missing */
	PERMIT_MISSING, /* nothing can be recorded */
};

struct permit {
	const char *name; /* "capabilities" */
	enum permit_state state;
	bool partial; /* measurements that the catalogue does not list cannot run for that */
	char found[160]; /* what is there */
	char remedy[224]; /* what would change it; empty where nothing needs to */
};

#define PERMIT_MAX 16

/* All checks, in the order in which they matter; the count. @kernel: NULL = the kernel has none. */
size_t permit_check(const struct btf *kernel, struct permit checks[PERMIT_MAX]);

/* 0, or the errno by which this kernel refuses programs at functions though it takes some at
 * tracepoints. 0 too where it takes neither: then it is the privilege that lacks. */
int permit_functions(const struct btf *kernel);
/* What a program of @section ("netfilter/ipv4/local_in") takes besides CAP_BPF and CAP_PERFMON, and we
 * lack: "it takes CAP_NET_ADMIN", or "". */
const char *permit_lacking(const char *section);
/* Whether one may enter other network namespaces. */
bool permit_to_enter(void);
/* Whether programs can be taken into the kernel at all: 0, or -EPERM with what to do about it. */
int permit_require(const struct btf *kernel, struct diag *diag);

#endif /* SONDE_PROBE_PERMIT_H */

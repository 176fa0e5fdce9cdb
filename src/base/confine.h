/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * confine: gives up what the rest of a process, or of a thread, has no use for, so that a fault in what
 * reads foreign bytes is worth little: capabilities, new privileges by exec, system calls (seccomp), and
 * where the kernel has Landlock, files. It cannot be undone. Threads that exist already keep what they have;
 * those that are made later have no more.
 */
#ifndef SONDE_BASE_CONFINE_H
#define SONDE_BASE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#define CONFINE_WRITABLE_MAX 4

/* System calls that stay permitted. All other calls that change the machine, other processes or
 * the user of this one are refused. */
enum confine_allow {
	CONFINE_FILES = 1u << 0, /* files may be created, changed and removed */
	CONFINE_NETWORK = 1u << 1, /* new sockets */
	CONFINE_KERNEL = 1u << 2, /* bpf, perf_event_open: a recorder's */
	CONFINE_PROCESSES = 1u << 3, /* setns and signals: its privileged process's */
};

struct confine {
	unsigned int allow; /* CONFINE_* */
	uint64_t capabilities; /* kept where they are there: 1ull << CAP_X */
	/* With CONFINE_FILES: the directories below which files may be written, NULL behind the last. None:
	 * all. */
	const char *writable[CONFINE_WRITABLE_MAX + 1];
};

/* What this kernel has. */
struct confine_support {
	bool seccomp;
	int landlock; /* version of its interface; 0 = not there, or off */
};

void confine_support(struct confine_support *ret);

/* 0 or -errno; what the kernel lacks is left out. */
int confine(const struct confine *confine);

/* The capabilities that this thread may use, 1ull << CAP_X. */
uint64_t confine_capabilities(void);

/* Whether @path and, in a directory, each file and directory in it can be read without any capability. */
bool confine_can_read(const char *path);
/* Whether @path, a file or a directory, can be written to so, or does not exist. */
bool confine_can_write(const char *path);

#endif /* SONDE_BASE_CONFINE_H */

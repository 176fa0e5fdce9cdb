/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * descriptors: which file, socket or pipe the descriptors of system calls are, from the calls that opened, copied
 * and closed them (analyse/fd_table), by task. analyse/derive asks.
 *
 * Names are paths as the program gave them, made absolute where its directory is known, and what readlink(2) of
 * /proc/PID/fd shows of others, without numbers ("socket", "pipe", "anon_inode:[eventfd]"). What was not seen, or is
 * uncertain, is not known: after a loss of events nothing is.
 */
#ifndef SONDE_ANALYSE_DESCRIPTORS_H
#define SONDE_ANALYSE_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/call_stats.h"
#include "analyse/fd_table.h"
#include "base/map.h"
#include "schema/derived.h"

struct event;
struct event_class;
struct trace_info;

enum descriptor_act {
	DESCRIPTOR_NONE, /* it uses descriptors at most */
	DESCRIPTOR_OPEN, /* returns one of a path */
	DESCRIPTOR_MAKE, /* returns one of a kind */
	DESCRIPTOR_DUP,
	DESCRIPTOR_DUP_TO, /* dup2, dup3 */
	DESCRIPTOR_FCNTL,
	DESCRIPTOR_IOCTL,
	DESCRIPTOR_CLOSE,
	DESCRIPTOR_CLOSE_RANGE,
	DESCRIPTOR_FORK, /* fork, vfork, clone, clone3 */
	DESCRIPTOR_UNSHARE,
	DESCRIPTOR_EXEC,
	DESCRIPTOR_EXIT,
	DESCRIPTOR_CHDIR,
	DESCRIPTOR_FCHDIR,
	DESCRIPTOR_URING, /* from now on the kernel may open and close without a call */
	DESCRIPTOR_OTHER, /* a call without a class of its own */
};

/* Where a class of events of calls has what: index of the field, -1 = none. Looked up once. */
struct descriptor_fields {
	bool any; /* the class is of a call */
	enum descriptor_act act;
	const struct descriptor_call *call;
	struct call_fields common;
	size_t fd_count;
	size_t fds[FACTS_FILES_MAX]; /* descriptors that the call is given */
	int dirfd, path, path_state, flags, arg;
	int64_t whole; /* path_state of a path that is all there */
};

struct descriptors {
	bool on; /* the trace has all that is needed */
	bool alone; /* tasks were chosen one by one: what threads share is not known */
	uint64_t now; /* time of the last event */
	const struct trace_gaps *gaps; /* borrowed: where events are lost */
	size_t gap_count; /* of these that are known here */
	int64_t gap_until_ns; /* the end of the last of them */
	bool missed; /* events were lost: a fork may have been, too */
	uint32_t forking; /* calls of that kind in progress */
	int64_t fork_numbers[2][4]; /* native, 32-bit; -1 = none */
	struct fd_account account;
	struct map tasks; /* struct descriptor_task by tid */
	struct map
		births; /* struct descriptor_birth by tid: children whose first event is still to come */
	struct file_name *shown[FACTS_FILES_MAX]; /* of the last event */
};

/* @files: whether DERIVED_FILE is asked for at all. */
void descriptors_init(struct descriptors *descriptors, const struct trace_info *info, bool files);
/* Its source has been opened again, or described anew. */
void descriptors_renew(struct descriptors *descriptors, const struct trace_info *info);
void descriptors_fini(struct descriptors *descriptors);
/* What is known in @from is known in @into as well. False: no memory. */
bool descriptors_copy(struct descriptors *into, const struct descriptors *from);
/* Whether events of @class are of calls. */
bool descriptor_fields_find(struct descriptor_fields *fields, const struct event_class *class);
/* Learns from @event, and fills in what its descriptors are. In the order of time. */
void descriptors_take(struct descriptors *descriptors, const struct descriptor_fields *fields,
		      const struct event *event, struct event_facts *facts);
/* Events are missing: nothing is known any more. */
void descriptors_forget(struct descriptors *descriptors);

#endif /* SONDE_ANALYSE_DESCRIPTORS_H */

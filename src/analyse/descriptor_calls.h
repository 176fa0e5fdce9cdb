/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * descriptor_calls: what system calls mean for descriptors: which calls open, copy and close them, where their events
 * have what, and what the file is called that a call opens. analyse/descriptors follows the calls.
 */
#ifndef SONDE_ANALYSE_DESCRIPTOR_CALLS_H
#define SONDE_ANALYSE_DESCRIPTOR_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/call_stats.h"
#include "analyse/fd_table.h"
#include "schema/derived.h"

struct event;
struct event_class;

/* Fits a byte. */
enum descriptor_act {
	DESCRIPTOR_NONE, /* it uses descriptors at most */
	DESCRIPTOR_OPEN, /* returns one of a path */
	DESCRIPTOR_MAKE, /* returns one of a kind */
	DESCRIPTOR_PAIR, /* makes two of a kind */
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

/* What a call does with descriptors. */
struct descriptor_call {
	const char *name;
	enum descriptor_act act;
	const char *made; /* DESCRIPTOR_MAKE, DESCRIPTOR_PAIR: what it is */
	const char *flags; /* name of the argument with the flags; NULL: none */
	uint64_t cloexec; /* that of them which closes it at an exec */
	bool always; /* it is closed at an exec in any case */
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

#define DESCRIPTOR_NOTE "sonde.descriptor"

/* Where notes of what was open at the start have what (wire/note.h, sonde.descriptor). */
struct descriptor_note {
	bool any; /* the class is of these notes */
	size_t table, place, fd, cloexec, path;
};

void descriptor_note_find(struct descriptor_note *note, const struct event_class *class);
/* What the note says that the descriptor is. NULL: its path is too long, or no memory. */
struct file_name *descriptor_noted(const struct descriptor_note *note, const struct event *event);
/* What the calls of a trace do, by table (native, 32-bit) and number: at most CALL_NUMBERS. */
struct syscalls;
void descriptor_acts_find(uint8_t acts[2][CALL_NUMBERS], const struct syscalls *calls);
/* Whether events of @class are of calls. */
bool descriptor_fields_find(struct descriptor_fields *fields, const struct event_class *class);
/* The number in @field; -1: there is no such field. */
int32_t descriptor_int(const struct event *event, int field);
/* The path of the call, absolute if @base is known (NULL: it is not). NULL: it is not all there, or too long. */
struct file_name *descriptor_path(const struct descriptor_fields *fields, const struct event *event,
				  const struct file_name *base);
/* What a call is to make (DESCRIPTOR_MAKE). NULL: not known. */
struct file_name *descriptor_made(const struct descriptor_fields *fields,
				  const struct event *event);
/* What an exec does with the descriptor that the call returns. @flags: NULL = not known. */
enum fd_exec descriptor_exec(const struct descriptor_call *call, const uint64_t *flags);

#endif /* SONDE_ANALYSE_DESCRIPTOR_CALLS_H */

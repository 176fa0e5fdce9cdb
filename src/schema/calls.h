/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls: what arguments each system call of Linux takes: one row for each call, from which the event class of
 * its entry is made ("sys.openat"), and by which the kernel half packs its arguments.
 *
 * Rows go by the name of the call, as in the kernel's headers; numbers differ between architectures
 * (schema/syscalls.h). A row's place is part of no format: traces describe their own classes.
 */
#ifndef SONDE_SCHEMA_CALLS_H
#define SONDE_SCHEMA_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_class;
struct call_values;

#define CALL_ARGS_MAX 6
#define CALLS_PREFIX "sys."
#define CALLS_ENTRY "sys.enter"
#define CALLS_EXIT "sys.exit"

/* What an argument is, and with that how wide. */
enum call_kind {
	CALL_KIND_INT,
	CALL_KIND_UINT,
	CALL_KIND_LONG,
	CALL_KIND_ULONG,
	CALL_KIND_SIZE, /* bytes */
	CALL_KIND_FD,
	CALL_KIND_DIRFD, /* or AT_FDCWD */
	CALL_KIND_MODE, /* permission bits */
	CALL_KIND_CONST, /* one of some values that have names */
	CALL_KIND_REQUEST, /* the same; unsigned */
	CALL_KIND_FLAGS, /* a set of bits that have names; int */
	CALL_KIND_FLAGS64, /* the same; unsigned long */
	CALL_KIND_POINTED, /* no argument: flags, the first 8 bytes of what the first argument points to */
	CALL_KIND_POINTER,
	CALL_KIND_PAIR, /* the same, to two descriptors that the call makes */
	CALL_KIND_PATH, /* pointer to the path of a file */
	CALL_KIND_STRING, /* pointer to another text */
	CALL_KIND_SOCKADDR, /* pointer to the address of a socket */
	CALL_KIND_TEXTS, /* pointer to a list of pointers to texts, behind which is NULL */
	CALL_KIND_COUNT,
};

struct call_arg {
	const char *name;
	enum call_kind kind;
	const struct call_values *values; /* schema/call_values.h; NULL = none has a name */
};

struct call {
	const char *name; /* "openat" */
	const char *
		class_name; /* "sys.openat"; of exit "sys._exit", since sys.exit is the end of any call */
	bool wide; /* 32-bit callers pass its arguments otherwise: the row is not theirs */
	size_t arg_count;
	const struct call_arg *args;
};

size_t calls_count(void);
const struct call *calls_get(size_t row);
/* The row of the call @name, as native or 32-bit callers have it; -1: it has none. */
int calls_find(const char *name, bool compat);

/* Whether events called @event ("sys.read") are of a call with an argument that is a descriptor. */
bool calls_takes_descriptor(const char *event);

/* Bytes that an argument takes in a record: 4 or 8. */
size_t call_arg_bytes(const struct call_arg *arg);
bool call_arg_is_signed(const struct call_arg *arg);

/*
 * Whether @class is of the entry of a call: sys.openat, or sys.enter, which has six arguments without names
 * (calls without a row here, and all calls in traces of earlier versions).
 */
bool calls_is_entry(const struct event_class *class);
bool calls_is_entry_name(const char *name);
/* Whether @pattern (base/glob.h) means events called @name: sys.enter is the entry of any call. */
bool calls_pattern_matches(const char *pattern, const char *name);

#endif /* SONDE_SCHEMA_CALLS_H */

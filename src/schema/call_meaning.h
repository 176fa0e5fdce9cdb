/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_meaning: what an argument of a system call means where its type alone does not say: the form in which it is
 * written, which may depend on the value of another argument of the same call (fcntl: arg by cmd). Used by
 * output/call_arg.
 *
 * Names of calls and arguments are those of schema/calls. An argument without a row here has one meaning, that of its
 * field.
 */
#ifndef SONDE_SCHEMA_CALL_MEANING_H
#define SONDE_SCHEMA_CALL_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_values;

enum call_form {
	CALL_FORM_PLAIN, /* as its field */
	CALL_FORM_ABSENT, /* the call does not have it */
	CALL_FORM_INT,
	CALL_FORM_UINT,
	CALL_FORM_LONG,
	CALL_FORM_ULONG,
	CALL_FORM_HEX,
	CALL_FORM_POINTER,
	CALL_FORM_VALUE, /* one of call_case.flags, or of the values */
	CALL_FORM_FLAGS, /* a set of them */
	CALL_FORM_OR_NUMBER, /* a set of them, and the bits of call_case.rest as a number */
	CALL_FORM_OR_OCTAL, /* the same in base 8 */
	CALL_FORM_SOCKET_TYPE, /* the same as OR_VALUE, without a value 0 in front of flags */
	CALL_FORM_MAP, /* as OR_VALUE, and a size of pages */
	CALL_FORM_OR_SHIFTED, /* the same, shifted: "21<<MAP_HUGE_SHIFT", call_case.shift */
	CALL_FORM_OR_VALUE, /* one of the values in the bits of call_case.rest, then call_case.flags */
	CALL_FORM_SIGNAL,
	CALL_FORM_CLONE, /* flags and, in the lowest byte, a signal */
	CALL_FORM_FUTEX, /* an operation and flags */
	CALL_FORM_FILE_TYPE, /* S_IFREG|0644 */
	CALL_FORM_DEVICE, /* makedev(0x1, 0x3) */
	CALL_FORM_IOCTL, /* the parts of a request without a name */
	CALL_FORM_IPC, /* a command, perhaps with IPC_64 */
	CALL_FORM_QUOTA, /* QCMD(Q_SYNC, USRQUOTA) */
	CALL_FORM_NETWORK, /* a value in network byte order: htons(ETH_P_ALL) */
	CALL_FORM_IO_PRIORITY, /* IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4) */
	CALL_FORM_FUTEX_COMPARE, /* what FUTEX_WAKE_OP does and compares */
	CALL_FORM_SHM_GET, /* flags, a size of pages, and permission bits */
	CALL_FORM_NUMBER, /* 32 bits with a sign; some have names */
	CALL_FORM_ERRNO,
};

/* The form if the argument that decides is between first and last. */
struct call_case {
	int64_t first, last;
	enum call_form form;
	const struct call_values *values, *flags;
	uint64_t rest;
	const char *shift;
	bool shows_zero; /* of a result: 0 has a name too */
};

struct call_meaning {
	const char *call;
	const char *arg;
	const char *by; /* the argument that decides; NULL: none, the first case holds */
	uint64_t mask; /* of that argument's bits */
	const struct call_case *cases; /* the first that fits; none: CALL_FORM_PLAIN */
	size_t count;
};

/* NULL: it has one meaning. */
const struct call_meaning *call_meaning_find(const char *call, const char *arg);
/* How many arguments have several. */
size_t call_meaning_count(void);
/* @value: of the argument that decides. Never NULL. */
const struct call_case *call_meaning_case(const struct call_meaning *meaning, uint64_t value);
/* What the call @call returns if it succeeds; NULL: a number. */
const struct call_meaning *call_meaning_result(const char *call);

#endif /* SONDE_SCHEMA_CALL_MEANING_H */

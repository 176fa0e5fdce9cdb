/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_kind: which of a source's classes of events are those that records are made of, and where their
 * fields are. Looked up once.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_KIND_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_KIND_H

#include <stddef.h>
#include <stdint.h>

struct trace_info;

#define MEAS_KIND_FIELDS 10u
#define MEAS_KIND_NONE (-1)

/* What a class must be called and have; a name that begins with '?' may be missing. */
struct meas_kind {
	const char *name;
	const char *fields[MEAS_KIND_FIELDS + 1]; /* NULL at the end */
};

/* Of one class. */
struct meas_kind_class {
	int kind; /* place in the table of kinds, or MEAS_KIND_NONE */
	int fields[MEAS_KIND_FIELDS]; /* -1: it is missing */
};

/* One for each class of @info; the caller frees it. NULL: no memory. */
struct meas_kind_class *meas_kinds_find(const struct trace_info *info,
					const struct meas_kind *kinds, size_t count);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_KIND_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracepoint_format: the kernel's own description of a tracepoint's record, as it stands in
 * tracefs, events/GROUP/EVENT/format.
 *
 * Only what the text says; what sonde makes of it is in tracepoint_class.h. Everything is checked:
 * a copy by these positions stays within FORMAT_BYTES_MAX.
 */
#ifndef SONDE_PROBE_TRACEPOINT_FORMAT_H
#define SONDE_PROBE_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;

#define FORMAT_TEXT_MAX (64u << 10)
#define FORMAT_FIELD_MAX 64
/* Common to all, and the first thing that a program may not read. */
#define FORMAT_COMMON_BYTES 8
#define FORMAT_BYTES_MAX 8192 /* PERF_MAX_TRACE_SIZE */

enum format_place {
	FORMAT_INSIDE,
	FORMAT_DATA_LOC, /* a word has length and place, from the start */
	FORMAT_REL_LOC, /* from behind the word (since 5.18) */
};

struct format_field {
	const char *type; /* "unsigned long", "void *", "char": without brackets */
	const char *name;
	const char *brackets; /* of an array: what they hold, "16" or ""; else NULL */
	enum format_place place;
	uint16_t offset;
	uint16_t size;
	bool is_signed;
};

struct tracepoint_format {
	uint32_t id; /* what perf_event_open calls it */
	size_t field_count; /* without those that all tracepoints have; they ascend */
	struct format_field fields[FORMAT_FIELD_MAX];
	const char *
		print; /* how the kernel prints it, behind "print fmt: "; "" where it does not say */
};

/*
 * Takes @text apart in place; the result points into it. -EBADMSG where it is not what a kernel
 * writes, -E2BIG where it has more fields or bytes than the limits above; the diag has the line.
 */
int tracepoint_format_parse(char *text, struct tracepoint_format *ret, struct diag *diag);

#endif /* SONDE_PROBE_TRACEPOINT_FORMAT_H */

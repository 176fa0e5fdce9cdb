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

#include "analyse/descriptor_calls.h"
#include "analyse/descriptor_tasks.h"
#include "schema/derived.h"

struct event;
struct trace_info;

struct descriptors {
	bool on; /* the trace has all that is needed */
	bool lists; /* tasks that were there at the start are listed: of others it is not known who shares what */
	bool alone; /* tasks were chosen one by one: what threads share is not known */
	uint64_t now; /* time of the last event */
	const struct trace_gaps *gaps; /* borrowed: where events are lost */
	size_t gap_count; /* of these that are known here */
	size_t gap_shortened; /* likewise */
	int64_t gap_until_ns; /* the end of the last of them */
	bool missed; /* events were lost: a fork may have been, too */
	uint8_t acts[2][CALL_NUMBERS]; /* enum descriptor_act of calls: native, 32-bit */
	struct descriptor_tasks tasks;
	struct file_name *shown[FACTS_FILES_MAX]; /* of the last event */
};

/* Of the trace of number @trace (trace_info_trace). @files: whether DERIVED_FILE is asked for at all. */
void descriptors_init(struct descriptors *descriptors, const struct trace_info *info,
		      uint32_t trace, bool files);
/* Its source has been opened again, or described anew. */
void descriptors_renew(struct descriptors *descriptors, const struct trace_info *info,
		       uint32_t trace);
void descriptors_fini(struct descriptors *descriptors);
/* What is known in @from is known in @into as well. False: no memory. */
bool descriptors_copy(struct descriptors *into, const struct descriptors *from);
/* Learns from @event, and fills in what its descriptors are. In the order of time. */
void descriptors_take(struct descriptors *descriptors, const struct descriptor_fields *fields,
		      const struct event *event, struct event_facts *facts);
/* Learns what was open at the start from a note. In the order of time. */
void descriptors_note(struct descriptors *descriptors, const struct descriptor_note *note,
		      const struct event *event);
/* Events are missing: nothing is known any more. */
void descriptors_forget(struct descriptors *descriptors);

#endif /* SONDE_ANALYSE_DESCRIPTORS_H */

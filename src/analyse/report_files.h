/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_files: what system calls did with files: how many, bytes read and written, time; and how many pages were looked for in
 * the page cache. Rows are of sys.exit and fs.read, by the file or by what --by names.
 *
 * A call that moves bytes from one file to another (sendfile, splice, copy_file_range) counts for its first descriptor, and its bytes
 * for both.
 */
#ifndef SONDE_ANALYSE_REPORT_FILES_H
#define SONDE_ANALYSE_REPORT_FILES_H

#include <stdint.h>

#include "analyse/report_events.h"
#include "base/map.h"

struct files_class; /* what a class of events means */
struct files_call; /* what a system call means */

/* In the order of report_measures. */
enum files_measure {
	FILES_OPENS,
	FILES_READ,
	FILES_WRITTEN,
	FILES_DUR,
	FILES_LOOKUPS,
	FILES_FILLS,
	FILES_MEASURES,
};

struct files_report {
	struct events_report rows; /* first */
	struct files_class *classes; /* by event_class.index */
	struct files_call *calls[2]; /* by number: native, 32-bit */
	struct map seconds; /* the second file of the calls in progress */
	struct tally texts; /* its keys are the names of these files */
	uint64_t all_calls, dur_ns; /* sums of what was counted */
	uint64_t bytes_read, bytes_written;
};

/* As of report_kind; the grouping measures as enum files_measure. -ENOENT: no file of a call can be known. */
int report_files_make(const struct analysis *analysis, const struct report_grouping *grouping,
		      struct report **ret, struct diag *diag);

#endif /* SONDE_ANALYSE_REPORT_FILES_H */

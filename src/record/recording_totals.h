/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_totals: what a recording has recorded, and what it has lost, by cause.
 */
#ifndef SONDE_RECORD_RECORDING_TOTALS_H
#define SONDE_RECORD_RECORDING_TOTALS_H

#include <stdint.h>

/* Network namespaces that something was not done in. */
struct recording_netns {
	unsigned int count;
	unsigned int all; /* that are known */
	int err; /* why, of the first; 0 = none */
};

struct recording_totals {
	uint64_t records;
	uint64_t bytes_written; /* to disk, or handed on without a directory */
	uint64_t plain_bytes; /* the same, were it not compressed */
	uint64_t stored; /* packets that were stored because compressing was too slow */
	uint64_t packets;
	uint64_t lost_full; /* a ring was full */
	uint64_t lost_nested; /* contexts nested too deep */
	uint64_t lost_recursion; /* a program hit while it ran on that CPU */
	uint64_t poll_missed; /* rounds of tcp.poll that were too late */
	uint64_t poll_incomplete; /* looks into a namespace that failed, and rounds that did */
	uint64_t rx_lost; /* rounds that servers of rx did not answer, and lists that are incomplete */
	uint64_t refused_bytes; /* could not be written to disk */
	uint64_t refused_events; /* in these */
	int err; /* what ended the recording early: -errno, or 0 */
	uint64_t stacks_failed; /* the kernel did not give them; their events are there */
	uint64_t pages_forgotten; /* dirty folios whose task had no room */
	uint64_t unwind_files; /* without a table to unwind by: no room (record/unwind_tables.h) */
	uint64_t unwind_processes; /* without one for all of their code, likewise */
	uint64_t unseen; /* records that passed the triggers unseen */
	unsigned int fill_percent;
	unsigned int poll_forbidden; /* network namespaces that tcp.poll may not enter */
	struct recording_netns
		poll_failed; /* and those that the worst of its rounds did not look into */
	struct recording_netns
		net_refused; /* and those without netfilter hooks, for whatever cause */
};

/* For whatever cause. */
uint64_t recording_totals_lost(const struct recording_totals *totals);

#endif /* SONDE_RECORD_RECORDING_TOTALS_H */

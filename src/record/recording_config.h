/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_config: what a recording is asked to do.
 */
#ifndef SONDE_RECORD_RECORDING_CONFIG_H
#define SONDE_RECORD_RECORDING_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct catalogue;
struct filter_config;
struct packet_sink;
struct rx_poll_config;
struct triggers;
struct warden;

struct recording_config {
	struct catalogue *catalogue;
	const bool *wanted; /* by class.index */
	const bool
		*later; /* the trace describes these from the start as well, should they be enabled;
			    * NULL = none */
	const char *path; /* directory to make; NULL = none */
	struct packet_sink *const *sinks; /* further receivers, borrowed; NULL after the last */
	uint64_t buffer_bytes; /* of one CPU's ring; 0 = as many as suit the number of CPUs */
	bool overwrite; /* flight recorder: write only at snapshots */
	gid_t group; /* may use the trace as the umask allows; 0 = as the file system has it */
	bool compress; /* packets, at this level of zstd's (trace/frame.h) */
	int level;
	uint64_t flush_ns; /* the longest that an event waits in memory; 0 = RECORDING_FLUSH_NS */
	bool detail;
	bool texts; /* what arguments of system calls point to */
	uint32_t sample_hz; /* of cpu.sample */
	uint32_t stack_frames; /* of each side of a stack, where measurements have stacks (probe/stacks.h) */
	double budget; /* of the machine's CPU time, 1.0 is all CPUs; 0 = no limit */
	const struct filter_config *filter;
	struct warden *warden; /* borrowed: does what takes privileges (probe/warden.h) */
	const uint32_t *pids; /* processes of filter->by_pid */
	size_t pid_count;
	struct triggers *triggers; /* NULL = none */
	const struct rx_poll_config *rx; /* servers to be asked, borrowed; NULL = none */
};

/* Of one CPU: at full rate 30 ms. On machines with many CPUs, all together 256 MiB. */
#define RECORDING_BUFFER_BYTES (16u << 20)
#define RECORDING_BUFFER_LEAST (4u << 20)
#define RECORDING_BUFFER_ALL (256u << 20)
/* What may be asked for. */
#define RECORDING_BUFFER_MIN (64u << 10)
#define RECORDING_BUFFER_MAX (64u << 20)

#endif /* SONDE_RECORD_RECORDING_CONFIG_H */

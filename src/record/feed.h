/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * feed: what this host does from now on, as a source of events: a recording whose trace is read
 * while it is written, and removed once it is read. For tools that write another format.
 *
 * The recorder runs in a thread of its own. Its trace is a directory beside the control sockets,
 * usually in memory; events come within SETTLED_WAIT_NS. One that was left behind by a process that
 * was killed is removed by the next.
 */
#ifndef SONDE_RECORD_FEED_H
#define SONDE_RECORD_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct event_source;
struct filter;

struct feed_config {
	const char *const *patterns; /* of measurements: those that are on from the start */
	size_t pattern_count;
	const char *const *later; /* what may be turned on while it runs, and is off until then */
	size_t later_count;
	const char *name; /* by which clients find it, as `sonde status` does; NULL = they cannot */
	bool detail;
	uint64_t duration_ns; /* 0 = until it is stopped, by a signal or by a client */
	uint64_t period_ns; /* of tcp.poll; 0 = the usual one */
	uint32_t sample_hz; /* of cpu.sample; 0 = the usual rate */
	uint64_t buffer_bytes; /* of one CPU's ring; 0 = the usual size */
	const struct filter *filter; /* NULL = everything but this process */
};

/*
 * Starts recording: when it returns, everything that happens is recorded. 0, or -errno with the
 * diag: -EPERM and -EACCES where this host does not permit it, -ENODEV where nothing of the patterns
 * can run here, -ENOENT where one means nothing.
 *
 * The source's `next` waits; -EAGAIN: nothing yet, ask again. SIGINT, SIGTERM and SIGHUP end the
 * recording, so they are blocked in the calling thread from here on: `next` gives what was recorded
 * until then, then 0. Closing the source ends it as well. Wanted measurements that cannot run are the first of
 * its problems, a failure of the recorder the last. Only one at a time.
 */
int feed_open(const struct feed_config *config, struct event_source **ret, struct diag *diag);

#endif /* SONDE_RECORD_FEED_H */

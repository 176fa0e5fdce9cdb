/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach_tracepoint: a program on one of the kernel's tracepoints as the kernel lays it out: a perf
 * event that counts nothing, and the program as a link on it (since 5.15).
 */
#ifndef SONDE_PROBE_ATTACH_TRACEPOINT_H
#define SONDE_PROBE_ATTACH_TRACEPOINT_H

struct tracepoint;

/* @watch_fd: a program that watches for what the other one misses (probe/watch.bpf.c), or -1.
 * Returns -errno of the kernel. */
int attach_tracepoint_open(int prog_fd, int watch_fd, const struct tracepoint *tp, void **ret);

/*
 * From the kernel's side closing is two waits of 30 to 60 ms: for the link until no program is
 * within it, which many may do at once; for the event until no CPU is in the tracepoint, one after
 * the other. So each closes in a thread of its own. When _end returns, the program is off; the event,
 * which calls nothing, goes in its own time, and the end of the process waits for it.
 */
void attach_tracepoint_close_begin(void *state);
void attach_tracepoint_close_end(void *state);

#endif /* SONDE_PROBE_ATTACH_TRACEPOINT_H */

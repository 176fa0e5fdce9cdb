/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_index: an index for a stream file that has none, as traces of others often do: made by reading the heads
 * of its packets, into a file without a name. Its entries are as session_file needs them.
 */
#ifndef SONDE_LIVE_SESSION_SESSION_INDEX_H
#define SONDE_LIVE_SESSION_SESSION_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct ctf_trace_class;
struct diag;

/*
 * Of stream @name in directory @dir, compressed or not. 0 with the file in *@ret, which is the caller's: it ends where
 * the end of a packet cannot be found, and the diag says where and why then, "" else. Or -errno; -ECANCELED:
 * *@stop, which another thread may set (atomic), was true before a packet.
 */
int session_index_make(int dir, const char *name, const struct ctf_trace_class *trace,
		       const bool *stop, int *ret, struct diag *diag);

/* Of a file that is one packet of @bytes, without times: 0 with the index in *@ret, which is the caller's, or -errno. */
int session_index_of_one(uint64_t bytes, int *ret);

#endif /* SONDE_LIVE_SESSION_SESSION_INDEX_H */

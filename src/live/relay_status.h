/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_status: how a relay is, as members of a JSON object (sonde-control(7)): where it listens, who is
 * connected, and which sessions there are.
 */
#ifndef SONDE_LIVE_RELAY_STATUS_H
#define SONDE_LIVE_RELAY_STATUS_H

#include <stddef.h>

struct buffer;
struct ingest;
struct relay;

/* Behind a member that is in @out. @ingest: NULL = it takes nothing in. As soon as @out has @most bytes, no
 * further session is told of, but how many are left out. */
void relay_status_write(struct relay *relay, const struct ingest *ingest, size_t most,
			struct buffer *out);

#endif /* SONDE_LIVE_RELAY_STATUS_H */

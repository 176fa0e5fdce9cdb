/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_status: the state of a relay, as members of a JSON object (sonde-control(7)): where it
 * listens, which clients are connected, and which sessions it has.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_STATUS_H
#define SONDE_LIVE_RELAY_RELAY_STATUS_H

#include <stddef.h>

struct ingest;
struct json_writer;
struct relay;

/* In the object that is open. @ingest: NULL = it takes nothing in. As soon as the answer has @most bytes, no
 * further session is listed, but the number of omitted ones. */
void relay_status_write(struct relay *relay, const struct ingest *ingest, size_t most,
			struct json_writer *json);

#endif /* SONDE_LIVE_RELAY_RELAY_STATUS_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_place: what all that is received shares: where it goes, and which streams there are, as a packet names
 * its stream whichever session that is of.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_PLACE_H
#define SONDE_LIVE_INGEST_INGEST_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "live/ingest/ingest_quota.h"
#include "live/session/relay_log.h"

struct file_pool;
struct rights;
struct session_list;

#define INGEST_SESSIONS 1024u

struct ingest_place {
	int output; /* directory; borrowed */
	struct file_pool *files; /* all that are written; borrowed; NULL: all stay open */
	struct session_list *list; /* where live sessions are shown; NULL = nowhere */
	const struct rights *rights; /* NULL: all may stream everything */
	struct relay_log log; /* what peers do */
	void (*warn)(void *ctx, const char *text); /* a sentence for the operator; may be NULL */
	void *ctx;
	bool group_by_session; /* how ingest_store names folders */
	bool disallow_clear; /* no chunk is removed */
	uint64_t last_session;
	uint64_t last_stream;
	unsigned int sessions; /* that are being received */
	unsigned int sessions_most;
	struct map streams; /* by handle: struct ingest_stream * */
	struct map marks; /* of the sessions' folders (store_mark.h), by inode */
	struct ingest_quota quota;
	int store_error; /* of the last that could not be stored, until something could */
	uint8_t *block; /* that data connections are read into (ingest_input) */
};

#endif /* SONDE_LIVE_INGEST_INGEST_PLACE_H */

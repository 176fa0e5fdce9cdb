/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_quota: how much all that is stored may take on disk. When it is more, the oldest goes: files of packets,
 * by when they were last written to; of each stream all but the first, so that readers see how many packets are
 * missing after it; and whole traces once nothing else is left of them and no client streams to them any more.
 *
 * Only files in folders that were stored here (ingest_store_mark) are removed. Files that are being written to
 * stay, and those that another process is storing.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_QUOTA_H
#define SONDE_LIVE_INGEST_INGEST_QUOTA_H

#include <stdint.h>

struct ingest_place;

#define INGEST_QUOTA_LEAST (1u << 20)

struct ingest_quota {
	uint64_t most; /* bytes; 0 = no limit, and nothing is counted */
	uint64_t stored; /* a bit too much, until it is counted again */
	uint64_t dropped_packets;
	uint64_t dropped_bytes;
	void (*log)(void *ctx, const char *text); /* may be NULL */
	void *ctx;
};

/* How long files of streams get, so that the quota has files to drop; 0 = no limit. */
uint64_t ingest_quota_file_bytes(const struct ingest_quota *quota);
/* Counts what is there, and makes it fit. 0 or -errno. */
int ingest_quota_count(struct ingest_place *place);
/* @bytes more are about to be written: -EDQUOT: they do not fit, whatever goes. */
int ingest_quota_take(struct ingest_place *place, uint64_t bytes);

#endif /* SONDE_LIVE_INGEST_INGEST_QUOTA_H */

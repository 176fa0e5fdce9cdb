/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_quota: how much all that is stored may take on disk. When it is more, the oldest goes: files of packets,
 * by when they were last written to; of each stream all but the first, so that readers see how many packets are
 * missing after it; and whole traces once nothing else is left of them and no client streams to them any more.
 *
 * Only files in folders that were stored here (ingest_store) are removed. Files that are being written to
 * stay, and those that another process is storing.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_QUOTA_H
#define SONDE_LIVE_INGEST_INGEST_QUOTA_H

#include <stdint.h>

struct file_pool;
struct ingest_quota;
struct map;

#define INGEST_QUOTA_LEAST (1u << 20)

/* What receives streams, as the quota needs it. */
struct ingest_quota_owner {
	/* Adds the inodes (uint64_t) of all files that are being written to. 0 or -ENOMEM. */
	int (*add_inodes)(void *ctx, struct map *inodes);
	/* Streams leave the files that they are in, so that these can go. 0 or -errno. */
	int (*cut)(void *ctx);
	/* Files went from the disk: viewers see no more of them. */
	void (*hide_gone)(void *ctx);
	void (*log)(void *ctx, const char *text); /* a sentence for the operator */
	void *ctx;
};

struct ingest_quota_config {
	uint64_t most; /* bytes; 0 = no limit, and nothing is counted */
	int output; /* directory; borrowed, as: */
	struct file_pool
		*files; /* is told of removed files, which others may still use; may be NULL */
	struct ingest_quota_owner owner;
};

struct ingest_quota_totals {
	uint64_t most; /* bytes; 0 = no limit */
	uint64_t stored; /* a bit too much, until it is counted again */
	uint64_t dropped_packets;
	uint64_t dropped_bytes;
};

/* 0 or -ENOMEM. The calls after it take NULL for a quota without a limit. */
int ingest_quota_new(const struct ingest_quota_config *config, struct ingest_quota **ret);
void ingest_quota_free(struct ingest_quota *quota);

/* How long files of streams get, so that the quota has files to drop; 0 = no limit. */
uint64_t ingest_quota_file_bytes(const struct ingest_quota *quota);
/* This process stores to the folder whose mark (ingest_store) has @inode. 0 or -ENOMEM. */
int ingest_quota_own(struct ingest_quota *quota, uint64_t inode);
void ingest_quota_disown(struct ingest_quota *quota, uint64_t inode);
/* Counts what is there, and makes it fit. 0 or -errno. */
int ingest_quota_count(struct ingest_quota *quota);
/* @bytes more are about to be written: -EDQUOT: they do not fit, whatever goes. */
int ingest_quota_take(struct ingest_quota *quota, uint64_t bytes);
struct ingest_quota_totals ingest_quota_totals(const struct ingest_quota *quota);

#endif /* SONDE_LIVE_INGEST_INGEST_QUOTA_H */

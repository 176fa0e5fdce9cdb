/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * index_walk: the entries of an index file, one after the other, in little memory whatever its size.
 * Who looks for the next of many packets keeps it, so that all the looking is one walk.
 */
#ifndef SONDE_TRACE_INDEX_WALK_H
#define SONDE_TRACE_INDEX_WALK_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The last entry of an index file, which shows how far its stream goes, and the first, without
 * reading the others.
 */

struct index_packet;

/* Of the open index @fd of @len bytes. 0, -ENODATA without a whole entry, or -errno. */
int index_last(int fd, off_t len, struct index_packet *ret);
int index_first(int fd, off_t len, struct index_packet *ret);

struct index_walk;

/* An index of more is not walked through: room for some million packets. */
#define INDEX_WALK_MAX_BYTES (256u << 20)

/* Through the open index @fd, which it closes. NULL: not an index, or too large, or no memory. */
struct index_walk *index_walk_new(int fd);
/* It has frames too: it is the index of a compressed stream file. */
bool index_walk_has_frames(const struct index_walk *walk);
/* 1 = the next entry; 0 = no more; -EBADMSG = the next is not valid, and is skipped. */
int index_walk_next(struct index_walk *walk, struct index_packet *ret);
void index_walk_rewind(struct index_walk *walk);
void index_walk_free(struct index_walk *walk);

#endif /* SONDE_TRACE_INDEX_WALK_H */

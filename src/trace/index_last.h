/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * index_last: the last entry of an index file, which shows how far its stream goes, and the first, without
 * reading the others.
 */
#ifndef SONDE_TRACE_INDEX_LAST_H
#define SONDE_TRACE_INDEX_LAST_H

#include <sys/types.h>

struct index_packet;

/* Of the open index @fd of @len bytes. 0, -ENODATA without a whole entry, or -errno. */
int index_last(int fd, off_t len, struct index_packet *ret);
int index_first(int fd, off_t len, struct index_packet *ret);

#endif /* SONDE_TRACE_INDEX_LAST_H */

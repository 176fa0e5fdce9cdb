/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer: a trace directory while it is being recorded: metadata first, then packets, each to
 * the stream of its CPU and level. Readable at any moment, whatever ends the recording.
 */
#ifndef SONDE_TRACE_WRITER_H
#define SONDE_TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct writer;

/*
 * Makes the directory @path (its parent must be there; -EEXIST where it is and is not empty) and
 * writes the metadata. @cpus: possible ones.
 */
int writer_create(const char *path, const void *metadata, size_t len, uint32_t cpus,
		  struct writer **ret, struct diag *diag);

/* Puts longer metadata in the place of what there was, which it begins with. A reader finds one or
 * the other, whole. 0 or -errno; after an error the old one is still there. */
int writer_metadata(struct writer *w, const void *metadata, size_t len);

/* Appends a packet that starts with a struct packet_head to the stream that it names. Has the
 * form of a ring_sink. After an error every later call returns that same error. */
int writer_packet(void *writer, const void *packet, size_t len, bool late);

/* Bytes on disk, metadata and indexes left out. */
uint64_t writer_bytes(const struct writer *w);
/* Bytes of packets that came after the first error. */
uint64_t writer_refused(const struct writer *w);

/* Always frees @w (NULL is fine); returns the first error ever seen. */
int writer_close(struct writer *w);

#endif /* SONDE_TRACE_WRITER_H */

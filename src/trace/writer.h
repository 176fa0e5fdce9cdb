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
#include <sys/types.h>

struct diag;
struct packet_sink;
struct writer;

struct writer_config {
	const void *metadata;
	size_t metadata_len;
	uint32_t cpus; /* possible ones */
	gid_t group; /* may use it as the umask allows; 0 = as the file system has it */
	bool compress; /* each packet is a zstd frame, and the next three count */
	int level; /* FRAME_LEVEL_MIN to FRAME_LEVEL_MAX (trace/frame.h) */
	size_t queue_bytes; /* packets that threads are still to compress, a power of two; 0 = no
			     * thread: writer_packet compresses */
	bool patient; /* rather let writer_packet wait than store packets without compression */
};

/* What others did to the trace while it was written. */
enum writer_place {
	WRITER_IN_PLACE,
	WRITER_MOVED, /* the directory has another name */
	WRITER_UNLINKED, /* files in it were removed or renamed */
	WRITER_REMOVED, /* the directory was */
};

struct writer_totals {
	uint64_t bytes; /* on disk, metadata and indexes left out */
	uint64_t plain_bytes; /* the same, were it not compressed */
	uint64_t stored; /* packets that were to be compressed and are not */
	uint64_t refused; /* bytes of packets that came after the first error */
	uint64_t refused_events; /* in these */
};

/* What the disk has of one stream, and what it did not take, from the first error on. */
struct writer_stream {
	uint64_t packets; /* written */
	uint64_t last_packet; /* sequence number of the last of these */
	uint64_t refused_events;
};

/*
 * Makes the directory @path (its parent must be there; -EEXIST where it is and is not empty) and
 * writes the metadata.
 */
int writer_create(const char *path, const struct writer_config *config, struct writer **ret,
		  struct diag *diag);

/* Puts longer metadata in the place of the old text, which it begins with. A reader finds one or
 * the other, whole. 0 or -errno; after an error the old one is still there. */
int writer_metadata(struct writer *w, const void *metadata, size_t len);

/* Appends a packet that starts with a struct packet_head to the stream that it names. Has the
 * form of a ring_sink. After an error every later call returns that same error. */
int writer_packet(void *writer, const void *packet, size_t len, bool late);

/* The same as a packet_sink, borrowed from @w. */
struct packet_sink *writer_sink(struct writer *w);

/* What was given to it is in the files. 0 or the first error. */
int writer_flush(struct writer *w);
/* @where: the directory's name by now, or that of one of the files; "" if it has none. */
enum writer_place writer_place(const struct writer *w, char *where, size_t room);
/*
 * The last packet of the recorder's stream, with the end mark. It is written after an error too, to the
 * blocks kept for it (stream_file_reserve). 0 or -errno of this packet.
 */
int writer_end(struct writer *w, const void *packet, size_t len);
/* Of stream @cpu, @level; of the recorder's own for a @cpu beyond the last. Exact after writer_flush. */
struct writer_stream writer_stream(struct writer *w, uint32_t cpu, uint32_t level);
void writer_totals(struct writer *w, struct writer_totals *ret);

/* Always frees @w (NULL is fine); returns the first error ever seen. */
int writer_close(struct writer *w);

#endif /* SONDE_TRACE_WRITER_H */

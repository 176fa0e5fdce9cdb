/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_file: one stream of a trace on disk, a data file and its LTTng index.
 *
 * The recorder appends finished packets; a reader may follow while it does. So an index entry is
 * written only after its packet is complete, and readers skip a torn last entry.
 */
#ifndef SONDE_TRACE_STREAM_FILE_H
#define SONDE_TRACE_STREAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iovec;
struct packet_head;
struct stream_file;

/*
 * Creates NAME in @data_dir and NAME.idx in @index_dir; -EEXIST if either file is there. On
 * success the caller owns *@ret; on failure it is untouched and no file is left behind.
 */
int stream_file_create(int data_dir, int index_dir, const char *name, struct stream_file **ret);
/* The same of a compressed one, NAME.zst and NAME.zst.idx: only frames go into it. */
int stream_file_create_frames(int data_dir, int index_dir, const char *name,
			      struct stream_file **ret);

/*
 * Appends a packet that starts with a struct packet_head (wire/record.h); borrowed for the call.
 * Where it says that it is longer than @len, the rest is padding, and a hole in the file. A packet that does not fit on the disk is taken back, so that the file ends with a whole one.
 * After an error every later call returns that same error.
 *
 * @late: packets come faster than they are written. Where this one, its length and its place are
 * multiples of a page, it may go past the page cache (O_DIRECT), if that was faster lately.
 */
int stream_file_append(struct stream_file *sf, const void *packet, size_t len, bool late);

/* The same for a packet with another head: @head has its data for the index. */
int stream_file_write(struct stream_file *sf, const struct packet_head *head, const void *packet,
		      size_t len, bool late);

/*
 * Appends a packet in its frame (trace/frame.h), which is in @count pieces. @head has the data
 * for the index; its packet_bits are the size of the frame's content. Errors as above.
 */
int stream_file_append_frame(struct stream_file *sf, const struct iovec *parts, int count,
			     const struct packet_head *head);

/*
 * Keeps @bytes of the disk behind the last packet, and room for its index entry, for one last packet once
 * the disk is full. A packet that would need them gets -ENOSPC. Best effort: some file systems cannot.
 * 0, or -errno, which the stream does not remember.
 */
int stream_file_reserve(struct stream_file *sf, uint64_t bytes);
/* The next packet may use them, and is tried even where the disk was full before. */
void stream_file_release(struct stream_file *sf);

/* How many packets are in it, and the sequence number of the last one, untouched if it has none. */
uint64_t stream_file_packets(const struct stream_file *sf, uint64_t *last);
/* Whether the files are still where they were made, in @data_dir, under their names. */
bool stream_file_is_there(const struct stream_file *sf, int data_dir);
const char *stream_file_name(const struct stream_file *sf);
/* Bytes of whole packets, or of their frames, so far. */
uint64_t stream_file_bytes(const struct stream_file *sf);

/* Always frees @sf (NULL is fine); returns the first error ever seen on it. */
int stream_file_close(struct stream_file *sf);

#endif /* SONDE_TRACE_STREAM_FILE_H */

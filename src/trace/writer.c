// SPDX-License-Identifier: BSD-2-Clause
#include "trace/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "trace/compressor.h"
#include "trace/directory.h"
#include "trace/frame.h"
#include "trace/packet_sink.h"
#include "trace/stream_file.h"
#include "wire/record.h"

/*
 * How many events a packet in memory holds, by the metadata that describes them. For
 * packets that could not be written: the writer counts their events as lost.
 */

#define BATCH_EVENTS 512u

/* Events up to the first that cannot be decoded; 0 if memory is missing. */
static uint64_t packet_count(const struct ctf_trace_class *trace, const void *packet, size_t len)
{
	struct event_batch batch = {
		.events = calloc(BATCH_EVENTS, sizeof(struct event)),
		.room = BATCH_EVENTS,
		.offsets = calloc(CTF_OFFSETS_MAX, sizeof(uint32_t)),
		.offset_room = CTF_OFFSETS_MAX,
	};
	struct decoder decoder;
	uint64_t count = 0;
	int more = 0;

	decoder_init(&decoder, trace);
	if (batch.events && batch.offsets)
		more = !decoder_open(&decoder, packet, len, len, NULL);
	while (more == 1) {
		batch.count = batch.offset_count = 0;
		batch.full = false;
		more = decoder_run(&decoder, INT64_MAX, &batch, NULL);
		count += batch.count;
		if (!batch.count)
			break;
	}
	free(batch.events);
	free(batch.offsets);
	return count;
}

/* Of threads that compress. One does so faster than four CPUs record, most of the time. */
#define CPUS_PER_LANE 4u
#define LANES_MAX 8u

/* Kept for the last packet: a sonde.stream for each stream, and notes that the error found unwritten. */
#define RESERVE_BYTES (32u << 10)
#define RESERVE_STREAM_BYTES 64u

struct writer {
	struct packet_sink sink; /* first */
	char *path;
	struct directory dir;
	uint32_t cpus;
	struct compressor *compressor; /* NULL: packets are written as they are */
	struct stream_file **streams; /* [cpus * RING_LEVELS + 1]: made at their first packet */
	uint64_t bytes;
	uint64_t refused;
	int err; /* first failure, sticky */
	pthread_mutex_t lock; /* of what follows: threads of the compressor count too */
	uint64_t *refused_events; /* as `streams` */
	struct ctf_trace_class
		*trace; /* to count by; NULL until it is needed, or new metadata comes */
};

static size_t stream_index(const struct writer *w, uint32_t cpu, uint32_t level)
{
	size_t recorder = (size_t)w->cpus * RING_LEVELS;

	return cpu < w->cpus ? (size_t)cpu * RING_LEVELS + level : recorder;
}

static size_t packet_stream(const struct writer *w, const struct packet_head *head)
{
	bool kernel = head->stream_id == STREAM_CLASS_KERNEL;

	return stream_index(w, kernel ? head->cpu : w->cpus, head->level);
}

/* The trace's own file describes every packet that was made so far. */
static void load_trace(struct writer *w)
{
	char *text = NULL;
	size_t len;

	if (w->trace || file_load(w->dir.fd, "metadata", SIZE_MAX, &text, &len))
		return;
	(void)metadata_read(text, len, &w->trace, NULL);
	free(text);
}

/* Counts what a packet would have added to its stream. */
static void refuse(void *writer, const void *packet, size_t len)
{
	struct writer *w = writer;
	struct packet_head head;

	memcpy(&head, packet, sizeof(head));
	pthread_mutex_lock(&w->lock);
	load_trace(w);
	if (w->trace)
		w->refused_events[packet_stream(w, &head)] += packet_count(w->trace, packet, len);
	pthread_mutex_unlock(&w->lock);
}

int writer_metadata(struct writer *w, const void *metadata, size_t len)
{
	pthread_mutex_lock(&w->lock);
	ctf_trace_class_free(w->trace);
	w->trace = NULL;
	pthread_mutex_unlock(&w->lock);
	return directory_metadata(&w->dir, metadata, len);
}

static int sink_metadata(struct packet_sink *sink, const void *metadata, size_t len)
{
	return writer_metadata((struct writer *)sink, metadata, len);
}

static int sink_packet(struct packet_sink *sink, const void *packet, size_t len, bool late)
{
	return writer_packet(sink, packet, len, late);
}

static int sink_end(struct packet_sink *sink, const void *packet, size_t len)
{
	return writer_end((struct writer *)sink, packet, len);
}

static int sink_flush(struct packet_sink *sink)
{
	return writer_flush((struct writer *)sink);
}

static const struct packet_sink_ops sink_ops = {
	.metadata = sink_metadata,
	.packet = sink_packet,
	.end = sink_end,
	.flush = sink_flush,
};

static int open_compressor(struct writer *w, const struct writer_config *config, struct diag *diag)
{
	uint32_t lanes = (config->cpus + CPUS_PER_LANE - 1) / CPUS_PER_LANE;
	struct compressor_config how = {
		.level = config->level,
		.lanes = lanes < LANES_MAX ? lanes : LANES_MAX,
		.queue_bytes = config->queue_bytes,
		.patient = config->patient,
		.refused = refuse,
		.ctx = w,
	};
	int err;

	if (!config->compress)
		return 0;
	if (!config->queue_bytes)
		how.lanes = 0;
	err = compressor_new(&how, &w->compressor);
	return err ? diag_set(diag, err, "packets cannot be compressed: %s", strerror(-err)) : 0;
}

int writer_create(const char *path, const struct writer_config *config, struct writer **ret,
		  struct diag *diag)
{
	const size_t streams = (size_t)config->cpus * RING_LEVELS + 1;
	struct writer *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	if (!w)
		return -ENOMEM;
	*w = (struct writer){.sink = {&sink_ops}, .dir = {-1, -1, false}, .cpus = config->cpus};
	pthread_mutex_init(&w->lock, NULL);
	w->path = strdup(path);
	w->streams = calloc(streams, sizeof(struct stream_file *));
	w->refused_events = calloc(streams, sizeof(*w->refused_events));
	if (!w->path || !w->streams || !w->refused_events)
		goto fail;
	err = directory_create(&w->dir, path, config->group, diag);
	if (err)
		goto fail;
	err = open_compressor(w, config, diag);
	if (err)
		goto fail;
	err = writer_metadata(w, config->metadata, config->metadata_len);
	if (err) {
		diag_set(diag, err, "%s/metadata: %s", path, strerror(-err));
		goto fail;
	}
	*ret = w;
	return 0;

fail:
	writer_close(w);
	return err;
}

static int stream_get(struct writer *w, const struct packet_head *head, struct stream_file **ret)
{
	bool kernel = head->stream_id == STREAM_CLASS_KERNEL;
	size_t i = packet_stream(w, head);
	char name[PACKET_STREAM_NAME_BYTES];
	int err = 0;

	if (kernel && (head->cpu >= w->cpus || head->level >= RING_LEVELS))
		return -EINVAL;
	*ret = w->streams[i];
	if (*ret)
		return 0;
	packet_stream_name(head, name);
	err = w->compressor ?
		      stream_file_create_frames(w->dir.fd, w->dir.index_fd, name, &w->streams[i]) :
		      stream_file_create(w->dir.fd, w->dir.index_fd, name, &w->streams[i]);
	*ret = w->streams[i];
	if (!err && !kernel)
		err = stream_file_reserve(*ret, RESERVE_BYTES + i * RESERVE_STREAM_BYTES);
	return err;
}

int writer_packet(void *writer, const void *packet, size_t len, bool late)
{
	struct writer *w = writer;
	struct stream_file *sf;
	struct packet_head head;

	if (!w->err) {
		memcpy(&head, packet, sizeof(head));
		w->err = stream_get(w, &head, &sf);
	}
	if (w->err) {
		w->refused += len - sizeof(head);
		refuse(w, packet, len);
		return w->err;
	}
	if (w->compressor) /* which keeps the account of what it was given */
		return w->err = compressor_push(w->compressor, head.cpu, sf, packet, len);
	w->err = stream_file_append(sf, packet, len, late);
	if (w->err) {
		w->refused += len - sizeof(head);
		refuse(w, packet, len);
	} else {
		w->bytes += len;
	}
	return w->err;
}

int writer_end(struct writer *w, const void *packet, size_t len)
{
	struct packet_head head;
	struct stream_file *sf;
	struct frame_parts parts;
	int err;

	(void)writer_flush(w); /* its error is kept; the lanes are idle now */
	memcpy(&head, packet, sizeof(head));
	err = stream_get(w, &head, &sf);
	if (err)
		return err;
	stream_file_release(sf);
	if (!w->compressor) {
		err = stream_file_append(sf, packet, len, false);
	} else {
		err = frame_store(packet, len, &parts);
		err = err ?: stream_file_append_frame(sf, parts.parts, parts.count, &head);
	}
	if (!err)
		w->bytes += len;
	return err;
}

struct writer_stream writer_stream(struct writer *w, uint32_t cpu, uint32_t level)
{
	size_t i = stream_index(w, cpu, level);
	struct writer_stream ret = {0};

	if (w->streams[i])
		ret.packets = stream_file_packets(w->streams[i], &ret.last_packet);
	pthread_mutex_lock(&w->lock);
	ret.refused_events = w->refused_events[i];
	pthread_mutex_unlock(&w->lock);
	return ret;
}

int writer_flush(struct writer *w)
{
	int err = w->compressor ? compressor_flush(w->compressor) : 0;

	w->err = w->err ?: err;
	return w->err;
}

/* As the kernel knows it; "" if it does not tell. */
static void find_directory(const struct writer *w, char *where, size_t room)
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->dir.fd);
	len = readlink(link, where, room - 1);
	where[len > 0 ? len : 0] = 0;
}

enum writer_place writer_place(const struct writer *w, char *where, size_t room)
{
	struct stat open, named;

	*where = 0;
	if (fstat(w->dir.fd, &open) || !open.st_nlink)
		return WRITER_REMOVED;
	if (faccessat(w->dir.fd, "metadata", F_OK, 0)) {
		snprintf(where, room, "metadata");
		return WRITER_UNLINKED;
	}
	for (size_t i = 0; i <= (size_t)w->cpus * RING_LEVELS; i++) {
		if (!w->streams[i] || stream_file_is_there(w->streams[i], w->dir.fd))
			continue;
		snprintf(where, room, "%s", stream_file_name(w->streams[i]));
		return WRITER_UNLINKED;
	}
	if (!stat(w->path, &named) && named.st_ino == open.st_ino && named.st_dev == open.st_dev)
		return WRITER_IN_PLACE;
	find_directory(w, where, room);
	return WRITER_MOVED;
}

struct packet_sink *writer_sink(struct writer *w)
{
	return &w->sink;
}

void writer_totals(struct writer *w, struct writer_totals *ret)
{
	struct compressor_totals compressed = {0};
	uint64_t events = 0;

	if (w->compressor)
		compressor_totals(w->compressor, &compressed);
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i <= (size_t)w->cpus * RING_LEVELS; i++)
		events += w->refused_events[i];
	pthread_mutex_unlock(&w->lock);
	*ret = (struct writer_totals){
		.refused_events = events,
		.bytes = w->bytes + compressed.frame_bytes,
		.plain_bytes = w->bytes + compressed.plain_bytes,
		.stored = compressed.stored,
		.refused = w->refused + compressed.refused,
	};
}

int writer_close(struct writer *w)
{
	int err;

	if (!w)
		return 0;
	err = writer_flush(w);
	compressor_free(w->compressor);
	for (size_t i = 0; w->streams && i <= (size_t)w->cpus * RING_LEVELS; i++) {
		int stream_err = stream_file_close(w->streams[i]);

		err = err ?: stream_err;
	}
	directory_close(&w->dir);
	ctf_trace_class_free(w->trace);
	pthread_mutex_destroy(&w->lock);
	free(w->path);
	free(w->refused_events);
	free(w->streams);
	free(w);
	return err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "trace/writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "trace/compressor.h"
#include "trace/directory.h"
#include "trace/packet_sink.h"
#include "trace/stream_file.h"
#include "wire/record.h"

/* Of threads that compress. One does so faster than four CPUs record, most of the time. */
#define CPUS_PER_LANE 4u
#define LANES_MAX 8u

struct writer {
	struct packet_sink sink; /* first */
	struct directory dir;
	uint32_t cpus;
	struct compressor *compressor; /* NULL: packets are written as they are */
	struct stream_file **streams; /* [cpus * RING_LEVELS + 1]: made at their first packet */
	uint64_t bytes;
	uint64_t refused;
	int err; /* first failure, sticky */
};

int writer_metadata(struct writer *w, const void *metadata, size_t len)
{
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

static int sink_flush(struct packet_sink *sink)
{
	return writer_flush((struct writer *)sink);
}

static const struct packet_sink_ops sink_ops = {
	.metadata = sink_metadata,
	.packet = sink_packet,
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
	w->streams = calloc(streams, sizeof(struct stream_file *));
	if (!w->streams)
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
	size_t i = (size_t)w->cpus * RING_LEVELS;
	char name[PACKET_STREAM_NAME_BYTES];
	int err = 0;

	if (head->stream_id == STREAM_CLASS_KERNEL) {
		if (head->cpu >= w->cpus || head->level >= RING_LEVELS)
			return -EINVAL;
		i = (size_t)head->cpu * RING_LEVELS + head->level;
	}
	packet_stream_name(head, name);
	if (!w->streams[i] && w->compressor)
		err = stream_file_create_frames(w->dir.fd, w->dir.index_fd, name, &w->streams[i]);
	else if (!w->streams[i])
		err = stream_file_create(w->dir.fd, w->dir.index_fd, name, &w->streams[i]);
	*ret = w->streams[i];
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
		return w->err;
	}
	if (w->compressor) /* which keeps the account of what it was given */
		return w->err = compressor_push(w->compressor, head.cpu, sf, packet, len);
	w->err = stream_file_append(sf, packet, len, late);
	if (w->err)
		w->refused += len - sizeof(head);
	else
		w->bytes += len;
	return w->err;
}

int writer_flush(struct writer *w)
{
	if (w->compressor)
		w->err = w->err ?: compressor_flush(w->compressor);
	return w->err;
}

struct packet_sink *writer_sink(struct writer *w)
{
	return &w->sink;
}

void writer_totals(const struct writer *w, struct writer_totals *ret)
{
	struct compressor_totals compressed = {0};

	if (w->compressor)
		compressor_totals(w->compressor, &compressed);
	*ret = (struct writer_totals){
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
	free(w->streams);
	free(w);
	return err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_packets.h"

#include <errno.h>
#include <string.h>

#include "live/ingest/ingest_place.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_stream.h"
#include "live/proto/ingest_message.h"

static struct ingest_stream *find_stream(const struct ingest_packets *packets, uint64_t handle)
{
	struct ingest_stream **found = map_get(&packets->place->streams, &handle);

	return found ? *found : NULL;
}

/* All of a packet is there. */
static int end_packet(struct ingest_packets *packets, const struct ingest_stream *stream)
{
	struct ingest_session *session = stream->session;

	relay_log_say(&packets->place->log, RELAY_LOG_PACKETS,
		      "session %llu: stream %llu, packet %llu: %u bytes",
		      (unsigned long long)session->id, (unsigned long long)stream->handle,
		      (unsigned long long)stream->pending.next_data - 1,
		      stream->got + stream->padding);
	packets->stream = 0;
	packets->place->store_error = 0;
	session->packets++;
	session->bytes += (uint64_t)stream->got + stream->padding;
	return ingest_session_settle(session);
}

/* Its head is complete. */
static int begin_packet(struct ingest_packets *packets)
{
	struct ingest_stream *stream;
	struct ingest_data data;
	int err;

	packets->head_len = 0;
	err = ingest_data_unpack(packets->head, &data);
	if (err)
		return err;
	stream = find_stream(packets, data.stream);
	if (!stream)
		return -EPROTO;
	if (strcmp(stream->session->peer, packets->peer) != 0)
		return -EPERM; /* only the peer that has made the session sends its data */
	err = ingest_stream_data(stream, &data);
	if (!err && data.len)
		packets->stream = data.stream;
	return err ?: data.len ? err : end_packet(packets, stream);
}

/* How much of it was of the head, or -errno. */
static ssize_t take_head(struct ingest_packets *packets, const uint8_t *bytes, size_t len)
{
	size_t missing = sizeof(packets->head) - packets->head_len;
	int err = 0;

	len = len < missing ? len : missing;
	memcpy(packets->head + packets->head_len, bytes, len);
	packets->head_len += len;
	if (packets->head_len == sizeof(packets->head))
		err = begin_packet(packets);
	return err ?: (ssize_t)len;
}

/* How much of it was of the packet, or -errno. */
static ssize_t take_packet(struct ingest_packets *packets, const uint8_t *bytes, size_t len)
{
	struct ingest_stream *stream = find_stream(packets, packets->stream);
	int err;

	if (!stream || !stream->receiving)
		return -EPROTO;
	len = len < stream->left ? len : stream->left;
	err = ingest_stream_bytes(stream, bytes, len);
	if (!err && !stream->receiving)
		err = end_packet(packets, stream);
	return err ?: (ssize_t)len;
}

static size_t missing(const struct ingest_packets *packets)
{
	const struct ingest_stream *stream =
		packets->stream ? find_stream(packets, packets->stream) : NULL;

	if (stream)
		return stream->left;
	return packets->head_len ? sizeof(packets->head) - packets->head_len : 0;
}

ssize_t ingest_packets_take(struct ingest_packets *packets, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t took = packets->stream ? take_packet(packets, bytes, len) :
						 take_head(packets, bytes, len);

		if (took < 0)
			return took;
		bytes += took;
		len -= (size_t)took;
	}
	return (ssize_t)missing(packets);
}

void ingest_packets_end(struct ingest_packets *packets)
{
	struct ingest_stream *stream = packets->stream ? find_stream(packets, packets->stream) :
							 NULL;

	if (stream)
		ingest_stream_abort(stream);
	packets->stream = 0;
}

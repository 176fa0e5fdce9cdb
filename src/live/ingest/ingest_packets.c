// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_packets.h"

#include <errno.h>
#include <string.h>

#include "live/ingest/ingest_session.h"

/* Its head is complete. */
static int begin_packet(struct ingest_packets *packets)
{
	struct ingest_data *packet = &packets->packet;
	int got;

	packets->head_len = 0;
	got = ingest_data_unpack(packets->head, packet) ?:
		      ingest_session_data(packets->place, packets->peer, packet);
	if (got >= 0)
		packets->left = packet->len;
	return got < 0 ? got : 0;
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
	int got;

	len = len < packets->left ? len : packets->left;
	got = ingest_session_bytes(packets->place, &packets->packet, bytes, len);
	packets->left -= (uint32_t)len;
	return got < 0 ? got : (ssize_t)len;
}

ssize_t ingest_packets_take(struct ingest_packets *packets, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t took = packets->left ? take_packet(packets, bytes, len) :
					       take_head(packets, bytes, len);

		if (took < 0)
			return took;
		bytes += took;
		len -= (size_t)took;
	}
	if (packets->left)
		return packets->left;
	return packets->head_len ? (ssize_t)(sizeof(packets->head) - packets->head_len) : 0;
}

void ingest_packets_end(struct ingest_packets *packets)
{
	if (packets->left)
		ingest_session_abort(packets->place, packets->packet.stream);
	packets->left = 0;
}

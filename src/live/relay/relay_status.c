// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_status.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json_pair.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest.h"
#include "live/ingest/ingest_session.h"
#include "live/relay/relay.h"
#include "live/session/session.h"
#include "live/session/session_list.h"

struct session_facts {
	const char *host;
	const char *name;
	const char *path; /* below the output directory; "" = not there */
	bool live; /* viewers see it */
	bool ended;
	unsigned int viewers;
	size_t streams;
	uint64_t packets;
	uint64_t bytes;
};

struct writing {
	struct buffer *out;
	size_t most;
	uint64_t left_out;
	bool any;
};

static void add_address(struct buffer *out, unsigned int i, const char *text)
{
	buffer_string(out, i ? ",\"" : "\"");
	buffer_string(out, text);
	buffer_char(out, '"');
}

static void add_viewers(struct buffer *out, const struct relay *relay)
{
	char text[RELAY_ADDRESS_BYTES];
	struct relay_totals totals;

	buffer_string(out, ",\"live\":[");
	for (unsigned int i = 0; relay_address(relay, i, text); i++)
		add_address(out, i, text);
	buffer_char(out, ']');
	relay_totals(relay, &totals);
	json_pair_number(out, "viewers", totals.viewers);
	json_pair_number(out, "viewers_most", totals.viewers_most);
	json_pair_number(out, "viewers_refused", totals.refused);
	json_pair_number(out, "viewers_turned_away", totals.turned_away);
}

static void add_peers(struct buffer *out, const struct ingest *ingest,
		      const struct file_pool *files)
{
	static const char *const names[INGEST_PORTS] = {"control", "data"};
	char text[RELAY_ADDRESS_BYTES];
	struct ingest_totals totals;

	for (unsigned int port = 0; port < INGEST_PORTS; port++) {
		buffer_format(out, ",\"%s\":[", names[port]);
		for (unsigned int i = 0; ingest_address(ingest, port, i, text); i++)
			add_address(out, i, text);
		buffer_char(out, ']');
	}
	ingest_totals(ingest, &totals);
	json_pair_number(out, "peers", totals.connections);
	json_pair_number(out, "peers_most", totals.connections_most);
	json_pair_number(out, "peers_refused", totals.refused);
	json_pair_number(out, "peers_turned_away", totals.turned_away);
	json_pair_number(out, "incoming", totals.sessions);
	json_pair_number(out, "incoming_most", totals.sessions_most);
	json_pair_number(out, "files_open", files->totals.open);
	json_pair_number(out, "files_parked", files->totals.parked);
	json_pair_number(out, "files_reopened", files->totals.reopened);
	json_pair_number(out, "files_lost", files->totals.lost);
	if (!totals.quota.most)
		return;
	json_pair_number(out, "quota_bytes", totals.quota.most);
	json_pair_number(out, "stored_bytes", totals.quota.stored);
	json_pair_number(out, "dropped_packets", totals.quota.dropped_packets);
	json_pair_number(out, "dropped_bytes", totals.quota.dropped_bytes);
}

static void add_session(struct writing *writing, const struct session_facts *facts)
{
	struct buffer *out = writing->out;

	if (out->len >= writing->most) {
		writing->left_out++;
		return;
	}
	buffer_string(out, writing->any ? ",{\"kind\":\"session\"" : "{\"kind\":\"session\"");
	writing->any = true;
	json_pair_text(out, "host", facts->host);
	json_pair_text(out, "name", facts->name);
	json_pair_text(out, "path", facts->path);
	json_pair_flag(out, "live", facts->live);
	json_pair_flag(out, "ended", facts->ended);
	json_pair_number(out, "viewers", facts->viewers);
	json_pair_number(out, "streams", facts->streams);
	json_pair_number(out, "packets", facts->packets);
	json_pair_number(out, "bytes", facts->bytes);
	buffer_char(out, '}');
}

/* Up to the end of the last packet that is published of each file. */
static void count_stream(const struct session_stream *stream, struct session_facts *facts)
{
	facts->streams++;
	facts->packets += stream->packet_count;
	for (size_t i = 0; i < stream->file_count; i++) {
		struct session_file *file = stream->files[i];
		struct session_packet packet;

		if (file->count && session_file_packet(file, file->count - 1, &packet) == 1)
			facts->bytes += packet.offset + packet.packet_bits / 8;
	}
}

static void add_published(struct writing *writing, const struct session *session)
{
	struct session_facts facts = {
		.host = session->host,
		.name = session->name,
		.path = "",
		.live = true,
		.ended = session->ended,
		.viewers = session->viewers,
	};

	for (size_t i = 0; i < session->trace_count; i++) {
		for (size_t j = 0; j < session->traces[i]->stream_count; j++)
			count_stream(session->traces[i]->streams[j], &facts);
	}
	add_session(writing, &facts);
}

/* What viewers are shown may have another name, where there are two of one name. */
static void add_incoming(struct writing *writing, const struct ingest_session *session)
{
	const struct session *shown = session->shown;
	const struct session_facts facts = {
		.host = shown ? shown->host : session->host,
		.name = shown ? shown->name : session->name,
		.path = session->path,
		.live = shown,
		.viewers = shown ? shown->viewers : 0,
		.streams = session->stream_count,
		.packets = session->packets,
		.bytes = session->bytes,
	};

	add_session(writing, &facts);
}

static bool is_incoming(const struct ingest *ingest, const struct session *session)
{
	const struct ingest_session *incoming;

	for (unsigned int i = 0; ingest && (incoming = ingest_session_at(ingest, i)); i++) {
		if (incoming->shown == session)
			return true;
	}
	return false;
}

void relay_status_write(struct relay *relay, const struct ingest *ingest, size_t most,
			struct buffer *out)
{
	const struct session_list *list = relay_sessions(relay);
	struct writing writing = {.out = out, .most = most};
	const struct ingest_session *incoming;

	add_viewers(out, relay);
	if (ingest)
		add_peers(out, ingest, relay_files(relay));
	buffer_string(out, ",\"sessions\":[");
	for (unsigned int i = 0; ingest && (incoming = ingest_session_at(ingest, i)); i++)
		add_incoming(&writing, incoming);
	for (size_t i = 0; i < list->count; i++) {
		if (!is_incoming(ingest, list->sessions[i]))
			add_published(&writing, list->sessions[i]);
	}
	buffer_char(out, ']');
	json_pair_number(out, "sessions_left_out", writing.left_out);
}

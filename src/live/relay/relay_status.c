// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_status.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest.h"
#include "live/ingest/ingest_session.h"
#include "live/relay/relay.h"
#include "live/session/session.h"

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
	struct json_writer *json;
	size_t most;
	uint64_t left_out;
};

static void add_viewers(struct json_writer *json, const struct relay *relay)
{
	char text[RELAY_ADDRESS_BYTES];
	struct relay_totals totals;

	json_writer_array(json, "live");
	for (unsigned int i = 0; relay_address(relay, i, text); i++)
		json_writer_string(json, NULL, text);
	json_writer_end(json);
	relay_totals(relay, &totals);
	json_writer_uint(json, "viewers", totals.viewers);
	json_writer_uint(json, "viewers_most", totals.viewers_most);
	json_writer_uint(json, "viewers_refused", totals.refused);
	json_writer_uint(json, "viewers_turned_away", totals.turned_away);
}

static void add_peers(struct json_writer *json, const struct ingest *ingest,
		      const struct file_pool *files)
{
	static const char *const names[INGEST_PORTS] = {"control", "data"};
	char text[RELAY_ADDRESS_BYTES];
	struct ingest_totals totals;

	for (unsigned int port = 0; port < INGEST_PORTS; port++) {
		json_writer_array(json, names[port]);
		for (unsigned int i = 0; ingest_address(ingest, port, i, text); i++)
			json_writer_string(json, NULL, text);
		json_writer_end(json);
	}
	ingest_totals(ingest, &totals);
	json_writer_uint(json, "peers", totals.connections);
	json_writer_uint(json, "peers_most", totals.connections_most);
	json_writer_uint(json, "peers_refused", totals.refused);
	json_writer_uint(json, "peers_turned_away", totals.turned_away);
	json_writer_uint(json, "incoming", totals.sessions);
	json_writer_uint(json, "incoming_most", totals.sessions_most);
	json_writer_uint(json, "files_open", files->totals.open);
	json_writer_uint(json, "files_parked", files->totals.parked);
	json_writer_uint(json, "files_reopened", files->totals.reopened);
	json_writer_uint(json, "files_lost", files->totals.lost);
	json_writer_uint(json, "lost_streams", totals.losses.streams);
	json_writer_uint(json, "lost_packets", totals.losses.packets);
	json_writer_uint(json, "lost_bytes", totals.losses.bytes);
	if (!totals.quota.most)
		return;
	json_writer_uint(json, "quota_bytes", totals.quota.most);
	json_writer_uint(json, "stored_bytes", totals.quota.stored);
	json_writer_uint(json, "dropped_packets", totals.quota.dropped_packets);
	json_writer_uint(json, "dropped_bytes", totals.quota.dropped_bytes);
}

static void add_session(struct writing *writing, const struct session_facts *facts)
{
	struct json_writer *json = writing->json;

	if (json->out->len >= writing->most) {
		writing->left_out++;
		return;
	}
	json_writer_object(json, NULL);
	json_writer_string(json, "kind", "session");
	json_writer_string(json, "host", facts->host);
	json_writer_string(json, "name", facts->name);
	json_writer_string(json, "path", facts->path);
	json_writer_bool(json, "live", facts->live);
	json_writer_bool(json, "ended", facts->ended);
	json_writer_uint(json, "viewers", facts->viewers);
	json_writer_uint(json, "streams", facts->streams);
	json_writer_uint(json, "packets", facts->packets);
	json_writer_uint(json, "bytes", facts->bytes);
	json_writer_end(json);
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
	struct ingest_session_info info;
	struct session_facts facts;

	ingest_session_info(session, &info);
	facts = (struct session_facts){
		.host = info.shown ? info.shown->host : info.host,
		.name = info.shown ? info.shown->name : info.name,
		.path = info.path,
		.live = info.shown,
		.viewers = info.shown ? info.shown->viewers : 0,
		.streams = info.streams,
		.packets = info.packets,
		.bytes = info.bytes,
	};
	add_session(writing, &facts);
}

static bool is_incoming(const struct ingest *ingest, const struct session *session)
{
	const struct ingest_session *incoming;

	for (unsigned int i = 0; ingest && (incoming = ingest_session_at(ingest, i)); i++) {
		struct ingest_session_info info;

		ingest_session_info(incoming, &info);
		if (info.shown == session)
			return true;
	}
	return false;
}

void relay_status_write(struct relay *relay, const struct ingest *ingest, size_t most,
			struct json_writer *json)
{
	const struct session_list *list = relay_sessions(relay);
	struct writing writing = {.json = json, .most = most};
	const struct ingest_session *incoming;

	add_viewers(json, relay);
	if (ingest)
		add_peers(json, ingest, relay_files(relay));
	json_writer_array(json, "sessions");
	for (unsigned int i = 0; ingest && (incoming = ingest_session_at(ingest, i)); i++)
		add_incoming(&writing, incoming);
	for (size_t i = 0; i < list->count; i++) {
		if (!is_incoming(ingest, list->sessions[i]))
			add_published(&writing, list->sessions[i]);
	}
	json_writer_end(json);
	json_writer_uint(json, "sessions_left_out", writing.left_out);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_decode.h"

#include <sonde/rx.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "record_format/pcap/pcap_file.h"
#include "record_format/pcap/udp_packet.h"
#include "rx/rx_message.h"
#include "rx/rx_reply.h"
#include "wire/rx_debug.h"

struct rx_waiting {
	struct rx_pair_key key;
	int64_t since_ns;
};

void rx_pairs_init(struct rx_pairs *pairs)
{
	*pairs = (struct rx_pairs){0};
	map_init(&pairs->pairs, sizeof(struct rx_pair_key), sizeof(struct rx_pair), RX_PAIRS_MAX);
	map_init(&pairs->servers, sizeof(struct rx_pair_key),
		 sizeof((struct rx_pair_key){0}.server), RX_PAIRS_MAX);
}

void rx_pairs_fini(struct rx_pairs *pairs)
{
	map_fini(&pairs->pairs);
	map_fini(&pairs->servers);
	free(pairs->queue);
	*pairs = (struct rx_pairs){0};
}

static struct rx_pair_key without_server(const struct rx_pair_key *key)
{
	struct rx_pair_key any = *key;

	memset(any.server, 0, sizeof(any.server));
	return any;
}

static void push(struct rx_pairs *pairs, const struct rx_pair_key *key, int64_t since_ns)
{
	struct rx_waiting *last = &pairs->queue[(pairs->first + pairs->count) % RX_PAIRS_MAX];

	*last = (struct rx_waiting){*key, since_ns};
	pairs->count++;
}

struct rx_pair *rx_pairs_ask(struct rx_pairs *pairs, const struct rx_pair_key *key, int64_t now_ns)
{
	const struct rx_pair_key any = without_server(key);
	struct rx_pair *pair;
	uint8_t *server;

	if (!pairs->queue)
		pairs->queue = calloc(RX_PAIRS_MAX, sizeof(*pairs->queue));
	if (!pairs->queue || (pairs->count == RX_PAIRS_MAX && !map_get(&pairs->pairs, key)))
		return NULL;
	server = map_at(&pairs->servers, &any);
	if (server)
		memcpy(server, key->server, sizeof(key->server));
	pair = map_at(&pairs->pairs, key);
	if (!pair)
		return NULL;
	if (!pair->asked)
		push(pairs, key, now_ns);
	/* A request after a reply starts a new exchange: monitors have the same port and numbers each time. */
	if (!pair->asked || pair->answers)
		*pair = (struct rx_pair){.first_ns = now_ns};
	pair->last_ns = now_ns;
	pair->asked++;
	return pair;
}

struct rx_pair *rx_pairs_answer(struct rx_pairs *pairs, const struct rx_pair_key *key)
{
	struct rx_pair *pair = map_get(&pairs->pairs, key);
	struct rx_pair_key any = without_server(key);
	const uint8_t *server = pair ? NULL : map_get(&pairs->servers, &any);

	if (server) {
		memcpy(any.server, server, sizeof(any.server));
		pair = map_get(&pairs->pairs, &any);
	}
	if (pair)
		pair->answers++;
	return pair;
}

static void forget(struct rx_pairs *pairs, const struct rx_pair_key *key)
{
	const struct rx_pair_key any = without_server(key);
	const uint8_t *server = map_get(&pairs->servers, &any);

	if (server && !memcmp(server, key->server, sizeof(key->server)))
		map_remove(&pairs->servers, &any);
	map_remove(&pairs->pairs, key);
}

/* Whether the oldest request has waited too long, or has to make room. */
static bool is_due(const struct rx_pairs *pairs, int64_t now_ns)
{
	int64_t since_ns = pairs->queue[pairs->first].since_ns;

	return pairs->count == RX_PAIRS_MAX || now_ns == INT64_MAX ||
	       (now_ns > since_ns &&
		(uint64_t)now_ns - (uint64_t)since_ns > (uint64_t)RX_PAIRS_PATIENCE_NS);
}

bool rx_pairs_expire(struct rx_pairs *pairs, int64_t now_ns, struct rx_pair_key *key,
		     struct rx_pair *ret)
{
	while (pairs->count && is_due(pairs, now_ns)) {
		const struct rx_waiting oldest = pairs->queue[pairs->first];
		bool full = pairs->count == RX_PAIRS_MAX;
		struct rx_pair *pair = map_get(&pairs->pairs, &oldest.key);

		pairs->first = (pairs->first + 1) % RX_PAIRS_MAX;
		pairs->count--;
		/* Asked again since: it waits once more, from then on. */
		if (!full && now_ns != INT64_MAX && pair->last_ns > oldest.since_ns) {
			push(pairs, &oldest.key, pair->last_ns);
			continue;
		}
		*key = oldest.key;
		*ret = *pair;
		forget(pairs, &oldest.key);
		if (!ret->answers)
			return true;
	}
	return false;
}

/*
 * Whether what UDP carries is Rx, and Rx debug.
 *
 * On a port of AFS the type in the header of Rx decides. On any other, all that requests and replies of
 * Rx debug have in common has to be there: the lengths, and zeros where both leave them.
 */

enum rx_sniffed {
	RX_SNIFFED_OTHER, /* no Rx */
	RX_SNIFFED_RX, /* Rx, but not debug */
	RX_SNIFFED_KEEPALIVE, /* a VERSION packet that needs no answer */
	RX_SNIFFED_CUT, /* Rx, perhaps: on its port, but the capture has not even the header */
	RX_SNIFFED_REQUEST,
	RX_SNIFFED_REPLY, /* or what looks like one: DEBUG or VERSION, not from a client */
	RX_SNIFFED_ABORT, /* may be the reply of an endpoint without Rx debug */
};

/* @header is filled from RX_SNIFFED_REQUEST on. */
enum rx_sniffed rx_sniff(const struct udp_packet *packet, struct sonde_rx_header *header);

#define TYPE_AT 20u

/* Of file, backup and other servers, and of cache managers (/etc/services, "afs3-"). */
static bool is_afs_port(uint16_t port)
{
	return (port >= 7000 && port <= 7009) || (port >= 7020 && port <= 7029);
}

/* Whether it is from or to a port that AFS is known to use. */
static bool rx_sniff_is_afs(const struct udp_packet *packet)
{
	return is_afs_port(packet->sport) || is_afs_port(packet->dport);
}

static bool is_debug_type(uint8_t type)
{
	return type == RX_TYPE_DEBUG || type == RX_TYPE_VERSION;
}

/* What rxdebug leaves at 0 servers send back as it was. */
static bool is_blank(const struct sonde_rx_header *header)
{
	return !header->seq && !header->serial && !header->user_status && !header->security &&
	       !header->checksum && !header->service;
}

static bool has_request_length(const struct udp_packet *packet,
			       const struct sonde_rx_header *header)
{
	if (header->type == RX_TYPE_VERSION)
		return packet->length == RX_HEADER_BYTES + RX_VERSION_REQUEST_BYTES;
	return packet->length == RX_HEADER_BYTES + RX_DEBUG_REQUEST_BYTES;
}

static bool has_reply_length(const struct udp_packet *packet, const struct sonde_rx_header *header)
{
	if (packet->length < RX_HEADER_BYTES)
		return false;
	if (header->type == RX_TYPE_VERSION)
		return packet->length == RX_HEADER_BYTES + RX_VERSION_BYTES;
	switch (packet->length - RX_HEADER_BYTES) {
	case RX_REFUSAL_BYTES:
	case RX_BASIC_BYTES:
	case RX_CONN_BYTES:
	case RX_CONN_L_BYTES:
	case RX_STATS_BYTES:
	case RX_PEER_BYTES:
		return true;
	default:
		return false;
	}
}

static bool is_request(const struct sonde_rx_header *header)
{
	return header->flags & RX_FLAG_CLIENT_INITIATED;
}

/* The test that distinguishes Rx debug from other packets on the port. */
static bool looks_like_debug(const struct udp_packet *packet, const struct sonde_rx_header *header)
{
	return is_blank(header) && (is_request(header) ? has_request_length(packet, header) :
							 has_reply_length(packet, header));
}

/* Between Rx peers, so that the boxes between them keep the way open. */
static bool is_keepalive(const struct udp_packet *packet, const struct sonde_rx_header *header)
{
	return header->type == RX_TYPE_VERSION && !is_request(header) &&
	       packet->length <= RX_HEADER_BYTES + RX_VERSION_REQUEST_BYTES;
}

enum rx_sniffed rx_sniff(const struct udp_packet *packet, struct sonde_rx_header *header)
{
	bool known = rx_sniff_is_afs(packet);
	uint8_t type;

	if (packet->captured < RX_HEADER_BYTES)
		return known && packet->length >= RX_HEADER_BYTES ? RX_SNIFFED_CUT :
								    RX_SNIFFED_OTHER;
	/* Nearly all that passes is something else. */
	type = packet->payload[TYPE_AT];
	if (!is_debug_type(type) && type != RX_TYPE_ABORT) {
		return known && type >= 1 && type <= RX_PACKET_TYPES ? RX_SNIFFED_RX :
								       RX_SNIFFED_OTHER;
	}
	if (rx_header_unpack(packet->payload, packet->captured, header))
		return RX_SNIFFED_OTHER;
	if (type == RX_TYPE_ABORT)
		return RX_SNIFFED_ABORT;
	if (!known && !looks_like_debug(packet, header))
		return RX_SNIFFED_OTHER;
	if (is_keepalive(packet, header))
		return RX_SNIFFED_KEEPALIVE;
	return is_request(header) ? RX_SNIFFED_REQUEST : RX_SNIFFED_REPLY;
}

void rx_decode_init(struct rx_decode *decode)
{
	*decode = (struct rx_decode){0};
	rx_pairs_init(&decode->pairs);
}

void rx_decode_fini(struct rx_decode *decode)
{
	rx_pairs_fini(&decode->pairs);
}

static void fill_ends(struct rx_exchange *ex, const struct udp_packet *udp,
		      const struct sonde_rx_header *header)
{
	memcpy(ex->saddr, udp->saddr, sizeof(ex->saddr));
	memcpy(ex->daddr, udp->daddr, sizeof(ex->daddr));
	ex->sport = udp->sport;
	ex->dport = udp->dport;
	ex->bytes = udp->length;
	ex->captured = udp->captured;
	ex->call = header->call;
	ex->type = header->type;
	ex->flags = header->flags;
	ex->what = 0;
	ex->index = 0;
	ex->asked = 0;
	ex->answers = 0;
	ex->took_ns = 0;
}

static struct rx_pair_key key_of(const struct rx_exchange *ex, uint8_t type, bool request)
{
	struct rx_pair_key key = {
		.client_port = request ? ex->sport : ex->dport,
		.server_port = request ? ex->dport : ex->sport,
		.call = ex->call,
		.type = type,
	};

	memcpy(key.client, request ? ex->saddr : ex->daddr, sizeof(key.client));
	memcpy(key.server, request ? ex->daddr : ex->saddr, sizeof(key.server));
	return key;
}

static uint64_t since(int64_t then_ns, int64_t now_ns)
{
	return now_ns > then_ns ? (uint64_t)now_ns - (uint64_t)then_ns : 0;
}

static void fill_pair(struct rx_exchange *ex, const struct rx_pair *pair, int64_t now_ns)
{
	ex->what = pair->what;
	ex->index = pair->index;
	ex->asked = pair->asked;
	ex->answers = pair->answers;
	ex->took_ns = since(pair->first_ns, now_ns);
}

bool rx_decode_expire(struct rx_decode *decode, int64_t now_ns, int64_t end_ns,
		      struct rx_exchange *ret)
{
	struct rx_pair_key key;
	struct rx_pair pair;

	if (!decode->pairs.count || !rx_pairs_expire(&decode->pairs, now_ns, &key, &pair))
		return false;
	memcpy(ret->saddr, key.client, sizeof(ret->saddr));
	memcpy(ret->daddr, key.server, sizeof(ret->daddr));
	ret->sport = key.client_port;
	ret->dport = key.server_port;
	ret->call = key.call;
	ret->type = (uint8_t)key.type;
	fill_pair(ret, &pair, 0);
	ret->silent_ns = since(pair.first_ns, now_ns == INT64_MAX ? end_ns : now_ns);
	decode->summary.unanswered++;
	return true;
}

/* A request that the capture has truncated counts as a request of an unknown type. */
static enum rx_capture_class take_request(struct rx_decode *decode, const struct udp_packet *udp,
					  int64_t time_ns, struct rx_exchange *ex)
{
	const struct rx_pair_key key = key_of(ex, ex->type, true);
	const bool cut = udp->captured < udp->length;
	struct sonde_rx_request request = {0};
	struct rx_pair *pair;

	if (rx_request_unpack(udp->payload, udp->captured, &request) && !cut) {
		decode->summary.malformed++;
		return RX_CAPTURE_MALFORMED;
	}
	pair = rx_pairs_ask(&decode->pairs, &key, time_ns);
	if (pair) {
		pair->what = request.what;
		pair->index = request.index;
		ex->asked = pair->asked;
	}
	ex->what = request.what;
	ex->index = request.index;
	decode->summary.requests++;
	return request.header.type ? RX_CAPTURE_REQUEST : RX_CAPTURE_CUT;
}

/* @pair: NULL = no request was seen. */
static enum rx_capture_class take_reply(struct rx_decode *decode, const struct udp_packet *udp,
					const struct rx_pair *pair, int64_t time_ns,
					struct rx_exchange *ex)
{
	struct sonde_rx_reply *reply = &ex->values.reply;
	int err;

	if (pair)
		fill_pair(ex, pair, time_ns);
	err = rx_reply_unpack(udp->payload, udp->captured, ex->what, reply);
	if (err && udp->captured == udp->length) {
		decode->summary.malformed++;
		return RX_CAPTURE_MALFORMED;
	}
	decode->summary.replies++;
	decode->summary.unasked += !pair;
	if (udp->captured < udp->length)
		return RX_CAPTURE_CUT;
	if (!ex->what)
		ex->what = reply->what;
	rx_values_complete(&ex->values);
	return RX_CAPTURE_REPLY + reply->kind;
}

/* An ABORT is matched only by its number. */
static bool take_abort(struct rx_decode *decode, const struct udp_packet *udp, int64_t time_ns,
		       struct rx_exchange *ex, enum rx_capture_class *class)
{
	static const uint8_t asked[] = {RX_TYPE_DEBUG, RX_TYPE_VERSION};
	struct rx_pair *pair = NULL;

	for (size_t i = 0; i < sizeof(asked) && !pair; i++) {
		const struct rx_pair_key key = key_of(ex, asked[i], false);

		pair = rx_pairs_answer(&decode->pairs, &key);
	}
	if (!pair || ex->flags & RX_FLAG_CLIENT_INITIATED) {
		decode->summary.rx_other += rx_sniff_is_afs(udp);
		decode->summary.other += !rx_sniff_is_afs(udp);
		return false;
	}
	*class = take_reply(decode, udp, pair, time_ns, ex);
	return true;
}

static bool take_udp(struct rx_decode *decode, const struct udp_packet *udp, int64_t time_ns,
		     struct rx_exchange *ex, enum rx_capture_class *class)
{
	struct sonde_rx_header header;
	enum rx_sniffed sniffed = rx_sniff(udp, &header);
	struct rx_pair_key key;

	switch (sniffed) {
	case RX_SNIFFED_RX:
		decode->summary.rx_other++;
		return false;
	case RX_SNIFFED_KEEPALIVE:
		decode->summary.keepalives++;
		return false;
	case RX_SNIFFED_CUT:
		decode->summary.cut++;
		return false;
	case RX_SNIFFED_OTHER:
		decode->summary.other++;
		return false;
	default:
		break;
	}
	fill_ends(ex, udp, &header);
	if (sniffed == RX_SNIFFED_ABORT)
		return take_abort(decode, udp, time_ns, ex, class);
	if (sniffed == RX_SNIFFED_REQUEST) {
		*class = take_request(decode, udp, time_ns, ex);
	} else {
		key = key_of(ex, header.type, false);
		*class =
			take_reply(decode, udp, rx_pairs_answer(&decode->pairs, &key), time_ns, ex);
	}
	decode->summary.cut += *class == RX_CAPTURE_CUT;
	return true;
}

bool rx_decode_packet(struct rx_decode *decode, const struct pcap_packet *packet,
		      struct rx_exchange *ret, enum rx_capture_class *class)
{
	struct udp_packet udp;

	decode->summary.packets++;
	switch (udp_packet_find(packet, &udp)) {
	case UDP_FOUND:
		return take_udp(decode, &udp, packet->time_ns, ret, class);
	case UDP_FRAGMENT:
		decode->summary.fragments++;
		return false;
	case UDP_CUT:
		decode->summary.cut++;
		return false;
	case UDP_LINK_UNKNOWN:
		decode->summary.unknown++;
		return false;
	default:
		decode->summary.other++;
		return false;
	}
}

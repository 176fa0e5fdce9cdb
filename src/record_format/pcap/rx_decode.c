// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_decode.h"

#include <string.h>

#include "record_format/pcap/pcap_file.h"
#include "record_format/pcap/rx_sniff.h"
#include "record_format/pcap/udp_packet.h"
#include "rx/rx_message.h"
#include "rx/rx_reply.h"
#include "wire/rx_debug.h"

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

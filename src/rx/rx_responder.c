// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_responder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/diag.h"
#include "rx/rx_message.h"
#include "rx/rx_record.h"

#define BURST_NS NS_PER_SEC

void rx_limit_init(struct rx_limit *limit, uint32_t source_rate, uint32_t total_rate,
		   uint64_t secret)
{
	*limit = (struct rx_limit){
		.source_rate = source_rate,
		.total_rate = total_rate,
		.secret = secret,
	};
}

static uint64_t *place_of(struct rx_limit *limit, uint64_t source)
{
	/* The finaliser of MurmurHash3: every bit of the source, and of the secret, moves every other. */
	uint64_t hash = source ^ limit->secret;

	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdull;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ull;
	return &limit->paid_ns[(hash ^ hash >> 33) % RX_LIMIT_PLACES];
}

/* When @bytes more are paid for, if they are sent now; 0: they may not be. */
static uint64_t pay(uint64_t paid_ns, uint32_t rate, size_t bytes, uint64_t now_ns)
{
	uint64_t from_ns = paid_ns > now_ns ? paid_ns : now_ns;
	uint64_t until_ns;

	if (rate == RX_LIMIT_NONE)
		return now_ns;
	until_ns = from_ns + bytes * NS_PER_SEC / rate;
	return until_ns <= now_ns + BURST_NS ? until_ns : 0;
}

bool rx_limit_take(struct rx_limit *limit, uint64_t source, size_t bytes, uint64_t now_ns)
{
	uint64_t *place = place_of(limit, source);
	uint64_t own_ns = pay(*place, limit->source_rate, bytes, now_ns);
	uint64_t total_ns = pay(limit->total_paid_ns, limit->total_rate, bytes, now_ns);

	if (!own_ns || !total_ns)
		return false;
	*place = own_ns;
	limit->total_paid_ns = total_ns;
	return true;
}

#define VERSION_FIRST 'L'
#define VERSION_LAST 'S'
#define ALLOW_MAX 1024u

_Static_assert(RX_REPLY_MAX_BYTES == RX_HEADER_BYTES + RX_STATS_BYTES, "the largest answer");

struct rx_responder {
	struct sonde_rx_callbacks callbacks;
	void *ctx;
	char version;
	char text[RX_VERSION_BYTES]; /* NUL from the end of the text on */
	struct sonde_rx_network *allow;
	size_t allow_count;
	struct sonde_rx_counts counts;
	struct rx_limit limit;
};

static int check_config(const struct sonde_rx_config *config, struct diag *diag)
{
	if (config->version && (config->version < VERSION_FIRST || config->version > VERSION_LAST))
		return diag_set(diag, -EINVAL, "version %c: there are %c to %c", config->version,
				VERSION_FIRST, VERSION_LAST);
	if ((config->source_rate && config->source_rate < RX_REPLY_MAX_BYTES) ||
	    (config->total_rate && config->total_rate < RX_REPLY_MAX_BYTES))
		return diag_set(
			diag, -EINVAL,
			"a rate of less than %u bytes a second: one answer may have as many",
			RX_REPLY_MAX_BYTES);
	if (config->allow_count > ALLOW_MAX)
		return diag_set(diag, -E2BIG, "%zu networks are allowed: at most %u can be",
				config->allow_count, ALLOW_MAX);
	for (size_t i = 0; i < config->allow_count; i++) {
		if (config->allow[i].bits > 32)
			return diag_set(diag, -EINVAL, "a network of %u bits: at most 32",
					config->allow[i].bits);
	}
	return 0;
}

int rx_responder_new(const struct sonde_rx_config *config,
		     const struct sonde_rx_callbacks *callbacks, void *ctx,
		     struct rx_responder **ret, struct diag *diag)
{
	struct rx_responder *responder;
	uint64_t secret;
	int err = check_config(config, diag);

	if (err)
		return err;
	responder = calloc(1, sizeof(*responder));
	if (responder)
		responder->allow = calloc(config->allow_count ?: 1, sizeof(*responder->allow));
	if (!responder || !responder->allow) {
		free(responder);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	responder->callbacks = *callbacks;
	responder->ctx = ctx;
	responder->version = config->version ?: VERSION_LAST;
	memcpy(responder->text, config->text ?: "",
	       strnlen(config->text ?: "", sizeof(responder->text) - 1));
	if (config->allow_count)
		memcpy(responder->allow, config->allow,
		       config->allow_count * sizeof(*responder->allow));
	responder->allow_count = config->allow_count;
	if (getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
		secret = clock_monotonic_ns();
	rx_limit_init(&responder->limit, config->source_rate ?: SONDE_RX_SOURCE_RATE,
		      config->total_rate ?: SONDE_RX_TOTAL_RATE, secret);
	*ret = responder;
	return 0;
}

void rx_responder_free(struct rx_responder *responder)
{
	if (!responder)
		return;
	free(responder->allow);
	free(responder);
}

struct sonde_rx_counts *rx_responder_counts(struct rx_responder *responder)
{
	return &responder->counts;
}

static bool allows(const struct rx_responder *responder, uint32_t host)
{
	for (size_t i = 0; i < responder->allow_count; i++) {
		const struct sonde_rx_network *network = &responder->allow[i];

		if (!network->bits || !((host ^ network->host) >> (32 - network->bits)))
			return true;
	}
	return !responder->allow_count;
}

/* Before anybody is asked for it. RX_REFUSAL_BYTES: this version knows of no such thing. */
static size_t payload_bytes(const struct rx_responder *responder,
			    const struct sonde_rx_request *request)
{
	bool known = true;
	size_t bytes = 0;

	if (request->header.type == RX_TYPE_VERSION)
		return RX_VERSION_BYTES;
	switch (request->what) {
	case RX_DEBUG_BASIC:
		bytes = RX_BASIC_BYTES;
		break;
	case RX_DEBUG_CONN:
	case RX_DEBUG_ALL_CONN: /* also before 'M': see tell_conn */
		bytes = RX_CONN_BYTES;
		break;
	case RX_DEBUG_STATS:
		bytes = RX_STATS_BYTES;
		known = responder->version >= RX_VERSION_ALL_CONN;
		break;
	case RX_DEBUG_PEER:
		bytes = RX_PEER_BYTES;
		known = responder->version >= RX_VERSION_PEER;
		break;
	default:
		known = false;
	}
	return known ? bytes : RX_REFUSAL_BYTES;
}

static void tell_basic(const struct rx_responder *responder, uint8_t *payload)
{
	struct sonde_rx_basic basic = {0};

	if (responder->callbacks.basic)
		responder->callbacks.basic(responder->ctx, &basic);
	rx_basic_limit(&basic, responder->version);
	rx_basic_pack(&basic, payload);
}

static void tell_stats(const struct rx_responder *responder, uint8_t *payload)
{
	struct sonde_rx_stats stats = {0};

	if (responder->callbacks.stats)
		responder->callbacks.stats(responder->ctx, &stats);
	rx_stats_limit(&stats, responder->version);
	rx_stats_pack(&stats, payload);
}

/*
 * Before 'M' no request for all connections existed, and servers refuse it. rxdebug asks it all
 * the same, after it has warned that it gets the active ones only, and takes each refusal for one
 * more connection, for ever. So it gets the active ones.
 */
static void tell_conn(const struct rx_responder *responder, uint32_t index, bool all,
		      uint8_t *payload)
{
	struct sonde_rx_conn conn = {0};

	all = all && responder->version >= RX_VERSION_ALL_CONN;
	if (responder->callbacks.conn &&
	    responder->callbacks.conn(responder->ctx, index, all, &conn))
		conn.cid &= ~(uint32_t)(RX_CALLS - 1); /* never what the end of the list has */
	else
		conn = (struct sonde_rx_conn){.cid = RX_DEBUG_END};
	rx_conn_pack(&conn, payload);
}

static void tell_peer(const struct rx_responder *responder, uint32_t index, uint8_t *payload)
{
	struct sonde_rx_peer peer = {0};

	if (!responder->callbacks.peer || !responder->callbacks.peer(responder->ctx, index, &peer))
		peer = (struct sonde_rx_peer){.host = RX_DEBUG_END};
	rx_peer_pack(&peer, payload);
}

static void tell(const struct rx_responder *responder, const struct sonde_rx_request *request,
		 uint8_t *payload)
{
	uint32_t index = request->index > 0 ? (uint32_t)request->index : 0;

	if (request->header.type == RX_TYPE_VERSION) {
		memcpy(payload, responder->text, RX_VERSION_BYTES);
		return;
	}
	switch (request->what) {
	case RX_DEBUG_BASIC:
		tell_basic(responder, payload);
		break;
	case RX_DEBUG_CONN:
	case RX_DEBUG_ALL_CONN:
		tell_conn(responder, index, request->what == RX_DEBUG_ALL_CONN, payload);
		break;
	case RX_DEBUG_STATS:
		tell_stats(responder, payload);
		break;
	default:
		tell_peer(responder, index, payload);
	}
}

size_t rx_responder_answer(struct rx_responder *responder, const struct sockaddr_in *from,
			   const void *packet, size_t len, uint64_t now_ns, uint8_t *reply)
{
	struct sonde_rx_counts *counts = &responder->counts;
	uint32_t host = ntohl(from->sin_addr.s_addr);
	struct sonde_rx_request request;
	size_t bytes;

	counts->received++;
	if (!allows(responder, host)) {
		counts->forbidden++;
		return 0;
	}
	if (rx_request_unpack(packet, len, &request)) {
		counts->malformed++;
		return 0;
	}
	bytes = payload_bytes(responder, &request);
	if (!rx_limit_take(&responder->limit, host, RX_HEADER_BYTES + bytes, now_ns)) {
		counts->limited++;
		return 0;
	}
	request.header.flags &= (uint8_t)~RX_FLAG_CLIENT_INITIATED;
	rx_header_pack(&request.header, reply);
	if (bytes == RX_REFUSAL_BYTES) {
		counts->refused++;
		rx_refusal_pack(reply + RX_HEADER_BYTES);
	} else {
		tell(responder, &request, reply + RX_HEADER_BYTES);
	}
	counts->answered++;
	counts->bytes += RX_HEADER_BYTES + bytes;
	return RX_HEADER_BYTES + bytes;
}

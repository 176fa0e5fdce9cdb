// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_rx: any bytes as what an Rx endpoint is asked and answers: header, requests, replies to whatever was asked,
 * records, and their text. What is unpacked is packed again and must come out the same, but for what is spare.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "rx/rx_classic.h"
#include "rx/rx_message.h"
#include "rx/rx_problem.h"
#include "rx/rx_record.h"
#include "rx/rx_reply.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_conn(const uint8_t *payload, size_t len, const struct sonde_rx_basic *basic,
		       struct buffer *out)
{
	uint8_t packed[RX_CONN_BYTES], again[RX_CONN_BYTES];
	struct sonde_rx_conn conn;

	if (rx_conn_unpack(payload, len, &conn))
		return;
	rx_classic_conn(&conn, basic, 1700000000, out);
	(void)rx_classic_is_dallying(&conn);
	rx_conn_pack(&conn, packed);
	if (rx_conn_unpack(packed, sizeof(packed), &conn))
		abort();
	rx_conn_pack(&conn, again);
	if (memcmp(packed, again, sizeof(packed)) != 0)
		abort();
	(void)rx_conn_l_unpack(payload, len, &conn);
}

static void check_peer(const uint8_t *payload, size_t len, struct buffer *out)
{
	uint8_t packed[RX_PEER_BYTES];
	struct sonde_rx_peer peer;

	if (rx_peer_unpack(payload, len, &peer))
		return;
	rx_classic_peer(&peer, true, out);
	if (rx_payload_is_end(payload, len))
		return; /* of which no more than the first word counts */
	rx_peer_pack(&peer, packed);
	if (memcmp(packed, payload, 92) != 0)
		abort();
}

static void check_stats(const uint8_t *payload, size_t len, const struct sonde_rx_basic *basic,
			struct buffer *out)
{
	uint8_t packed[RX_STATS_BYTES];
	struct sonde_rx_stats stats;

	if (rx_stats_unpack(payload, len, &stats))
		return;
	rx_classic_stats(&stats, len, basic, out);
	rx_stats_pack(&stats, packed);
	if (memcmp(packed, payload, len < sizeof(packed) ? len / 4 * 4 : sizeof(packed)) != 0)
		abort();
}

static void note_problem(void *ctx, enum rx_problem_kind kind, const char *text)
{
	struct buffer *out = ctx;

	buffer_string(out, rx_problem_name(kind));
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			abort();
	}
}

/* As the only record of each list of a report. */
static void check_report(const uint8_t *payload, size_t len, const struct sonde_rx_basic *basic,
			 struct buffer *out)
{
	struct rx_report report = {.has_basic = true, .basic = *basic};
	const struct sonde_rx_conn *conns;
	struct buffer text;

	rx_list_init(&report.conns, RX_DEBUG_CONN, 1, 1);
	rx_list_init(&report.peers, RX_DEBUG_PEER, 1, 1);
	rx_list_take(&report.conns, rx_list_ask(&report.conns), 0, payload, len);
	rx_list_take(&report.peers, rx_list_ask(&report.peers), 0, payload, len);
	report.has_stats = !rx_stats_unpack(payload, len, &report.stats);
	buffer_init(&text);
	rx_problem_find(&report, 1700000000, &text, note_problem, out);
	buffer_fini(&text);
	conns = rx_list_conns(&report.conns);
	if (report.conns.count) {
		rx_words_security(conns, out);
		rx_words_conn_flags(conns->flags, out);
	}
	rx_report_fini(&report);
}

static void check_request(const uint8_t *packet, size_t len)
{
	uint8_t packed[RX_REQUEST_MAX_BYTES];
	struct sonde_rx_request request;
	size_t bytes;

	if (rx_request_unpack(packet, len, &request))
		return;
	bytes = rx_request_pack(&request, packed);
	if (request.header.type == RX_TYPE_DEBUG && memcmp(packed, packet, bytes) != 0)
		abort();
}

/* Packed once it is as it stays, for whatever version. */
static void check_reply(const uint8_t *packet, size_t len, int32_t what, char version)
{
	uint8_t packed[SONDE_RX_REPLY_BYTES], again[SONDE_RX_REPLY_BYTES];
	struct sonde_rx_reply reply;
	size_t bytes;

	if (rx_reply_unpack(packet, len, what, &reply))
		return;
	bytes = rx_reply_pack(&reply, version, packed);
	if (rx_reply_unpack(packed, bytes, what, &reply) ||
	    rx_reply_pack(&reply, version, again) != bytes || memcmp(packed, again, bytes) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t packed[RX_HEADER_BYTES];
	struct sonde_rx_basic basic = {.version = 'S'};
	struct sonde_rx_header header;
	struct buffer out;

	if (rx_header_unpack(data, size, &header))
		return 0;
	rx_header_pack(&header, packed);
	if (memcmp(packed, data, sizeof(packed)) != 0)
		abort();
	check_request(data, size);
	for (int32_t what = 0; what <= RX_DEBUG_PEER + 1; what++)
		check_reply(data, size, what, (char)('K' + data[size - 1] % 12));
	data += RX_HEADER_BYTES;
	size -= RX_HEADER_BYTES;
	buffer_init(&out);
	(void)rx_payload_is_refusal(data, size);
	if (!rx_basic_unpack(data, size, &basic))
		rx_classic_basic(&basic, &out);
	check_conn(data, size, &basic, &out);
	check_peer(data, size, &out);
	check_stats(data, size, &basic, &out);
	check_report(data, size, &basic, &out);
	buffer_fini(&out);
	return 0;
}

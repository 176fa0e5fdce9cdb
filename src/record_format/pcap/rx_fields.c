// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_fields.h"

#include <arpa/inet.h>
#include <string.h>

#include "rx/rx_words.h"
#include "schema/field.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define NO_RTT 16000 /* what a peer has before there is a sample */
#define US_PER_EIGHTH_MS 125
#define US_PER_QUARTER_MS 250
#define SIZE_OF(member) sizeof(((struct rx_values *)0)->member)

/* A field called @as at @member of struct rx_values. */
#define PLACE(as, member, is, in, at)                                          \
	.name = as, .text = is, .unit = in, .scope = FIELD_SCOPE_##at,         \
	.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, .align_bits = 8, \
	.offset_bits = 8 * (uint32_t)offsetof(struct rx_values, member)
#define UINT(as, member, is, in, at)                                                   \
	{                                                                              \
		PLACE(as, member, is, in, at), .count = 1, .bits = 8 * SIZE_OF(member) \
	}
#define INT(as, member, is, in, at)                                                     \
	{                                                                               \
		PLACE(as, member, is, in, at), .count = 1, .bits = 8 * SIZE_OF(member), \
					       .is_signed = true                        \
	}
#define HEX(as, member, is, at)                                                           \
	{                                                                                 \
		PLACE(as, member, is, NULL, at), .count = 1, .bits = 8 * SIZE_OF(member), \
						 .show = FIELD_SHOW_HEX                   \
	}
#define LABELS(as, member, is, table, at)                                                        \
	{                                                                                        \
		PLACE(as, member, is, NULL, at), .count = 1, .bits = 8 * SIZE_OF(member),        \
						 .labels = table, .label_count = COUNT_OF(table) \
	}
#define ADDRESS(as, member, is, at)                                                           \
	{                                                                                     \
		PLACE(as, member, is, NULL, at), .count = SIZE_OF(member), .bits = 8,         \
						 .is_array = true, .show = FIELD_SHOW_ADDRESS \
	}
#define TEXT(as, member, is, at)                                                      \
	{                                                                             \
		PLACE(as, member, is, NULL, at), .count = SIZE_OF(member), .bits = 8, \
						 .is_array = true, .kind = FIELD_TEXT \
	}

static const struct field_label roles[] = {{0, 0, "client"}, {1, UINT8_MAX, "server"}};

static const struct field_label security_types[] = {
	{0, 0, "none"}, {1, 1, "rxnull"}, {2, 2, "rxvab"}, {3, 3, "rxkad"}, {4, 4, "rxgk"},
};

static const struct field_label securities[] = {
	{0, 0, "none"},		 {1, 1, "vab"},	 {2, 2, "rxkad"},
	{3, 3, "rxkad_encrypt"}, {4, 4, "rxgk"}, {5, 5, "k5"},
};

static const struct field_label levels[] = {{0, 0, "clear"}, {1, 1, "auth"}, {2, 2, "crypt"}};

static const struct field_label call_states[] = {
	{0, 0, "none"},	 {1, 1, "precall"}, {2, 2, "active"},
	{3, 3, "dally"}, {4, 4, "hold"},    {5, 5, "reset"},
};

static const struct field_label call_modes[] = {
	{0, 0, "none"}, {1, 1, "sending"}, {2, 2, "receiving"}, {3, 3, "error"}, {4, 4, "eof"},
};

static const struct field_label call_queues[] = {
	{0, 0, "none"},
	{1, 1, "input"},
	{2, 2, "output"},
	{3, 3, "both"},
};

static const struct field_label lists[] = {{2, 2, "getconn"},
					   {3, 3, "getallconn"},
					   {5, 5, "getpeer"}};

/* clang-format off */
static const struct field basic_fields[] = {
	INT("calls_executed", reply.body.basic.calls_executed, "calls that it has served since it began", "calls", SYSTEM),
	INT("waited", reply.body.basic.waited, "calls that ever waited for a thread; 0 before version R", "calls", SYSTEM),
	INT("packet_reclaims", reply.body.basic.packet_reclaims, "times that packet buffers were taken back", "times",
	    SYSTEM),
	INT("waiting", reply.body.basic.waiting, "calls that wait for a thread now; 0 before version N", "calls", SYSTEM),
	INT("idle_threads", reply.body.basic.idle_threads, "threads without a call; 0 before version O", "threads", SYSTEM),
	INT("free_packets", reply.body.basic.free_packets, "packet buffers that are free", "packets", SYSTEM),
	INT("packets", reply.body.basic.packets, "packet buffers there are; 0 before version S", "packets", SYSTEM),
	UINT("waiting_for_packets", reply.body.basic.waiting_for_packets, "whether something waits for a packet buffer", NULL,
	     SYSTEM),
	UINT("used_fds", reply.body.basic.used_fds, "of descriptors 0 to 63, how many are open", "descriptors", SYSTEM),
	TEXT("version", reply.body.basic.version, "what it can tell: the protocol's version", SYSTEM),
};

#define CALL(i)                                                                                             \
	INT("call" #i ".number", reply.body.conn.calls[i].number, "number of the call on this channel", NULL, OBJECT), \
	LABELS("call" #i ".state", reply.body.conn.calls[i].state, "how far it is", call_states, OBJECT),          \
	LABELS("call" #i ".mode", reply.body.conn.calls[i].mode, "what it does", call_modes, OBJECT),              \
	HEX("call" #i ".flags", reply.body.conn.calls[i].flags, CALL_FLAGS_TEXT, OBJECT),                          \
	LABELS("call" #i ".queued", reply.body.conn.calls[i].other, "packets that wait in it", call_queues, OBJECT)
#define CALL_FLAGS_TEXT                                                                                     \
	"1 reader waits, 2 waits for a window, 4 waits to send, 8 waits for packets, 0x10 waits for a "      \
	"thread, 0x20 all received, 0x40 cleared, 0x80 queue busy"

static const struct field conn_fields[] = {
	ADDRESS("peer", peer, "address at the other end", OBJECT),
	UINT("peer_port", reply.body.conn.port, "port at the other end", NULL, OBJECT),
	HEX("epoch", reply.body.conn.epoch, "when its client began, in s, or a random number; 0 = not reported", OBJECT),
	HEX("cid", reply.body.conn.cid, "number of the connection, of those of its client", OBJECT),
	LABELS("role", reply.body.conn.type, "role of the endpoint that was asked", roles, OBJECT),
	INT("serial", reply.body.conn.serial, "number of the packet that was sent last", NULL, OBJECT),
	INT("error", reply.body.conn.error, "why it can no longer be used; 0 = it can", NULL, OBJECT),
	HEX("flags", reply.body.conn.flags, "1 a call waits for a channel, 2 destroyed, 4 checksums, 8 window known, "
	    "0x10 reset, 0x20 busy, 0x40 attach waits, 0x80 a call is made", OBJECT),
	INT("nat_mtu", reply.body.conn.nat_mtu, "largest packet that goes through", "bytes", OBJECT),
	LABELS("security", reply.body.conn.security_index, "how it is secured", securities, OBJECT),
	LABELS("security_type", reply.body.conn.security.type, "whose statistics follow", security_types, OBJECT),
	LABELS("level", reply.body.conn.security.level, "and how much, where that is rxkad or rxgk", levels, OBJECT),
	HEX("security_flags", reply.body.conn.security.flags, "1 unallocated, 2 authenticated, 4 expired, 8 checksums seen",
	    OBJECT),
	UINT("expires", reply.body.conn.security.expires, "when its ticket does, since 1970; all ones: never, 0: not reported",
	     "s", OBJECT),
	UINT("packets_received", reply.body.conn.security.packets_received,
	     "packets received; secured connections only, as the next three", "packets", OBJECT),
	UINT("packets_sent", reply.body.conn.security.packets_sent, "packets sent", "packets", OBJECT),
	UINT("bytes_received", reply.body.conn.security.bytes_received, "bytes received", "bytes", OBJECT),
	UINT("bytes_sent", reply.body.conn.security.bytes_sent, "bytes sent", "bytes", OBJECT),
	CALL(0), CALL(1), CALL(2), CALL(3),
};

/* Behind the words that rx_words names. */
static const struct field counter_fields[] = {
	ADDRESS("bogus_host_little", bogus_little, "bogus_host, if the server is little-endian", SYSTEM),
	ADDRESS("bogus_host_big", bogus_big, "bogus_host, if it is big-endian", SYSTEM),
	UINT("rtt_total_us", rtt_total_us, "all round trips together; 0 without samples, as the next two", "us", SYSTEM),
	UINT("rtt_min_us", rtt_min_us, "the shortest", "us", SYSTEM),
	UINT("rtt_max_us", rtt_max_us, "the longest", "us", SYSTEM),
};

/* Of old servers: members that are unused since OpenAFS 1.8 come last. */
static const struct field peer_fields[] = {
	ADDRESS("peer", peer, "its address", OBJECT),
	UINT("peer_port", reply.body.peer.port, "its port", NULL, OBJECT),
	UINT("bytes_sent", reply.body.peer.bytes_sent, "bytes sent to it", "bytes", OBJECT),
	UINT("bytes_received", reply.body.peer.bytes_received, "bytes received from it", "bytes", OBJECT),
	UINT("packets_sent", reply.body.peer.sent, "data packets sent to it, those sent again left out", "packets", OBJECT),
	UINT("packets_resent", reply.body.peer.resent, "data packets sent again", "packets", OBJECT),
	INT("rtt_us", rtt_us, "smoothed round-trip time; 0: none was measured yet", "us", OBJECT),
	INT("rtt_dev_us", rtt_dev_us, "its mean deviation", "us", OBJECT),
	UINT("idle_when", reply.body.peer.idle_when, "the time since which it is unused, since 1970; 0 = in use", "s",
	     OBJECT),
	UINT("ref_count", reply.body.peer.ref_count, "number of its users, the request included", NULL, OBJECT),
	UINT("cwind", reply.body.peer.cwind, "congestion window", "packets", OBJECT),
	UINT("congest_seq", reply.body.peer.congest_seq, "how often the window was reset", NULL, OBJECT),
	UINT("mtu", reply.body.peer.mtu, "largest packet now", "bytes", OBJECT),
	UINT("if_mtu", reply.body.peer.if_mtu, "largest packet of the interface", "bytes", OBJECT),
	UINT("nat_mtu", reply.body.peer.nat_mtu, "largest packet that goes through", "bytes", OBJECT),
	UINT("max_mtu", reply.body.peer.max_mtu, "largest packet that it takes", "bytes", OBJECT),
	UINT("datagram_packets", reply.body.peer.datagram_packets, "packets in one datagram, now", "packets", OBJECT),
	UINT("if_datagram_packets", reply.body.peer.if_datagram_packets, "packets in one datagram, that the server offers",
	     "packets", OBJECT),
	UINT("max_datagram_packets", reply.body.peer.max_datagram_packets, "packets in one datagram, that the peer takes",
	     "packets", OBJECT),
	UINT("burst_size", reply.body.peer.burst_size, "0 since OpenAFS 1.8, as all that follows", "packets", OBJECT),
	UINT("burst", reply.body.peer.burst, "packets left of it", "packets", OBJECT),
	UINT("burst_wait_us", burst_wait_us, "pause between two", "us", OBJECT),
	UINT("timeout_us", timeout_us, "until packets are sent again", "us", OBJECT),
	INT("in_skew", reply.body.peer.in_skew, "how far packets overtake each other, received", "packets", OBJECT),
	INT("out_skew", reply.body.peer.out_skew, "the same, sent", "packets", OBJECT),
	INT("rate_flag", reply.body.peer.rate_flag, "whether its rate is being found out", NULL, OBJECT),
};

static const struct field version_fields[] = {
	TEXT("version", reply.body.version, "of the program that was asked", SYSTEM),
};

static const struct field end_fields[] = {
	LABELS("list", reply.what, "which has no more", lists, SYSTEM),
};

static const struct field abort_fields[] = {
	INT("code", reply.body.code, "why; -5 where DEBUG is not known", NULL, SYSTEM),
};
/* clang-format on */

_Static_assert(COUNT_OF(conn_fields) <= RX_FIELDS_MAX &&
		       SONDE_RX_STAT_COUNT + COUNT_OF(counter_fields) <= RX_FIELDS_MAX,
	       "room for all");

static size_t copy(const struct field *from, size_t count, struct field *to)
{
	memcpy(to, from, count * sizeof(*to));
	return count;
}

static size_t copy_counters(struct field *to)
{
	const struct field word = UINT(NULL, reply.body.stats.words[0], NULL, NULL, SYSTEM);
	size_t count = 0;

	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++) {
		if (!rx_words_stat(i))
			continue;
		to[count] = word;
		to[count].name = rx_words_stat(i);
		to[count].show = i == SONDE_RX_STAT_BOGUS_HOST ? FIELD_SHOW_HEX :
								 FIELD_SHOW_DECIMAL;
		to[count++].offset_bits += 32u * (uint32_t)i;
	}
	return count + copy(counter_fields, COUNT_OF(counter_fields), to + count);
}

static size_t copy_of(enum sonde_rx_reply_kind kind, struct field *to)
{
	switch (kind) {
	case SONDE_RX_REPLY_BASIC:
		return copy(basic_fields, COUNT_OF(basic_fields), to);
	case SONDE_RX_REPLY_CONN:
		return copy(conn_fields, COUNT_OF(conn_fields), to);
	case SONDE_RX_REPLY_STATS:
		return copy_counters(to);
	case SONDE_RX_REPLY_PEER:
		return copy(peer_fields, COUNT_OF(peer_fields), to);
	case SONDE_RX_REPLY_VERSION:
		return copy(version_fields, COUNT_OF(version_fields), to);
	case SONDE_RX_REPLY_END:
		return copy(end_fields, COUNT_OF(end_fields), to);
	case SONDE_RX_REPLY_ABORT:
		return copy(abort_fields, COUNT_OF(abort_fields), to);
	default:
		return 0;
	}
}

size_t rx_fields_get(enum sonde_rx_reply_kind kind, size_t offset, struct field *fields)
{
	size_t count = copy_of(kind, fields);

	for (size_t i = 0; i < count; i++)
		fields[i].offset_bits += 8 * (uint32_t)offset;
	return count;
}

static void map_host(uint32_t host, uint8_t *to)
{
	const uint32_t address = htonl(host);

	memset(to, 0, 10);
	memset(to + 10, 0xff, 2);
	memcpy(to + 12, &address, sizeof(address));
}

static uint64_t time_us(uint32_t s, uint32_t us)
{
	return (uint64_t)s * 1000000 + us;
}

static void complete_stats(struct rx_values *values)
{
	const uint32_t *words = values->reply.body.stats.words;
	bool any = words[SONDE_RX_STAT_RTT_SAMPLES];

	map_host(__builtin_bswap32(words[SONDE_RX_STAT_BOGUS_HOST]), values->bogus_little);
	map_host(words[SONDE_RX_STAT_BOGUS_HOST], values->bogus_big);
	values->rtt_total_us =
		any ? time_us(words[SONDE_RX_STAT_TOTAL_RTT], words[SONDE_RX_STAT_TOTAL_RTT + 1]) :
		      0;
	values->rtt_min_us =
		any ? time_us(words[SONDE_RX_STAT_MIN_RTT], words[SONDE_RX_STAT_MIN_RTT + 1]) : 0;
	values->rtt_max_us =
		any ? time_us(words[SONDE_RX_STAT_MAX_RTT], words[SONDE_RX_STAT_MAX_RTT + 1]) : 0;
}

static void complete_peer(struct rx_values *values)
{
	const struct sonde_rx_peer *peer = &values->reply.body.peer;
	bool any = peer->rtt != NO_RTT;

	map_host(peer->host, values->peer);
	values->rtt_us = any ? (int64_t)peer->rtt * US_PER_EIGHTH_MS : 0;
	values->rtt_dev_us = any ? (int64_t)peer->rtt_dev * US_PER_QUARTER_MS : 0;
	values->burst_wait_us = time_us(peer->burst_wait_s, peer->burst_wait_us);
	values->timeout_us = time_us(peer->timeout_s, peer->timeout_us);
}

void rx_values_complete(struct rx_values *values)
{
	switch (values->reply.kind) {
	case SONDE_RX_REPLY_CONN:
		map_host(values->reply.body.conn.host, values->peer);
		break;
	case SONDE_RX_REPLY_PEER:
		complete_peer(values);
		break;
	case SONDE_RX_REPLY_STATS:
		complete_stats(values);
		break;
	default:
		break;
	}
}

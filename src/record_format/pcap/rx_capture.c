// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_capture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "rx/rx_words.h"
#include "schema/class_table.h"
#include "schema/record_field.h"
#include "wire/rx_debug.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define NO_RTT 16000 /* what a peer has before there is a sample */
#define US_PER_EIGHTH_MS 125
#define US_PER_QUARTER_MS 250

static const struct record_layout in_struct = {BYTE_ORDER_HOST, 0};

/* A field called @as: member @member of struct rx_values. */
#define FIELD(as, member, is, in, at)                                  \
	.name = as, .text = is, .unit = in, .scope = FIELD_SCOPE_##at, \
	.place = {RECORD_MEMBER(struct rx_values, member)}
#define UINT(as, member, is, in, at)          \
	{                                     \
		FIELD(as, member, is, in, at) \
	}
#define INT(as, member, is, in, at)                               \
	{                                                         \
		FIELD(as, member, is, in, at), .kind = RECORD_INT \
	}
#define HEX(as, member, is, at)                                         \
	{                                                               \
		FIELD(as, member, is, NULL, at), .show = FIELD_SHOW_HEX \
	}
#define LABELS(as, member, is, table, at)                             \
	{                                                             \
		FIELD(as, member, is, NULL, at), RECORD_LABELS(table) \
	}
#define ADDRESS(as, member, is, at)                                                               \
	{                                                                                         \
		FIELD(as, member, is, NULL, at), .kind = RECORD_BYTES, .show = FIELD_SHOW_ADDRESS \
	}
#define TEXT(as, member, is, at)                                     \
	{                                                            \
		FIELD(as, member, is, NULL, at), .kind = RECORD_TEXT \
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
static const struct record_field basic_fields[] = {
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

static const struct record_field conn_fields[] = {
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
static const struct record_field counter_fields[] = {
	ADDRESS("bogus_host_little", bogus_little, "bogus_host, if the server is little-endian", SYSTEM),
	ADDRESS("bogus_host_big", bogus_big, "bogus_host, if it is big-endian", SYSTEM),
	UINT("rtt_total_us", rtt_total_us, "all round trips together; 0 without samples, as the next two", "us", SYSTEM),
	UINT("rtt_min_us", rtt_min_us, "the shortest", "us", SYSTEM),
	UINT("rtt_max_us", rtt_max_us, "the longest", "us", SYSTEM),
};

/* Of old servers: members that are unused since OpenAFS 1.8 come last. */
static const struct record_field peer_fields[] = {
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

static const struct record_field version_fields[] = {
	TEXT("version", reply.body.version, "of the program that was asked", SYSTEM),
};

static const struct record_field end_fields[] = {
	LABELS("list", reply.what, "which has no more", lists, SYSTEM),
};

static const struct record_field abort_fields[] = {
	INT("code", reply.body.code, "why; -5 where DEBUG is not known", NULL, SYSTEM),
};
/* clang-format on */

#define TABLE(fields)                    \
	{                                \
		fields, COUNT_OF(fields) \
	}

/* Of each kind of reply. */
static const struct {
	const struct record_field *fields;
	size_t count;
} tables[] = {
	[SONDE_RX_REPLY_BASIC] = TABLE(basic_fields),
	[SONDE_RX_REPLY_CONN] = TABLE(conn_fields),
	[SONDE_RX_REPLY_STATS] = TABLE(counter_fields),
	[SONDE_RX_REPLY_PEER] = TABLE(peer_fields),
	[SONDE_RX_REPLY_VERSION] = TABLE(version_fields),
	[SONDE_RX_REPLY_END] = TABLE(end_fields),
	[SONDE_RX_REPLY_ABORT] = TABLE(abort_fields),
};

#define FIELDS_MAX 80u /* of one kind */

_Static_assert(COUNT_OF(conn_fields) <= FIELDS_MAX &&
		       SONDE_RX_STAT_COUNT + COUNT_OF(counter_fields) <= FIELDS_MAX,
	       "room for all");

/* The words that rx_words names. */
static size_t add_words(size_t offset, struct field *fields)
{
	struct record_field word = UINT(NULL, reply.body.stats.words[0], NULL, NULL, SYSTEM);
	size_t count = 0;

	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++) {
		word.name = rx_words_stat(i);
		word.show = i == SONDE_RX_STAT_BOGUS_HOST ? FIELD_SHOW_HEX : FIELD_SHOW_DECIMAL;
		if (word.name)
			record_describe(&word, &in_struct, offset + 4 * i, &fields[count++]);
	}
	return count;
}

/* The fields of a record of @kind, whose struct rx_values is at @offset of the payload. */
static size_t add_record(size_t kind, size_t offset, struct field *fields)
{
	size_t count = kind == SONDE_RX_REPLY_STATS ? add_words(offset, fields) : 0;

	for (size_t i = 0; kind < COUNT_OF(tables) && i < tables[kind].count; i++)
		record_describe(&tables[kind].fields[i], &in_struct, offset, &fields[count++]);
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

/* Member @member of a struct @of that is the payload, or its begin. */
#define MEMBER(of, member, is, in)                                            \
	.name = #member, .text = is, .unit = in, .scope = FIELD_SCOPE_OBJECT, \
	.place = {RECORD_MEMBER(struct of, member)}
#define HEAD(member, is, in, ...)                                \
	{                                                        \
		MEMBER(rx_exchange, member, is, in), __VA_ARGS__ \
	}
#define SUMMARY(member, is)                               \
	{                                                 \
		MEMBER(rx_summary, member, is, "packets") \
	}
#define IS_ADDRESS .kind = RECORD_BYTES, .show = FIELD_SHOW_ADDRESS

static const struct field_label types[] = {
	{RX_TYPE_ABORT, RX_TYPE_ABORT, "abort"},
	{RX_TYPE_DEBUG, RX_TYPE_DEBUG, "debug"},
	{RX_TYPE_VERSION, RX_TYPE_VERSION, "version"},
};

/* As RX_DEBUGI_* are called. */
static const struct field_label whats[] = {
	{0, 0, "none"},
	{RX_DEBUG_BASIC, RX_DEBUG_BASIC, "getstats"},
	{RX_DEBUG_CONN, RX_DEBUG_CONN, "getconn"},
	{RX_DEBUG_ALL_CONN, RX_DEBUG_ALL_CONN, "getallconn"},
	{RX_DEBUG_STATS, RX_DEBUG_STATS, "rxstats"},
	{RX_DEBUG_PEER, RX_DEBUG_PEER, "getpeer"},
};

/* clang-format off */
enum head_field {
	HEAD_SADDR, HEAD_SPORT, HEAD_DADDR, HEAD_DPORT, HEAD_CALL, HEAD_TYPE, HEAD_WHAT, HEAD_INDEX, HEAD_ASKED,
	HEAD_ANSWERS, HEAD_TOOK, HEAD_SILENT, HEAD_FLAGS, HEAD_BYTES, HEAD_CAPTURED,
};

static const struct record_field head_fields[] = {
	[HEAD_SADDR] = HEAD(saddr, "source address", NULL, IS_ADDRESS),
	[HEAD_SPORT] = HEAD(sport, "from this port", NULL),
	[HEAD_DADDR] = HEAD(daddr, "destination address", NULL, IS_ADDRESS),
	[HEAD_DPORT] = HEAD(dport, "at this port", NULL),
	[HEAD_CALL] = HEAD(call, "number of the request, which its reply has as well", NULL),
	[HEAD_TYPE] = HEAD(type, "of the packet", NULL, RECORD_LABELS(types)),
	[HEAD_WHAT] = HEAD(what, "what is asked for: RX_DEBUGI_*; for a reply without a request, derived from "
			     "its length", NULL, .kind = RECORD_INT, RECORD_LABELS(whats)),
	[HEAD_INDEX] = HEAD(index, "which record of a list is asked for", NULL, .kind = RECORD_INT),
	[HEAD_ASKED] = HEAD(asked, "how often that was asked since it was last answered; 0 in a reply: no request seen", "times"),
	[HEAD_ANSWERS] = HEAD(answers, "how often that was answered so far", "times"),
	[HEAD_TOOK] = HEAD(took_ns, "time since it was first asked; 0: no request seen", "ns"),
	[HEAD_SILENT] = HEAD(silent_ns, "time since it was first asked", "ns"),
	[HEAD_FLAGS] = HEAD(flags, "of the packet: 1 from a client", NULL, .show = FIELD_SHOW_HEX),
	[HEAD_BYTES] = HEAD(bytes, "of the packet, with the header of Rx", "bytes"),
	[HEAD_CAPTURED] = HEAD(captured, "of these, in the capture", "bytes"),
};

static const struct record_field summary_fields[] = {
	SUMMARY(packets, "packets in the capture"),
	SUMMARY(requests, "of these, requests of Rx debug"),
	SUMMARY(replies, "replies"),
	SUMMARY(unanswered, "requests without reply, each counted once however often it was sent"),
	SUMMARY(unasked, "replies without request"),
	SUMMARY(cut, "packets that the capture cut short"),
	SUMMARY(malformed, "packets of Rx debug that are damaged"),
	SUMMARY(keepalives, "VERSION packets that only keep a NAT awake"),
	SUMMARY(rx_other, "other packets of Rx: on a port of AFS"),
	SUMMARY(fragments, "parts of UDP datagrams, which are not looked at"),
	SUMMARY(unknown, "packets captured on a link of a kind that is not known"),
	SUMMARY(other, "packets of all other kinds"),
};
/* clang-format on */

#define ENDS 1u << HEAD_SADDR | 1u << HEAD_SPORT | 1u << HEAD_DADDR | 1u << HEAD_DPORT
#define ASKED                                                                           \
	ENDS | 1u << HEAD_CALL | 1u << HEAD_TYPE | 1u << HEAD_WHAT | 1u << HEAD_INDEX | \
		1u << HEAD_ASKED
#define REPLY ASKED | 1u << HEAD_ANSWERS | 1u << HEAD_TOOK | 1u << HEAD_BYTES
#define BROKEN                                                                           \
	ENDS | 1u << HEAD_CALL | 1u << HEAD_TYPE | 1u << HEAD_FLAGS | 1u << HEAD_BYTES | \
		1u << HEAD_CAPTURED

struct class_text {
	const char *name;
	const char *text;
	uint32_t head; /* of head_fields those that it has */
};

static const struct class_text texts[RX_CAPTURE_CLASSES] = {
	[RX_CAPTURE_REQUEST] = {"rx_debug.request",
				"a request for the state of an Rx endpoint (AFS)", ASKED},
	[RX_CAPTURE_UNANSWERED] = {"rx_debug.unanswered",
				   "a request that has had no reply for a minute, or to the end",
				   ASKED | 1u << HEAD_SILENT},
	[RX_CAPTURE_REPLY + SONDE_RX_REPLY_BASIC] = {"rx_debug.reply.stats",
						     "threads, waiting calls, packet buffers",
						     REPLY},
	[RX_CAPTURE_REPLY + SONDE_RX_REPLY_CONN] = {"rx_debug.reply.conn",
						    "a connection and its four calls", REPLY},
	[RX_CAPTURE_REPLY + SONDE_RX_REPLY_STATS] = {"rx_debug.reply.counters",
						     "counters of packets and failures", REPLY},
	[RX_CAPTURE_REPLY + SONDE_RX_REPLY_PEER] = {"rx_debug.reply.peer",
						    "a host and port that it communicates with",
						    REPLY},
	[RX_CAPTURE_REPLY + SONDE_RX_REPLY_VERSION] = {"rx_debug.reply.version",
						       "the version of the program", REPLY},
	[RX_CAPTURE_REPLY +
		SONDE_RX_REPLY_END] = {"rx_debug.reply.end", "the list has no such index", REPLY},
	[RX_CAPTURE_REPLY + SONDE_RX_REPLY_REFUSED] = {"rx_debug.reply.refused",
						       "the server does not know the question",
						       REPLY},
	[RX_CAPTURE_REPLY + SONDE_RX_REPLY_ABORT] = {"rx_debug.reply.abort",
						     "the endpoint does not support Rx debug",
						     REPLY},
	[RX_CAPTURE_CUT] = {"rx_debug.cut", "the capture has only the begin of it", BROKEN},
	[RX_CAPTURE_MALFORMED] = {"rx_debug.malformed",
				  "shorter than it must be, or of no length that a reply has",
				  BROKEN},
	[RX_CAPTURE_SUMMARY] = {"rx_debug.capture", "what the capture held, at its end", 0},
};

static size_t add_head(uint32_t wanted, struct field *fields)
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(head_fields); i++) {
		if (wanted & 1u << i)
			record_describe(&head_fields[i], &in_struct, 0, &fields[count++]);
	}
	return count;
}

static size_t add_own(size_t class, struct field *fields)
{
	if (class == RX_CAPTURE_SUMMARY) {
		for (size_t i = 0; i < COUNT_OF(summary_fields); i++)
			record_describe(&summary_fields[i], &in_struct, 0, &fields[i]);
		return COUNT_OF(summary_fields);
	}
	if (class < RX_CAPTURE_REPLY || class >= RX_CAPTURE_CUT)
		return 0;
	return add_record(class - RX_CAPTURE_REPLY, offsetof(struct rx_exchange, values), fields);
}

int rx_capture_classes_init(struct rx_capture_classes *classes)
{
	struct field fields[COUNT_OF(head_fields) + FIELDS_MAX];

	*classes = (struct rx_capture_classes){.table = class_table_new()};
	if (!classes->table)
		return -ENOMEM;
	for (size_t i = 0; i < RX_CAPTURE_CLASSES; i++) {
		size_t head = add_head(texts[i].head, fields);
		const struct class_plan plan = {
			.name = texts[i].name,
			.text = texts[i].text,
			.fields = fields,
			.field_count = head + add_own(i, fields + head),
			.payload_bytes = i == RX_CAPTURE_SUMMARY ? sizeof(struct rx_summary) :
								   sizeof(struct rx_exchange),
		};

		classes->classes[i] = class_table_add(classes->table, &plan);
		if (!classes->classes[i])
			return -ENOMEM;
	}
	return 0;
}

void rx_capture_classes_fini(struct rx_capture_classes *classes)
{
	class_table_free(classes->table);
	classes->table = NULL;
}

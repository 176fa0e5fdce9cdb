// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_capture.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "schema/class_table.h"
#include "schema/field.h"
#include "wire/rx_debug.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define SIZE_OF(of, member) sizeof(((struct of *)0)->member)

#define PLACE(of, member, is, in)                                              \
	.name = #member, .text = is, .unit = in, .scope = FIELD_SCOPE_OBJECT,  \
	.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, .align_bits = 8, \
	.offset_bits = 8 * (uint32_t)offsetof(struct of, member)
#define UINT(of, member, is, in)                                                       \
	{                                                                              \
		PLACE(of, member, is, in), .count = 1, .bits = 8 * SIZE_OF(of, member) \
	}
#define ADDRESS(member, is)                                                                  \
	{                                                                                    \
		PLACE(rx_exchange, member, is, NULL), .count = SIZE_OF(rx_exchange, member), \
						      .bits = 8, .is_array = true,           \
						      .show = FIELD_SHOW_ADDRESS             \
	}
#define LABELS(member, is, table)                                                        \
	{                                                                                \
		PLACE(rx_exchange, member, is, NULL),                                    \
			.count = 1, .bits = 8 * SIZE_OF(rx_exchange, member),            \
			.is_signed = SIZE_OF(rx_exchange, member) == 4, .labels = table, \
			.label_count = COUNT_OF(table)                                   \
	}

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

static const struct field head_fields[] = {
	[HEAD_SADDR] = ADDRESS(saddr, "source address"),
	[HEAD_SPORT] = UINT(rx_exchange, sport, "from this port", NULL),
	[HEAD_DADDR] = ADDRESS(daddr, "destination address"),
	[HEAD_DPORT] = UINT(rx_exchange, dport, "at this port", NULL),
	[HEAD_CALL] = UINT(rx_exchange, call, "number of the request, which its reply has as well", NULL),
	[HEAD_TYPE] = LABELS(type, "of the packet", types),
	[HEAD_WHAT] = LABELS(what, "what is asked for: RX_DEBUGI_*; for a reply without a request, derived from "
			     "its length", whats),
	[HEAD_INDEX] = {PLACE(rx_exchange, index, "which record of a list is asked for", NULL), .count = 1, .bits = 32,
			.is_signed = true},
	[HEAD_ASKED] = UINT(rx_exchange, asked, "how often that was asked since it was last answered; 0 in a reply: no request seen", "times"),
	[HEAD_ANSWERS] = UINT(rx_exchange, answers, "how often that was answered so far", "times"),
	[HEAD_TOOK] = UINT(rx_exchange, took_ns, "time since it was first asked; 0: no request seen", "ns"),
	[HEAD_SILENT] = UINT(rx_exchange, silent_ns, "time since it was first asked", "ns"),
	[HEAD_FLAGS] = {PLACE(rx_exchange, flags, "of the packet: 1 from a client", NULL), .count = 1, .bits = 8,
			.show = FIELD_SHOW_HEX},
	[HEAD_BYTES] = UINT(rx_exchange, bytes, "of the packet, with the header of Rx", "bytes"),
	[HEAD_CAPTURED] = UINT(rx_exchange, captured, "of these, in the capture", "bytes"),
};

static const struct field summary_fields[] = {
	UINT(rx_summary, packets, "packets in the capture", "packets"),
	UINT(rx_summary, requests, "of these, requests of Rx debug", "packets"),
	UINT(rx_summary, replies, "replies", "packets"),
	UINT(rx_summary, unanswered, "requests without reply, each counted once however often it was sent", "packets"),
	UINT(rx_summary, unasked, "replies without request", "packets"),
	UINT(rx_summary, cut, "packets that the capture cut short", "packets"),
	UINT(rx_summary, malformed, "packets of Rx debug that are damaged", "packets"),
	UINT(rx_summary, keepalives, "VERSION packets that only keep a NAT awake", "packets"),
	UINT(rx_summary, rx_other, "other packets of Rx: on a port of AFS", "packets"),
	UINT(rx_summary, fragments, "parts of UDP datagrams, which are not looked at", "packets"),
	UINT(rx_summary, unknown, "packets captured on a link of a kind that is not known", "packets"),
	UINT(rx_summary, other, "packets of all other kinds", "packets"),
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
			fields[count++] = head_fields[i];
	}
	return count;
}

static size_t add_own(size_t class, struct field *fields)
{
	if (class == RX_CAPTURE_SUMMARY) {
		memcpy(fields, summary_fields, sizeof(summary_fields));
		return COUNT_OF(summary_fields);
	}
	if (class < RX_CAPTURE_REPLY || class >= RX_CAPTURE_CUT)
		return 0;
	return rx_fields_get((enum sonde_rx_reply_kind)(class - RX_CAPTURE_REPLY),
			     offsetof(struct rx_exchange, values), fields);
}

int rx_capture_classes_init(struct rx_capture_classes *classes)
{
	struct field fields[COUNT_OF(head_fields) + RX_FIELDS_MAX];

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

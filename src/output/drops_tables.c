// SPDX-License-Identifier: BSD-2-Clause
/*
 * drops_tables: the report "drops": dropped packets by reason, place in the kernel and protocol.
 */
#include <stdio.h>
#include <string.h>

#include "analyse/net_fields.h"
#include "analyse/report_drops.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/report_kind.h"

static const struct {
	const char *reason; /* of enum skb_drop_reason, include/net/dropreason-core.h */
	const char *words;
} meanings[] = {
	{"NO_SOCKET", "no program listens on the port"},
	{"SOCKET_FILTER", "a filter of the socket refused it"},
	{"SOCKET_RCVBUFF", "the socket's receive buffer is full"},
	{"SOCKET_BACKLOG", "the socket's backlog is full"},
	{"PROTO_MEM", "the protocol's memory is used up"},
	{"NETFILTER_DROP", "a firewall rule dropped it"},
	{"BPF_CGROUP_EGRESS", "a BPF program of the cgroup refused it"},
	{"TC_INGRESS", "a traffic control rule dropped it"},
	{"TC_EGRESS", "a traffic control rule dropped it"},
	{"XDP", "an XDP program dropped it"},
	{"QDISC_DROP", "the device's queue is full"},
	{"FULL_RING", "the device's ring is full"},
	{"CPU_BACKLOG", "the CPU's input queue is full"},
	{"DEV_READY", "the device is down"},
	{"NOMEM", "no memory"},
	{"OTHERHOST", "addressed to another host"},
	{"IP_INNOROUTES", "no route for received packets"},
	{"IP_OUTNOROUTES", "no route to the destination"},
	{"IP_RPFILTER", "source address fails the reverse path check"},
	{"NEIGH_FAILED", "the next hop does not answer"},
	{"NEIGH_QUEUEFULL", "too many wait for the next hop"},
	{"PKT_TOO_BIG", "larger than the MTU"},
	{"PKT_TOO_SMALL", "too short for its headers"},
	{"IP_CSUM", "wrong IP checksum"},
	{"TCP_CSUM", "wrong TCP checksum"},
	{"UDP_CSUM", "wrong UDP checksum"},
	{"TCP_OLD_DATA", "data that was received before"},
	{"TCP_OVERWINDOW", "outside of the receive window"},
	{"TCP_OFOMERGE", "data that is in the out-of-order queue"},
	{"TCP_OFO_DROP", "the out-of-order queue is full"},
	{"TCP_ZEROWINDOW", "the receive window is closed"},
	{"TCP_INVALID_SEQUENCE", "sequence number outside of the window"},
	{"TCP_INVALID_ACK_SEQUENCE", "acknowledges what was not sent"},
	{"TCP_RESET", "the connection was reset"},
	{"TCP_CLOSE", "the connection is closed"},
	{"QUEUE_PURGE", "its socket was closed before"},
	{"SOCKET_CLOSE", "its socket was closed"},
	{"TCP_OLD_ACK", "an acknowledgement came late"},
	{"TCP_RFC7323_TW_PAWS", "too old for a connection in TIME_WAIT"},
	{"UNIX_DISCONNECT", "its socket was disconnected"},
	{"TCP_FLAGS", "flags that do not fit the connection's state"},
};

/* NULL: the reason's name has to do. */
static const char *meaning_of(const char *reason)
{
	for (size_t i = 0; reason && i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (!strcmp(meanings[i].reason, reason))
			return meanings[i].words;
	}
	return NULL;
}

static int drops_summary(const struct report *report, const struct report_options *options,
			 struct buffer *out)
{
	const struct drops_report *dr = (const struct drops_report *)report;

	(void)options;
	buffer_format(out, "Drops: %s packet%s, %s\n", amount_count(dr->all.packets).text,
		      dr->all.packets == 1 ? "" : "s", amount_size(dr->all.bytes).text);
	if (dr->harmless)
		buffer_format(out,
			      "%s of them harmless: left of what is closed, or for another host\n",
			      amount_count(dr->harmless).text);
	if (dr->others)
		buffer_format(out, "%s packets of more reasons and places than are kept apart\n",
			      amount_count(dr->others).text);
	return 0;
}

static int drops_members(const struct report *report, const struct report_options *options,
			 struct json_writer *json)
{
	const struct drops_report *dr = (const struct drops_report *)report;

	(void)options;
	json_writer_uint(json, "packets", dr->all.packets);
	json_writer_uint(json, "bytes", dr->all.bytes);
	json_writer_uint(json, "other_packets", dr->others);
	json_writer_uint(json, "harmless_packets", dr->harmless);
	return 0;
}

static const struct report_column columns[] = {
	{.key = "reason"},
	{.key = "reason_name"},
	{.title = "reason"},
	{.key = "meaning", .title = "which means"},
	{.key = "protocol"},
	{.key = "protocol_name", .title = "protocol"},
	{.key = "location"},
	{.key = "function"},
	{.title = "in the kernel"},
	{.key = "packets", .title = "packets"},
	{.title = "share"},
	{.key = "bytes", .title = "bytes"},
	{.key = "first"},
	{.key = "last"},
	{.key = "harmless", .title = "harmless"},
};

static void put_reason(const struct drop_row *drop, struct report_row *row)
{
	const int64_t reason = drop->key.reason;

	report_row_int_if(row, reason, reason >= 0);
	report_row_text(row, drop->reason);
	if (drop->reason || reason < 0)
		report_row_text(row, drop->reason ?: "not recorded");
	else
		report_row_int(row, reason);
	report_row_text(row, meaning_of(drop->reason));
}

static void put_location(const struct drop_row *drop, struct report_row *row)
{
	char place[SYMBOL_TEXT_BYTES] = "";

	if (drop->key.location)
		report_row_count(row, drop->key.location);
	else
		report_row_none(row);
	report_row_text(row, drop->place.function);
	if (drop->place.function)
		(void)symbol_format(&drop->place, place);
	else if (drop->key.location)
		(void)snprintf(place, sizeof(place), "0x%llx",
			       (unsigned long long)drop->key.location);
	report_row_format(row, "%s", place);
}

static void fill(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct drops_report *dr = rows->owner;
	const struct drop_row *drop = from;

	put_reason(drop, row);
	report_row_count(row, drop->key.protocol);
	report_row_text(row, net_protocol_name((uint8_t)drop->key.protocol));
	put_location(drop, row);
	report_row_count(row, drop->packets);
	report_row_share(row, drop->packets, dr->all.packets);
	report_row_size(row, drop->bytes);
	report_row_int(row, drop->first_ns);
	report_row_int(row, drop->last_ns);
	report_row_bool(row, drop->harmless);
}

static const struct report_table table = {
	.key = "by_reason",
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.fill = fill,
};

static int rows(const struct report *report, struct report_rows *ret)
{
	const struct drops_report *dr = (const struct drops_report *)report;

	ret->list = dr->rows;
	ret->bytes = sizeof(*dr->rows);
	ret->count = dr->index.count;
	return 0;
}

static const struct report_table flow_table = {.key = "by_flow"};

/* The rows of the report inside of this one. */
static int flow_rows(const struct report *report, struct report_rows *ret)
{
	const struct drops_report *dr = (const struct drops_report *)report;
	int err;

	ret->hidden = !dr->flows;
	if (!dr->flows)
		return 0;
	ret->owner = dr->flows;
	err = report_events_rows(dr->flows, ret);
	if (!err)
		ret->made->key = flow_table.key;
	return err;
}

static const struct report_part parts[] = {{&table, rows, NULL}, {&flow_table, flow_rows, NULL}};

static const struct report_measure measured[] = {
	{"bytes", "net.drop", "size", "size > 0", MEASURE_SUM},
};

static const struct report_measures measures = {
	.events = "net.drop",
	.counts = "packets",
	.list = measured,
	.count = sizeof(measured) / sizeof(measured[0]),
};

const struct report_kind report_kind_drops = {
	.name = "drops",
	.events = "net.drop",
	.group = "net.",
	.new = report_drops_new,
	.summary = drops_summary,
	.members = drops_members,
	.measures = &measures,
	.parts = parts,
	.part_count = 2,
	.each = true,
};

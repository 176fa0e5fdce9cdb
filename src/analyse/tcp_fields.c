// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/tcp_fields.h"

#include <string.h>

static const char *const names[TCP_FIELD_COUNT] = {
	[TCP_BYTES_ACKED] = "bytes_acked",
	[TCP_BYTES_RECEIVED] = "bytes_received",
	[TCP_NETNS] = "netns",
	[TCP_SND_UNA] = "snd_una",
	[TCP_SND_NXT] = "snd_nxt",
	[TCP_WRITE_SEQ] = "write_seq",
	[TCP_SND_CWND] = "snd_cwnd",
	[TCP_SND_WND] = "snd_wnd",
	[TCP_RCV_NXT] = "rcv_nxt",
	[TCP_COPIED_SEQ] = "copied_seq",
	[TCP_MSS] = "mss",
	[TCP_SRTT_US] = "srtt_us",
	[TCP_MDEV_US] = "mdev_us",
	[TCP_RTO_US] = "rto_us",
	[TCP_PACKETS_OUT] = "packets_out",
	[TCP_SACKED_OUT] = "sacked_out",
	[TCP_LOST_OUT] = "lost_out",
	[TCP_RETRANS_OUT] = "retrans_out",
	[TCP_TOTAL_RETRANS] = "total_retrans",
	[TCP_SNDBUF] = "sndbuf",
	[TCP_WMEM_QUEUED] = "wmem_queued",
	[TCP_STATE_NOW] = "state",
	[TCP_CA_STATE] = "ca_state",
};

static const struct {
	const char *name;
	enum tcp_kind kind;
	const char *more[TCP_MORE_FIELDS];
} kinds[] = {
	{"tcp.cwnd", TCP_CWND, {"old_cwnd"}},
	{"tcp.retransmit", TCP_RETRANSMIT, {"cause", "segments", "length", "error"}},
	{"tcp.loss", TCP_LOSS, {"new_ca_state"}},
	{"tcp.state", TCP_STATE, {"new_state"}},
	{"tcp.recv", TCP_RECV, {NULL}},
	{"tcp.reset", TCP_RESET, {"direction", "reason"}},
	{"tcp.close", TCP_CLOSE, {NULL}},
};

static bool find(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

static bool is_bytes(const struct field *field)
{
	return field->unit && !strcmp(field->unit, "bytes");
}

/* Snapshots that were made of those of another format have what that has. */
static bool is_partial(const struct event_class *class)
{
	return !strcmp(class->name, TCP_PARTIAL_NAME);
}

/* The names are Sonde's, but the trace may be any: a class that lacks a field is not one of these. */
void tcp_fields_find(struct tcp_fields *fields, const struct event_class *class)
{
	enum tcp_kind kind = TCP_PLAIN;
	bool good;
	size_t i, j;

	*fields = (struct tcp_fields){0};
	if (strncmp(class->name, "tcp.", 4) != 0)
		return;
	good = is_partial(class) ? conn_id_find_ports(&fields->id, class) :
				   conn_id_find(&fields->id, class) && fields->id.cookie >= 0;
	for (i = 0; i < TCP_FIELD_COUNT; i++) {
		if (find(class, names[i], &fields->at[i]))
			fields->has |= 1u << i;
		else
			good = good && is_partial(class);
	}
	fields->cwnd_bytes = fields->has >> TCP_SND_CWND & 1 &&
			     is_bytes(&class->fields[fields->at[TCP_SND_CWND]]);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(class->name, kinds[i].name) != 0)
			continue;
		kind = kinds[i].kind;
		for (j = 0; j < TCP_MORE_FIELDS && kinds[i].more[j]; j++)
			good = good && find(class, kinds[i].more[j], &fields->more[j]);
	}
	if (good)
		fields->kind = kind;
}

void tcp_fields_read(const struct tcp_fields *fields, const struct event *event,
		     struct tcp_now *now)
{
	now->has = fields->has;
	for (size_t i = 0; i < TCP_FIELD_COUNT; i++)
		now->v[i] = fields->has >> i & 1 ? event_uint(event, fields->at[i]) : 0;
}

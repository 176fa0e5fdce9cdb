// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_columns.h"

#include <string.h>

#include "schema/event.h"

/* Columns of 8 bytes are the unsigned longs of struct tpm_entry, on a machine whose have 8; those of 0 are not
 * used here. */
#define COLUMN(name_, text_, unit_, scope_, bytes_)                                 \
	.name = name_, .text = text_, .unit = unit_, .scope = FIELD_SCOPE_##scope_, \
	.place[0].bytes = bytes_
#define COPY(field) .from = {RECORD_RULE_COPY, field, NULL, 0}
#define PRODUCT(a, b) .from = {RECORD_RULE_PRODUCT, a, b, 0}
#define DISTANCE(a, b) .from = {RECORD_RULE_DISTANCE, a, b, 0}

_Static_assert((int)PM_SCOPE_MONITOR == FIELD_SCOPE_MONITOR &&
		       (int)PM_SCOPE_SYSTEM == FIELD_SCOPE_SYSTEM &&
		       (int)PM_SCOPE_CONNECTION == FIELD_SCOPE_OBJECT,
	       "PSC's scopes are ours");

/* include/net/tcp_states.h */
static const struct field_label states[] = {
	{1, 1, "ESTABLISHED"}, {2, 2, "SYN_SENT"},  {3, 3, "SYN_RECV"},	 {4, 4, "FIN_WAIT1"},
	{5, 5, "FIN_WAIT2"},   {6, 6, "TIME_WAIT"}, {7, 7, "CLOSE"},	 {8, 8, "CLOSE_WAIT"},
	{9, 9, "LAST_ACK"},    {10, 10, "LISTEN"},  {11, 11, "CLOSING"},
};

/* include/uapi/linux/tcp.h, enum tcp_ca_state */
static const struct field_label ca_states[] = {
	{0, 0, "Open"}, {1, 1, "Disorder"}, {2, 2, "CWR"}, {3, 3, "Recovery"}, {4, 4, "Loss"},
};

/* clang-format off */
static const struct record_field known[] = {
	[PM_SEQ_NO] = {COLUMN("seq_no", "number of the snapshot", NULL, MONITOR, 8)},
	[PM_TIME] = {COLUMN("time", "when it was taken", NULL, MONITOR, PM_TIME_LONG_BYTES)},
	[PM_CALLVALUE] = {COLUMN("callvalue", "what the place that took the snapshot adds", NULL, MONITOR, 8), COPY("callvalue")},
	[PM_LOCATION] = {COLUMN("location", "number of the place that took the snapshot", NULL, MONITOR, 8), COPY("location")},
	[PM_LPORT] = {COLUMN("lport", "local port", NULL, OBJECT, 2), .network = true, COPY("lport")},
	[PM_RPORT] = {COLUMN("rport", "remote port", NULL, OBJECT, 2), .network = true, COPY("rport")},
	[PM_SND_CWND] = {COLUMN("snd_cwnd", "congestion window", "bytes", OBJECT, 8), PRODUCT("snd_cwnd", "mss")},
	[PM_SND_MAX] = {COLUMN("snd_max", "highest sequence number sent", "seq", OBJECT, 4), COPY("snd_nxt")},
	[PM_SND_FACK] = {COLUMN("snd_fack", "highest sequence number acknowledged, selectively or not", "seq", OBJECT, 4), COPY("snd_fack")},
	[PM_SB_HIWAT] = {COLUMN("sb_hiwat", "high water mark of the send buffer", "bytes", OBJECT, 8), COPY("sndbuf")},
	[PM_SND_SB_CC] = {COLUMN("snd_sb_cc", "bytes in the send buffer", "bytes", OBJECT, 8), DISTANCE("write_seq", "snd_una")},
	[PM_RCV_SB_CC] = {COLUMN("rcv_sb_cc", "bytes in the receive buffer", "bytes", OBJECT, 8), DISTANCE("rcv_nxt", "copied_seq")},
	[PM_SB_TARGET_HIWAT] = {COLUMN("sb_target_hiwat", "size of the send buffer that autotuning aims at", "bytes", OBJECT, 0)},
	[PM_SB_NET_TARGET] = {COLUMN("sb_net_target", "bytes that the network could take", "bytes", OBJECT, 0)},
	[PM_HIWAT_FAIR_SHARE] = {COLUMN("hiwat_fair_share", "the connection's fair share of buffers", "bytes", OBJECT, 0)},
	[PM_M_CLUSED] = {COLUMN("m_clused", "clusters of network memory in use", "clusters", SYSTEM, 8), COPY("tcp_mem_pages")},
	/* Sonde's own: other fields of the snapshot. */
	{COLUMN("cookie", "number of the socket, unique since boot", NULL, OBJECT, 8), COPY("cookie")},
	{COLUMN("bytes_acked", "bytes acknowledged by the peer", "bytes", OBJECT, 8), COPY("bytes_acked")},
	{COLUMN("bytes_received", "bytes received in order", "bytes", OBJECT, 8), COPY("bytes_received")},
	{COLUMN("pacing_rate", "rate that sending is paced at; all ones: not paced", "bytes/s", OBJECT, 8), COPY("pacing_rate")},
	{COLUMN("netns", "network namespace (inode)", NULL, OBJECT, 4), COPY("netns"), .show = FIELD_SHOW_NETNS},
	{COLUMN("snd_una", "oldest byte not acknowledged", "seq", OBJECT, 4), COPY("snd_una")},
	{COLUMN("write_seq", "end of what the application has written", "seq", OBJECT, 4), COPY("write_seq")},
	{COLUMN("snd_ssthresh", "slow start threshold", "segments", OBJECT, 4), COPY("snd_ssthresh")},
	{COLUMN("snd_wnd", "window that the peer offers", "bytes", OBJECT, 4), COPY("snd_wnd")},
	{COLUMN("rcv_nxt", "next byte expected", "seq", OBJECT, 4), COPY("rcv_nxt")},
	{COLUMN("copied_seq", "next byte that the application will read", "seq", OBJECT, 4), COPY("copied_seq")},
	{COLUMN("rcv_wnd", "window that we offer", "bytes", OBJECT, 4), COPY("rcv_wnd")},
	{COLUMN("rcv_ssthresh", "limit of the window that we offer", "bytes", OBJECT, 4), COPY("rcv_ssthresh")},
	{COLUMN("mss", "payload of a full segment", "bytes", OBJECT, 4), COPY("mss")},
	{COLUMN("srtt_us", "smoothed round-trip time", "us/8", OBJECT, 4), COPY("srtt_us")},
	{COLUMN("mdev_us", "mean deviation of the round-trip time", "us/4", OBJECT, 4), COPY("mdev_us")},
	{COLUMN("rto_us", "retransmission timeout", "us", OBJECT, 4), COPY("rto_us")},
	{COLUMN("packets_out", "segments in flight", "segments", OBJECT, 4), COPY("packets_out")},
	{COLUMN("sacked_out", "of these: selectively acknowledged", "segments", OBJECT, 4), COPY("sacked_out")},
	{COLUMN("lost_out", "of these: taken for lost", "segments", OBJECT, 4), COPY("lost_out")},
	{COLUMN("retrans_out", "of these: sent again", "segments", OBJECT, 4), COPY("retrans_out")},
	{COLUMN("total_retrans", "segments sent again since the connection began", "segments", OBJECT, 4), COPY("total_retrans")},
	{COLUMN("delivered", "segments delivered since the connection began", "segments", OBJECT, 4), COPY("delivered")},
	{COLUMN("reordering", "reordering that is tolerated", "segments", OBJECT, 4), COPY("reordering")},
	{COLUMN("wmem_queued", "memory that the send queue takes", "bytes", OBJECT, 4), COPY("wmem_queued")},
	{COLUMN("rcvbuf", "size of the receive buffer", "bytes", OBJECT, 4), COPY("rcvbuf")},
	{COLUMN("rmem_alloc", "memory that the receive queue takes", "bytes", OBJECT, 4), COPY("rmem_alloc")},
	{COLUMN("state", "state of the connection", NULL, OBJECT, 1), COPY("state"), RECORD_LABELS(states)},
	{COLUMN("ca_state", "state of congestion control", NULL, OBJECT, 1), COPY("ca_state"), RECORD_LABELS(ca_states)},
	{COLUMN("family", "IP version: the address family's number", NULL, OBJECT, 2), COPY("family")},
	{COLUMN("saddr", "local address", NULL, OBJECT, 16), COPY("saddr"), .kind = RECORD_BYTES, .show = FIELD_SHOW_ADDRESS},
	{COLUMN("daddr", "remote address", NULL, OBJECT, 16), COPY("daddr"), .kind = RECORD_BYTES, .show = FIELD_SHOW_ADDRESS},
	{COLUMN("ca_name", "congestion control algorithm", NULL, OBJECT, 16), COPY("ca_name"), .kind = RECORD_TEXT},
};
/* clang-format on */

const struct record_field *pm_known_get(size_t i)
{
	return i < sizeof(known) / sizeof(known[0]) ? &known[i] : NULL;
}

const struct record_field *pm_known_find(const char *name)
{
	const struct record_field *found;

	for (size_t i = 0; (found = pm_known_get(i)); i++) {
		if (!strcmp(found->name, name))
			return found;
	}
	return NULL;
}

uint16_t pm_known_mask(size_t i)
{
	switch (i) {
	case PM_SND_FACK:
		return PM_MODS_FACK;
	case PM_SB_TARGET_HIWAT:
	case PM_SB_NET_TARGET:
	case PM_HIWAT_FAIR_SHARE:
		return PM_MODS_AUTO;
	default:
		return 0;
	}
}

uint16_t pm_known_flags(const struct record_field *column)
{
	if (column->kind == RECORD_BYTES || column->kind == RECORD_TEXT)
		return PM_FLAGS_BITS;
	return column->network ? PM_FLAGS_NETWORK : PM_FLAGS_HOST;
}

/* What makes a class one of our own, by which the rules go. */
static const char *const own_fields[] = {"mss", "sndbuf", "write_seq", "snd_cwnd"};

static bool is_own(const struct event_class *class)
{
	if (strncmp(class->name, "tcp.", 4) != 0)
		return false;
	for (size_t i = 0; i < sizeof(own_fields) / sizeof(own_fields[0]); i++) {
		if (event_class_find_number(class, own_fields[i]) < 0)
			return false;
	}
	return true;
}

bool pm_class_is_snapshot(const struct event_class *class)
{
	if (!strcmp(class->name, PM_CLASS_NAME))
		return true;
	return event_class_find_number(class, "lport") >= 0 &&
	       event_class_find_number(class, "rport") >= 0 &&
	       event_class_find_number(class, "snd_cwnd") >= 0;
}

bool pm_column_find(struct record_source *ret, const struct record_field *column,
		    const struct event_class *class)
{
	return is_own(class) ? record_find(ret, column, class) :
			       record_find_same(ret, column, class);
}

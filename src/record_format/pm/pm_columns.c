// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_columns.h"

#include <string.h>

#include "wire/pm.h"

/* Columns of 8 bytes are the unsigned longs of struct tpm_entry, on a machine whose have 8. */
#define MONITOR PM_SCOPE_MONITOR, 0, PM_FLAGS_HOST
#define SYSTEM PM_SCOPE_SYSTEM, 0, PM_FLAGS_HOST
#define CONNECTION PM_SCOPE_CONNECTION, 0, PM_FLAGS_HOST
#define PORT PM_SCOPE_CONNECTION, 0, PM_FLAGS_NETWORK
#define BITS PM_SCOPE_CONNECTION, 0, PM_FLAGS_BITS
#define OF_FACK PM_SCOPE_CONNECTION, PM_MODS_FACK, PM_FLAGS_HOST
#define OF_AUTO PM_SCOPE_CONNECTION, PM_MODS_AUTO, PM_FLAGS_HOST
#define LABEL_COUNT(labels) (sizeof(labels) / sizeof((labels)[0]))

#define DECIMAL FIELD_SHOW_DECIMAL, NULL, 0
#define ADDRESS FIELD_SHOW_ADDRESS, NULL, 0
#define NETNS FIELD_SHOW_NETNS, NULL, 0
#define STATE FIELD_SHOW_DECIMAL, states, LABEL_COUNT(states)
#define CA_STATE FIELD_SHOW_DECIMAL, ca_states, LABEL_COUNT(ca_states)

#define NOTHING PM_RULE_NONE, NULL, NULL
#define COPY(field) PM_RULE_COPY, field, NULL
#define PRODUCT(a, b) PM_RULE_PRODUCT, a, b
#define DISTANCE(a, b) PM_RULE_DISTANCE, a, b
#define SAME(name, text, unit, show, length, of)               \
	{                                                      \
		name, text, unit, show, length, of, COPY(name) \
	}

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
static const struct pm_known known[] = {
	[PM_SEQ_NO] = {"seq_no", "number of the snapshot", NULL, DECIMAL, 8, MONITOR, NOTHING},
	[PM_TIME] = {"time", "when it was taken", NULL, DECIMAL, PM_TIME_LONG_BYTES, MONITOR, NOTHING},
	[PM_CALLVALUE] = {"callvalue", "what the place that took the snapshot adds", NULL, DECIMAL, 8, MONITOR,
		COPY("callvalue")},
	[PM_LOCATION] = {"location", "number of the place that took the snapshot", NULL, DECIMAL, 8, MONITOR,
		COPY("location")},
	[PM_LPORT] = {"lport", "local port", NULL, DECIMAL, 2, PORT, COPY("lport")},
	[PM_RPORT] = {"rport", "remote port", NULL, DECIMAL, 2, PORT, COPY("rport")},
	[PM_SND_CWND] = {"snd_cwnd", "congestion window", "bytes", DECIMAL, 8, CONNECTION,
		PRODUCT("snd_cwnd", "mss")},
	[PM_SND_MAX] = {"snd_max", "highest sequence number sent", "seq", DECIMAL, 4, CONNECTION,
		COPY("snd_nxt")},
	[PM_SND_FACK] = {"snd_fack", "highest sequence number acknowledged, selectively or not", "seq",
		DECIMAL, 4, OF_FACK, COPY("snd_fack")},
	[PM_SB_HIWAT] = {"sb_hiwat", "high water mark of the send buffer", "bytes", DECIMAL, 8, CONNECTION,
		COPY("sndbuf")},
	[PM_SND_SB_CC] = {"snd_sb_cc", "bytes in the send buffer", "bytes", DECIMAL, 8, CONNECTION,
		DISTANCE("write_seq", "snd_una")},
	[PM_RCV_SB_CC] = {"rcv_sb_cc", "bytes in the receive buffer", "bytes", DECIMAL, 8, CONNECTION,
		DISTANCE("rcv_nxt", "copied_seq")},
	[PM_SB_TARGET_HIWAT] = {"sb_target_hiwat", "size of the send buffer that autotuning aims at", "bytes",
		DECIMAL, 0, OF_AUTO, NOTHING},
	[PM_SB_NET_TARGET] = {"sb_net_target", "bytes that the network could take", "bytes", DECIMAL, 0,
		OF_AUTO, NOTHING},
	[PM_HIWAT_FAIR_SHARE] = {"hiwat_fair_share", "the connection's fair share of buffers", "bytes", DECIMAL,
		0, OF_AUTO, NOTHING},
	[PM_M_CLUSED] = {"m_clused", "clusters of network memory in use", "clusters", DECIMAL, 8, SYSTEM,
		COPY("tcp_mem_pages")},
	/* Sonde's own: other fields of the snapshot. */
	SAME("cookie", "number of the socket, unique since boot", NULL, DECIMAL, 8, CONNECTION),
	SAME("bytes_acked", "bytes acknowledged by the peer", "bytes", DECIMAL, 8, CONNECTION),
	SAME("bytes_received", "bytes received in order", "bytes", DECIMAL, 8, CONNECTION),
	SAME("pacing_rate", "rate that sending is paced at; all ones: not paced", "bytes/s", DECIMAL, 8, CONNECTION),
	SAME("netns", "network namespace (inode)", NULL, NETNS, 4, CONNECTION),
	SAME("snd_una", "oldest byte not acknowledged", "seq", DECIMAL, 4, CONNECTION),
	SAME("write_seq", "end of what the application has written", "seq", DECIMAL, 4, CONNECTION),
	SAME("snd_ssthresh", "slow start threshold", "segments", DECIMAL, 4, CONNECTION),
	SAME("snd_wnd", "window that the peer offers", "bytes", DECIMAL, 4, CONNECTION),
	SAME("rcv_nxt", "next byte expected", "seq", DECIMAL, 4, CONNECTION),
	SAME("copied_seq", "next byte that the application will read", "seq", DECIMAL, 4, CONNECTION),
	SAME("rcv_wnd", "window that we offer", "bytes", DECIMAL, 4, CONNECTION),
	SAME("rcv_ssthresh", "limit of the window that we offer", "bytes", DECIMAL, 4, CONNECTION),
	SAME("mss", "payload of a full segment", "bytes", DECIMAL, 4, CONNECTION),
	SAME("srtt_us", "smoothed round-trip time", "us/8", DECIMAL, 4, CONNECTION),
	SAME("mdev_us", "mean deviation of the round-trip time", "us/4", DECIMAL, 4, CONNECTION),
	SAME("rto_us", "retransmission timeout", "us", DECIMAL, 4, CONNECTION),
	SAME("packets_out", "segments in flight", "segments", DECIMAL, 4, CONNECTION),
	SAME("sacked_out", "of these: selectively acknowledged", "segments", DECIMAL, 4, CONNECTION),
	SAME("lost_out", "of these: taken for lost", "segments", DECIMAL, 4, CONNECTION),
	SAME("retrans_out", "of these: sent again", "segments", DECIMAL, 4, CONNECTION),
	SAME("total_retrans", "segments sent again since the connection began", "segments", DECIMAL, 4, CONNECTION),
	SAME("delivered", "segments delivered since the connection began", "segments", DECIMAL, 4, CONNECTION),
	SAME("reordering", "reordering that is tolerated", "segments", DECIMAL, 4, CONNECTION),
	SAME("wmem_queued", "memory that the send queue takes", "bytes", DECIMAL, 4, CONNECTION),
	SAME("rcvbuf", "size of the receive buffer", "bytes", DECIMAL, 4, CONNECTION),
	SAME("rmem_alloc", "memory that the receive queue takes", "bytes", DECIMAL, 4, CONNECTION),
	SAME("state", "state of the connection", NULL, STATE, 1, CONNECTION),
	SAME("ca_state", "state of congestion control", NULL, CA_STATE, 1, CONNECTION),
	SAME("family", "IP version: the address family's number", NULL, DECIMAL, 2, CONNECTION),
	SAME("saddr", "local address", NULL, ADDRESS, 16, BITS),
	SAME("daddr", "remote address", NULL, ADDRESS, 16, BITS),
	SAME("ca_name", "congestion control algorithm", NULL, DECIMAL, 16, BITS),
};
/* clang-format on */

const struct pm_known *pm_known_get(size_t i)
{
	return i < sizeof(known) / sizeof(known[0]) ? &known[i] : NULL;
}

const struct pm_known *pm_known_find(const char *name)
{
	const struct pm_known *found;

	for (size_t i = 0; (found = pm_known_get(i)); i++) {
		if (!strcmp(found->name, name))
			return found;
	}
	return NULL;
}

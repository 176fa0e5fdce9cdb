// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_classic.h"

#include <byteswap.h>

#include "base/buffer.h"
#include "rx/rx_record.h"

#define US_PER_S 1e6
#define S_PER_HOUR 3600.0

/* One name of a bit. */
struct flag_name {
	uint32_t flag;
	const char *name;
};

static void put_flags(uint32_t flags, const struct flag_name *names, size_t count,
		      struct buffer *out)
{
	for (size_t i = 0; i < count; i++) {
		if (flags & names[i].flag)
			buffer_format(out, " %s", names[i].name);
	}
}

#define PUT_FLAGS(flags, names, out) \
	put_flags(flags, names, sizeof(names) / sizeof((names)[0]), out)

static void put_host(uint32_t host, struct buffer *out)
{
	buffer_format(out, "%u.%u.%u.%u", host >> 24, host >> 16 & 0xff, host >> 8 & 0xff,
		      host & 0xff);
}

void rx_classic_basic(const struct sonde_rx_basic *basic, struct buffer *out)
{
	buffer_format(out, "Free packets: %d", basic->free_packets);
	if (rx_basic_has(basic, RX_VERSION_PACKETS))
		buffer_format(out, "/%d", basic->packets);
	buffer_format(out, ", packet reclaims: %d, calls: %d, used FDs: %d\n",
		      basic->packet_reclaims, basic->calls_executed, (int8_t)basic->used_fds);
	buffer_format(out, "%swaiting for packets.\n", basic->waiting_for_packets ? "" : "not ");
	if (rx_basic_has(basic, RX_VERSION_WAITING))
		buffer_format(out, "%d calls waiting for a thread\n", basic->waiting);
	if (rx_basic_has(basic, RX_VERSION_IDLE))
		buffer_format(out, "%d threads are idle\n", basic->idle_threads);
	if (rx_basic_has(basic, RX_VERSION_WAITED))
		buffer_format(out, "%d calls have waited for a thread\n", basic->waited);
}

/* By type of packet, 1 to 13. There is a blank behind the last. */
static void put_packets(const uint32_t *words, struct buffer *out)
{
	static const char *const types[RX_PACKET_TYPES] = {
		"data",	 "ack",	   "busy",   "abort",  "ackall", "challenge", "response",
		"debug", "params", "unused", "unused", "unused", "version",
	};

	for (size_t i = 0; i < RX_PACKET_TYPES; i++)
		buffer_format(out, "%s %u ", types[i], words[i]);
}

static double seconds_at(const struct sonde_rx_stats *stats, enum sonde_rx_stat first)
{
	return (double)(int32_t)stats->words[first] +
	       (double)(int32_t)stats->words[first + 1] / US_PER_S;
}

static void put_failures(const uint32_t *w, const struct sonde_rx_basic *basic, struct buffer *out)
{
	buffer_format(out, "rx stats: free packets %d, allocs %d, ", basic->free_packets,
		      (int32_t)w[SONDE_RX_STAT_PACKET_REQUESTS]);
	if (rx_basic_has(basic, RX_VERSION_CBUF))
		buffer_format(out, "alloc-failures(rcv %u/%u,send %u/%u,ack %u)\n",
			      w[SONDE_RX_STAT_RECEIVE_ALLOC_FAILURES],
			      w[SONDE_RX_STAT_RECEIVE_CBUF_FAILURES],
			      w[SONDE_RX_STAT_SEND_ALLOC_FAILURES],
			      w[SONDE_RX_STAT_SEND_CBUF_FAILURES],
			      w[SONDE_RX_STAT_SPECIAL_ALLOC_FAILURES]);
	else
		buffer_format(out, "alloc-failures(rcv %u,send %u,ack %u)\n",
			      w[SONDE_RX_STAT_RECEIVE_ALLOC_FAILURES],
			      w[SONDE_RX_STAT_SEND_ALLOC_FAILURES],
			      w[SONDE_RX_STAT_SPECIAL_ALLOC_FAILURES]);
}

static void put_rtt(const struct sonde_rx_stats *stats, struct buffer *out)
{
	int32_t samples = (int32_t)stats->words[SONDE_RX_STAT_RTT_SAMPLES];

	if (!samples)
		return;
	buffer_format(out, "   Average rtt is %0.3f, with %d samples\n",
		      seconds_at(stats, SONDE_RX_STAT_TOTAL_RTT) / samples, samples);
	buffer_format(out, "   Minimum rtt is %0.3f, maximum is %0.3f\n",
		      seconds_at(stats, SONDE_RX_STAT_MIN_RTT),
		      seconds_at(stats, SONDE_RX_STAT_MAX_RTT));
}

void rx_classic_stats(const struct sonde_rx_stats *stats, size_t bytes,
		      const struct sonde_rx_basic *basic, struct buffer *out)
{
	const uint32_t *w = stats->words;

	if (bytes != RX_STATS_BYTES)
		buffer_format(out, "WARNING: returned Rx statistics of unexpected size (got %zu)\n",
			      bytes);
	put_failures(w, basic, out);
	buffer_format(
		out,
		"   greedy %u, bogusReads %u (last from host %x), noPackets %u, noBuffers %u, "
		"selects %u, sendSelects %u\n",
		w[SONDE_RX_STAT_SOCKET_GREEDY], w[SONDE_RX_STAT_BOGUS_PACKETS],
		w[SONDE_RX_STAT_BOGUS_HOST], w[SONDE_RX_STAT_NO_PACKET], w[SONDE_RX_STAT_NO_BUFFER],
		w[SONDE_RX_STAT_SELECTS], w[SONDE_RX_STAT_SEND_SELECTS]);
	buffer_string(out, "   packets read: ");
	put_packets(w + SONDE_RX_STAT_READ, out);
	buffer_format(out,
		      "\n   other read counters: data %u, ack %u, dup %u spurious %u dally %u\n",
		      w[SONDE_RX_STAT_DATA_READ], w[SONDE_RX_STAT_ACK_READ],
		      w[SONDE_RX_STAT_DUPLICATE_READ], w[SONDE_RX_STAT_SPURIOUS_READ],
		      w[SONDE_RX_STAT_IGNORED_DALLY]);
	buffer_string(out, "   packets sent: ");
	put_packets(w + SONDE_RX_STAT_SENT, out);
	buffer_format(out,
		      "\n   other send counters: ack %u, data %u (not resends), resends %u, pushed "
		      "%u, acked&ignored %u\n",
		      w[SONDE_RX_STAT_ACK_SENT], w[SONDE_RX_STAT_DATA_SENT],
		      w[SONDE_RX_STAT_DATA_RESENT], w[SONDE_RX_STAT_DATA_PUSHED],
		      w[SONDE_RX_STAT_IGNORED_ACKED]);
	buffer_format(out, "   \t(these should be small) sendFailed %u, fatalErrors %u\n",
		      w[SONDE_RX_STAT_SEND_FAILURES], w[SONDE_RX_STAT_FATAL_ERRORS]);
	put_rtt(stats, out);
	buffer_format(out,
		      "   %d server connections, %d client connections, %d peer structs, %d call "
		      "structs, %d free call structs\n",
		      (int32_t)w[SONDE_RX_STAT_SERVER_CONNS],
		      (int32_t)w[SONDE_RX_STAT_CLIENT_CONNS], (int32_t)w[SONDE_RX_STAT_PEERS],
		      (int32_t)w[SONDE_RX_STAT_CALLS], (int32_t)w[SONDE_RX_STAT_FREE_CALLS]);
}

static const char *kad_level(uint8_t level)
{
	static const char *const names[] = {"clear", "auth", "crypt"};

	return level < sizeof(names) / sizeof(names[0]) ? names[level] : "unknown";
}

static void put_kad(const struct sonde_rx_security *security, int64_t now_s, struct buffer *out)
{
	static const struct flag_name names[] = {
		{SONDE_RX_SECURITY_UNALLOCATED, "unalloc"},
		{SONDE_RX_SECURITY_AUTHENTICATED, "authenticated"},
		{SONDE_RX_SECURITY_EXPIRED, "expired"},
		{SONDE_RX_SECURITY_CHECKSUM, "pktCksum"},
	};
	uint8_t flags = (uint8_t)security->flags;

	buffer_format(out, "  rxkad: level %s", kad_level(security->level));
	if (flags) {
		buffer_string(out, ", flags");
		PUT_FLAGS(flags, names, out);
	}
	if (security->expires)
		buffer_format(out, ", expires in %.1f hours",
			      (double)((int64_t)security->expires - now_s) / S_PER_HOUR);
	if (!(flags & SONDE_RX_SECURITY_UNALLOCATED)) {
		buffer_format(out, "\n  Received %u bytes in %u packets\n",
			      security->bytes_received, security->packets_received);
		buffer_format(out, "  Sent %u bytes in %u packets\n", security->bytes_sent,
			      security->packets_sent);
	} else {
		buffer_char(out, '\n');
	}
}

static void put_security(const struct sonde_rx_conn *conn, int64_t now_s, struct buffer *out)
{
	const struct sonde_rx_security *security = &conn->security;

	switch (security->type) {
	case SONDE_RX_SECURITY_UNKNOWN:
		if (conn->security_index == 2)
			buffer_string(out, "  no GetStats procedure for security object\n");
		break;
	case SONDE_RX_SECURITY_NULL:
		buffer_format(out, "  rxnull level=%d, flags=%d\n", (int8_t)security->level,
			      (int32_t)security->flags);
		break;
	case SONDE_RX_SECURITY_VAB:
		buffer_format(out, "  rxvab level=%d, flags=%d\n", (int8_t)security->level,
			      (int32_t)security->flags);
		break;
	case SONDE_RX_SECURITY_KAD:
		put_kad(security, now_s, out);
		break;
	default: /* SONDE_RX_SECURITY_GK, and what is not known yet */
		buffer_string(out, "  unknown\n");
		break;
	}
}

static void put_call(size_t i, const struct sonde_rx_call *call, struct buffer *out)
{
	static const char *const states[] = {"",	"precall, ", "active, ",
					     "dally, ", "hold, ",    "reset, "};
	static const char *const modes[] = {"unknown", "sending", "receiving", "error", "eof"};
	static const struct flag_name names[] = {
		{SONDE_RX_CALL_READER_WAIT, "reader_wait"},
		{SONDE_RX_CALL_WAIT_WINDOW_ALLOC, "window_alloc"},
		{SONDE_RX_CALL_WAIT_WINDOW_SEND, "window_send"},
		{SONDE_RX_CALL_WAIT_PACKETS, "wait_packets"},
		{SONDE_RX_CALL_WAIT_PROCESS, "waiting_for_process"},
		{SONDE_RX_CALL_RECEIVE_DONE, "receive_done"},
		{SONDE_RX_CALL_CLEARED, "call_cleared"},
	};

	buffer_format(out, "    call %zu: # %d, state ", i, call->number);
	if (call->state == SONDE_RX_CALL_NONE) {
		buffer_string(out, "not initialized\n");
		return;
	}
	if (call->state < sizeof(states) / sizeof(states[0]))
		buffer_string(out, states[call->state]);
	buffer_format(out, "mode: %s",
		      call->mode < sizeof(modes) / sizeof(modes[0]) ? modes[call->mode] :
								      "unknown");
	if (call->flags) {
		buffer_string(out, ", flags:");
		PUT_FLAGS(call->flags, names, out);
	}
	if (call->other & SONDE_RX_CALL_HAS_INPUT)
		buffer_string(out, ", has_input_packets");
	if (call->other & SONDE_RX_CALL_HAS_OUTPUT)
		buffer_string(out, ", has_output_packets");
	buffer_char(out, '\n');
}

void rx_classic_conn(const struct sonde_rx_conn *conn, const struct sonde_rx_basic *basic,
		     int64_t now_s, struct buffer *out)
{
	static const struct flag_name names[] = {
		{SONDE_RX_CONN_MAKECALL_WAITING, "MAKECALL_WAITING"},
		{SONDE_RX_CONN_DESTROYED, "DESTROYED"},
		{SONDE_RX_CONN_CHECKSUM, "pktCksum"},
		{SONDE_RX_CONN_KNOW_WINDOW, "knowWindow"},
		{SONDE_RX_CONN_RESET, "reset"},
		{SONDE_RX_CONN_BUSY, "busy"},
		{SONDE_RX_CONN_ATTACH_WAIT, "attachWait"},
	};

	buffer_string(out, "Connection from host ");
	put_host(conn->host, out);
	buffer_format(out, ", port %u, ", conn->port);
	if (conn->epoch)
		buffer_format(out, "Cuid %x/%x", conn->epoch, conn->cid);
	else
		buffer_format(out, "cid %x", conn->cid);
	if (conn->error)
		buffer_format(out, ", error %d", conn->error);
	buffer_format(out, "\n  serial %d,  natMTU %d, ", conn->serial, conn->nat_mtu);
	if (conn->flags) {
		buffer_string(out, "flags");
		PUT_FLAGS(conn->flags, names, out);
		buffer_string(out, ", ");
	}
	buffer_format(out, "security index %d, %s conn\n", (int8_t)conn->security_index,
		      conn->type ? "server" : "client");
	if (rx_basic_has(basic, RX_VERSION_SECURITY))
		put_security(conn, now_s, out);
	for (size_t i = 0; i < RX_CALLS; i++)
		put_call(i, &conn->calls[i], out);
}

bool rx_classic_is_dallying(const struct sonde_rx_conn *conn)
{
	for (size_t i = 0; i < RX_CALLS; i++) {
		if (conn->calls[i].state != SONDE_RX_CALL_NONE &&
		    conn->calls[i].state != SONDE_RX_CALL_DALLY)
			return false;
	}
	return true;
}

/* rxdebug forgets to put the skews into its own byte order. */
static int32_t as_it_came(int32_t value)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? (int32_t)bswap_32((uint32_t)value) :
							   value;
}

void rx_classic_peer(const struct sonde_rx_peer *peer, bool all, struct buffer *out)
{
	buffer_string(out, "Peer at host ");
	put_host(peer->host, out);
	buffer_format(out, ", port %u\n", peer->port);
	buffer_format(out, "\tifMTU %u\tnatMTU %u\tmaxMTU %u\n", peer->if_mtu, peer->nat_mtu,
		      peer->max_mtu);
	buffer_format(out, "\tpackets sent %u\tpacket resends %u\n", peer->sent, peer->resent);
	buffer_format(out, "\tbytes sent high %u low %u\n", (uint32_t)(peer->bytes_sent >> 32),
		      (uint32_t)peer->bytes_sent);
	buffer_format(out, "\tbytes received high %u low %u\n",
		      (uint32_t)(peer->bytes_received >> 32), (uint32_t)peer->bytes_received);
	buffer_format(out, "\trtt %u msec, rtt_dev %u msec\n", (uint32_t)(peer->rtt >> 3),
		      (uint32_t)(peer->rtt_dev >> 2));
	/* Servers since 1.8 tell no timeout, and rxdebug since then shows none, whatever comes. */
	buffer_string(out, "\ttimeout 0.000 sec\n");
	if (!all)
		return;
	buffer_format(out, "\tin/out packet skew: %d/%d\n", as_it_came(peer->in_skew),
		      as_it_came(peer->out_skew));
	buffer_format(out, "\tcongestion window %d, MTU %d\n", peer->cwind, peer->mtu);
	buffer_format(out, "\tcurrent/if/max jumbogram size: %d/%d/%d\n", peer->datagram_packets,
		      peer->if_datagram_packets, peer->max_datagram_packets);
}

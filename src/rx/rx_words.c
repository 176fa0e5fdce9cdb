// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_words.h"

#include "base/buffer.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BITS 8u

static const char *const conn_flags[BITS] = {
	"makecall_waiting", "destroyed",       "checksum", "know_window", "reset", "busy",
	"attach_wait",	    "makecall_active",
};

static const char *const call_flags[BITS] = {
	"reader_wait",	       "window_alloc", "window_send",  "wait_packets",
	"waiting_for_process", "receive_done", "call_cleared", "queue_busy",
};

const char *rx_words_call_state(uint8_t state)
{
	static const char *const names[] = {"none", "precall", "active", "dally", "hold", "reset"};

	return state < ARRAY_COUNT(names) ? names[state] : "unknown";
}

const char *rx_words_call_mode(uint8_t mode)
{
	static const char *const names[] = {"none", "sending", "receiving", "error", "eof"};

	return mode < ARRAY_COUNT(names) ? names[mode] : "unknown";
}

void rx_words_security(const struct sonde_rx_conn *conn, struct buffer *out)
{
	static const char *const names[] = {"none", "vab", "rxkad", "rxkad", "rxgk", "k5"};
	static const char *const levels[] = {"clear", "auth", "crypt"};
	const struct sonde_rx_security *security = &conn->security;

	if (conn->security_index < ARRAY_COUNT(names))
		buffer_string(out, names[conn->security_index]);
	else
		buffer_format(out, "class %u", conn->security_index);
	if ((security->type == SONDE_RX_SECURITY_KAD || security->type == SONDE_RX_SECURITY_GK) &&
	    security->level < ARRAY_COUNT(levels))
		buffer_format(out, " %s", levels[security->level]);
}

static void put_flags(uint8_t flags, const char *const *names, struct buffer *out)
{
	for (size_t i = 0; i < BITS; i++) {
		if (!(flags & 1u << i))
			continue;
		buffer_string(out, names[i]);
		if (flags >> i & ~1u)
			buffer_char(out, ',');
	}
}

void rx_words_conn_flags(uint8_t flags, struct buffer *out)
{
	put_flags(flags, conn_flags, out);
}

void rx_words_call_flags(uint8_t flags, struct buffer *out)
{
	put_flags(flags, call_flags, out);
}

/* What a peer begins with is 2 s or 3 s: both were met (OpenAFS 1.8.9). The first sample moves the deviation, too. */
bool rx_words_has_rtt(const struct sonde_rx_peer *peer)
{
	return peer->rtt_dev || (peer->rtt != 2 * 8000 && peer->rtt != 3 * 8000);
}

/* As OpenAFS's rx.h has them, or means them. */
const char *rx_words_stat_help(size_t word)
{
	static const char *const helps[SONDE_RX_STAT_COUNT] = {
		[SONDE_RX_STAT_PACKET_REQUESTS] = "Requests for packet buffers.",
		[SONDE_RX_STAT_RECEIVE_ALLOC_FAILURES] =
			"Packet buffers that were not to be had, to receive.",
		[SONDE_RX_STAT_SEND_ALLOC_FAILURES] =
			"Packet buffers that were not to be had, to send.",
		[SONDE_RX_STAT_SPECIAL_ALLOC_FAILURES] =
			"Packet buffers that were not to be had, for acknowledgements.",
		[SONDE_RX_STAT_SOCKET_GREEDY] =
			"Whether the socket has the large buffer that it wants.",
		[SONDE_RX_STAT_BOGUS_PACKETS] = "Packets that were too short.",
		[SONDE_RX_STAT_BOGUS_HOST] = "Where the last of these came from.",
		[SONDE_RX_STAT_NO_PACKET] = "Reads that failed for lack of a packet.",
		[SONDE_RX_STAT_NO_BUFFER] = "Packets that were dropped for lack of a buffer.",
		[SONDE_RX_STAT_SELECTS] = "Waits for a packet, or for a time.",
		[SONDE_RX_STAT_SEND_SELECTS] = "Waits until a packet could be sent.",
		[SONDE_RX_STAT_READ] = "Packets that were read.",
		[SONDE_RX_STAT_DATA_READ] = "Data packets that were read, each once.",
		[SONDE_RX_STAT_ACK_READ] = "Acknowledgements that were read.",
		[SONDE_RX_STAT_DUPLICATE_READ] = "Data packets that had been read before.",
		[SONDE_RX_STAT_SPURIOUS_READ] = "Data packets that no call waited for.",
		[SONDE_RX_STAT_SENT] = "Packets that were sent.",
		[SONDE_RX_STAT_ACK_SENT] = "Acknowledgements that were sent.",
		[SONDE_RX_STAT_PING_SENT] = "Pings that were sent.",
		[SONDE_RX_STAT_ABORT_SENT] = "Aborts that were sent.",
		[SONDE_RX_STAT_BUSY_SENT] = "Busy packets that were sent.",
		[SONDE_RX_STAT_DATA_SENT] = "Data packets that were sent, each once.",
		[SONDE_RX_STAT_DATA_RESENT] = "Data packets that were sent again.",
		[SONDE_RX_STAT_DATA_PUSHED] =
			"Data packets that were sent again early, as they were said to miss.",
		[SONDE_RX_STAT_IGNORED_ACKED] =
			"Data packets that were to be sent again, but were acknowledged by then.",
		[SONDE_RX_STAT_RTT_SAMPLES] = "Round-trip times that were taken.",
		[SONDE_RX_STAT_SERVER_CONNS] = "Connections in which it is the server.",
		[SONDE_RX_STAT_CLIENT_CONNS] = "Connections in which it is the client.",
		[SONDE_RX_STAT_PEERS] = "Hosts and ports that it deals with.",
		[SONDE_RX_STAT_CALLS] = "Calls that it has structures of.",
		[SONDE_RX_STAT_FREE_CALLS] = "Such structures that no call has.",
		[SONDE_RX_STAT_SEND_FAILURES] = "Packets that the kernel did not take.",
		[SONDE_RX_STAT_FATAL_ERRORS] = "Errors that ended a connection's sending.",
		[SONDE_RX_STAT_IGNORED_DALLY] =
			"Packets that were dropped, as their call was over.",
		[SONDE_RX_STAT_RECEIVE_CBUF_FAILURES] =
			"Continuation buffers that were not to be had, to receive.",
		[SONDE_RX_STAT_SEND_CBUF_FAILURES] =
			"Continuation buffers that were not to be had, to send.",
		[SONDE_RX_STAT_BUSIES] =
			"Calls that were rejected as busy, because all threads were in use.",
	};

	if (word > SONDE_RX_STAT_READ && word < SONDE_RX_STAT_READ + 13)
		word = SONDE_RX_STAT_READ;
	if (word > SONDE_RX_STAT_SENT && word < SONDE_RX_STAT_SENT + 13)
		word = SONDE_RX_STAT_SENT;
	return word < SONDE_RX_STAT_COUNT ? helps[word] : NULL;
}

const char *rx_words_stat(size_t word)
{
	static const char *const names[SONDE_RX_STAT_COUNT] = {
		"packet_requests",
		"receive_alloc_failures",
		"send_alloc_failures",
		"special_alloc_failures",
		"socket_greedy",
		"bogus_packets",
		"bogus_host",
		"no_packet",
		"no_buffer",
		"selects",
		"send_selects",
		"packets_read_data",
		"packets_read_ack",
		"packets_read_busy",
		"packets_read_abort",
		"packets_read_ackall",
		"packets_read_challenge",
		"packets_read_response",
		"packets_read_debug",
		"packets_read_params",
		"packets_read_10",
		"packets_read_11",
		"packets_read_12",
		"packets_read_version",
		"data_read",
		"ack_read",
		"duplicate_read",
		"spurious_read",
		"packets_sent_data",
		"packets_sent_ack",
		"packets_sent_busy",
		"packets_sent_abort",
		"packets_sent_ackall",
		"packets_sent_challenge",
		"packets_sent_response",
		"packets_sent_debug",
		"packets_sent_params",
		"packets_sent_10",
		"packets_sent_11",
		"packets_sent_12",
		"packets_sent_version",
		"ack_sent",
		"ping_sent",
		"abort_sent",
		"busy_sent",
		"data_sent",
		"data_resent",
		"data_pushed",
		"ignored_acked",
		[SONDE_RX_STAT_RTT_SAMPLES] = "rtt_samples",
		"server_conns",
		"client_conns",
		"peers",
		"calls",
		"free_calls",
		"send_failures",
		"fatal_errors",
		"ignored_dally",
		"receive_cbuf_failures",
		"send_cbuf_failures",
		"busies",
	};

	return word < SONDE_RX_STAT_COUNT ? names[word] : NULL;
}

bool rx_words_stat_is_gauge(size_t word)
{
	return word >= SONDE_RX_STAT_SERVER_CONNS && word <= SONDE_RX_STAT_FREE_CALLS;
}

void rx_words_host(uint32_t host, struct buffer *out)
{
	buffer_format(out, "%u.%u.%u.%u", host >> 24, host >> 16 & 0xff, host >> 8 & 0xff,
		      host & 0xff);
}

/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * rx_event: what the recorder writes of Rx servers (AFS) that it asks by Rx DEBUG packets: their statistics,
 * connections, calls and peers, and what asking came to. The protocol is in wire/rx_debug.h.
 *
 * All records of one asking have its `round`: it counts up by one every --rx-period, for each server by itself.
 * What a server's version does not tell is 0.
 */
#ifndef SONDE_WIRE_RX_EVENT_H
#define SONDE_WIRE_RX_EVENT_H

#include <linux/types.h>

#include "wire/tags.h"

#define RX_SERVER_BYTES 64u /* of a server's name, with the NUL */

#define RX_ROUND \
	__u64 round TEXT("number of the round in which this server was asked") SCOPE("monitor")
#define RX_SERVER                          \
	char server[RX_SERVER_BYTES] TEXT( \
		"the server that was asked, as --rx named it, with its port")

/* The byte by which a server says what it can tell. */
enum rx_told_version {
	RX_TOLD_L = 'L',
	RX_TOLD_M,
	RX_TOLD_N,
	RX_TOLD_O,
	RX_TOLD_P,
	RX_TOLD_Q,
	RX_TOLD_R,
	RX_TOLD_S,
};

struct MEASURE(
	RX_STATS, "rx.stats", rx_stats,
	"every --rx-period, each server of --rx: calls that wait for a thread, idle threads, packet "
	"buffers") OR_ASK("rx_debug") rx_stats {
	__u64 head;
	RX_ROUND;
	__u64 calls_executed TEXT("calls that it has served since it began") UNIT("calls");
	__u64 waited TEXT("calls that ever waited for a thread; 0 before version R") UNIT("calls");
	__u64 packet_reclaims TEXT("times that packet buffers were taken back") UNIT("times");
	__u64 took_ns TEXT("how long the answer took to come") UNIT("ns") SCOPE("monitor");
	__s32 waiting TEXT("calls that wait for a thread now; 0 before version N") UNIT("calls");
	__s32 idle_threads TEXT("threads without a call; 0 before version O") UNIT("threads");
	__s32 free_packets TEXT("packet buffers that are free") UNIT("packets");
	__s32 packets TEXT("packet buffers there are; 0 before version S") UNIT("packets");
	__u32 waiting_for_packets TEXT("whether something waits for a packet buffer") SHOW("flag");
	__u32 used_fds TEXT("of descriptors 0 to 63, how many are open") UNIT("descriptors");
	__u32 begun TEXT("how often its counters have started again since the recording began");
	enum rx_told_version version TEXT("what it can tell: the protocol's version");
	__u8 address[16] TEXT("its address") SHOW("address");
	RX_SERVER;
	RECORD_END;
};

/* The words of the statistics, in their order; what ends in _us are two of them. */
struct MEASURE(
	RX_COUNTERS, "rx.counters", rx_counters,
	"every --rx-period, each server of --rx: its counters of packets, failures and round trips "
	"since it began (not before version M)") OR_ASK("rx_debug") rx_counters {
	__u64 head;
	RX_ROUND;
	__u64 packet_requests TEXT("packet buffers asked for") UNIT("packets");
	__u64 receive_alloc_failures TEXT("of these, not had for receiving") UNIT("packets");
	__u64 send_alloc_failures TEXT("not had for sending") UNIT("packets");
	__u64 special_alloc_failures TEXT("not had for acknowledgements and the like")
		UNIT("packets");
	__u64 socket_greedy TEXT("times that the socket's buffer could be made large")
		UNIT("times");
	__u64 bogus_packets TEXT("packets too short to be any") UNIT("packets");
	__u64 bogus_host TEXT(
		"where the last of these came from, an IPv4 address: its bytes in reverse from "
		"servers that are little-endian") SHOW("hex");
	__u64 no_packet TEXT("reads that found nothing") UNIT("times");
	__u64 no_buffer TEXT("packets dropped for want of a buffer") UNIT("packets");
	__u64 selects TEXT("waits for something to read") UNIT("times");
	__u64 send_selects TEXT("waits for room to send") UNIT("times");
	__u64 packets_read_data TEXT("packets received: data") UNIT("packets");
	__u64 packets_read_ack TEXT("received: acknowledgements") UNIT("packets");
	__u64 packets_read_busy TEXT("received: busy, call again") UNIT("packets");
	__u64 packets_read_abort TEXT("received: a call or connection is aborted") UNIT("packets");
	__u64 packets_read_ackall TEXT("received: all of a call is acknowledged") UNIT("packets");
	__u64 packets_read_challenge TEXT("received: challenges") UNIT("packets");
	__u64 packets_read_response TEXT("received: responses to these") UNIT("packets");
	__u64 packets_read_debug TEXT("received: questions like ours, and ours") UNIT("packets");
	__u64 packets_read_params TEXT("received: of type 9, which is unused") UNIT("packets");
	__u64 packets_read_10 TEXT("received: of type 10") UNIT("packets");
	__u64 packets_read_11 TEXT("received: of type 11") UNIT("packets");
	__u64 packets_read_12 TEXT("received: of type 12") UNIT("packets");
	__u64 packets_read_version TEXT(
		"received: questions for the version, keep-alives; servers up to 1.8 "
		"do not count them") UNIT("packets");
	__u64 data_read TEXT("data packets received that belong to a call") UNIT("packets");
	__u64 ack_read TEXT("acknowledgements received that belong to a call") UNIT("packets");
	__u64 duplicate_read TEXT("data packets received once more") UNIT("packets");
	__u64 spurious_read TEXT("acknowledgements received of nothing") UNIT("packets");
	__u64 packets_sent_data TEXT("packets sent: data") UNIT("packets");
	__u64 packets_sent_ack TEXT("sent: acknowledgements") UNIT("packets");
	__u64 packets_sent_busy TEXT("sent: busy, call again") UNIT("packets");
	__u64 packets_sent_abort TEXT("sent: a call or connection is aborted") UNIT("packets");
	__u64 packets_sent_ackall TEXT("sent: all of a call is acknowledged") UNIT("packets");
	__u64 packets_sent_challenge TEXT("sent: challenges") UNIT("packets");
	__u64 packets_sent_response TEXT("sent: responses to these") UNIT("packets");
	__u64 packets_sent_debug TEXT("sent: answers like those to us, which OpenAFS does not count")
		UNIT("packets");
	__u64 packets_sent_params TEXT("sent: of type 9, which is unused") UNIT("packets");
	__u64 packets_sent_10 TEXT("sent: of type 10") UNIT("packets");
	__u64 packets_sent_11 TEXT("sent: of type 11") UNIT("packets");
	__u64 packets_sent_12 TEXT("sent: of type 12") UNIT("packets");
	__u64 packets_sent_version TEXT("sent: versions, which OpenAFS does not count")
		UNIT("packets");
	__u64 ack_sent TEXT("acknowledgements sent") UNIT("packets");
	__u64 ping_sent TEXT("of these, to see whether the peer is alive") UNIT("packets");
	__u64 abort_sent TEXT("aborts sent") UNIT("packets");
	__u64 busy_sent TEXT("busy packets sent") UNIT("packets");
	__u64 data_sent TEXT("data packets sent, those sent again left out") UNIT("packets");
	__u64 data_resent TEXT("data packets sent again") UNIT("packets");
	__u64 data_pushed TEXT("sent again before it was time, as others had arrived")
		UNIT("packets");
	__u64 ignored_acked TEXT("received packets that were ignored, as acknowledged")
		UNIT("packets");
	__u64 rtt_samples TEXT("round trips that were measured") UNIT("times");
	__u64 server_conns TEXT("connections whose server it is, now") UNIT("connections");
	__u64 client_conns TEXT("connections whose client it is, now") UNIT("connections");
	__u64 peers TEXT("hosts and ports that it communicates with, now") UNIT("peers");
	__u64 calls TEXT("call structures there are") UNIT("calls");
	__u64 free_calls TEXT("of these, free") UNIT("calls");
	__u64 send_failures TEXT("packets that the kernel did not take") UNIT("packets");
	__u64 fatal_errors TEXT("errors that end a connection") UNIT("errors");
	__u64 ignored_dally TEXT("packets ignored, of calls that are over") UNIT("packets");
	__u64 receive_cbuf_failures TEXT(
		"continuation buffers not had for receiving; 0 before version P") UNIT("packets");
	__u64 send_cbuf_failures TEXT("continuation buffers not had for sending; 0 before version P")
		UNIT("packets");
	__u64 busies TEXT(
		"calls that were rejected as busy, because all threads were in use; 0 before version R")
		UNIT("calls");
	__u64 rtt_total_us TEXT("all round trips together; 0 without samples, as the next two")
		UNIT("us");
	__u64 rtt_min_us TEXT("the shortest") UNIT("us");
	__u64 rtt_max_us TEXT("the longest") UNIT("us");
	RX_SERVER;
	RECORD_END;
};

enum rx_role { RX_ROLE_CLIENT, RX_ROLE_SERVER };

enum rx_security_class {
	RX_CLASS_NONE = 0,
	RX_CLASS_VAB = 1,
	RX_CLASS_RXKAD = 2,
	RX_CLASS_RXKAD_ENCRYPT = 3,
	RX_CLASS_RXGK = 4,
	RX_CLASS_K5 = 5,
};

enum rx_security_level { RX_LEVEL_CLEAR, RX_LEVEL_AUTH, RX_LEVEL_CRYPT };

/* Numbers of 32 bits are the server's, as they are: they wrap. */
struct MEASURE(
	RX_CONN, "rx.conn", rx_conn,
	"the connections of each server of --rx on which something is under way, or with --rx-all "
	"all of them, one after the other") OR_ASK("rx_debug") rx_conn {
	__u64 head;
	RX_ROUND;
	__u32 epoch TEXT("when its client began, in s, or a random number; 0 = not reported")
		SHOW("hex");
	__u32 cid TEXT("number of the connection, of those of its client") SHOW("hex");
	__s32 serial TEXT("number of the packet that was sent last");
	__s32 error TEXT("why it can no longer be used; 0 = it can");
	__s32 nat_mtu TEXT("largest packet that goes through") UNIT("bytes");
	__u32 peer_port TEXT("port at the other end");
	__u32 flags TEXT(
		"1 a call waits for a channel, 2 destroyed, 4 checksums, 8 window known, 0x10 reset, "
		"0x20 busy, 0x40 attach waits, 0x80 a call is made") SHOW("hex");
	enum rx_role role TEXT("what the server that was asked is in it");
	enum rx_security_class security TEXT("how it is secured");
	enum rx_security_level level TEXT("and how much, where that is rxkad or rxgk");
	__u32 security_flags TEXT("1 unallocated, 2 authenticated, 4 expired, 8 checksums seen")
		SHOW("hex");
	__u32 expires TEXT("when its ticket does, since 1970; all ones: never, 0: not reported")
		UNIT("s");
	__u32 packets_received TEXT("packets received; secured connections only, as the next three")
		UNIT("packets");
	__u32 packets_sent TEXT("packets sent") UNIT("packets");
	__u32 bytes_received TEXT("bytes received") UNIT("bytes");
	__u32 bytes_sent TEXT("bytes sent") UNIT("bytes");
	__u32 calls TEXT("calls in progress: there is an rx.call for each") UNIT("calls");
	__u32 blocked TEXT("of these, blocked") UNIT("calls");
	__u8 peer[16] TEXT("address at the other end") SHOW("address");
	RX_SERVER;
	RECORD_END;
};

enum rx_call_state {
	RX_CALL_NONE,
	RX_CALL_PRECALL,
	RX_CALL_ACTIVE,
	RX_CALL_DALLY,
	RX_CALL_HOLD,
	RX_CALL_RESET,
};

enum rx_call_mode {
	RX_MODE_NONE,
	RX_MODE_SENDING,
	RX_MODE_RECEIVING,
	RX_MODE_ERROR,
	RX_MODE_EOF,
};

enum rx_wait {
	RX_WAIT_NOTHING,
	RX_WAIT_THREAD,
	RX_WAIT_PACKETS, /* for buffers */
	RX_WAIT_WINDOW, /* has no room */
	RX_WAIT_ACK, /* the window is full */
	RX_WAIT_CLIENT, /* is to show that it is reachable */
	RX_WAIT_CHALLENGE, /* is to be answered by the client */
};

struct MEASURE(
	RX_CALL, "rx.call", rx_call,
	"the calls in progress on those connections, behind each: what keeps them from going on")
	OR_ASK("rx_debug") rx_call {
	__u64 head;
	RX_ROUND;
	__u32 epoch TEXT("epoch of the connection") SHOW("hex");
	__u32 cid TEXT("its number") SHOW("hex");
	__u32 channel TEXT("which of the connection's four calls");
	__s32 number TEXT("number of the call on this channel");
	__u32 peer_port TEXT("port at the other end");
	enum rx_role role TEXT("what the server that was asked is in it");
	enum rx_call_state state TEXT("how far it is");
	enum rx_call_mode mode TEXT("what it does");
	enum rx_wait waits_for TEXT(
		"what keeps it from going on: a thread, packet buffers, room in the window, an "
		"acknowledgement, a client that is to be reached, the answer to a challenge");
	__u32 flags TEXT(
		"1 reader waits, 2 waits for a window, 4 waits to send, 8 waits for packets, 0x10 waits "
		"for a thread, 0x20 all received, 0x40 cleared, 0x80 queue busy") SHOW("hex");
	__u32 has_input TEXT("whether packets that came wait to be read") SHOW("flag");
	__u32 has_output TEXT("whether packets wait to be sent or acknowledged") SHOW("flag");
	__u8 peer[16] TEXT("address at the other end") SHOW("address");
	RX_SERVER;
	RECORD_END;
};

/* Numbers of 32 bits are the server's, as they are: they wrap. */
struct MEASURE(
	RX_PEER, "rx.peer", rx_peer,
	"the hosts and ports that each server of --rx communicates with, one after the other (not before "
	"version Q)") OR_ASK("rx_debug") rx_peer {
	__u64 head;
	RX_ROUND;
	__u64 bytes_sent TEXT("bytes sent to it") UNIT("bytes");
	__u64 bytes_received TEXT("bytes received from it") UNIT("bytes");
	__u32 packets_sent TEXT("data packets sent to it, those sent again left out")
		UNIT("packets");
	__u32 packets_resent TEXT("data packets sent again") UNIT("packets");
	__u32 rtt_us TEXT("smoothed round-trip time; 0: none was measured yet") UNIT("us");
	__u32 rtt_dev_us TEXT("its mean deviation") UNIT("us");
	__u32 idle_when TEXT("the time since which it is unused, since 1970; 0 = in use") UNIT("s");
	__u32 ref_count TEXT("number of its users, the recorder's request included");
	__u32 peer_port TEXT("its port");
	__u32 cwind TEXT("congestion window") UNIT("packets");
	__u32 mtu TEXT("largest packet now") UNIT("bytes");
	__u32 if_mtu TEXT("largest packet of the interface") UNIT("bytes");
	__u32 nat_mtu TEXT("largest packet that goes through") UNIT("bytes");
	__u32 max_mtu TEXT("largest packet that it takes") UNIT("bytes");
	__u32 datagram_packets TEXT("packets in one datagram, now") UNIT("packets");
	__u32 if_datagram_packets TEXT("packets in one datagram, that we offer") UNIT("packets");
	__u32 max_datagram_packets TEXT("packets in one datagram, that it takes") UNIT("packets");
	__u8 peer[16] TEXT("its address") SHOW("address");
	RX_SERVER;
	RECORD_END;
};

enum rx_list_what { RX_LIST_CONNS, RX_LIST_ALL_CONNS, RX_LIST_PEERS };

enum rx_list_result {
	RX_LIST_COMPLETE,
	RX_LIST_TOO_LONG, /* it is not read, or not to its end */
	RX_LIST_SILENCE, /* the server ceased to answer */
	RX_LIST_NOT_TOLD, /* by its version */
	RX_LIST_BROKEN, /* its reply is not such a record */
};

struct MEASURE(RX_LIST, "rx.list", rx_list_end,
	       "a list of connections or peers of a server of --rx has been read, or could not be")
	OR_ASK("rx_debug") rx_list_end {
	__u64 head;
	RX_ROUND;
	__u64 took_ns TEXT("time that it took to read it") UNIT("ns") SCOPE("monitor");
	enum rx_list_what
		what TEXT("connections with something under way, all connections, or peers");
	enum rx_list_result result TEXT("whether it was read to its end, or why not");
	__u32 records TEXT("how many are in the trace") UNIT("records");
	__u32 expected TEXT("how many the server said there are; 0 = it does not say")
		UNIT("records");
	__u32 twice TEXT("how many were met again, as the list moved while it was read")
		UNIT("records");
	__u32 rounds TEXT(
		"rounds of rx.stats that passed during the list; above 0 the list is longer than "
		"--rx-period at this --rx-rate") UNIT("rounds");
	RX_SERVER;
	RECORD_END;
};

enum rx_silence {
	RX_SILENCE_NO_ANSWER,
	RX_SILENCE_REFUSED, /* the endpoint does not know the request */
	RX_SILENCE_UNREACHABLE, /* says the network, or this host */
};

struct MEASURE(RX_SILENT, "rx.silent", rx_silent,
	       "a server of --rx did not answer: its round is lost, and counted as such")
	OR_ASK("rx_debug") rx_silent {
	__u64 head;
	RX_ROUND;
	__u64 silent_ns
		TEXT("time since it was asked what it last answered, or since it was first asked")
			UNIT("ns");
	__u32 missed TEXT("rounds that it has missed since its last answer") UNIT("rounds");
	__u32 tries TEXT("questions that were sent in this round, at least") UNIT("packets")
		SCOPE("monitor");
	__u32 error TEXT("errno of the network's, 0 = none") SCOPE("monitor");
	enum rx_silence why TEXT("what came instead of an answer");
	RX_SERVER;
	RECORD_END;
};

#endif /* SONDE_WIRE_RX_EVENT_H */

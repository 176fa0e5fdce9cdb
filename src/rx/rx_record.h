/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_record: the records by which an Rx endpoint tells of itself, as structures. Each is unpacked from the
 * payload of a reply, and packed into one.
 *
 * Unpacking takes what is longer than it knows, and leaves the rest alone: later versions may tell
 * more. -EBADMSG: shorter than the version has it. Numbers wrap at 32 bits where they are 32 bits wide;
 * addresses and ports are in host order here.
 */
#ifndef SONDE_RX_RX_RECORD_H
#define SONDE_RX_RX_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/rx_debug.h"

/* struct rx_debugStats */
struct rx_basic {
	int32_t free_packets;
	int32_t packet_reclaims;
	int32_t calls_executed;
	uint8_t waiting_for_packets;
	uint8_t used_fds; /* of descriptors 0 to 63 */
	uint8_t version; /* 'S'; rx_basic_has tells what that includes */
	int32_t waiting; /* calls, for a thread, now */
	int32_t idle_threads;
	int32_t waited; /* calls, ever */
	int32_t packets; /* allocated */
};

/* Whether the server tells what came with @version ('L' to 'S'). A version of 128 and more is none. */
bool rx_basic_has(const struct rx_basic *basic, char version);

enum rx_security_type {
	RX_SECURITY_UNKNOWN = 0,
	RX_SECURITY_NULL = 1,
	RX_SECURITY_VAB = 2,
	RX_SECURITY_KAD = 3,
	RX_SECURITY_GK = 4,
};

#define RX_SECURITY_UNALLOCATED 1u
#define RX_SECURITY_AUTHENTICATED 2u
#define RX_SECURITY_EXPIRED 4u
#define RX_SECURITY_CHECKSUM 8u

/* struct rx_securityObjectStats */
struct rx_security {
	uint8_t type; /* an enum rx_security_type */
	uint8_t level; /* 0 clear, 1 authenticated, 2 encrypted */
	uint32_t flags; /* RX_SECURITY_* */
	uint32_t expires; /* s since 1970; UINT32_MAX = never */
	uint32_t packets_received;
	uint32_t packets_sent;
	uint32_t bytes_received;
	uint32_t bytes_sent;
};

#define RX_CONN_MAKECALL_WAITING 0x01u
#define RX_CONN_DESTROYED 0x02u
#define RX_CONN_CHECKSUM 0x04u
#define RX_CONN_KNOW_WINDOW 0x08u
#define RX_CONN_RESET 0x10u
#define RX_CONN_BUSY 0x20u
#define RX_CONN_ATTACH_WAIT 0x40u

enum rx_call_state {
	RX_CALL_NONE, /* not initialised */
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

#define RX_CALL_READER_WAIT 0x01u
#define RX_CALL_WAIT_WINDOW_ALLOC 0x02u
#define RX_CALL_WAIT_WINDOW_SEND 0x04u
#define RX_CALL_WAIT_PACKETS 0x08u
#define RX_CALL_WAIT_PROCESS 0x10u /* for a thread */
#define RX_CALL_RECEIVE_DONE 0x20u
#define RX_CALL_CLEARED 0x40u

#define RX_CALL_HAS_INPUT 1u
#define RX_CALL_HAS_OUTPUT 2u

struct rx_call {
	int32_t number;
	uint8_t state; /* an enum rx_call_state */
	uint8_t mode; /* an enum rx_call_mode */
	uint8_t flags; /* RX_CALL_READER_WAIT ... */
	uint8_t other; /* RX_CALL_HAS_* */
};

/* struct rx_debugConn */
struct rx_conn {
	uint32_t host;
	uint32_t cid; /* RX_DEBUG_END: this is no connection, the list has ended */
	int32_t serial;
	int32_t error;
	uint16_t port;
	uint8_t flags; /* RX_CONN_* */
	uint8_t type; /* 0: the endpoint that was asked is the client, else it is the server */
	uint8_t security_index;
	struct rx_call calls[RX_CALLS];
	struct rx_security security;
	uint32_t epoch; /* 0 = an old server, which does not tell */
	int32_t nat_mtu;
};

/* struct rx_statistics, as words: there are as many names as it has members. */
enum rx_stat {
	RX_STAT_PACKET_REQUESTS = 0,
	RX_STAT_RECEIVE_ALLOC_FAILURES = 1,
	RX_STAT_SEND_ALLOC_FAILURES = 2,
	RX_STAT_SPECIAL_ALLOC_FAILURES = 3,
	RX_STAT_SOCKET_GREEDY = 4,
	RX_STAT_BOGUS_PACKETS = 5,
	RX_STAT_BOGUS_HOST = 6, /* swapped once too often by servers that are little-endian */
	RX_STAT_NO_PACKET = 7,
	RX_STAT_NO_BUFFER = 8,
	RX_STAT_SELECTS = 9,
	RX_STAT_SEND_SELECTS = 10,
	RX_STAT_READ = 11, /* 13 of them, by type of packet */
	RX_STAT_DATA_READ = 24,
	RX_STAT_ACK_READ = 25,
	RX_STAT_DUPLICATE_READ = 26,
	RX_STAT_SPURIOUS_READ = 27,
	RX_STAT_SENT = 28, /* 13 of them, by type of packet */
	RX_STAT_ACK_SENT = 41,
	RX_STAT_PING_SENT = 42,
	RX_STAT_ABORT_SENT = 43,
	RX_STAT_BUSY_SENT = 44,
	RX_STAT_DATA_SENT = 45,
	RX_STAT_DATA_RESENT = 46,
	RX_STAT_DATA_PUSHED = 47,
	RX_STAT_IGNORED_ACKED = 48,
	RX_STAT_TOTAL_RTT = 49, /* s, then us */
	RX_STAT_MIN_RTT = 51,
	RX_STAT_MAX_RTT = 53,
	RX_STAT_RTT_SAMPLES = 55, /* 0: the three before mean nothing */
	RX_STAT_SERVER_CONNS = 56,
	RX_STAT_CLIENT_CONNS = 57,
	RX_STAT_PEERS = 58,
	RX_STAT_CALLS = 59,
	RX_STAT_FREE_CALLS = 60,
	RX_STAT_SEND_FAILURES = 61,
	RX_STAT_FATAL_ERRORS = 62,
	RX_STAT_IGNORED_DALLY = 63,
	RX_STAT_RECEIVE_CBUF_FAILURES = 64, /* since 'P' */
	RX_STAT_SEND_CBUF_FAILURES = 65,
	RX_STAT_BUSIES = 66, /* since 'R' */
	RX_STAT_COUNT = RX_STATS_BYTES / 4,
};

struct rx_stats {
	uint32_t words[RX_STAT_COUNT];
};

/* struct rx_debugPeer */
struct rx_peer {
	uint32_t host; /* RX_DEBUG_END: the list has ended */
	uint16_t port;
	uint16_t if_mtu;
	uint32_t idle_when; /* s since 1970; 0 = in use */
	uint16_t ref_count; /* this request among them */
	uint8_t burst_size;
	uint8_t burst;
	uint32_t burst_wait_s;
	uint32_t burst_wait_us;
	int32_t rtt; /* ms * 8, smoothed; 16000 = no sample yet */
	int32_t rtt_dev; /* ms * 4 */
	uint32_t timeout_s;
	uint32_t timeout_us;
	uint32_t sent; /* data packets, those sent again left out */
	uint32_t resent;
	int32_t in_skew;
	int32_t out_skew;
	int32_t rate_flag;
	uint16_t nat_mtu;
	uint16_t max_mtu;
	uint16_t max_datagram_packets;
	uint16_t if_datagram_packets;
	uint16_t mtu;
	uint16_t cwind;
	uint16_t datagram_packets;
	uint16_t congest_seq;
	uint64_t bytes_sent;
	uint64_t bytes_received;
};

int rx_basic_unpack(const void *payload, size_t len, struct rx_basic *ret);
int rx_conn_unpack(const void *payload, size_t len, struct rx_conn *ret);
/* The layout of version 'L' alone, as old programs have it; no OpenAFS ever sent it. */
int rx_conn_l_unpack(const void *payload, size_t len, struct rx_conn *ret);
/* What is not there is 0: the statistics have grown, and servers that lack some of it are as old. */
int rx_stats_unpack(const void *payload, size_t len, struct rx_stats *ret);
int rx_peer_unpack(const void *payload, size_t len, struct rx_peer *ret);

/* Whether the payload is the answer to a request that the server does not understand. To be asked first: else
 * it looks like a record. */
bool rx_payload_is_refusal(const void *payload, size_t len);

/* Each writes all of its RX_*_BYTES, what is spare as zeros. */
void rx_basic_pack(const struct rx_basic *basic, uint8_t payload[RX_BASIC_BYTES]);
void rx_conn_pack(const struct rx_conn *conn, uint8_t payload[RX_CONN_BYTES]);
void rx_stats_pack(const struct rx_stats *stats, uint8_t payload[RX_STATS_BYTES]);
void rx_peer_pack(const struct rx_peer *peer, uint8_t payload[RX_PEER_BYTES]);

#endif /* SONDE_RX_RX_RECORD_H */

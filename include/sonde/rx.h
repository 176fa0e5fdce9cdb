/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx: what an Rx endpoint (AFS) tells of itself to whoever asks with an Rx DEBUG packet, as rxdebug does:
 * the records, and a responder by which any program can answer. sonde_rx_responder_open(3) is the manual.
 *
 *	static const struct sonde_rx_callbacks callbacks = {.basic = tell_basic, .peer = tell_peer};
 *	const struct sonde_rx_config config = {.address = "127.0.0.1", .port = 7009};
 *	struct sonde_rx_responder *responder;
 *	struct sonde_error error;
 *
 *	if (sonde_rx_responder_open(&config, &callbacks, state, &responder, &error))
 *		errx(1, "%s", error.text);
 *	while (!poll(&(struct pollfd){sonde_rx_responder_fd(responder), POLLIN}, 1, -1) ||
 *	       sonde_rx_responder_serve(responder) >= 0)
 *		;
 *	sonde_rx_responder_close(responder);
 *
 * Addresses, ports and all other numbers are in host order here, and big-endian on the wire. Counters
 * of 32 bits wrap. What is called reserved is 0.
 */
#ifndef SONDE_RX_H
#define SONDE_RX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sonde/sonde.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the endpoint is (OpenAFS: struct rx_debugStats). The letters are versions of the protocol: what came with
 * one is not told by those before. */
struct sonde_rx_basic {
	int32_t free_packets;
	int32_t packet_reclaims;
	int32_t calls_executed; /* since it began */
	uint8_t waiting_for_packets;
	uint8_t used_fds; /* of descriptors 0 to 63 */
	uint8_t version; /* 'L' to 'S'; a responder sets it itself */
	int32_t waiting; /* 'N': calls, for a thread, now */
	int32_t idle_threads; /* 'O' */
	int32_t waited; /* 'R': calls, ever */
	int32_t packets; /* 'S': allocated */
	uint32_t reserved[8];
};

enum sonde_rx_security_type {
	SONDE_RX_SECURITY_UNKNOWN = 0, /* nothing is told */
	SONDE_RX_SECURITY_NULL = 1,
	SONDE_RX_SECURITY_VAB = 2,
	SONDE_RX_SECURITY_KAD = 3,
	SONDE_RX_SECURITY_GK = 4,
};

#define SONDE_RX_SECURITY_UNALLOCATED 1u
#define SONDE_RX_SECURITY_AUTHENTICATED 2u
#define SONDE_RX_SECURITY_EXPIRED 4u
#define SONDE_RX_SECURITY_CHECKSUM 8u

/* Of a connection (struct rx_securityObjectStats). */
struct sonde_rx_security {
	uint8_t type; /* an enum sonde_rx_security_type */
	uint8_t level; /* 0 clear, 1 authenticated, 2 encrypted */
	uint32_t flags; /* SONDE_RX_SECURITY_UNALLOCATED ... */
	uint32_t expires; /* s since 1970; UINT32_MAX = never; 0 = not told */
	uint32_t packets_received;
	uint32_t packets_sent;
	uint32_t bytes_received;
	uint32_t bytes_sent;
};

#define SONDE_RX_CONN_MAKECALL_WAITING 0x01u
#define SONDE_RX_CONN_DESTROYED 0x02u
#define SONDE_RX_CONN_CHECKSUM 0x04u
#define SONDE_RX_CONN_KNOW_WINDOW 0x08u
#define SONDE_RX_CONN_RESET 0x10u
#define SONDE_RX_CONN_BUSY 0x20u
#define SONDE_RX_CONN_ATTACH_WAIT 0x40u
#define SONDE_RX_CONN_MAKECALL_ACTIVE 0x80u

enum sonde_rx_call_state {
	SONDE_RX_CALL_NONE, /* not initialised */
	SONDE_RX_CALL_PRECALL,
	SONDE_RX_CALL_ACTIVE,
	SONDE_RX_CALL_DALLY,
	SONDE_RX_CALL_HOLD,
	SONDE_RX_CALL_RESET,
};

enum sonde_rx_call_mode {
	SONDE_RX_MODE_NONE,
	SONDE_RX_MODE_SENDING,
	SONDE_RX_MODE_RECEIVING,
	SONDE_RX_MODE_ERROR,
	SONDE_RX_MODE_EOF,
};

#define SONDE_RX_CALL_READER_WAIT 0x01u
#define SONDE_RX_CALL_WAIT_WINDOW_ALLOC 0x02u
#define SONDE_RX_CALL_WAIT_WINDOW_SEND 0x04u
#define SONDE_RX_CALL_WAIT_PACKETS 0x08u
#define SONDE_RX_CALL_WAIT_PROCESS 0x10u /* for a thread */
#define SONDE_RX_CALL_RECEIVE_DONE 0x20u
#define SONDE_RX_CALL_CLEARED 0x40u
#define SONDE_RX_CALL_QUEUE_BUSY 0x80u

#define SONDE_RX_CALL_HAS_INPUT 1u
#define SONDE_RX_CALL_HAS_OUTPUT 2u

struct sonde_rx_call {
	int32_t number;
	uint8_t state; /* an enum sonde_rx_call_state; the rest means nothing where it is NONE */
	uint8_t mode; /* an enum sonde_rx_call_mode */
	uint8_t flags; /* SONDE_RX_CALL_READER_WAIT ... */
	uint8_t other; /* SONDE_RX_CALL_HAS_* */
};

#define SONDE_RX_CALLS 4u /* of one connection */

/* A connection (struct rx_debugConn). */
struct sonde_rx_conn {
	uint32_t host; /* the other end: an IPv4 address */
	uint32_t cid; /* a multiple of 4; UINT32_MAX: this is no connection, the list has ended */
	int32_t serial; /* of the packet that was sent last */
	int32_t error; /* 0 = none */
	uint16_t port;
	uint8_t flags; /* SONDE_RX_CONN_* */
	uint8_t type; /* 0: the endpoint that was asked is the client, else it is the server */
	uint8_t security_index; /* 0 none, 2 rxkad, 4 rxgk */
	struct sonde_rx_call calls[SONDE_RX_CALLS];
	struct sonde_rx_security security;
	uint32_t epoch; /* 0 = an old server, which does not tell */
	int32_t nat_mtu; /* bytes */
	uint32_t reserved[8];
};

/* Counters, as words (struct rx_statistics). */
enum sonde_rx_stat {
	SONDE_RX_STAT_PACKET_REQUESTS = 0,
	SONDE_RX_STAT_RECEIVE_ALLOC_FAILURES = 1,
	SONDE_RX_STAT_SEND_ALLOC_FAILURES = 2,
	SONDE_RX_STAT_SPECIAL_ALLOC_FAILURES = 3,
	SONDE_RX_STAT_SOCKET_GREEDY = 4,
	SONDE_RX_STAT_BOGUS_PACKETS = 5, /* too short */
	SONDE_RX_STAT_BOGUS_HOST = 6, /* swapped once too often by servers that are little-endian */
	SONDE_RX_STAT_NO_PACKET = 7,
	SONDE_RX_STAT_NO_BUFFER = 8,
	SONDE_RX_STAT_SELECTS = 9,
	SONDE_RX_STAT_SEND_SELECTS = 10,
	SONDE_RX_STAT_READ = 11, /* 13 of them, packets by type: 1 data ... 8 debug, 13 version */
	SONDE_RX_STAT_DATA_READ = 24,
	SONDE_RX_STAT_ACK_READ = 25,
	SONDE_RX_STAT_DUPLICATE_READ = 26,
	SONDE_RX_STAT_SPURIOUS_READ = 27,
	SONDE_RX_STAT_SENT = 28, /* 13 of them, by type */
	SONDE_RX_STAT_ACK_SENT = 41,
	SONDE_RX_STAT_PING_SENT = 42,
	SONDE_RX_STAT_ABORT_SENT = 43,
	SONDE_RX_STAT_BUSY_SENT = 44,
	SONDE_RX_STAT_DATA_SENT = 45, /* those sent again left out */
	SONDE_RX_STAT_DATA_RESENT = 46,
	SONDE_RX_STAT_DATA_PUSHED = 47,
	SONDE_RX_STAT_IGNORED_ACKED = 48,
	SONDE_RX_STAT_TOTAL_RTT = 49, /* s, then us */
	SONDE_RX_STAT_MIN_RTT = 51, /* the same */
	SONDE_RX_STAT_MAX_RTT = 53, /* the same */
	SONDE_RX_STAT_RTT_SAMPLES = 55, /* 0: the three before mean nothing */
	SONDE_RX_STAT_SERVER_CONNS = 56,
	SONDE_RX_STAT_CLIENT_CONNS = 57,
	SONDE_RX_STAT_PEERS = 58,
	SONDE_RX_STAT_CALLS = 59,
	SONDE_RX_STAT_FREE_CALLS = 60,
	SONDE_RX_STAT_SEND_FAILURES = 61,
	SONDE_RX_STAT_FATAL_ERRORS = 62,
	SONDE_RX_STAT_IGNORED_DALLY = 63,
	SONDE_RX_STAT_RECEIVE_CBUF_FAILURES = 64, /* 'P' */
	SONDE_RX_STAT_SEND_CBUF_FAILURES = 65, /* 'P' */
	SONDE_RX_STAT_BUSIES = 66, /* 'R': calls turned away, there was no thread */
	SONDE_RX_STAT_COUNT = 71,
};

struct sonde_rx_stats {
	uint32_t words[SONDE_RX_STAT_COUNT]; /* by enum sonde_rx_stat */
	uint32_t reserved[9];
};

/* A host and port it has to do with (struct rx_peerDebug). */
struct sonde_rx_peer {
	uint32_t host; /* UINT32_MAX: the list has ended */
	uint16_t port;
	uint16_t if_mtu; /* bytes, as all MTUs */
	uint32_t idle_when; /* s since 1970; 0 = in use */
	uint16_t ref_count; /* this request among them */
	uint8_t burst_size;
	uint8_t burst;
	uint32_t burst_wait_s;
	uint32_t burst_wait_us;
	int32_t rtt; /* eighths of ms, smoothed; 16000 = no sample yet */
	int32_t rtt_dev; /* quarters of ms */
	uint32_t timeout_s; /* 0 since OpenAFS 1.8 */
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
	uint16_t cwind; /* packets */
	uint16_t datagram_packets;
	uint16_t congest_seq;
	uint64_t bytes_sent;
	uint64_t bytes_received;
	uint32_t reserved[8];
};

/* An endpoint that answers for the program it is in. */
struct sonde_rx_responder;

/*
 * What it tells. Each fills *@ret, which is 0 before; what stays 0 is told as 0. Records of lists are asked for by
 * index, from 0 on, in an order that should stay while somebody reads them: false = there are no more. One
 * that is NULL has nothing to tell. They are called by sonde_rx_responder_serve and
 * sonde_rx_responder_answer, once for each answer, and should be quick.
 */
struct sonde_rx_callbacks {
	void (*basic)(void *ctx, struct sonde_rx_basic *ret);
	/* @all: false = those that something is under way on, counted by themselves. */
	bool (*conn)(void *ctx, uint32_t index, bool all, struct sonde_rx_conn *ret);
	void (*stats)(void *ctx, struct sonde_rx_stats *ret);
	bool (*peer)(void *ctx, uint32_t index, struct sonde_rx_peer *ret);
	void (*reserved[4])(void);
};

struct sonde_rx_network {
	uint32_t host; /* an IPv4 address in it */
	uint32_t bits; /* that all addresses in it have in common: 0 to 32 */
};

#define SONDE_RX_SOURCE_RATE 20000u /* bytes a second: about 100 connections */
#define SONDE_RX_TOTAL_RATE 200000u
#define SONDE_RX_NO_LIMIT UINT32_MAX

struct sonde_rx_config {
	const char *address; /* IPv4, "127.0.0.1"; NULL = all of the host's */
	uint16_t port; /* 0 = one of the kernel's choice */
	char version; /* 'L' to 'S': what a server of that version would tell; 0 = 'S' */
	const char *text; /* to who asks for the program's version; 64 bytes of it at most */
	/* Bytes a second, the UDP payload of answers, that one address gets, and all: one second's worth at
	 * once. 0 = SONDE_RX_SOURCE_RATE, SONDE_RX_TOTAL_RATE. What would be more is not answered. */
	uint32_t source_rate;
	uint32_t total_rate;
	const struct sonde_rx_network *allow; /* who is answered */
	size_t allow_count; /* 0 = everybody */
	uint64_t reserved[4];
};

/* Packets, but for the bytes. */
struct sonde_rx_counts {
	uint64_t received;
	uint64_t answered;
	uint64_t bytes; /* of answers */
	uint64_t refused; /* answered, with -8: there is no such collection in this version */
	uint64_t malformed; /* no request, or no whole one */
	uint64_t forbidden; /* whose source is not allowed */
	uint64_t limited; /* that would have been more than the rate */
	uint64_t unsent; /* answers that the kernel did not take */
	uint64_t reserved[8];
};

#define SONDE_RX_REPLY_BYTES 312u /* the largest answer */

struct sockaddr;

/* Copies @config and @callbacks. -EINVAL: what is asked for cannot be; else what the kernel says of the
 * port, as -EADDRINUSE. */
int sonde_rx_responder_open(const struct sonde_rx_config *config,
			    const struct sonde_rx_callbacks *callbacks, void *ctx,
			    struct sonde_rx_responder **ret, struct sonde_error *error);
/* NULL is fine. */
void sonde_rx_responder_close(struct sonde_rx_responder *responder);
/* Readable when somebody asks. */
int sonde_rx_responder_fd(const struct sonde_rx_responder *responder);
uint16_t sonde_rx_responder_port(const struct sonde_rx_responder *responder);
/* Answers who waits; never waits itself. How many packets it took, or -errno. */
int sonde_rx_responder_serve(struct sonde_rx_responder *responder);
/* The answer to a packet that came to a socket of the program's own: writes at most SONDE_RX_REPLY_BYTES to
 * @reply and returns how many, 0 = it is not to be answered. @from: IPv4. */
size_t sonde_rx_responder_answer(struct sonde_rx_responder *responder, const struct sockaddr *from,
				 const void *packet, size_t len, void *reply);
void sonde_rx_responder_counts(const struct sonde_rx_responder *responder,
			       struct sonde_rx_counts *ret);

#ifdef __cplusplus
}
#endif

#endif /* SONDE_RX_H */

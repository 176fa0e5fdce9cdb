/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx: what an Rx endpoint (AFS) reports about itself in reply to an Rx DEBUG packet, as rxdebug sends it:
 * the records, the packets that carry them, both ways, and a responder by which any program can answer.
 * sonde_rx_reply_unpack(3) and sonde_rx_responder_open(3) are the manual.
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
 * of 32 bits wrap. Reserved members are 0.
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

/* State of the endpoint (OpenAFS: struct rx_debugStats). The letters are versions of the protocol: servers of
 * earlier versions do not report these members. */
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
	SONDE_RX_SECURITY_UNKNOWN = 0, /* not reported */
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
	uint32_t expires; /* s since 1970; UINT32_MAX = never; 0 = not reported */
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
	uint32_t cid; /* a multiple of 4; UINT32_MAX: the end of the list, not a connection */
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
	SONDE_RX_STAT_BUSIES = 66, /* 'R': calls rejected as busy, all threads were in use */
	SONDE_RX_STAT_COUNT = 71,
};

struct sonde_rx_stats {
	uint32_t words[SONDE_RX_STAT_COUNT]; /* by enum sonde_rx_stat */
	uint32_t reserved[9];
};

/* A host and port that the endpoint communicates with (struct rx_peerDebug). */
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

/* The packets: UDP, one request, at most one reply. */

#define SONDE_RX_HEADER_BYTES 28u
#define SONDE_RX_REQUEST_BYTES 36u /* the longest request */
#define SONDE_RX_REPLY_BYTES 312u /* the longest reply */

#define SONDE_RX_TYPE_ABORT 4u
#define SONDE_RX_TYPE_DEBUG 8u
#define SONDE_RX_TYPE_VERSION 13u

/* Set in every request that wants a reply, clear in the reply. */
#define SONDE_RX_FLAG_CLIENT_INITIATED 0x01u

#define SONDE_RX_EPOCH 999u /* of rxdebug's requests, and so of replies to them */

/* In front of every packet of Rx. A reply has that of its request, but for one flag. */
struct sonde_rx_header {
	uint32_t epoch;
	uint32_t cid;
	uint32_t call; /* of a DEBUG or VERSION packet: the number of the request */
	uint32_t seq;
	uint32_t serial;
	uint8_t type; /* SONDE_RX_TYPE_* */
	uint8_t flags; /* SONDE_RX_FLAG_CLIENT_INITIATED */
	uint8_t user_status;
	uint8_t security;
	uint16_t checksum;
	uint16_t service;
};

/* What a DEBUG packet asks for. */
enum sonde_rx_what {
	SONDE_RX_WHAT_BASIC = 1, /* RX_DEBUGI_GETSTATS */
	SONDE_RX_WHAT_CONN = 2, /* by index: those that something is under way on */
	SONDE_RX_WHAT_ALL_CONN = 3, /* by index: all; since 'M' */
	SONDE_RX_WHAT_STATS = 4, /* RX_DEBUGI_RXSTATS; since 'M' */
	SONDE_RX_WHAT_PEER = 5, /* by index; since 'Q' */
};

struct sonde_rx_request {
	struct sonde_rx_header header;
	/* Of DEBUG; 0 in VERSION. */
	int32_t what; /* an enum sonde_rx_what; servers refuse others */
	int32_t index; /* of connections and peers; servers take what is negative for 0 */
};

enum sonde_rx_reply_kind {
	SONDE_RX_REPLY_BASIC,
	SONDE_RX_REPLY_CONN,
	SONDE_RX_REPLY_STATS,
	SONDE_RX_REPLY_PEER,
	SONDE_RX_REPLY_VERSION,
	SONDE_RX_REPLY_END, /* the list that was asked for has no such index */
	SONDE_RX_REPLY_REFUSED, /* the server does not know of what was asked for */
	SONDE_RX_REPLY_ABORT, /* it does not know of DEBUG at all: Linux's kafs */
};

/* How a connection is laid out. */
enum sonde_rx_layout {
	SONDE_RX_LAYOUT_NOW, /* 176 bytes: all that is in service */
	SONDE_RX_LAYOUT_L, /* 172: calls lie 3 bytes earlier, without epoch and MTU */
	SONDE_RX_LAYOUT_BEFORE_L, /* 56: nothing behind the calls */
};

#define SONDE_RX_VERSION_TEXT_BYTES 65u /* a NUL among them */

struct sonde_rx_reply {
	struct sonde_rx_header header;
	enum sonde_rx_reply_kind kind;
	int32_t what; /* an enum sonde_rx_what: of BASIC to PEER, and of END: which list */
	enum sonde_rx_layout layout; /* of CONN, and of END of such a list */
	union {
		struct sonde_rx_basic basic;
		struct sonde_rx_conn conn;
		struct sonde_rx_stats stats;
		struct sonde_rx_peer peer;
		char version[SONDE_RX_VERSION_TEXT_BYTES]; /* ends with a NUL; as it came: escape it */
		int32_t code; /* of ABORT */
	} body; /* by `kind` */
};

/*
 * Each unpack fills *@ret from the @len bytes of @packet (or @payload: the bytes after the header), and
 * leaves it alone if it fails: -EBADMSG, @len is too short. A longer packet is accepted, and the
 * rest is ignored, as later versions may report more. Each pack writes the size that its name says,
 * spare bytes as zeros.
 */
int sonde_rx_header_unpack(const void *packet, size_t len, struct sonde_rx_header *ret);
void sonde_rx_header_pack(const struct sonde_rx_header *header, void *packet);

/* As rxdebug asks. @what: 0 = for the version. @call: any number, better a random one: by it alone the reply
 * is known. */
void sonde_rx_request_init(struct sonde_rx_request *request, int32_t what, int32_t index,
			   uint32_t call);
/* Writes at most SONDE_RX_REQUEST_BYTES to @packet, and returns how many. */
size_t sonde_rx_request_pack(const struct sonde_rx_request *request, void *packet);
/* -EPROTO: not a request, but a reply, or a packet of another type. */
int sonde_rx_request_unpack(const void *packet, size_t len, struct sonde_rx_request *ret);

/* @what: the type of the request; a reply itself shows its kind of record only by its length. 0 = unknown, use
 * the length (one of 56 bytes is read as BASIC). -EPROTO: not a reply to such a request. */
int sonde_rx_reply_unpack(const void *packet, size_t len, int32_t what, struct sonde_rx_reply *ret);
/* As a server of @version ('L' to 'S') replies: members that came later are written as 0. Writes at most
 * SONDE_RX_REPLY_BYTES to @packet, and returns how many. */
size_t sonde_rx_reply_pack(const struct sonde_rx_reply *reply, char version, void *packet);

/* The records alone. */
int sonde_rx_basic_unpack(const void *payload, size_t len, struct sonde_rx_basic *ret);
void sonde_rx_basic_pack(const struct sonde_rx_basic *basic, void *payload); /* 56 bytes */
/* What is not there is 0: the counters have grown, and servers that lack some of them are as old. */
int sonde_rx_stats_unpack(const void *payload, size_t len, struct sonde_rx_stats *ret);
void sonde_rx_stats_pack(const struct sonde_rx_stats *stats, void *payload); /* 284 bytes */
int sonde_rx_peer_unpack(const void *payload, size_t len, struct sonde_rx_peer *ret);
void sonde_rx_peer_pack(const struct sonde_rx_peer *peer, void *payload); /* 132 bytes */
/* 176 bytes, or, by its length, the layout of before 'L'. */
int sonde_rx_conn_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret);
void sonde_rx_conn_pack(const struct sonde_rx_conn *conn, void *payload); /* 176 bytes */
/* The layout of 'L', as old programs have it; no OpenAFS ever sent it. */
int sonde_rx_conn_l_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret);
void sonde_rx_conn_l_pack(const struct sonde_rx_conn *conn, void *payload); /* 172 bytes */

/* Whether the server reports members that came with @version ('L' to 'S'). Versions after 'S' have all; 128
 * and more means an old version, which has none. */
bool sonde_rx_basic_has(const struct sonde_rx_basic *basic, char version);
/* Whether it is the end of the list, not a record. */
bool sonde_rx_conn_is_end(const struct sonde_rx_conn *conn);
bool sonde_rx_peer_is_end(const struct sonde_rx_peer *peer);
/* A counter of 32 bits that was @total, continued: it is @now, and may have wrapped once. To begin with, @total
 * is the first value. */
uint64_t sonde_rx_counter_continue(uint64_t total, uint32_t now);
/* SONDE_RX_STAT_BOGUS_HOST as an IPv4 address. A server turns its bytes round where it is itself
 * little-endian, which it does not tell: both readings may be shown. */
uint32_t sonde_rx_bogus_host(const struct sonde_rx_stats *stats, bool little_endian);

/* An endpoint that answers for the program it is in. */
struct sonde_rx_responder;

/*
 * The data that a responder reports. Each callback fills *@ret, which is 0 before; members that
 * stay 0 are reported as 0. Records of lists are asked for by index, from 0 on, in an order that
 * should stay while a client reads them: false = the end. A callback that is NULL has nothing to
 * report. They are called by sonde_rx_responder_serve and sonde_rx_responder_answer, once for each
 * answer, and should be quick.
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
	char version; /* 'L' to 'S': report what a server of that version would; 0 = 'S' */
	const char *text; /* reply to a request for the program's version; 64 bytes of it at most */
	/* Bytes a second, the UDP payload of answers, that one address gets, and all: one second's worth at
	 * once. 0 = SONDE_RX_SOURCE_RATE, SONDE_RX_TOTAL_RATE. What would be more is not answered. */
	uint32_t source_rate;
	uint32_t total_rate;
	const struct sonde_rx_network *allow; /* networks that are answered */
	size_t allow_count; /* 0 = all */
	uint64_t reserved[4];
};

/* Packets, but for the bytes. */
struct sonde_rx_counts {
	uint64_t received;
	uint64_t answered;
	uint64_t bytes; /* of answers */
	uint64_t refused; /* answered, with -8: this version does not have the collection */
	uint64_t malformed; /* not a request, or a truncated one */
	uint64_t forbidden; /* whose source is not allowed */
	uint64_t limited; /* that would have been more than the rate */
	uint64_t unsent; /* answers that the kernel did not take */
	uint64_t reserved[8];
};

struct sockaddr;

/* Copies @config and @callbacks. -EINVAL: @config is not valid; else the kernel's error for the
 * port, as -EADDRINUSE. */
int sonde_rx_responder_open(const struct sonde_rx_config *config,
			    const struct sonde_rx_callbacks *callbacks, void *ctx,
			    struct sonde_rx_responder **ret, struct sonde_error *error);
/* NULL is fine. */
void sonde_rx_responder_close(struct sonde_rx_responder *responder);
/* Readable when a request has come. */
int sonde_rx_responder_fd(const struct sonde_rx_responder *responder);
uint16_t sonde_rx_responder_port(const struct sonde_rx_responder *responder);
/* Answers all requests that have come, without waiting. Returns the number of packets read, or -errno. */
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

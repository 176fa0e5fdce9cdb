/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inet_diag: asks the kernel for all TCP connections of a network namespace, as `ss` does: by
 * netlink, which takes no privilege.
 */
#ifndef SONDE_PROBE_INET_DIAG_H
#define SONDE_PROBE_INET_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes what the kernel answers about its TCP sockets: datagrams of netlink messages
 * (sock_diag(7)), each with the attributes of one socket. Whatever they claim, nothing is read
 * behind their end.
 */

/*
 * A socket, in the units and under the names of a TCP snapshot (probe/tcp_snapshot.bpf.h). The
 * kernel reports times in whole microseconds here.
 */
struct inet_socket {
	uint64_t cookie;
	uint64_t bytes_acked;
	uint64_t bytes_received;
	uint64_t pacing_rate;
	uint64_t delivery_rate;
	uint64_t busy_us;
	uint64_t rwnd_limited_us;
	uint64_t sndbuf_limited_us;
	uint64_t bytes_retrans;
	uint32_t snd_cwnd;
	uint32_t snd_ssthresh;
	uint32_t snd_wnd;
	uint32_t rcv_wnd; /* if the kernel sends INET_INFO_RCV_WND_BYTES */
	uint32_t rcv_ssthresh;
	uint32_t mss;
	uint32_t srtt_us;
	uint32_t mdev_us;
	uint32_t rto_us;
	uint32_t packets_out;
	uint32_t sacked_out;
	uint32_t lost_out;
	uint32_t retrans_out;
	uint32_t total_retrans;
	uint32_t delivered;
	uint32_t reordering;
	uint32_t min_rtt_us;
	uint32_t data_segs_out; /* those sent again among them */
	uint32_t delivered_ce;
	uint32_t dsack_dups;
	uint32_t reord_seen;
	uint32_t rcv_ooopack;
	uint32_t app_limited;
	uint32_t sndbuf;
	uint32_t wmem_queued;
	uint32_t rcvbuf;
	uint32_t rmem_alloc;
	uint32_t state;
	uint32_t ca_state;
	uint32_t family;
	uint16_t lport;
	uint16_t rport;
	uint8_t saddr[16]; /* IPv4 mapped into IPv6 */
	uint8_t daddr[16];
	char ca_name[16];
	/* Of these a snapshot has no field. */
	uint32_t uid;
	uint64_t bytes_sent; /* those sent again among them */
	uint32_t inode; /* of the file that it is; 0 = no process has it open */
};

/* Bytes of struct tcp_info that the kernel must tell: up to snd_wnd (5.4), and up to rcv_wnd (6.2). */
#define INET_INFO_LEAST_BYTES 232u
#define INET_INFO_RCV_WND_BYTES 236u

struct inet_answer {
	const uint8_t *bytes; /* one datagram, borrowed */
	size_t len;
	size_t at;
	uint32_t sequence; /* of the request */
	bool interrupted; /* the kernel says that its table changed: some may be missing, or double */
};

enum inet_answer_item {
	INET_ANSWER_SOCKET,
	INET_ANSWER_MORE, /* the datagram is used up, another one follows */
	INET_ANSWER_DONE,
};

void inet_answer_init(struct inet_answer *answer, const void *bytes, size_t len, uint32_t sequence);
/* An item, or -EBADMSG, or what the kernel refuses the request with. A socket that has no
 * connection's state (TIME_WAIT, a request) is passed over. */
int inet_answer_next(struct inet_answer *answer, struct inet_socket *ret);

struct inet_socket;

#define INET_DIAG_NAME "inet_diag" /* as hooks have it */

/* Anything but 0 ends the dump, which returns it. @socket is borrowed for the call. */
typedef int (*inet_visitor)(void *ctx, const struct inet_socket *socket);

/* An answerer for the namespace of the calling thread, whichever thread asks it later. The caller closes it. */
int inet_diag_open(int *ret_fd);
/* Visits each connection over IPv4, then over IPv6; no listeners. @interrupted: some of them may be
 * missing, or double, because the kernel's table changed during the dump. -errno: the rest is missing. */
int inet_diag_dump(int fd, inet_visitor visit, void *ctx, bool *interrupted);

/* How much of struct tcp_info this kernel sends. */
size_t inet_diag_info_bytes(void);
/* 0 where the kernel answers, else -errno and a sentence why not. */
int inet_diag_check(char *reason, size_t room);

#endif /* SONDE_PROBE_INET_DIAG_H */

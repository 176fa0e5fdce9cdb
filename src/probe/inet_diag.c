// SPDX-License-Identifier: BSD-2-Clause
#include "probe/inet_diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"

#define ATTRIBUTES_MAX (INET_DIAG_MAX + 1)
/* The header of 6.1 ends before it. */
#define RCV_WND_AT (offsetof(struct tcp_info, tcpi_snd_wnd) + 4)

_Static_assert(offsetof(struct tcp_info, tcpi_snd_wnd) + 4 == INET_INFO_LEAST_BYTES, "tcp_info");
_Static_assert(RCV_WND_AT + 4 == INET_INFO_RCV_WND_BYTES, "tcp_info");

struct attribute {
	const uint8_t *bytes; /* NULL: absent */
	size_t len;
};

void inet_answer_init(struct inet_answer *answer, const void *bytes, size_t len, uint32_t sequence)
{
	*answer = (struct inet_answer){.bytes = bytes, .len = len, .sequence = sequence};
}

/* netlink(7): each has a length, itself included, and begins at a multiple of 4. */
static int take_attributes(const uint8_t *bytes, size_t len, struct attribute *ret)
{
	struct rtattr head;

	while (len >= sizeof(head)) {
		size_t step;

		memcpy(&head, bytes, sizeof(head));
		if (head.rta_len < sizeof(head) || head.rta_len > len)
			return -EBADMSG;
		if (head.rta_type < ATTRIBUTES_MAX)
			ret[head.rta_type] = (struct attribute){
				.bytes = bytes + sizeof(head),
				.len = head.rta_len - sizeof(head),
			};
		step = RTA_ALIGN(head.rta_len);
		step = step < len ? step : len;
		bytes += step;
		len -= step;
	}
	return 0;
}

static void take_address(uint8_t *to, uint32_t family, const __be32 from[4])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (family == AF_INET6) {
		memcpy(to, from, 16);
		return;
	}
	memcpy(to, mapped, sizeof(mapped));
	memcpy(to + sizeof(mapped), from, 4);
}

static void take_identity(const struct inet_diag_msg *msg, struct inet_socket *s)
{
	s->cookie = msg->id.idiag_cookie[0] | (uint64_t)msg->id.idiag_cookie[1] << 32;
	s->state = msg->idiag_state;
	s->family = msg->idiag_family;
	s->lport = ntohs(msg->id.idiag_sport);
	s->rport = ntohs(msg->id.idiag_dport);
	take_address(s->saddr, s->family, msg->id.idiag_src);
	take_address(s->daddr, s->family, msg->id.idiag_dst);
	s->uid = msg->idiag_uid;
	s->inode = msg->idiag_inode;
}

static int take_info(const struct attribute *attribute, struct inet_socket *s)
{
	struct tcp_info info = {0};

	if (attribute->len < INET_INFO_LEAST_BYTES)
		return -EBADMSG;
	memcpy(&info, attribute->bytes, INET_INFO_LEAST_BYTES);
	s->bytes_acked = info.tcpi_bytes_acked;
	s->bytes_received = info.tcpi_bytes_received;
	s->pacing_rate = info.tcpi_pacing_rate;
	s->snd_cwnd = info.tcpi_snd_cwnd;
	s->snd_ssthresh = info.tcpi_snd_ssthresh;
	s->snd_wnd = info.tcpi_snd_wnd;
	s->rcv_ssthresh = info.tcpi_rcv_ssthresh;
	s->mss = info.tcpi_snd_mss;
	s->srtt_us = info.tcpi_rtt;
	s->mdev_us = info.tcpi_rttvar;
	s->rto_us = info.tcpi_rto;
	s->packets_out = info.tcpi_unacked;
	s->sacked_out = info.tcpi_sacked;
	s->lost_out = info.tcpi_lost;
	s->retrans_out = info.tcpi_retrans;
	s->total_retrans = info.tcpi_total_retrans;
	s->data_segs_out = info.tcpi_data_segs_out;
	s->bytes_sent = info.tcpi_bytes_sent;
	s->bytes_retrans = info.tcpi_bytes_retrans;
	s->delivery_rate = info.tcpi_delivery_rate;
	s->app_limited = info.tcpi_delivery_rate_app_limited;
	s->busy_us = info.tcpi_busy_time;
	s->rwnd_limited_us = info.tcpi_rwnd_limited;
	s->sndbuf_limited_us = info.tcpi_sndbuf_limited;
	s->min_rtt_us = info.tcpi_min_rtt;
	s->delivered_ce = info.tcpi_delivered_ce;
	s->dsack_dups = info.tcpi_dsack_dups;
	s->reord_seen = info.tcpi_reord_seen;
	s->rcv_ooopack = info.tcpi_rcv_ooopack;
	s->delivered = info.tcpi_delivered;
	s->reordering = info.tcpi_reordering;
	s->ca_state = info.tcpi_ca_state;
	if (attribute->len >= INET_INFO_RCV_WND_BYTES)
		memcpy(&s->rcv_wnd, attribute->bytes + RCV_WND_AT, sizeof(s->rcv_wnd));
	return 0;
}

static int take_memory(const struct attribute *attribute, struct inet_socket *s)
{
	uint32_t memory[SK_MEMINFO_WMEM_QUEUED + 1];

	if (attribute->len < sizeof(memory))
		return -EBADMSG;
	memcpy(memory, attribute->bytes, sizeof(memory));
	s->rmem_alloc = memory[SK_MEMINFO_RMEM_ALLOC];
	s->rcvbuf = memory[SK_MEMINFO_RCVBUF];
	s->sndbuf = memory[SK_MEMINFO_SNDBUF];
	s->wmem_queued = memory[SK_MEMINFO_WMEM_QUEUED];
	return 0;
}

/* The name ends with NUL, inside the attribute or with it. */
static void take_algorithm(const struct attribute *attribute, struct inet_socket *s)
{
	size_t room = sizeof(s->ca_name) - 1;
	size_t len = attribute->len < room ? attribute->len : room;

	if (attribute->bytes)
		memcpy(s->ca_name, attribute->bytes, strnlen((const char *)attribute->bytes, len));
}

/* 1 = a connection, 0 = not one. */
static int take_socket(const uint8_t *bytes, size_t len, struct inet_socket *ret)
{
	struct attribute attributes[ATTRIBUTES_MAX] = {0};
	struct inet_socket s = {0};
	struct inet_diag_msg msg;
	int err;

	if (len < sizeof(msg))
		return -EBADMSG;
	memcpy(&msg, bytes, sizeof(msg));
	if (msg.idiag_family != AF_INET && msg.idiag_family != AF_INET6)
		return -EBADMSG;
	err = take_attributes(bytes + sizeof(msg), len - sizeof(msg), attributes);
	if (err || !attributes[INET_DIAG_INFO].bytes)
		return err;
	take_identity(&msg, &s);
	err = take_info(&attributes[INET_DIAG_INFO], &s);
	err = err ?: take_memory(&attributes[INET_DIAG_SKMEMINFO], &s);
	if (err)
		return err;
	take_algorithm(&attributes[INET_DIAG_CONG], &s);
	*ret = s;
	return 1;
}

/* What NLMSG_ERROR or NLMSG_DONE carries: 0 or -errno. */
static int take_verdict(const uint8_t *bytes, size_t len, bool required)
{
	int32_t verdict = 0;

	if (len >= sizeof(verdict))
		memcpy(&verdict, bytes, sizeof(verdict));
	else if (required)
		return -EBADMSG;
	if (verdict > 0 || verdict < -4095)
		return -EBADMSG;
	return verdict;
}

/* One message; INET_ANSWER_MORE stands for one to pass over. */
static int take_message(struct inet_answer *answer, const struct nlmsghdr *head,
			const uint8_t *bytes, struct inet_socket *ret)
{
	size_t len = head->nlmsg_len - NLMSG_HDRLEN;
	int err;

	if (head->nlmsg_seq != answer->sequence)
		return INET_ANSWER_MORE;
	answer->interrupted |= head->nlmsg_flags & NLM_F_DUMP_INTR;
	switch (head->nlmsg_type) {
	case NLMSG_DONE:
		return take_verdict(bytes, len, false) ?: INET_ANSWER_DONE;
	case NLMSG_ERROR:
		return take_verdict(bytes, len, true) ?: INET_ANSWER_DONE;
	case SOCK_DIAG_BY_FAMILY:
		err = take_socket(bytes, len, ret);
		if (err < 0)
			return err;
		return err ? INET_ANSWER_SOCKET : INET_ANSWER_MORE;
	default:
		return INET_ANSWER_MORE;
	}
}

int inet_answer_next(struct inet_answer *answer, struct inet_socket *ret)
{
	int item = INET_ANSWER_MORE;

	while (item == INET_ANSWER_MORE && answer->at < answer->len) {
		const uint8_t *bytes = answer->bytes + answer->at;
		size_t left = answer->len - answer->at, step;
		struct nlmsghdr head;

		if (left < NLMSG_HDRLEN)
			return -EBADMSG;
		memcpy(&head, bytes, sizeof(head));
		if (head.nlmsg_len < NLMSG_HDRLEN || head.nlmsg_len > left)
			return -EBADMSG;
		step = NLMSG_ALIGN(head.nlmsg_len);
		answer->at += step < left ? step : left;
		item = take_message(answer, &head, bytes + NLMSG_HDRLEN, ret);
	}
	return item;
}

#define DATAGRAM_BYTES 65536 /* the kernel fills up to 32 KiB of what it is offered */
#define PATIENCE_SECONDS 5 /* the kernel answers while it is asked: this is for when it does not */

/* include/net/tcp_states.h: a listener is not a connection, and the others have none of its state. */
#define STATE_BIT(n) (1u << (n))
#define STATES_ALL (STATE_BIT(12) - 1)
#define STATES_WANTED                                                                            \
	(STATES_ALL & ~(STATE_BIT(0) | STATE_BIT(6) /* TIME_WAIT */ | STATE_BIT(7) /* CLOSE */ | \
			STATE_BIT(10) /* LISTEN */))

#define ASK_FOR(attribute) (1 << ((attribute)-1))

struct request {
	struct nlmsghdr head;
	struct inet_diag_req_v2 body;
};

int inet_diag_open(int *ret_fd)
{
	struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	*ret_fd = fd;
	return 0;
}

static int send_request(int fd, uint8_t family, uint32_t states)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	const struct request request = {
		.head =
			{
				.nlmsg_len = sizeof(request),
				.nlmsg_type = SOCK_DIAG_BY_FAMILY,
				.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
				.nlmsg_seq = family,
			},
		.body =
			{
				.sdiag_family = family,
				.sdiag_protocol = IPPROTO_TCP,
				.idiag_ext = ASK_FOR(INET_DIAG_INFO) | ASK_FOR(INET_DIAG_CONG) |
					     ASK_FOR(INET_DIAG_SKMEMINFO),
				.idiag_states = states,
			},
	};

	if (sendto(fd, &request, sizeof(request), 0, (const struct sockaddr *)&kernel,
		   sizeof(kernel)) < 0)
		return -errno;
	return 0;
}

/* One datagram of the kernel's: its length, or -errno. */
static ssize_t receive(int fd, void *bytes, size_t room)
{
	struct sockaddr_nl from = {0};
	struct iovec iov = {.iov_base = bytes, .iov_len = room};
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1};
	ssize_t len;

	do {
		len = recvmsg(fd, &msg, 0);
	} while ((len < 0 && errno == EINTR) || (len >= 0 && from.nl_pid)); /* not the kernel's */
	if (len < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (!len || msg.msg_flags & MSG_TRUNC)
		return -EBADMSG;
	return len;
}

static int dump_family(int fd, uint8_t family, uint32_t states, inet_visitor visit, void *ctx,
		       bool *interrupted)
{
	uint8_t bytes[DATAGRAM_BYTES];
	int item = send_request(fd, family, states) ?: INET_ANSWER_MORE;

	while (item == INET_ANSWER_MORE) {
		struct inet_answer answer;
		struct inet_socket socket;
		ssize_t len = receive(fd, bytes, sizeof(bytes));
		int err;

		if (len < 0)
			return (int)len;
		inet_answer_init(&answer, bytes, (size_t)len, family);
		while ((item = inet_answer_next(&answer, &socket)) == INET_ANSWER_SOCKET) {
			err = visit(ctx, &socket);
			if (err)
				return err;
		}
		*interrupted |= answer.interrupted;
	}
	return item < 0 ? item : 0;
}

int inet_diag_dump(int fd, inet_visitor visit, void *ctx, bool *interrupted)
{
	int err = dump_family(fd, AF_INET, STATES_WANTED, visit, ctx, interrupted);

	return err ?: dump_family(fd, AF_INET6, STATES_WANTED, visit, ctx, interrupted);
}

size_t inet_diag_info_bytes(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint8_t info[1024];
	socklen_t len = sizeof(info);

	if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &len))
		len = 0;
	fd_close(fd);
	return len;
}

/* No sockets match an empty set of states. */
static int try_dump(void)
{
	bool interrupted = false;
	int fd = -1;
	int err = inet_diag_open(&fd) ?: dump_family(fd, AF_INET, 0, NULL, NULL, &interrupted);

	fd_close(fd);
	return err;
}

int inet_diag_check(char *reason, size_t room)
{
	size_t bytes = inet_diag_info_bytes();
	int err = try_dump();

	if (!err && bytes >= INET_INFO_LEAST_BYTES)
		return 0;
	if (!err || err == -ENOENT || err == -EPROTONOSUPPORT)
		snprintf(reason, room, "this kernel %s",
			 err ? "does not answer: it needs CONFIG_INET_TCP_DIAG" :
			       "reports too little about a connection (before 5.4)");
	else
		snprintf(reason, room, "the kernel refuses to answer: %s", strerror(-err));
	return err ?: -ENOTSUP;
}

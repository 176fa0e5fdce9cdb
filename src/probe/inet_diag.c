// SPDX-License-Identifier: BSD-2-Clause
#include "probe/inet_diag.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
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
#include "probe/inet_answer.h"

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

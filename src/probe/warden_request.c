// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/warden_request.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/io.h"

/* CMSG_LEN, without the padding in which a second descriptor would have room: the kernel never hands that out. */
#define ONE_FD CMSG_LEN(sizeof(int))

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int warden_message_send(int socket, const void *bytes, size_t len, int fd)
{
	union control control = {0};
	struct iovec iov = {.iov_base = (void *)bytes, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t sent;

	if (fd >= 0) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = ONE_FD;
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	do {
		sent = sendmsg(socket, &msg, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return -errno;
	return (size_t)sent == len ? 0 : -EMSGSIZE;
}

/* If the process has no descriptor number left, or the message no room for a second one, the kernel drops the
 * descriptor and sets MSG_CTRUNC. */
static int take_fd(struct msghdr *msg, int *fd)
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(msg);

	*fd = -1;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == ONE_FD)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	if (msg->msg_flags & MSG_TRUNC)
		return -EBADMSG;
	if (msg->msg_flags & MSG_CTRUNC)
		return *fd < 0 ? -EMFILE : -EBADMSG;
	return 0;
}

ssize_t warden_message_receive(int socket, void *bytes, size_t room, int *fd)
{
	union control control;
	struct iovec iov = {.iov_base = bytes, .iov_len = room};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = ONE_FD,
	};
	ssize_t len;
	int err;

	do {
		len = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	} while (len < 0 && errno == EINTR);
	*fd = -1;
	if (len <= 0)
		return len < 0 ? -errno : 0;
	err = take_fd(&msg, fd);
	if (!err)
		return len;
	fd_close(*fd);
	*fd = -1;
	return err;
}

/* What a kind uses. */
enum {
	USES_PID = 1u << 0,
	USES_NETNS = 1u << 1,
	USES_HOOK = 1u << 2,
	USES_SIGNAL = 1u << 3,
	USES_RANGE = 1u << 4,
	GIVES_FD = 1u << 5,
	GETS_FD = 1u << 6, /* always: of an iterator there may be none */
};

static const unsigned int shapes[WARDEN_KIND_END] = {
	[WARDEN_RUN_STATS] = GETS_FD,
	[WARDEN_MAPS] = USES_PID | GETS_FD,
	[WARDEN_MAPPED_FILE] = USES_PID | USES_RANGE | GETS_FD,
	[WARDEN_SOCKETS] = USES_PID | GETS_FD,
	[WARDEN_NETNS_LIST] = GETS_FD,
	[WARDEN_NETNS_DIAG] = USES_NETNS,
	[WARDEN_NETNS_ITER] = USES_NETNS | GIVES_FD,
	[WARDEN_NETNS_HOOK] = USES_NETNS | USES_HOOK | GIVES_FD | GETS_FD,
	[WARDEN_KALLSYMS] = GETS_FD,
	[WARDEN_END_COMMAND] = USES_SIGNAL,
};

static bool pid_is_good(const struct warden_request *req, bool used)
{
	return used ? req->pid && req->pid < WARDEN_PID_END : !req->pid;
}

static bool netns_is_good(const struct warden_request *req, bool used)
{
	return used == (req->netns != 0);
}

static bool hook_is_good(const struct warden_request *req, bool used)
{
	if (!used)
		return !req->family && !req->hook && !req->last;
	return (req->family == NFPROTO_IPV4 || req->family == NFPROTO_IPV6) &&
	       req->hook < NF_INET_NUMHOOKS && req->last <= 1;
}

static bool signal_is_good(const struct warden_request *req, bool used)
{
	return used ? req->signal == SIGTERM || req->signal == SIGKILL : !req->signal;
}

static bool range_is_good(const struct warden_request *req, bool used)
{
	if (!used)
		return !req->start && !req->end;
	return req->start < req->end && !(req->start % WARDEN_PAGE) && !(req->end % WARDEN_PAGE);
}

int warden_request_parse(const void *bytes, size_t len, size_t fds, struct warden_request *ret)
{
	struct warden_request req;
	unsigned int shape;

	if (len != sizeof(req))
		return -EBADMSG;
	memcpy(&req, bytes, sizeof(req));
	if (!req.kind || req.kind >= WARDEN_KIND_END || req.reserved)
		return -EBADMSG;
	shape = shapes[req.kind];
	if (!pid_is_good(&req, shape & USES_PID) || !netns_is_good(&req, shape & USES_NETNS) ||
	    !hook_is_good(&req, shape & USES_HOOK) || !signal_is_good(&req, shape & USES_SIGNAL) ||
	    !range_is_good(&req, shape & USES_RANGE) || fds != (shape & GIVES_FD ? 1 : 0))
		return -EBADMSG;
	*ret = req;
	return 0;
}

bool warden_request_gives(enum warden_kind kind)
{
	return shapes[kind] & GIVES_FD;
}

bool warden_request_gets(enum warden_kind kind)
{
	return shapes[kind] & GETS_FD;
}

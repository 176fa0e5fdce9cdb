// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/warden_message.h"

#include <errno.h>
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warden_request: takes the requests apart that the privileged process gets. The recorder that sends them may
 * have been taken over: whatever is not exactly a request of the list (wire/warden.h) is refused here.
 */
#ifndef SONDE_PROBE_WARDEN_REQUEST_H
#define SONDE_PROBE_WARDEN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/warden.h"
#include <sys/types.h>

/*
 * One datagram between a recorder and its privileged process (probe/warden.h), with one file
 * descriptor at most. Whatever else comes with it is closed, and the message refused.
 */

/* @fd: -1 = none. 0 or -errno. */
int warden_message_send(int socket, const void *bytes, size_t len, int fd);
/*
 * Its length; 0 = the other end has closed. *@fd is the caller's then, or -1 where none came. -EMFILE: the process
 * has no number left for the descriptor; -EBADMSG: it is longer than @room, or had more than one. Then *@fd is -1.
 */
ssize_t warden_message_receive(int socket, void *bytes, size_t room, int *fd);

/* @fds: how many file descriptors came with it. 0 or -EBADMSG. */
int warden_request_parse(const void *bytes, size_t len, size_t fds, struct warden_request *ret);
/* Whether a request of @kind carries a file descriptor, and whether the reply to a good one must. */
bool warden_request_gives(enum warden_kind kind);
bool warden_request_gets(enum warden_kind kind);

#endif /* SONDE_PROBE_WARDEN_REQUEST_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warden_message: one datagram between a recorder and its privileged process (probe/warden.h), with one file
 * descriptor at most. Whatever else comes with it is closed, and the message refused.
 */
#ifndef SONDE_PROBE_WARDEN_MESSAGE_H
#define SONDE_PROBE_WARDEN_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

/* @fd: -1 = none. 0 or -errno. */
int warden_message_send(int socket, const void *bytes, size_t len, int fd);
/*
 * Its length; 0 = the other end has closed. *@fd is the caller's then, or -1 where none came. -EMFILE: the process
 * has no number left for the descriptor; -EBADMSG: it is longer than @room, or had more than one. Then *@fd is -1.
 */
ssize_t warden_message_receive(int socket, void *bytes, size_t room, int *fd);

#endif /* SONDE_PROBE_WARDEN_MESSAGE_H */

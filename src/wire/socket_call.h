/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * socket_call: the system calls by which tasks use sockets, as the kernel half distinguishes them.
 * Their numbers are each architecture's own, so user space fills in a table of these.
 */
#ifndef SONDE_WIRE_SOCKET_CALL_H
#define SONDE_WIRE_SOCKET_CALL_H

/* All have the socket as their first argument. */
enum socket_call {
	SOCKET_CALL_NONE,
	SOCKET_CALL_USE, /* makes the socket the caller's: connect, listen, accept */
	SOCKET_CALL_RECV,
	SOCKET_CALL_SEND, /* buffer, length */
	SOCKET_CALL_SENDV, /* iovec, count */
	SOCKET_CALL_SENDMSG, /* msghdr */
	SOCKET_CALL_SENDMMSG, /* mmsghdr, count: how many bytes is not looked up */
	SOCKET_CALL_SENDTO, /* buffer, length, flags, address, its length */
};

#endif /* SONDE_WIRE_SOCKET_CALL_H */

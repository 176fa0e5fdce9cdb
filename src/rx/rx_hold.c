// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_hold.h"

#include <stdbool.h>

/*
 * A server gives a call to a thread only when the client has proven that it is there. From a
 * client that it does not know it first asks an acknowledgement (attach wait), and of one with
 * rxkad the answer to a challenge: until that came, the security statistics are those of an object
 * just made (OpenAFS 1.8.9, rx.c: TryAttach; rxkad_server.c).
 */
static enum rx_wait held_by_client(const struct sonde_rx_conn *conn)
{
	const struct sonde_rx_security *security = &conn->security;

	if (!conn->type)
		return RX_WAIT_NOTHING;
	if (conn->flags & SONDE_RX_CONN_ATTACH_WAIT)
		return RX_WAIT_CLIENT;
	if (security->type == SONDE_RX_SECURITY_KAD &&
	    !(security->flags & (SONDE_RX_SECURITY_AUTHENTICATED | SONDE_RX_SECURITY_UNALLOCATED)))
		return RX_WAIT_CHALLENGE;
	return RX_WAIT_NOTHING;
}

enum rx_wait rx_hold_find(const struct sonde_rx_conn *conn, size_t i)
{
	const struct sonde_rx_call *call = &conn->calls[i];

	if (call->state == SONDE_RX_CALL_NONE)
		return RX_WAIT_NOTHING;
	if (call->flags & SONDE_RX_CALL_WAIT_PROCESS)
		return RX_WAIT_THREAD;
	if (call->flags & SONDE_RX_CALL_WAIT_PACKETS)
		return RX_WAIT_PACKETS;
	if (call->flags & SONDE_RX_CALL_WAIT_WINDOW_ALLOC)
		return RX_WAIT_WINDOW;
	if (call->flags & SONDE_RX_CALL_WAIT_WINDOW_SEND)
		return RX_WAIT_ACK;
	return call->state == SONDE_RX_CALL_PRECALL ? held_by_client(conn) : RX_WAIT_NOTHING;
}

const char *rx_hold_text(enum rx_wait wait)
{
	static const char *const texts[] = {
		[RX_WAIT_NOTHING] = NULL,
		[RX_WAIT_THREAD] = "waits for a thread",
		[RX_WAIT_PACKETS] = "waits for packet buffers",
		[RX_WAIT_WINDOW] = "waits for room in its window",
		[RX_WAIT_ACK] = "waits for the other end to acknowledge",
		[RX_WAIT_CLIENT] =
			"waits for the client to show that it is reachable (attach wait)",
		[RX_WAIT_CHALLENGE] = "waits for the client to answer a challenge",
	};

	return texts[wait];
}

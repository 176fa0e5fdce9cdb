/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_output: the output of one connection of a relay: replies, and behind some of them bytes of
 * a file, in this order. Data that can be sent at once is sent past the event loop; nothing here
 * waits, and the data kept is bounded, if the user of this object adds no more when room is missing.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_OUTPUT_H
#define SONDE_LIVE_RELAY_RELAY_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct bufferevent;
struct conduit;
struct relay_output;
struct session_file;

/*
 * Over @link, which is borrowed, and whose write callback is the caller's: it calls relay_output_go_on, as
 * does @ready, which comes from the event loop too. @conduit, borrowed, is for links that are sockets and nothing
 * else; NULL = everything is copied. NULL = no memory.
 */
struct relay_output *relay_output_new(struct bufferevent *link, struct conduit *conduit,
				      void (*ready)(void *ctx), void *ctx);
/* NULL is fine. Before its link goes. */
void relay_output_free(struct relay_output *output);

/* Whether another reply may be made now. Otherwise there is a call when it may. */
bool relay_output_has_room(const struct relay_output *output);
/* Bytes that are not sent yet. */
size_t relay_output_waiting(const struct relay_output *output);

/* The reply, which is emptied, goes with what follows until relay_output_go_on. 0 or -errno. */
int relay_output_reply(struct relay_output *output, struct buffer *reply);
/* Behind that, @len bytes of @file at @offset. -EIO: they are not all there. */
int relay_output_file(struct relay_output *output, struct session_file *file, uint64_t offset,
		      uint32_t len);
/* One turn of the event loop is over: others come before this one continues. */
void relay_output_turn(struct relay_output *output);
/* Sends as much as the socket takes. 0 or -errno: -EPIPE, -ECONNRESET = the peer has gone. */
int relay_output_go_on(struct relay_output *output);

#endif /* SONDE_LIVE_RELAY_RELAY_OUTPUT_H */

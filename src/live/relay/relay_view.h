/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_view: what one viewer has seen of the sessions that it is attached to: which streams it knows, under
 * ids that are its own, and how far it is in each. It knows nothing of sockets; relay_viewer sends what
 * this answers.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_VIEW_H
#define SONDE_LIVE_RELAY_RELAY_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct relay_view;
struct rights;
struct session;
struct session_file;
struct session_list;

#define RELAY_ATTACHED_MAX 1024u /* sessions of one viewer */

/* Who views. */
struct relay_peer {
	const struct rights *rights; /* borrowed; NULL = every viewer may see everything */
	const char *name; /* of its certificate, "" = it has none; copied */
};

/* NULL = no memory. @sessions is borrowed. */
struct relay_view *relay_view_new(struct session_list *sessions, const struct relay_peer *peer);
/* Of what is attached from here on, hidden streams too. */
void relay_view_show_hidden(struct relay_view *view);
/* Detaches from all. NULL is fine. */
void relay_view_free(struct relay_view *view);

/* Whether @session is there for it at all. @minor: the lower one of both sides, that of its protocol. */
bool relay_view_shows(const struct relay_view *view, const struct session *session, uint32_t minor);

/* Replies to ATTACH, NEW_STREAMS and DETACH, appended to @out. 0 or -ENOMEM. */
int relay_view_attach(struct relay_view *view, uint64_t session_id, uint32_t seek, uint32_t minor,
		      struct buffer *out);
int relay_view_new_streams(struct relay_view *view, uint64_t session_id, struct buffer *out);
void relay_view_detach(struct relay_view *view, uint64_t session_id, struct buffer *out);
/* The reply to NEXT_INDEX; the stream's cursor moves where that is OK. */
void relay_view_next_index(struct relay_view *view, uint64_t stream_id, struct buffer *out);
/* The reply to METADATA, all of it. */
void relay_view_metadata(struct relay_view *view, uint64_t stream_id, struct buffer *out);
/* The file to answer PACKET from, borrowed until the next call, or NULL: the bytes were not
 * announced to this viewer or are gone. */
struct session_file *relay_view_packet(struct relay_view *view, uint64_t stream_id, uint64_t offset,
				       uint32_t len);

/* Packets announced to it so far. */
uint64_t relay_view_packets(const struct relay_view *view);
/* Whether there is a session that it has not left: once it has seen the end of one, it detaches. */
bool relay_view_is_attached(const struct relay_view *view);

#endif /* SONDE_LIVE_RELAY_RELAY_VIEW_H */

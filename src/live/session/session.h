/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session: what a relay publishes under one name: CTF traces with their metadata and streams. A
 * provider fills it (session_directory, or a receiver of streams) and ends it; the relay reads it
 * for each viewer, from where that viewer is. It has no data of viewers.
 *
 * Packets stay where they are, in files with LTTng's index (wire/index.h) beside them: a provider
 * writes both, and then reports the number of packets. All calls come from the thread of the
 * relay's event loop; until it is in a list, from the one thread that fills it. Members are read by
 * the relay and written by session*.c only.
 *
 *	session_new -> session_list_add
 *	session_trace_new -> session_trace_metadata -> session_stream_new, session_stream_file (each
 *		stream) -> session_trace_publish -> session_stream_packets, _beacon, _file, _end
 *		(metadata first, where packets need more of it) -> session_end -> session_unref
 *
 * A session_list has the sessions that a relay publishes, each under an id and a name of its own.
 */
#ifndef SONDE_LIVE_SESSION_SESSION_H
#define SONDE_LIVE_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "live/session/session_file.h"
#include "wire/ctf.h"
#include "wire/lttng_live.h"

/*
 * The metadata of a published trace as viewers get it: of CTF 1.8 packets of 4096
 * bytes as LTTng's (CTF 1.8.3, section 7.1), in the trace's byte order and with its UUID; for CTF 2 the text
 * unchanged. It only grows; each viewer is somewhere in it.
 */

struct diag;

#define SESSION_METADATA_PACKET_BYTES 4096u

struct session_metadata {
	struct buffer wire; /* what viewers get */
	struct buffer text; /* what that says */
	enum live_format format;
	bool big_endian;
	uint8_t uuid[CTF_UUID_BYTES];
	char host[LIVE_HOST_BYTES]; /* as its environment says, or "" */
	bool snapshots; /* likewise: the recorder keeps the newest in memory until it is to write that */
	bool converted; /* likewise: its end mark is a file */
};

void session_metadata_init(struct session_metadata *metadata);
void session_metadata_fini(struct session_metadata *metadata);
/* As session_trace_metadata. */
int session_metadata_set(struct session_metadata *metadata, const char *bytes, size_t len,
			 struct diag *diag);
/* How many bytes a reply may have that begins at @at: whole packets, and not too many. */
size_t session_metadata_piece(const struct session_metadata *metadata, size_t at);

struct index_packet;

#define SESSION_TRACES_MAX 4096u
#define SESSION_STREAMS_MAX 65536u /* of a trace */
#define SESSION_CLASS_UNKNOWN UINT64_MAX

struct session_stream {
	struct session_trace *trace;
	char *channel; /* "cpu0_level0" */
	bool hidden; /* its name begins with a dot: it is for viewers of ours alone */
	uint64_t class_id; /* stream class; SESSION_CLASS_UNKNOWN: until its first packet */
	struct session_file **files; /* the oldest first */
	size_t file_count;
	uint64_t packet_count; /* ever, those of files that were dropped too */
	uint64_t beacon; /* cycles: no packet that begins earlier is still to come */
	bool ended;
};

struct session_trace {
	struct session *session;
	char *path; /* "ust/uid/0/64-bit"; may be empty */
	struct session_metadata metadata;
	struct session_stream **streams;
	size_t stream_count;
	size_t published; /* of the streams, the first so many */
	uint64_t beacon; /* the same for all of its streams, also those that come */
};

struct session {
	unsigned int refs;
	uint64_t id; /* given by the list; 0 = not in one */
	char host[LIVE_HOST_BYTES];
	char name[LIVE_NAME_BYTES];
	uint32_t live_timer_us;
	bool from_beginning;
	bool ctf2; /* known before there is metadata */
	unsigned int viewers;
	struct session_trace **traces;
	size_t trace_count;
	bool ended;
};

struct session_config {
	const char *host; /* of the machine that was traced; cut and cleaned of '/' */
	const char *name; /* likewise */
	uint32_t live_timer_us; /* how often packets or beacons come; not 0 */
	bool ctf2; /* its traces will be CTF 2 */
	bool from_beginning; /* viewers that ask for new packets get all existing ones, too */
};

/* The caller owns *@ret by session_unref. */
int session_new(const struct session_config *config, struct session **ret);
/* Its host, as above, where that is known only from its traces; before it is in a list. "" changes nothing. */
void session_name_host(struct session *session, const char *host);
struct session *session_ref(struct session *session);
/* NULL is fine. Who is attached, or still sends from its files, keeps it. */
void session_unref(struct session *session);

/* What follows gives borrowed objects, which live as long as their session. 0 or -errno: -E2BIG over a
 * limit above, -ENOMEM. */
int session_trace_new(struct session *session, const char *path, struct session_trace **ret);
/* The whole metadata so far, text or packets: it begins with what was given before, and ends
 * with a whole declaration. -EBADMSG: it cannot be read, or does not continue the earlier text. */
int session_trace_metadata(struct session_trace *trace, const char *bytes, size_t len,
			   struct diag *diag);
/* @class_id: SESSION_CLASS_UNKNOWN where only its first packet will tell; then beacons wait for that. */
int session_stream_new(struct session_trace *trace, const char *channel, uint64_t class_id,
		       struct session_stream **ret);
/* Shows the streams so far to viewers; metadata must be there. */
void session_trace_publish(struct session_trace *trace);

/* Packets from now on are in @file, which it takes a reference of. */
int session_stream_file(struct session_stream *stream, struct session_file *file);
/* So many packets are in the newest file, and as many entries in its index. */
void session_stream_packets(struct session_stream *stream, uint64_t count);
/* Its oldest file goes, as on a clear; viewers that were not so far miss its packets. */
void session_stream_drop(struct session_stream *stream);
/* The same of those that are in no folder any more; and of all streams. */
void session_stream_forget_gone(struct session_stream *stream);
void session_forget_gone(struct session *session);
/* No packet that begins before @time (cycles) is still to come; times before that are ignored. */
void session_stream_beacon(struct session_stream *stream, uint64_t time);
void session_trace_beacon(struct session_trace *trace, uint64_t time);
void session_stream_end(struct session_stream *stream);
/* No packets, streams and metadata come any more. */
void session_end(struct session *session);

/* Cycles: no packet that begins earlier is still to come; 0 = not known. */
uint64_t session_stream_until(const struct session_stream *stream);
bool session_stream_is_over(const struct session_stream *stream);
/* Packet *@number of those ever, or the next one that is still there, whose number it is then: 1 and the
 * file, borrowed; 0 = none is there yet, or the bytes that the index has are not; -EBADMSG = the
 * index is wrong. */
int session_stream_packet(const struct session_stream *stream, uint64_t *number,
			  struct session_packet *ret, struct session_file **file);

/* Streams to be shown in a list, metadata streams too. */
uint32_t session_stream_total(const struct session *session);
/* Of all its traces one is CTF 2. */
bool session_is_ctf2(const struct session *session);

#define SESSIONS_MAX 65536u

struct session_list {
	struct session **sessions;
	size_t count;
	uint64_t last_id;
};

void session_list_init(struct session_list *list);
void session_list_fini(struct session_list *list);
/* Takes a reference. Where the host has one of that name, the session's name gets a suffix: "-2". -E2BIG:
 * there are too many; -ENOMEM. */
int session_list_add(struct session_list *list, struct session *session);
/* Who is attached to it keeps it to the end. */
void session_list_remove(struct session_list *list, struct session *session);
/* Borrowed; NULL = not found. */
struct session *session_list_find(const struct session_list *list, uint64_t id);

#endif /* SONDE_LIVE_SESSION_SESSION_H */

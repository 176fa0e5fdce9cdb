/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lttng_live: the protocol by which a viewer reads sessions from a relay (TCP port 5344), as
 * lttng-tools 2.4 to 2.16 speak it (src/bin/lttng-relayd/lttng-viewer-abi.h).
 *
 * Each request is a header and what its command takes; each has one reply, in order. All integers are
 * big-endian, nothing is padded.
 *
 *	request		u64 bytes that follow (not to be relied on), u32 command, u32 version 0
 *	CONNECT		u64 viewer session, u32 major, u32 minor, u32 type; the reply is the same
 *	LIST		-> u32 count; each u64 session, u32 live timer in us, u32 clients, u32 streams,
 *			then char host[64], char name[255]; from minor 15 on u32 host length, u32 name
 *			length, u32 format, host, name
 *	ATTACH		u64 session, u64 0, u32 seek -> u32 status, u32 count; each a stream
 *	NEXT_INDEX	u64 stream -> u64 offset in bytes, u64 packet size and u64 content size in bits,
 *			u64 begin and u64 end in cycles, u64 events discarded since the stream began, u64
 *			stream class, u32 status, u32 flags
 *	PACKET		u64 stream, u64 offset in bytes, u32 bytes -> u32 status, u32 bytes, u32 flags,
 *			the bytes
 *	METADATA	u64 stream -> u64 bytes, u32 status, the bytes: those that were not sent before
 *	NEW_STREAMS	u64 session -> u32 status, u32 count; each a stream
 *	CREATE		-> u32 status
 *	DETACH		u64 session -> u32 status
 *	a stream	u64 stream, u64 trace, u32 1 = metadata, char path[4096], char channel[255]
 */
#ifndef SONDE_WIRE_LTTNG_LIVE_H
#define SONDE_WIRE_LTTNG_LIVE_H

#define LIVE_PORT 5344u
#define LIVE_MAJOR 2u
#define LIVE_MINOR 15u /* ours; the lower one of both sides' counts */
#define LIVE_MINOR_LIST_2_15 15u /* from here on LIST has its second layout, with CTF 2 */
#define LIVE_MINOR_DETACH 8u /* from here on there is DETACH */

enum live_command {
	LIVE_CONNECT = 1,
	LIVE_LIST_SESSIONS = 2,
	LIVE_ATTACH_SESSION = 3,
	LIVE_GET_NEXT_INDEX = 4,
	LIVE_GET_PACKET = 5,
	LIVE_GET_METADATA = 6,
	LIVE_GET_NEW_STREAMS = 7,
	LIVE_CREATE_SESSION = 8,
	LIVE_DETACH_SESSION = 9,
	LIVE_COMMAND_END,
};

#define LIVE_REQUEST_BYTES 16u
#define LIVE_UNKNOWN 11u /* all that a relay replies to a command that it does not know */

#define LIVE_CONNECT_BYTES 20u /* request and reply */
/* As viewer session of CONNECT, of which LTTng makes nothing: "sonde001". Such a viewer sees streams whose channel
 * begins with a dot, as others would not see such files. */
#define LIVE_VIEWER_SONDE 0x736f6e6465303031ull
#define LIVE_TYPE_COMMAND 1u
#define LIVE_TYPE_NOTIFICATION 2u
/* As type in the reply to CONNECT, of which LTTng makes nothing: "full", the relay has no room and closes. */
#define LIVE_TYPE_FULL 0x66756c6cu

#define LIVE_HOST_BYTES 64u
#define LIVE_NAME_BYTES 255u
#define LIVE_PATH_BYTES 4096u
#define LIVE_LIST_HEAD_BYTES 4u
#define LIVE_SESSION_BYTES 339u
#define LIVE_SESSION_2_15_BYTES 32u /* and the strings */
enum live_format { LIVE_CTF_1_8 = 0, LIVE_CTF_2 = 1 };

#define LIVE_ATTACH_BYTES 20u
#define LIVE_STREAMS_HEAD_BYTES 8u /* of the replies to ATTACH and NEW_STREAMS */
#define LIVE_STREAM_BYTES 4371u
enum live_seek { LIVE_SEEK_BEGINNING = 1, LIVE_SEEK_LAST = 2 };
enum live_attach {
	LIVE_ATTACH_OK = 1,
	LIVE_ATTACH_ALREADY = 2, /* another viewer has it */
	LIVE_ATTACH_UNKNOWN = 3,
	LIVE_ATTACH_NOT_LIVE = 4,
	LIVE_ATTACH_SEEK = 5,
	LIVE_ATTACH_NO_SESSION = 6, /* CREATE was not sent */
};

#define LIVE_INDEX_REQUEST_BYTES 8u
#define LIVE_INDEX_BYTES 64u
enum live_index {
	LIVE_INDEX_OK = 1,
	LIVE_INDEX_RETRY = 2,
	LIVE_INDEX_HUP = 3,
	LIVE_INDEX_ERROR = 4,
	LIVE_INDEX_INACTIVE = 5, /* a beacon: nothing before its end comes from this stream */
	LIVE_INDEX_EOF = 6,
};
#define LIVE_FLAG_NEW_METADATA 1u
#define LIVE_FLAG_NEW_STREAMS 2u

#define LIVE_PACKET_REQUEST_BYTES 20u
#define LIVE_PACKET_HEAD_BYTES 12u
enum live_packet {
	LIVE_PACKET_OK = 1,
	LIVE_PACKET_RETRY = 2,
	LIVE_PACKET_ERROR = 3,
	LIVE_PACKET_EOF = 4,
};

#define LIVE_METADATA_REQUEST_BYTES 8u
#define LIVE_METADATA_HEAD_BYTES 12u
enum live_metadata { LIVE_METADATA_OK = 1, LIVE_METADATA_NO_NEW = 2, LIVE_METADATA_ERROR = 3 };

#define LIVE_NEW_STREAMS_REQUEST_BYTES 8u
enum live_new_streams {
	LIVE_STREAMS_OK = 1,
	LIVE_STREAMS_NO_NEW = 2,
	LIVE_STREAMS_ERROR = 3,
	LIVE_STREAMS_HUP = 4, /* the session is over, and all was sent */
};

#define LIVE_CREATE_REPLY_BYTES 4u
enum live_create { LIVE_CREATE_OK = 1, LIVE_CREATE_ERROR = 2 };

#define LIVE_DETACH_REQUEST_BYTES 8u
#define LIVE_DETACH_REPLY_BYTES 4u
enum live_detach { LIVE_DETACH_OK = 1, LIVE_DETACH_UNKNOWN = 2, LIVE_DETACH_ERROR = 3 };

#endif /* SONDE_WIRE_LTTNG_LIVE_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lttng_relay: the protocol by which LTTng's daemons stream traces to a relay, as lttng-tools 2.4 to
 * 2.16 speak it (src/common/sessiond-comm/relayd.h, src/bin/lttng-relayd/main.c).
 *
 * Two connections: control (TCP port 5342), where each command has one reply, in order, and data (5343),
 * where nothing is answered. All integers are big-endian, nothing is padded. Strings have their
 * length in front, which counts a NUL at their end.
 *
 *	command		u64 circuit 0, u64 bytes that follow, u32 command, u32 version 0
 *	VERSION		u32 major, u32 minor -> u32 major, u32 minor: the lesser minor is spoken
 *	CREATE_SESSION	u32 name, u32 host, u32 base path: lengths; u32 live timer in us, u8 snapshot,
 *			u8 the name has the time in it, u8 uuid[16] of the session daemon, u64 its number
 *			of the session, u64 creation time in s, u8 a chunk is set, u64 chunk; from minor 15
 *			on u32 trace format; name, host, base path
 *			-> u64 session, u32 code, u32 length, output path
 *	ADD_STREAM	u32 channel, u32 path: lengths; u64 trace file size, u64 trace file count, u64
 *			chunk; channel, path -> u64 stream, u32 code
 *	SEND_METADATA	u64 stream, u32 padding, the bytes; no reply
 *	CLOSE_STREAM	u64 stream, u64 last packet (all ones: none) -> u32 code
 *	DATA_PENDING	u64 stream, u64 last packet -> u32 1 = not all of it has come, 0
 *	QUIESCENT	u64 stream -> u32 code
 *	BEGIN_PENDING	u64 session -> u32 code
 *	END_PENDING	u64 session -> u32 1 = data may be on its way, 0
 *	SEND_INDEX	u64 stream, u64 packet, u64 packet size and u64 content size in bits, u64 begin and
 *			u64 end in cycles, u64 events discarded, u64 stream class, u64 stream instance, u64
 *			packet sequence number -> u32 code. A beacon has packet size 0: nothing that
 *			begins before its end is still to come
 *	STREAMS_SENT	-> u32 code; those that were added are shown to viewers from here on
 *	RESET_METADATA	u64 stream, u64 version -> u32 code
 *	ROTATE_STREAMS	u32 count, u8 a new chunk is set, as many bytes of padding as the sender's
 *			compiler has put there (0, 3 or 7), u64 new chunk; each u64 stream, u64
 *			packet sequence number of the first in the new chunk (not its number in
 *			the stream) -> u32 code
 *	CREATE_CHUNK	u64 chunk, u64 creation time in s, u32 length, name -> u32 code
 *	CLOSE_CHUNK	u64 chunk, u64 close time in s, u8 there is a u32 close command, u32 that
 *			-> u32 code, u32 length, path
 *	CHUNK_EXISTS	u64 chunk -> u32 code, u8 exists
 *	CONFIGURATION	u64 0 -> u32 code, u64 flags
 *
 * Up to minor 10 strings are fields of a fixed length, NUL at their end, and chunks do not exist:
 *
 *	CREATE_SESSION	char name[255], char host[64], u32 live timer in us, u32 snapshot
 *			-> u64 session, u32 code
 *	ADD_STREAM	char channel[264], char path[4096], u64 trace file size, u64 trace file count
 *			-> u64 stream, u32 code. The path begins with those of host and session
 *	SEND_INDEX	up to minor 7 without stream instance and packet sequence number
 *
 *	data		u64 circuit 0, u64 stream, u64 packet of the stream from 0 on, u32 bytes that
 *			follow, u32 zeros behind them that do not
 */
#ifndef SONDE_WIRE_LTTNG_RELAY_H
#define SONDE_WIRE_LTTNG_RELAY_H

#include <stdint.h>

#define RELAY_CONTROL_PORT 5342u
#define RELAY_DATA_PORT 5343u
#define RELAY_MAJOR 2u
#define RELAY_MINOR 15u /* what we take; LTTng 2.16 says no more either */
#define RELAY_PUSH_MINOR 13u /* what we say as a sender: metadata goes in packets up to here */
#define RELAY_MINOR_LEAST 4u /* from here on there are indexes, and sessions have names */
#define RELAY_MINOR_SEQUENCE 8u /* from here on indexes have instance and sequence number */
#define RELAY_MINOR_CHUNKS 11u /* from here on there are chunks */
#define RELAY_MINOR_FORMAT 15u /* from here on CREATE_SESSION has the trace format */
#define RELAY_METADATA_CHANNEL "metadata"
#define RELAY_NO_PACKET UINT64_MAX

enum relay_command {
	RELAY_ADD_STREAM = 1,
	RELAY_CREATE_SESSION = 2,
	RELAY_START_DATA = 3,
	RELAY_UPDATE_SYNC_INFO = 4,
	RELAY_VERSION = 5,
	RELAY_SEND_METADATA = 6,
	RELAY_CLOSE_STREAM = 7,
	RELAY_DATA_PENDING = 8,
	RELAY_QUIESCENT_CONTROL = 9,
	RELAY_BEGIN_DATA_PENDING = 10,
	RELAY_END_DATA_PENDING = 11,
	RELAY_SEND_INDEX = 13,
	RELAY_STREAMS_SENT = 16,
	RELAY_RESET_METADATA = 17,
	RELAY_ROTATE_STREAMS = 18,
	RELAY_CREATE_TRACE_CHUNK = 19,
	RELAY_CLOSE_TRACE_CHUNK = 20,
	RELAY_TRACE_CHUNK_EXISTS = 21,
	RELAY_GET_CONFIGURATION = 22,
};

enum relay_code {
	RELAY_OK = 10,
	RELAY_ERR_UNKNOWN = 11,
	RELAY_ERR_INVALID = 97,
	RELAY_ERR_PROTOCOL = 152,
	RELAY_ERR_FILE = 153,
};

enum relay_chunk_command {
	RELAY_CHUNK_MOVE = 0, /* to archives/ */
	RELAY_CHUNK_KEEP = 1,
	RELAY_CHUNK_DELETE = 2,
};

enum relay_format { RELAY_CTF_1_8 = 1, RELAY_CTF_2 = 2 };

#define RELAY_HEAD_BYTES 24u /* of a command */
#define RELAY_DATA_HEAD_BYTES 32u
#define RELAY_OLD_NAME_BYTES 255u /* up to minor 10 */
#define RELAY_OLD_HOST_BYTES 64u
#define RELAY_OLD_CHANNEL_BYTES 264u
#define RELAY_OLD_PATH_BYTES 4096u
#define RELAY_CREATE_BYTES 59u /* and the strings */
#define RELAY_STREAM_BYTES 32u /* of ADD_STREAM, and the strings */
#define RELAY_METADATA_BYTES 12u /* of SEND_METADATA, and the bytes */
#define RELAY_INDEX_BYTES 80u
#define RELAY_CLEAR_ALLOWED 1u /* a flag of the configuration */

/* What we take of a peer. */
#define RELAY_COMMAND_MAX (16u << 20) /* bytes behind the head; metadata is the longest */
#define RELAY_PACKET_MAX (1u << 30) /* of one packet, padding included */
#define RELAY_NAME_MAX 255u /* of session, host and channel, NUL included */
#define RELAY_PATH_MAX 4096u

#endif /* SONDE_WIRE_LTTNG_RELAY_H */

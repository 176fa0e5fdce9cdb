/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * record: the data that the kernel half writes and all other parts read: record heads, the packet header
 * in front of a span of records, and the control block of the rings.
 *
 * All of it is little-endian on little-endian hosts: the host's own order, given by the metadata.
 * Included by the kernel half, so only <linux/types.h> names, layouts and constants here.
 */
#ifndef SONDE_WIRE_RECORD_H
#define SONDE_WIRE_RECORD_H

#include <linux/types.h>

/*
 * Record head (CTF event header and context). One 64-bit word:
 *
 *	bits 0..9	id of the event class, or RECORD_ID_EXTENDED
 *	bits 10..41	low 32 bits of the time, ns
 *	bits 42..63	tid (PID_MAX_LIMIT is 2^22 since Linux 2.6)
 *
 * A record whose id does not fit, or which follows its predecessor in the stream by 2^32 ns or
 * more, has the extended head: u32 RECORD_ID_EXTENDED, u32 id, u64 time, u32 tid. Lengths of
 * records are multiples of RECORD_ALIGN; 64-bit fields may lie on 4-byte boundaries.
 */
#define RECORD_ID_BITS 10
#define RECORD_TIME_BITS 32
#define RECORD_TID_BITS 22
#define RECORD_ID_EXTENDED ((1u << RECORD_ID_BITS) - 1)
#define RECORD_TIME_SHIFT RECORD_ID_BITS
#define RECORD_TID_SHIFT (RECORD_ID_BITS + RECORD_TIME_BITS)
#define RECORD_TID_MASK ((1u << RECORD_TID_BITS) - 1)
#define RECORD_HEAD_BYTES 8u
#define RECORD_EXTENDED_BYTES 20u
#define RECORD_ALIGN 4u
/* Longest record, head included; also the slack behind each sub-buffer that lets the verifier
 * see that a record at any masked offset stays inside (spec: 4096 bytes). */
#define RECORD_MAX_BYTES 2048u
#define RING_SLACK_BYTES 4096u

struct record_extended {
	__u32 marker; /* RECORD_ID_EXTENDED */
	__u32 id;
	__u32 time_low;
	__u32 time_high;
	__u32 tid;
};
_Static_assert(sizeof(struct record_extended) == RECORD_EXTENDED_BYTES, "extended head");

/* CTF 1.8.3, section 5: packet header and packet context of every stream we write. */
#define PACKET_MAGIC 0xC1FC1FC1u
#define STREAM_CLASS_KERNEL 0u
#define STREAM_CLASS_RECORDER 1u

struct packet_head {
	__u32 magic;
	__u8 uuid[16];
	__u32 stream_id;
	__u64 begin_ns; /* CLOCK_MONOTONIC of the first record */
	__u64 end_ns; /* not before the last record, not after the next packet's first */
	__u64 content_bits;
	__u64 packet_bits;
	__u64 discarded; /* records lost since the stream began, for any cause */
	__u64 discarded_nested; /* of these: contexts nested deeper than RING_LEVELS */
	__u64 sequence; /* packets since the stream began; jumps where a flight recorder overwrote */
	__u64 name_packets; /* of those written: that hold records which tell names, this one included */
	__u32 cpu;
	__u32 level;
};
_Static_assert(sizeof(struct packet_head) == 96, "packet header");

/* In traces that are written again from others (sonde convert), of streams that had no record heads;
 * of some CPU, its number follows: u32. Little-endian and packed, as CTF's alignment of 4 has it. */
struct plain_packet_head {
	__u32 magic;
	__u8 uuid[16];
	__u32 stream_id;
	__u64 begin_ns;
	__u64 end_ns;
	__u64 content_bits;
	__u64 packet_bits;
	__u64 discarded;
	__u64 sequence;
};
_Static_assert(sizeof(struct plain_packet_head) == 72, "plain packet header");

struct plain_head {
	__u32 id;
	__u32 time_low;
	__u32 time_high;
};
_Static_assert(sizeof(struct plain_head) == 12, "plain head");

/*
 * The rings: one per CPU and context level (task 0, softirq 1, hardirq 2, NMI 3: a CPU nests no
 * deeper). Each level has one writer at a time, so it is written with plain stores.
 */
#define RING_LEVELS 4u
#define RING_MAX_SUBS 64u /* sub-buffers of level 0 at most */
#define RING_NESTED_SUBS 2u /* of each nested level: they see about 0.1 % of the bytes */
#define RING_MIN_SUB_SHIFT 12u
#define RING_MAX_SUB_SHIFT 20u

struct ring_level {
	/* Written by the CPU that owns the ring. */
	__u64 pos; /* bytes ever written, header space included; always a record boundary */
	__u64 last_ns; /* time of the last record */
	__u64 lost; /* records refused because the drainer was a whole ring behind */
	__u64 records; /* ever written */
	__u64 limit; /* position where the sub-buffer in progress ends */
	__u32 sub; /* its element of the map ring_data */
	__u32 pad0[5];
	/* Written by the drainer. */
	__u64 consumed; /* sub-buffers handed back */
	__u64 sent; /* where the next packet begins, as pos counts; all ones: wherever it will */
	__u64 pad1[6];
	/* Of each sub-buffer, by number modulo the ring's count. */
	__u64 begin_ns[RING_MAX_SUBS]; /* time it was opened, which is its first record's */
	__u64 lost_before[RING_MAX_SUBS]; /* `lost` when it was opened */
	__u32 used[RING_MAX_SUBS]; /* bytes used when it was closed, header space included */
	__u32 named[RING_MAX_SUBS]; /* the end of its last record with a name, 0 = none */
};

/* Programs that have a stand-in for when they are hit by their own hook (probe/stand_in.bpf.h). */
enum stand_in {
	STAND_IN_SEGMENT,
	STAND_IN_TIMER,
	STAND_IN_TIMER_EXIT,
	STAND_IN_DROP,
	STAND_IN_READY,
	STAND_IN_COUNT,
};

struct ring_cpu {
	__u64 nest; /* contexts inside a reservation now: the next one's level */
	__u64 nested_lost; /* records refused because RING_LEVELS contexts were inside */
	__u8 busy[8]; /* by stand_in: the program is running */
	__u64 taken[STAND_IN_COUNT]; /* by stand_in: what it took */
	__u64 pad[8];
	struct ring_level level[RING_LEVELS];
};
_Static_assert(STAND_IN_COUNT <= 8, "a byte for each");
_Static_assert(__builtin_offsetof(struct ring_cpu, level) == 128, "cache lines");
_Static_assert(sizeof(struct ring_level) % 64 == 0, "cache lines");

#endif /* SONDE_WIRE_RECORD_H */

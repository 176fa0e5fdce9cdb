/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet: MAGNeT's binary trace file, an array of records of one size (sonde-magnet(5)).
 *
 *	struct magnet_data {
 *		void *sockid;			connection: a pointer then, a socket's cookie now
 *		unsigned long long timestamp;	ticks of the clock; 0 = nothing is in this slot
 *		unsigned int event;
 *		int size;			bytes, or -errno
 *		union magnet_ext_data data;	in files that have it
 *	};
 *
 * As the machine that wrote it lays it out: in either byte order, with pointers and longs of 32 bits
 * (as on i386: 8-byte integers lie on 4) or of 64. The seed has the struct, the number of
 * MAGNET_SYSINFO, and the members for TCP and IP; all other numbers are ours.
 */
#ifndef SONDE_WIRE_MAGNET_H
#define SONDE_WIRE_MAGNET_H

enum magnet_number {
	MAGNET_SOCK_SEND = 1,
	MAGNET_TCP_SEND = 2,
	MAGNET_UDP_SEND = 3,
	MAGNET_IP_SEND = 4,
	MAGNET_DEV_QUEUE = 5,
	MAGNET_QDISC_ENQUEUE = 6,
	MAGNET_QDISC_DEQUEUE = 7,
	MAGNET_DEV_XMIT = 8,
	MAGNET_DEV_RECV = 9,
	MAGNET_IP_RECV = 10,
	MAGNET_TCP_RECV = 11,
	MAGNET_UDP_RECV = 12,
	MAGNET_SOCK_RECV = 13,
	MAGNET_APP_RECV = 14,
	MAGNET_DROP = 15,
	MAGNET_SYSINFO = 0x01234567, /* the first record: has byte order and clock rate */
	MAGNET_LOST_EVENT = 0x01234568, /* size: how many; 0 = unknown */
};

/* Where things lie: with pointers of 32 bits, and of 64. */
#define MAGNET_AT_SOCKID 0u
#define MAGNET_AT_TIMESTAMP_32 4u
#define MAGNET_AT_TIMESTAMP_64 8u
#define MAGNET_AT_EVENT_32 12u
#define MAGNET_AT_EVENT_64 16u
#define MAGNET_AT_SIZE_32 16u
#define MAGNET_AT_SIZE_64 20u
#define MAGNET_AT_DATA_32 20u
#define MAGNET_AT_DATA_64 24u
#define MAGNET_DATA_BYTES_32 48u
#define MAGNET_DATA_BYTES_64 96u
/* What the data field of our MAGNET_SYSINFO begins with, so that an empty file shows that it has one. */
#define MAGNET_MARK "MAGNeT\0"
#define MAGNET_MARK_BYTES 8u
#define MAGNET_RECORD_MAX_BYTES (MAGNET_AT_DATA_64 + MAGNET_DATA_BYTES_64)

/*
 * The size field of MAGNET_SYSINFO. Linux 2.4 counted its clock in kHz, which for a clock of 10 MHz
 * and more is below this; what we write is in Hz.
 */
#define MAGNET_RATE_IS_KHZ_BELOW 10000000
#define MAGNET_RATE_HZ 1000000000 /* of files that we make: ticks are ns */

#endif /* SONDE_WIRE_MAGNET_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * index: the index file that LTTng keeps beside each stream file, version 1.1 (lttng-tools 2.13,
 * src/common/index/ctf-index.h). All numbers are big-endian.
 *
 * A head of 16 bytes, then one entry of 72 bytes for each packet:
 *
 *	head	u32 magic, u32 major, u32 minor, u32 bytes of one entry
 *	entry	u64 offset of the packet in the file, u64 packet size in bits, u64 content size in
 *		bits, u64 begin and u64 end in cycles of the trace clock, u64 events discarded since
 *		the stream began, u64 stream class, u64 stream instance, u64 packet sequence number
 *
 * Entries of a compressed stream file (wire/frame.h) have 88 bytes. Offset is that of the frame in
 * the file, all sizes are of the packet in it, and behind the sequence number follow u64 bytes of
 * the frame and u64 offset that the packet has in the stream that is not compressed.
 */
#ifndef SONDE_WIRE_INDEX_H
#define SONDE_WIRE_INDEX_H

#define INDEX_MAGIC 0xC1F1DCC1u
#define INDEX_MAJOR 1u
#define INDEX_MINOR 1u
#define INDEX_HEAD_BYTES 16u
#define INDEX_ENTRY_BYTES 72u
#define INDEX_ENTRY_FRAME_BYTES 88u
#define INDEX_ENTRY_1_0_BYTES 56u /* version 1.0: no instance, no sequence number */
#define INDEX_ENTRY_MAX_BYTES 4096u

#endif /* SONDE_WIRE_INDEX_H */

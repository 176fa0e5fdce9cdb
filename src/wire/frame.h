/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame: zstd frames (RFC 8878) as compressed stream files have them, one around each packet.
 *
 *	frame	u32 magic, u8 descriptor, [u8 window], [dictionary id], content size, blocks,
 *		[u32 low half of the content's XXH64]
 *	block	u24: bit 0 the last one, bits 1 and 2 its type, from bit 3 its size; then its bytes
 *
 * All numbers are little-endian. What a frame may hold is limited, as each stream that is read
 * keeps the content of one in memory.
 */
#ifndef SONDE_WIRE_FRAME_H
#define SONDE_WIRE_FRAME_H

#define FRAME_SUFFIX ".zst"

#define FRAME_MAGIC 0xFD2FB528u
#define FRAME_HEAD_MAX_BYTES 18u
#define FRAME_CHECKSUM_BYTES 4u
#define FRAME_BLOCK_HEAD_BYTES 3u
#define FRAME_BLOCK_MAX_BYTES (128u << 10)
#define FRAME_CONTENT_MAX_BYTES (16u << 20)
#define FRAME_WINDOW_MAX_LOG 24u

/* Of the descriptor. */
#define FRAME_DICTIONARY_MASK 0x03u /* bytes of the dictionary's id: 0, 1, 2, 4 */
#define FRAME_HAS_CHECKSUM 0x04u
#define FRAME_RESERVED 0x08u
#define FRAME_SINGLE_SEGMENT 0x20u /* no window byte: the window is the content */
#define FRAME_SIZE_SHIFT 6u /* bytes of the content's size: 0 (1 of a single segment), 2, 4, 8 */

enum frame_block_type { FRAME_BLOCK_RAW, FRAME_BLOCK_REPEAT, FRAME_BLOCK_COMPRESSED };

/* No encoder makes more of @content bytes; blocks without content would be endless. */
#define FRAME_BOUND(content) ((content) + ((content) >> 8) + 4096u)

#endif /* SONDE_WIRE_FRAME_H */

/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * dirty_block.bpf: which blocks of a folio are dirty. A folio may have 2 MiB, and 4 KiB of them dirty:
 * only those are written.
 *
 * Most file systems keep that in buffer heads, or have iomap keep it in a bitmap (since 6.6). Where
 * neither is so, a dirty folio is dirty as a whole, and written so. fs.bpf.c asks.
 */
#ifndef SONDE_PROBE_DIRTY_BLOCK_BPF_H
#define SONDE_PROBE_DIRTY_BLOCK_BPF_H

#include "probe/folio.bpf.h"

#define FOLIO_BLOCKS_MAX 4096 /* 2 MiB of 512 bytes */

/* Bytes in the folio. Those between first and end that are not dirty are not in `bytes`. */
struct dirty_blocks {
	__u32 first;
	__u32 end;
	__u32 bytes;
};

/* A walk over the blocks of a folio. */
struct block_walk {
	__u64 at; /* the next buffer head; of a bitmap, where it begins */
	__u64 head; /* the first buffer head, which follows the last one */
	__u32 bit; /* of a bitmap: that of the next block */
	__u32 dirty_is; /* the state of a block that is counted: 1 dirty, 0 clean */
	__u32 offset; /* of the next block in the folio */
	__u32 end; /* behind the last one */
	__u32 block_bytes;
	struct dirty_blocks found;
};

static __always_inline void block_found(struct block_walk *walk)
{
	struct dirty_blocks *found = &walk->found;

	if (!found->bytes)
		found->first = walk->offset;
	found->bytes += walk->block_bytes;
	found->end = walk->offset + walk->block_bytes;
}

static __always_inline __u32 buffer_is_dirty(const struct buffer_head *buffer)
{
	return BPF_CORE_READ(buffer, b_state) >> bpf_core_enum_value(enum bh_state_bits, BH_Dirty) &
	       1;
}

/* 1 ends the loop. */
static long walk_buffers(__u32 i, struct block_walk *walk)
{
	const struct buffer_head *buffer = (const void *)walk->at;

	if (buffer_is_dirty(buffer) == walk->dirty_is)
		block_found(walk);
	walk->offset += walk->block_bytes;
	walk->at = (__u64)BPF_CORE_READ(buffer, b_this_page);
	return walk->at == walk->head || !walk->at || walk->offset >= walk->end;
}

static long walk_bits(__u32 i, struct block_walk *walk)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)(walk->at + walk->bit / 64 * 8));
	if ((word >> (walk->bit & 63) & 1) == walk->dirty_is)
		block_found(walk);
	walk->bit++;
	walk->offset += walk->block_bytes;
	return walk->offset >= walk->end;
}

/* Set by user space: where iomap_dirty_folio is; 0 where the kernel lacks or hides it. */
const volatile __u64 cfg_iomap_dirty_folio = 0;

static __always_inline bool dirty_blocks_by_iomap(const struct address_space *mapping)
{
	return bpf_core_type_exists(struct iomap_folio_state) && cfg_iomap_dirty_folio &&
	       (__u64)BPF_CORE_READ(mapping, a_ops, dirty_folio) == cfg_iomap_dirty_folio;
}

/* fs/iomap/buffered-io.c: a bit for each block that is up to date, then one for each that is dirty. */
static __always_inline void walk_bitmap(struct folio *folio, const struct address_space *mapping,
					__u32 from, __u32 to, bool dirty,
					struct dirty_blocks *found)
{
	const struct iomap_folio_state *state = BPF_CORE_READ(folio, private);
	__u32 bits = BPF_CORE_READ(mapping, host, i_blkbits) & 31;
	__u32 bytes = (__u32)(folio_pages(folio) << PAGE_SHIFT);
	struct block_walk walk = {
		.at = (__u64)state + bpf_core_field_offset(struct iomap_folio_state, state),
		.bit = (bytes >> bits) + (from >> bits),
		.dirty_is = dirty,
		.offset = from >> bits << bits,
		.end = to,
		.block_bytes = 1u << bits,
	};

	if (state && from < to)
		bpf_loop(FOLIO_BLOCKS_MAX, walk_bits, &walk, 0);
	else if (dirty) /* it is one block */
		walk.found = (struct dirty_blocks){.end = bytes, .bytes = bytes};
	*found = walk.found;
}

/* What is dirty in @folio, which has just become so. */
static __always_inline void dirty_blocks_of_folio(struct folio *folio,
						  const struct address_space *mapping,
						  struct dirty_blocks *found)
{
	const struct buffer_head *head =
		folio_flag(folio, PG_private) ? BPF_CORE_READ(folio, private) : 0;
	__u32 bytes = (__u32)(folio_pages(folio) << PAGE_SHIFT);
	struct block_walk walk = {
		.at = (__u64)head,
		.head = (__u64)head,
		.dirty_is = 1,
		.end = bytes,
	};

	*found = (struct dirty_blocks){.end = bytes, .bytes = bytes};
	if (!head)
		return;
	if (dirty_blocks_by_iomap(mapping)) {
		walk_bitmap(folio, mapping, 0, bytes, true, found);
		return;
	}
	/* What else a file system may keep there does not point back. */
	if ((__u64)page_folio(BPF_CORE_READ(head, b_page)) != (__u64)folio)
		return;
	walk.block_bytes = (__u32)BPF_CORE_READ(head, b_size);
	if (!walk.block_bytes || walk.block_bytes >= bytes)
		return;
	bpf_loop(FOLIO_BLOCKS_MAX, walk_buffers, &walk, 0);
	/* None: the file system keeps it elsewhere, too (ext4 with data=journal). */
	if (walk.found.bytes)
		*found = walk.found;
}

/* What is not dirty between @from and @to in @folio, which is iomap's: a write makes it so. */
static __always_inline void dirty_blocks_to_be(struct folio *folio,
					       const struct address_space *mapping, __u64 from,
					       __u64 to, struct dirty_blocks *found)
{
	walk_bitmap(folio, mapping, (__u32)from, (__u32)to, false, found);
}

/* What is not dirty from @buffer, which is at @from in its folio, to @to. */
static __always_inline void dirty_blocks_of_buffers(const struct buffer_head *buffer, __u32 from,
						    __u32 to, struct dirty_blocks *found)
{
	struct block_walk walk = {
		.at = (__u64)buffer,
		.head = (__u64)buffer,
		.offset = from,
		.end = to,
		.block_bytes = (__u32)BPF_CORE_READ(buffer, b_size),
	};

	bpf_loop(FOLIO_BLOCKS_MAX, walk_buffers, &walk, 0);
	*found = walk.found;
}

#endif /* SONDE_PROBE_DIRTY_BLOCK_BPF_H */

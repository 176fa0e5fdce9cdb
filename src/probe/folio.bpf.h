/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * folio.bpf: folios of the page cache: their length, their state, and which one has a page of a file.
 *
 * fs.bpf.c, disk.bpf.c and dirty_block.bpf.h ask. A folio is read while others may change it, so all of it is read by
 * bpf_probe_read_kernel, and every loop has an end.
 */
#ifndef SONDE_PROBE_FOLIO_BPF_H
#define SONDE_PROBE_FOLIO_BPF_H

#include "probe/kernel.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE (1u << PAGE_SHIFT)

static __always_inline unsigned long folio_flags(const struct folio *folio)
{
	unsigned long flags = 0;

	bpf_probe_read_kernel(&flags, sizeof(flags), folio); /* its type differs, its place not */
	return flags;
}

#define folio_flag(folio, flag) \
	(folio_flags(folio) >> bpf_core_enum_value(enum pageflags, flag) & 1)

/* include/linux/mm.h: folio_order */
static __always_inline __u64 folio_pages(const struct folio *folio)
{
	if (!folio_flag(folio, PG_head))
		return 1;
	if (bpf_core_field_exists(folio->_folio_order))
		return 1ull << (BPF_CORE_READ(folio, _folio_order) & 31);
	return 1ull << (BPF_CORE_READ(folio, _flags_1) & 31);
}

/* The folio that @page (may be NULL) is of. */
static __always_inline struct folio *page_folio(const struct page *page)
{
	__u64 head = page ? BPF_CORE_READ(page, compound_head) : 0;

	return (struct folio *)(head & 1 ? head - 1 : (__u64)page);
}

/* Which page of @folio it is. */
static __always_inline __u64 page_in_folio(const struct page *page, const struct folio *folio)
{
	return ((__u64)page - (__u64)folio) / bpf_core_type_size(struct page);
}

/* include/linux/page-flags.h: the lowest bits tell pages of programs from those of files. */
#define MAPPING_KINDS 3u

/* NULL: it is of no file. */
static __always_inline struct address_space *folio_file(const struct folio *folio)
{
	struct address_space *mapping = BPF_CORE_READ(folio, mapping);

	return (__u64)mapping & MAPPING_KINDS ? 0 : mapping;
}

/* include/linux/xarray.h */
#define XA_KINDS 3u
#define XA_INTERNAL 2u
#define XA_SIBLINGS 256u /* an internal entry below that: the entry is in another slot */
#define XA_NODES 4096u /* an internal entry above that is a node */
#define XA_SLOTS 64u
#define XA_LEVELS 11
#define XA_ALL_SHIFT 40 /* all of a file, in pages: more than any has */

/* What the page cache has at a page of a file. */
struct cached {
	struct folio *folio; /* NULL: nothing */
	__u64 end; /* first page behind the folio, or behind what is known not to be there */
};

/* lib/xarray.c: xas_load, without its lock: the result may be gone by now, but is still memory. */
static __always_inline void cached_at(struct address_space *mapping, __u64 index,
				      struct cached *cached)
{
	__u64 entry = (__u64)BPF_CORE_READ(mapping, i_pages.xa_head), end;
	struct folio *folio;
	__u32 shift = XA_ALL_SHIFT; /* of what the entry stands for */

	for (int level = 0; level < XA_LEVELS; level++) {
		const struct xa_node *node = (const void *)(entry - XA_INTERNAL);
		__u32 slot;

		if ((entry & XA_KINDS) != XA_INTERNAL || entry <= XA_NODES)
			break;
		shift = BPF_CORE_READ(node, shift) & 63;
		slot = index >> shift & (XA_SLOTS - 1);
		entry = 0;
		bpf_probe_read_kernel(&entry, sizeof(entry), &node->slots[slot]);
		if ((entry & XA_KINDS) == XA_INTERNAL && entry < XA_SIBLINGS) {
			slot = entry >> 2 & (XA_SLOTS - 1);
			bpf_probe_read_kernel(&entry, sizeof(entry), &node->slots[slot]);
		}
	}
	folio = entry && !(entry & XA_KINDS) ? (struct folio *)entry : 0;
	if (folio)
		end = BPF_CORE_READ(folio, index) + folio_pages(folio);
	else
		end = ((index >> shift) + 1) << shift;
	cached->folio = folio;
	cached->end = end > index ? end : index + 1; /* it may belong to another file by now */
}

/* include/linux/blk_types.h */
#define REQ_OP_MASK 0xff
#define REQ_OP_WRITE 1

/* The first page of the page cache that a transfer writes back. */
struct written_page {
	struct folio *
		folio; /* NULL: it writes none, or blocks that were copied before (encrypted, compressed) */
	struct address_space *mapping;
	__u64 index; /* in its file */
	__u32 offset; /* in the page */
};

/* A folio that a file system hands over is under writeback, while those of a direct write are the program's. */
static __always_inline void written_page_of(struct written_page *w, const struct bio *bio)
{
	const struct bio_vec *segment;
	struct folio *folio;
	struct page *page;
	__u32 offset;

	w->folio = 0;
	if ((BPF_CORE_READ(bio, bi_opf) & REQ_OP_MASK) != REQ_OP_WRITE ||
	    !BPF_CORE_READ(bio, bi_iter.bi_size))
		return;
	segment = (const void *)((__u64)BPF_CORE_READ(bio, bi_io_vec) +
				 BPF_CORE_READ(bio, bi_iter.bi_idx) *
					 bpf_core_type_size(struct bio_vec));
	page = BPF_CORE_READ(segment, bv_page);
	if (!page)
		return;
	offset = BPF_CORE_READ(segment, bv_offset) + BPF_CORE_READ(bio, bi_iter.bi_bvec_done);
	page = (void *)((__u64)page + (offset >> PAGE_SHIFT) * bpf_core_type_size(struct page));
	folio = page_folio(page);
	w->mapping = folio_flag(folio, PG_writeback) ? folio_file(folio) : 0;
	if (!w->mapping)
		return;
	w->folio = folio;
	w->index = BPF_CORE_READ(folio, index) + page_in_folio(page, folio);
	w->offset = offset & (PAGE_SIZE - 1);
}

#endif /* SONDE_PROBE_FOLIO_BPF_H */

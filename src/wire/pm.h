/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm: files of the PSC TCP Kernel Monitor (Semke, CMU-PSC-TR-2000-0001, May 2000; its appendix has
 * the header records).
 *
 * A head of records, then entries of one size up to the end of the file:
 *
 *	record	u16 kind, u16 bytes of the record, its own head included; data
 *	entry	a snapshot of one connection, laid out as the records of kind 4 describe
 *
 * Numbers of the head are in network order, those of entries in the order that kind 5 gives. The
 * report gives each number in the head 4 bytes, of which its structures use the first 2 for modes
 * and the entry size; of byte order and cluster size it has no structure.
 */
#ifndef SONDE_WIRE_PM_H
#define SONDE_WIRE_PM_H

#define PM_RECORD_HEAD_BYTES 4u

enum pm_kind {
	PM_KIND_END, /* no data; entries follow */
	PM_KIND_MODS, /* u16 enum pm_mods, u16 0 */
	PM_KIND_VERSION, /* 8 bytes of text */
	PM_KIND_ENTRY_SIZE, /* u16 bytes, u16 0 */
	PM_KIND_COLUMN, /* struct tpm_entry_description, below */
	PM_KIND_ORDER, /* u32 enum pm_order */
	PM_KIND_CLUSTER, /* u32 bytes of an mbuf cluster */
	PM_KIND_COUNT, /* others are skipped */
};

/* Bytes of data of the kinds. */
#define PM_NUMBER_BYTES 4u
#define PM_VERSION_BYTES 8u
#define PM_COLUMN_BYTES 32u

/* Features of the kernel: what a column's mask is compared with. */
enum pm_mods {
	PM_MODS_RENO = 1u << 0, /* if no record says */
	PM_MODS_SACK = 1u << 1,
	PM_MODS_FACK = 1u << 2,
	PM_MODS_AUTO = 1u << 3, /* autotuning of socket buffers */
};

/* Words of 16 bits are little-endian in PDP order, and the most significant comes first. */
enum pm_order {
	PM_ORDER_LITTLE, /* if no record says */
	PM_ORDER_BIG,
	PM_ORDER_PDP,
	PM_ORDER_COUNT,
};

/*
 * A column: 24 bytes of name, padded with NULs; u16 offset in the entry; u8 length, 0 = not used by
 * this kernel; u8 scope; u16 mask of enum pm_mods, 0 = all; u16 enum pm_flags. An empty name is the
 * end of the kernel's list, and no column.
 */
#define PM_COLUMN_NAME_BYTES 24u

enum pm_scope {
	PM_SCOPE_MONITOR,
	PM_SCOPE_SYSTEM,
	PM_SCOPE_CONNECTION,
};

enum pm_flags {
	PM_FLAGS_HOST, /* an integer in the order of the entries */
	PM_FLAGS_NETWORK, /* an integer in network order */
	PM_FLAGS_BITS, /* a string, a floating point number */
};

/* The column "time" is a struct timeval: seconds, microseconds, each of half its bytes. */
#define PM_TIME_SHORT_BYTES 8u
#define PM_TIME_LONG_BYTES 16u

/* Limits of ours. That of the entry's size is the field's. */
#define PM_HEAD_MAX_BYTES (256u << 10)
#define PM_ENTRY_MAX_BYTES 65535u

#endif /* SONDE_WIRE_PM_H */

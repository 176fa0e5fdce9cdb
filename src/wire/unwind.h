/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * unwind: how to get from a function's frame to its caller's, at each of its instructions: rows made of a
 * program's .eh_frame (symbol/eh_frame.h), as the kernel half reads them.
 *
 * The names are DWARF's: the CFA (canonical frame address) is the stack pointer's value in the caller before it pushed
 * the return address, which lies at CFA - 8. Only x86-64 has such tables.
 */
#ifndef SONDE_WIRE_UNWIND_H
#define SONDE_WIRE_UNWIND_H

#include <linux/types.h>

/* How the CFA is found. */
enum unwind_cfa {
	UNWIND_NONE, /* no table covers this: only a frame pointer may help */
	UNWIND_SP, /* rsp + cfa */
	UNWIND_BP, /* rbp + cfa */
	UNWIND_SP_SAVED, /* what lies at rsp + the low half of cfa, plus the high half */
	UNWIND_BP_SAVED, /* the same with rbp */
	UNWIND_PLT, /* rsp + 8, and 8 more from byte cfa of an entry of 16 bytes on */
	UNWIND_SIGNAL, /* the kernel's frame of a signal: all registers are in it */
	UNWIND_END, /* the outermost function: it has no caller */
	UNWIND_UNSUPPORTED, /* the table says it in a form that is not read here */
	UNWIND_REGISTER =
		16, /* plus a register's DWARF number: that + cfa; only the innermost frame knows it */
};

/* Where the caller's rbp is. */
enum unwind_bp {
	UNWIND_BP_SAME, /* still in rbp */
	UNWIND_BP_AT_CFA, /* in memory at CFA + bp */
	UNWIND_BP_AT_BP, /* in memory at rbp + bp */
	UNWIND_BP_LOST, /* nowhere, or in a form that is not read here */
};

/* Valid from its pc up to the next row's. */
struct unwind_row {
	__u32 pc; /* from the start of the table */
	__s32 cfa;
	__s16 bp;
	__u8 cfa_kind; /* enum unwind_cfa, or a register */
	__u8 bp_kind; /* enum unwind_bp */
};

/*
 * The tables are in chunks of memory that user space fills and both halves map (map unwind_chunks): rows of files, and
 * the spans of processes, which say what file is where.
 */
#define UNWIND_CHUNK_ROWS 16384u
#define UNWIND_CHUNK_BYTES (UNWIND_CHUNK_ROWS * sizeof(struct unwind_row))
#define UNWIND_CHUNKS 341u /* 64 MiB */
#define UNWIND_NO_CHUNK 0xffffffffu

/* Addresses of a process for which one run of rows holds. */
struct unwind_span {
	__u64 start;
	__u64 end;
	__u64 bias; /* an address minus this is a row's pc */
	__u32 chunk; /* UNWIND_NO_CHUNK: no table covers them */
	__u16 first; /* row of the chunk */
	__u16 count;
};
#define UNWIND_CHUNK_SPANS 4096u /* as many as there are: a power of two */
#define UNWIND_SPANS_MAX 4096u /* of a process; they are in one chunk */

/* What the map unwind_tasks has of a process: its spans, sorted by address. */
struct unwind_process {
	__u64 program; /* as struct process_news has it */
	__u64 generation; /* other than that of any earlier table: the memory of those may be used again */
	__u32 chunk;
	__u16 first; /* span of the chunk */
	__u16 count;
};
#define UNWIND_PROCESSES_MAX 4096u

#endif /* SONDE_WIRE_UNWIND_H */

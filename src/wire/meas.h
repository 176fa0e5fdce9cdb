/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas: the layout of measurement-system files, which iscan writes and translate reads. See
 * sonde-meas(5). The seed of the format describes the records, but not their bytes: these are Sonde's.
 *
 * All numbers are in the byte order that the head's mark shows.
 */
#ifndef SONDE_WIRE_MEAS_H
#define SONDE_WIRE_MEAS_H

#include <stdint.h>

/* As PNG's: programs that convert text change it, and it is not text. */
#define MEAS_MAGIC "\x8dMEAS\r\n\x1a"
#define MEAS_MAGIC_BYTES 8u
#define MEAS_ORDER_MARK 0x01020304u
#define MEAS_VERSION_BYTES 104u
#define MEAS_HEAD_BYTES 128u
#define MEAS_HEAD_MAX_BYTES 4096u /* what later revisions may add is skipped */

/* In the form of RCS. The number before the dot changes where old readers would be wrong, the one
 * behind it where there are records that they do not know. */
#define MEAS_VERSION "Header: iscan.c,v 5.1 26/11/21 00:00:00 sonde Exp"
#define MEAS_VERSION_MAJOR 5u

/* The head:
 *	0 magic	8 order mark u32	12 bytes of the head u16	14 release u16
 *	16 flags u32	20 zero u32	24 version, padded with NUL
 */
#define MEAS_F_WIDE 1u /* every record has its wide part */

/* Of HP-UX: the major number << 8 | the minor one. */
#define MEAS_RELEASE_1_0 0x100u
#define MEAS_RELEASE_1_1 0x101u
#define MEAS_RELEASE_2_0 0x200u
#define MEAS_RELEASE_3_0 0x300u

/* The head of a record: id u16, part u8, zero u8, words u16, wide words u16; then both, 32 bits
 * each. */
#define MEAS_RECORD_HEAD_BYTES 8u
#define MEAS_WORDS_MAX 4096u /* of either */
#define MEAS_RECORD_MAX_BYTES (MEAS_RECORD_HEAD_BYTES + 8u * MEAS_WORDS_MAX)
/* With which each wide part begins: time in ns (2 words, the upper one first), CPU, task. */
#define MEAS_WIDE_COMMON_WORDS 4u

#define MEAS_QUEUE_MAX 1000u /* timeshare_insert */
#define MEAS_NAME_BYTES 256u /* exec */

enum meas_id {
	MEAS_TRAP = 1,
	MEAS_SLEEP = 2,
	MEAS_SWTCH = 3,
	MEAS_SETRQ = 4,
	MEAS_REMRQ = 5,
	MEAS_SYSCALL = 6,
	MEAS_EXEC = 7,
	MEAS_EXIT = 8,
	MEAS_DISC_IO = 16,
	MEAS_DISC_CTD = 17,
	MEAS_BREAD_READ = 18,
	MEAS_BWRITE = 19,
	MEAS_BDWRITE = 20,
	MEAS_BREADA_READ = 21,
	MEAS_BREADA_READA = 22,
	MEAS_SAMPLER = 32,
	MEAS_DISC2_IO = 48,
	MEAS_TIMESHARE_INSERT = 64,
	MEAS_SYSCALLSTART = 80,
	MEAS_SYSCALLEXIT = 81,
	MEAS_DISC_IO_QUEUE = 82,
	MEAS_DISC_IO_ISSUE = 83,
	MEAS_DISC_IO_COMPLETE = 84,
	MEAS_DISC2_IO_QUEUE = 85,
	MEAS_DISC2_IO_ISSUE = 86,
	MEAS_DISC2_IO_COMPLETE = 87,
	MEAS_LOST = 255,
};

#endif /* SONDE_WIRE_MEAS_H */

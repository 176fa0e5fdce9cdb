/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_symbols: the functions of a program or library, from its ELF file.
 *
 * By offset in the file, since that is what a mapping of the file leads to. A file without a symbol table may still have
 * the dynamic one, a compressed one (.gnu_debugdata), and tables for unwinding that say where functions begin.
 */
#ifndef SONDE_SYMBOL_ELF_SYMBOLS_H
#define SONDE_SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbol_table.h"

#define BUILD_ID_BYTES 20u /* shorter ones are filled up with zeros, longer ones cut */
#define ELF_SEGMENTS_MAX 64u

/* A part of the file that is loaded as code. */
struct elf_segment {
	uint64_t offset;
	uint64_t bytes;
	uint64_t address; /* as the file has it */
};

struct elf_symbols {
	struct symbol_table functions; /* by the file's own addresses */
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	size_t segment_count;
	uint64_t *starts; /* addresses at which functions begin (.eh_frame_hdr), in order */
	size_t start_count;
};

/* What .gnu_debuglink says of a file with the debugging information of this one. */
#define ELF_LINK_MAX 256u

struct elf_link {
	char name[ELF_LINK_MAX]; /* without folders */
	uint32_t crc; /* of its content */
};

/* The build id of the file; all zeros and false if it has none, or is not an ELF file. */
bool elf_build_id(int fd, uint8_t id[BUILD_ID_BYTES]);

void elf_symbols_init(struct elf_symbols *elf);
void elf_symbols_fini(struct elf_symbols *elf);
/* Adds the segments, and the functions of the symbol table, or of the dynamic and the compressed one if it has no
 * other; and entries of the procedure linkage table as "malloc@plt". -EBADMSG: not an ELF file; -ENOENT: it has no symbols; -ENOMEM, -E2BIG. */
int elf_symbols_read(struct elf_symbols *elf, int fd);
/* False: it has none, or one that is not valid. */
bool elf_link_read(struct elf_link *link, int fd);
/* Adds the segments alone, for functions that come from elsewhere. */
void elf_symbols_read_segments(struct elf_symbols *elf, int fd);
/* Adds the functions of the file with the debugging information of another. */
int elf_symbols_read_debug(struct elf_symbols *elf, int fd);
/* The function at @offset bytes into the file; ret->start is the offset at which it begins, modulo
 * 2^64, since a damaged file may have it begin anywhere. */
bool elf_symbols_find(struct elf_symbols *elf, uint64_t offset, struct symbol *ret);
/* The same of a function without a name: where it begins, if that is known. */
bool elf_symbols_find_start(const struct elf_symbols *elf, uint64_t offset, uint64_t *start);
/* The address, as the file has it, of what is @offset bytes into it; false: it is not code. */
bool elf_symbols_address(const struct elf_symbols *elf, uint64_t offset, uint64_t *address);

#endif /* SONDE_SYMBOL_ELF_SYMBOLS_H */

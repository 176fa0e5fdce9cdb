/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_code: where a function of the test program itself lies: in memory, and in its file.
 */
#ifndef SONDE_TESTS_OWN_CODE_H
#define SONDE_TESTS_OWN_CODE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "symbol/process_map.h"

#define OWN_FILE "/proc/self/exe"

/* The mapping that @address is in; its path is good until @maps, the caller's to free, is gone. */
static inline bool own_mapping(uint64_t address, struct code_mapping *ret, char **maps)
{
	const char *at;
	size_t len;

	if (file_load(AT_FDCWD, "/proc/self/maps", 16u << 20, maps, &len))
		return false;
	at = *maps;
	while (process_map_next(&at, *maps + len, ret)) {
		if (address >= ret->start && address < ret->end)
			return true;
	}
	return false;
}

/* How many bytes into its file @address is. */
static inline uint64_t own_offset(uint64_t address)
{
	struct code_mapping m;
	char *maps = NULL;
	uint64_t offset = own_mapping(address, &m, &maps) ? address - m.start + m.offset : 0;

	free(maps);
	return offset;
}

#endif /* SONDE_TESTS_OWN_CODE_H */

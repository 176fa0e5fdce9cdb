/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_map: which code a process has mapped where: lines of /proc/PID/maps.
 */
#ifndef SONDE_SYMBOL_PROCESS_MAP_H
#define SONDE_SYMBOL_PROCESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One mapping that can be executed. */
struct code_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file */
	uint64_t device; /* major << 32 | minor */
	uint64_t inode; /* 0: no file */
	const char *path; /* borrowed; "" = memory without a name; it may be "[vdso]" */
	size_t path_len;
};

/*
 * The next mapping with code among the lines from *@at on, which moves behind it; false at the end.
 * Other lines are skipped.
 */
bool process_map_next(const char **at, const char *end, struct code_mapping *ret);

#endif /* SONDE_SYMBOL_PROCESS_MAP_H */

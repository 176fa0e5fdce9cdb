// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_maps: any bytes as /proc/PID/maps and as /proc/kallsyms.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbol/kernel_symbols.h"
#include "symbol/process_map.h"
#include "symbol/symbol_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_maps(const char *text, size_t size)
{
	const char *at = text, *end = text + size;
	struct code_mapping m;

	while (process_map_next(&at, end, &m)) {
		if (m.end <= m.start || m.path < text || m.path + m.path_len > end || at > end)
			abort();
	}
	if (at != end)
		abort();
}

static void read_kallsyms(const char *text, size_t size)
{
	struct symbol_table table;
	struct symbol symbol;

	symbol_table_init(&table);
	(void)kernel_symbols_parse(text, size, &table);
	for (size_t i = 0; i < table.count; i++) {
		uint64_t start = table.entries[i].start;

		if (!symbol_table_find(&table, start, &symbol) || symbol.start != start)
			abort();
	}
	symbol_table_fini(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_maps((const char *)data, size);
	read_kallsyms((const char *)data, size);
	return 0;
}

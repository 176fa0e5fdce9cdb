// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_elf: any bytes as a file that a process had mapped: its build id, its functions, and what is
 * at places all over it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "symbol/elf_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOOKS 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	uint8_t id[BUILD_ID_BYTES];
	struct elf_symbols elf;
	struct symbol symbol;

	if (fd < 0 || write_all(fd, data, size))
		abort();
	elf_build_id(fd, id);
	elf_symbols_init(&elf);
	(void)elf_symbols_read(&elf, fd);
	(void)elf_symbols_read_debug(&elf, fd);
	for (size_t i = 0; i < LOOKS; i++) {
		uint64_t offset = size * i / LOOKS;

		if (elf_symbols_find(&elf, offset, &symbol) && offset - symbol.start >= symbol.size)
			abort();
	}
	elf_symbols_fini(&elf);
	close(fd);
	return 0;
}

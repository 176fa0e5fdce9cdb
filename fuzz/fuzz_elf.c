// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_elf: any bytes as a file that a process had mapped: its build id, its functions, what was inlined into
 * them, and what is at places all over it; and as a name of a function.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "symbol/demangle.h"
#include "symbol/elf_symbols.h"
#include "symbol/inlines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOOKS 64u

static void look_for_inlines(const struct elf_symbols *elf, int fd, size_t size)
{
	struct inline_place places[8];
	struct inlines *inlines;
	uint64_t address;

	if (inlines_open(dup(fd), &inlines))
		return;
	for (size_t i = 0; i < LOOKS; i++) {
		if (elf_symbols_address(elf, size * i / LOOKS, &address) &&
		    inlines_find(inlines, address, places, 8) > 8)
			abort();
	}
	inlines_free(inlines);
}

static void look_for_name(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1);

	if (!name)
		abort();
	memcpy(name, data, size);
	name[size] = '\0';
	free(demangle(name));
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	uint8_t id[BUILD_ID_BYTES];
	struct elf_symbols elf;
	struct symbol symbol;
	struct elf_link link;
	uint64_t start;

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
		if (elf_symbols_find_start(&elf, offset, &start) && start > offset)
			abort();
	}
	if (elf_link_read(&link, fd) && strlen(link.name) >= ELF_LINK_MAX)
		abort();
	look_for_inlines(&elf, fd, size);
	look_for_name(data, size);
	elf_symbols_fini(&elf);
	close(fd);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_eh_frame: any bytes as a file that a process had mapped, and as the section .eh_frame of one: the rows made of
 * it are in order, and each address has the last one at or before it.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/eh_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOOKS 64u
#define NAMES "\0.eh_frame"

struct wrapping {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr sections[3];
	char names[16];
};

static void check(struct eh_frame *eh)
{
	if (!eh->count || eh->count > 2 * (size_t)EH_FRAME_ROWS_MAX)
		abort();
	for (size_t i = 1; i < eh->count; i++) {
		if (eh->rows[i - 1].pc >= eh->rows[i].pc)
			abort();
	}
	for (size_t i = 0; i < LOOKS; i++) {
		const struct unwind_row *row = &eh->rows[eh->count * i / LOOKS];
		const struct unwind_row *found = eh_frame_find(eh, eh->base + row->pc);

		if (found != (row->cfa_kind == UNWIND_NONE ? NULL : row))
			abort();
	}
	eh_frame_fini(eh);
}

static void read_file(const uint8_t *data, size_t size)
{
	struct eh_frame eh;
	void *image = malloc(size ?: 1);

	if (!image)
		abort();
	memcpy(image, data, size);
	if (!eh_frame_read_image(image, size, &eh))
		check(&eh);
	free(image);
}

static void read_section(const uint8_t *data, size_t size)
{
	const size_t len = sizeof(struct wrapping) + size;
	struct wrapping w = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT},
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = offsetof(struct wrapping, load),
			 .e_shoff = offsetof(struct wrapping, sections),
			 .e_ehsize = sizeof(w.head),
			 .e_phentsize = sizeof(w.load),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(w.sections[0]),
			 .e_shnum = 3,
			 .e_shstrndx = 2},
		.load = {.p_type = PT_LOAD, .p_flags = PF_X, .p_memsz = 1 << 20},
		.sections = {[1] = {.sh_name = 1,
				    .sh_type = SHT_PROGBITS,
				    .sh_offset = sizeof(w),
				    .sh_addr = sizeof(w),
				    .sh_size = size},
			     [2] = {.sh_type = SHT_STRTAB,
				    .sh_offset = offsetof(struct wrapping, names),
				    .sh_size = sizeof(w.names)}},
		.names = NAMES,
	};
	uint8_t *image = malloc(len);

	if (!image)
		abort();
	memcpy(image, &w, sizeof(w));
	memcpy(image + sizeof(w), data, size);
	read_file(image, len);
	free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_file(data, size);
	read_section(data, size);
	return 0;
}

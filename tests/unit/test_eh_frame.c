// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/eh_frame.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_code.h"

#define PLACES 1000u /* in each file */
#define REG_BP 6
#define REG_SP 7
#define REG_RETURN 16

/* What libdw says of an instruction: a list of operations is one of these. */
struct witness {
	Dwarf_Frame *frame;
	Dwarf_Op *cfa, *bp, *ret;
	size_t cfa_count, bp_count, ret_count;
	Dwarf_Op memory[2][3];
	bool bp_same, ret_undefined, signal;
};

static bool witness_ask(Dwarf_CFI *cfi, uint64_t address, struct witness *w)
{
	memset(w, 0, sizeof(*w));
	if (dwarf_cfi_addrframe(cfi, address, &w->frame))
		return false;
	assert_int_not_equal(dwarf_frame_info(w->frame, NULL, NULL, &w->signal), -1);
	assert_int_equal(dwarf_frame_cfa(w->frame, &w->cfa, &w->cfa_count), 0);
	assert_int_equal(dwarf_frame_register(w->frame, REG_BP, w->memory[0], &w->bp, &w->bp_count),
			 0);
	assert_int_equal(dwarf_frame_register(w->frame, REG_RETURN, w->memory[1], &w->ret,
					      &w->ret_count),
			 0);
	w->bp_same = !w->bp_count && !w->bp;
	w->ret_undefined = !w->ret_count && w->ret == w->memory[1];
	return true;
}

/* The memory at CFA + @offset. */
static bool is_at_cfa(const Dwarf_Op *ops, size_t count, int64_t offset)
{
	return count && ops[0].atom == DW_OP_call_frame_cfa &&
	       (count == 1 ? !offset :
			     count == 2 && ops[1].atom == DW_OP_plus_uconst &&
				     (int64_t)ops[1].number == offset);
}

static bool is_register_plus(const Dwarf_Op *op, unsigned int reg, int64_t offset)
{
	if (op->atom == DW_OP_bregx)
		return op->number == reg && (int64_t)op->number2 == offset;
	return op->atom == DW_OP_breg0 + reg && (int64_t)op->number == offset;
}

static bool is_saved_cfa(const struct witness *w, unsigned int reg, int32_t cfa)
{
	const uint64_t more = w->cfa_count == 3 ? w->cfa[2].number : 0;

	return (w->cfa_count == 2 || (w->cfa_count == 3 && w->cfa[2].atom == DW_OP_plus_uconst)) &&
	       is_register_plus(&w->cfa[0], reg, (int16_t)cfa) && w->cfa[1].atom == DW_OP_deref &&
	       more == (uint64_t)(cfa >> 16);
}

static bool is_plt(const struct witness *w, int32_t from)
{
	return w->cfa_count == 9 && is_register_plus(&w->cfa[0], REG_SP, 8) &&
	       is_register_plus(&w->cfa[1], REG_RETURN, 0) && w->cfa[2].atom == DW_OP_lit15 &&
	       w->cfa[3].atom == DW_OP_and && w->cfa[4].atom == DW_OP_lit0 + (unsigned int)from &&
	       w->cfa[5].atom == DW_OP_ge && w->cfa[6].atom == DW_OP_lit3 &&
	       w->cfa[7].atom == DW_OP_shl && w->cfa[8].atom == DW_OP_plus;
}

static bool cfa_equals(const struct unwind_row *row, const struct witness *w)
{
	switch (row->cfa_kind) {
	case UNWIND_SP:
		return w->cfa_count == 1 && is_register_plus(w->cfa, REG_SP, row->cfa);
	case UNWIND_BP:
		return w->cfa_count == 1 && is_register_plus(w->cfa, REG_BP, row->cfa);
	case UNWIND_SP_SAVED:
		return is_saved_cfa(w, REG_SP, row->cfa);
	case UNWIND_BP_SAVED:
		return is_saved_cfa(w, REG_BP, row->cfa);
	case UNWIND_PLT:
		return is_plt(w, row->cfa);
	default:
		return row->cfa_kind >= UNWIND_REGISTER && w->cfa_count == 1 &&
		       is_register_plus(w->cfa, row->cfa_kind - UNWIND_REGISTER, row->cfa);
	}
}

static bool bp_equals(const struct unwind_row *row, const struct witness *w)
{
	switch (row->bp_kind) {
	case UNWIND_BP_SAME:
		return w->bp_same;
	case UNWIND_BP_AT_CFA:
		return is_at_cfa(w->bp, w->bp_count, row->bp);
	case UNWIND_BP_AT_BP:
		return w->bp_count == 1 && is_register_plus(w->bp, REG_BP, row->bp);
	default:
		return !w->bp_same && !is_at_cfa(w->bp, w->bp_count, 0);
	}
}

static bool equals(const struct unwind_row *row, const struct witness *w)
{
	if (row->cfa_kind == UNWIND_SIGNAL || w->signal)
		return row->cfa_kind == UNWIND_SIGNAL && w->signal;
	if (row->cfa_kind == UNWIND_END || w->ret_undefined)
		return row->cfa_kind == UNWIND_END && w->ret_undefined;
	return is_at_cfa(w->ret, w->ret_count, -8) && cfa_equals(row, w) && bp_equals(row, w);
}

/* The ranges of code of a file. */
static size_t find_code(Elf *elf, GElf_Phdr *ret, size_t most)
{
	size_t phdrs = 0, count = 0;

	assert_int_equal(elf_getphdrnum(elf, &phdrs), 0);
	for (size_t i = 0; i < phdrs && count < most; i++) {
		if (gelf_getphdr(elf, (int)i, &ret[count]) && ret[count].p_type == PT_LOAD &&
		    ret[count].p_flags & PF_X)
			count++;
	}
	return count;
}

static void compare_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct eh_frame eh = {0};
	size_t covered = 0, unsupported = 0;
	unsigned int seed = 1;
	GElf_Phdr code;
	Dwarf_CFI *cfi;
	Elf *elf;

	assert_true(fd >= 0);
	assert_int_equal(eh_frame_read(fd, &eh), 0);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	assert_int_equal(find_code(elf, &code, 1), 1);
	for (size_t i = 0; i < PLACES; i++) {
		const uint64_t random = (uint64_t)rand_r(&seed) << 31 | (uint64_t)rand_r(&seed);
		const uint64_t address = code.p_vaddr + random % code.p_memsz;
		const struct unwind_row *row = eh_frame_find(&eh, address);
		struct witness w;

		if (witness_ask(cfi, address, &w) != !!row ||
		    (row && row->cfa_kind != UNWIND_UNSUPPORTED && !equals(row, &w)))
			fail_msg("%s: at %#lx libdw says something else", path,
				 (unsigned long)address);
		covered += !!row;
		unsupported += row && row->cfa_kind == UNWIND_UNSUPPORTED;
		free(w.frame);
	}
	print_message("%s: %zu rows; %zu of %u places are covered, %zu not supported\n", path,
		      eh.count, covered, PLACES, unsupported);
	assert_true(covered > PLACES / 2);
	assert_true(unsupported < PLACES / 100);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	eh_frame_fini(&eh);
	close(fd);
}

static void compare_first(const char *pattern)
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	compare_file(found.gl_pathv[0]);
	globfree(&found);
}

static void rows_say_what_libdw_says(void **state)
{
	(void)state;
	compare_first("/lib/*-linux-gnu/libc.so.6");
	compare_first("/usr/lib/*-linux-gnu/libcrypto.so.*");
	compare_first("/usr/bin/python3");
	compare_file(OWN_FILE);
}

/* A section of hand-made entries, in an image of an ELF file. */
#define CODE 0x1000u
#define SECTION_AT 0x200u
#define NAMES "\0.eh_frame\0"

struct image {
	uint8_t bytes[4096];
	size_t len; /* of the section so far */
	uint32_t cie; /* where the last one is */
};

static void put(struct image *image, const void *bytes, size_t len)
{
	assert_true(SECTION_AT + image->len + len < sizeof(image->bytes) - 256);
	if (len)
		memcpy(image->bytes + SECTION_AT + image->len, bytes, len);
	image->len += len;
}

static void put_u32(struct image *image, uint32_t value)
{
	put(image, &value, sizeof(value));
}

static void put_cie(struct image *image, const char *letters, const uint8_t *code, uint8_t len)
{
	const size_t name = strlen(letters) + 1;
	const uint8_t aligns_and_column[] = {1, 0x78, 16}; /* 1, -8 */
	const uint8_t data[] = {1, DW_EH_PE_udata4};

	image->cie = (uint32_t)image->len;
	put_u32(image, (uint32_t)(4 + 1 + name + 3 + 2 + len));
	put_u32(image, 0);
	put(image, "\1", 1);
	put(image, letters, name);
	put(image, aligns_and_column, sizeof(aligns_and_column));
	put(image, data, sizeof(data));
	put(image, code, len);
}

static void put_fde(struct image *image, uint32_t start, uint32_t bytes, const uint8_t *code,
		    uint8_t len)
{
	put_u32(image, 4 + 4 + 4 + 1 + len);
	put_u32(image, (uint32_t)image->len - image->cie);
	put_u32(image, start);
	put_u32(image, bytes);
	put(image, "\0", 1);
	put(image, code, len);
}

static void finish(struct image *image)
{
	const size_t sections = sizeof(image->bytes) - 3 * sizeof(Elf64_Shdr);
	const size_t names = sections - 32;
	const Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_shoff = sections,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	const Elf64_Phdr load = {.p_type = PT_LOAD, .p_flags = PF_X, .p_memsz = 1 << 20};
	const Elf64_Shdr shdrs[3] = {
		[1] = {.sh_name = 1,
		       .sh_type = SHT_PROGBITS,
		       .sh_offset = SECTION_AT,
		       .sh_addr = SECTION_AT,
		       .sh_size = image->len},
		[2] = {.sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = sizeof(NAMES)},
	};

	memcpy(image->bytes, &head, sizeof(head));
	memcpy(image->bytes + sizeof(head), &load, sizeof(load));
	memcpy(image->bytes + names, NAMES, sizeof(NAMES));
	memcpy(image->bytes + sections, shdrs, sizeof(shdrs));
}

static const uint8_t usual[] = {DW_CFA_def_cfa, REG_SP, 8, DW_CFA_offset | REG_RETURN, 1};

static void put_usual_cie(struct image *image)
{
	put_cie(image, "zR", usual, sizeof(usual));
}

static int read_image(struct image *image, struct eh_frame *ret)
{
	finish(image);
	return eh_frame_read_image(image->bytes, sizeof(image->bytes), ret);
}

static void assert_row(const struct eh_frame *eh, uint64_t address, uint8_t kind, int32_t cfa,
		       uint8_t bp_kind, int16_t bp)
{
	const struct unwind_row *row = eh_frame_find(eh, address);

	assert_non_null(row);
	assert_int_equal(row->cfa_kind, kind);
	assert_int_equal(row->cfa, cfa);
	assert_int_equal(row->bp_kind, bp_kind);
	assert_int_equal(row->bp, bp);
}

static void a_push_moves_the_frame(void **state)
{
	const uint8_t code[] = {DW_CFA_advance_loc | 1,
				DW_CFA_def_cfa_offset,
				16,
				DW_CFA_offset | REG_BP,
				2,
				DW_CFA_advance_loc | 3,
				DW_CFA_def_cfa_register,
				REG_BP,
				DW_CFA_remember_state,
				DW_CFA_advance_loc1,
				60,
				DW_CFA_def_cfa,
				REG_SP,
				8,
				DW_CFA_restore | REG_BP,
				DW_CFA_advance_loc | 1,
				DW_CFA_restore_state};
	struct image image = {0};
	struct eh_frame eh;

	(void)state;
	put_usual_cie(&image);
	put_fde(&image, CODE, 0x100, code, sizeof(code));
	assert_int_equal(read_image(&image, &eh), 0);
	assert_null(eh_frame_find(&eh, CODE - 1));
	assert_row(&eh, CODE, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	assert_row(&eh, CODE + 1, UNWIND_SP, 16, UNWIND_BP_AT_CFA, -16);
	assert_row(&eh, CODE + 4, UNWIND_BP, 16, UNWIND_BP_AT_CFA, -16);
	assert_row(&eh, CODE + 63, UNWIND_BP, 16, UNWIND_BP_AT_CFA, -16);
	assert_row(&eh, CODE + 64, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	assert_row(&eh, CODE + 65, UNWIND_BP, 16, UNWIND_BP_AT_CFA, -16);
	assert_row(&eh, CODE + 0xff, UNWIND_BP, 16, UNWIND_BP_AT_CFA, -16);
	assert_null(eh_frame_find(&eh, CODE + 0x100));
	eh_frame_fini(&eh);
}

static void expressions_are_known_by_their_form(void **state)
{
	const uint8_t code[] = {
		/* the entries of a PLT */
		DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
		DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus,
		DW_CFA_advance_loc | 16,
		/* a realigned stack */
		DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref, DW_CFA_expression,
		REG_BP, 2, DW_OP_breg6, 0, DW_CFA_advance_loc | 16,
		/* OpenSSL */
		DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 0xd8, 0, DW_OP_deref, DW_OP_plus_uconst,
		8, DW_CFA_offset | REG_BP, 3, DW_CFA_advance_loc | 16,
		/* another one */
		DW_CFA_def_cfa_expression, 2, DW_OP_breg3, 0, DW_CFA_advance_loc | 16,
		/* a register */
		DW_CFA_def_cfa, 11, 8, DW_CFA_val_expression, REG_BP, 1, DW_OP_lit0};
	struct image image = {0};
	struct eh_frame eh;

	(void)state;
	put_usual_cie(&image);
	put_fde(&image, CODE, 0x100, code, sizeof(code));
	assert_int_equal(read_image(&image, &eh), 0);
	assert_row(&eh, CODE, UNWIND_PLT, 11, UNWIND_BP_SAME, 0);
	assert_row(&eh, CODE + 16, UNWIND_BP_SAVED, 0xfff8, UNWIND_BP_AT_BP, 0);
	assert_row(&eh, CODE + 32, UNWIND_SP_SAVED, 8 << 16 | 0x58, UNWIND_BP_AT_CFA, -24);
	assert_row(&eh, CODE + 48, UNWIND_UNSUPPORTED, 0, UNWIND_BP_SAME, 0);
	assert_row(&eh, CODE + 64, UNWIND_REGISTER + 11, 8, UNWIND_BP_LOST, 0);
	eh_frame_fini(&eh);
}

static void a_signal_and_the_end_are_marked(void **state)
{
	const uint8_t end[] = {DW_CFA_undefined, REG_RETURN};
	const uint8_t other[] = {DW_CFA_offset | REG_RETURN, 2};
	struct image image = {0};
	struct eh_frame eh;

	(void)state;
	put_cie(&image, "zRS", usual, sizeof(usual));
	put_fde(&image, CODE + 0x40, 0x10, NULL, 0);
	put_usual_cie(&image);
	put_fde(&image, CODE, 0x40, end, sizeof(end));
	put_fde(&image, CODE + 0x60, 0x10, other, sizeof(other));
	assert_int_equal(read_image(&image, &eh), 0);
	assert_row(&eh, CODE + 0x20, UNWIND_END, 0, UNWIND_BP_SAME, 0);
	assert_row(&eh, CODE + 0x40, UNWIND_SIGNAL, 0, UNWIND_BP_SAME, 0);
	assert_null(eh_frame_find(&eh, CODE + 0x50));
	assert_row(&eh, CODE + 0x60, UNWIND_UNSUPPORTED, 0, UNWIND_BP_SAME, 0);
	eh_frame_fini(&eh);
}

static void one_bad_function_leaves_the_others(void **state)
{
	const uint8_t no_state[] = {DW_CFA_restore_state};
	const uint8_t too_far[] = {DW_CFA_advance_loc1, 0x20};
	const uint8_t cut[] = {DW_CFA_def_cfa_expression, 40, DW_OP_breg7};
	const uint8_t unknown[] = {0x3a};
	struct image image = {0};
	struct eh_frame eh;

	(void)state;
	put_usual_cie(&image);
	put_fde(&image, CODE + 0x10, 0x10, no_state, sizeof(no_state));
	put_fde(&image, CODE + 0x20, 0x10, too_far, sizeof(too_far));
	put_fde(&image, CODE + 0x30, 0x10, cut, sizeof(cut));
	put_fde(&image, CODE + 0x40, 0x10, unknown, sizeof(unknown));
	put_fde(&image, CODE + 0x50, 0, NULL, 0);
	put_fde(&image, UINT32_MAX - 8, 0x10, NULL, 0);
	put_fde(&image, CODE + 0x60, 0x10, NULL, 0);
	assert_int_equal(read_image(&image, &eh), 0);
	for (uint64_t i = 0; i < 0x60; i++)
		assert_null(eh_frame_find(&eh, CODE + i));
	assert_row(&eh, CODE + 0x60, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	assert_int_equal(eh.count, 2);
	eh_frame_fini(&eh);
}

static void functions_may_overlap(void **state)
{
	const uint8_t wide[] = {DW_CFA_def_cfa_offset, 16};
	struct image image = {0};
	struct eh_frame eh;

	(void)state;
	put_usual_cie(&image);
	put_fde(&image, CODE + 0x20, 0x10, wide, sizeof(wide));
	put_fde(&image, CODE, 0x30, NULL, 0);
	put_fde(&image, CODE, 0x20, wide, sizeof(wide));
	assert_int_equal(read_image(&image, &eh), 0);
	assert_row(&eh, CODE, UNWIND_SP, 8, UNWIND_BP_SAME, 0);
	assert_row(&eh, CODE + 0x20, UNWIND_SP, 16, UNWIND_BP_SAME, 0);
	assert_null(eh_frame_find(&eh, CODE + 0x30));
	eh_frame_fini(&eh);
}

static void a_file_without_it_is_refused(void **state)
{
	struct image image = {0};
	struct eh_frame eh;
	Elf64_Ehdr head;

	(void)state;
	assert_int_equal(read_image(&image, &eh), -ENOENT);
	put_usual_cie(&image);
	assert_int_equal(read_image(&image, &eh), -ENOENT);
	put_fde(&image, CODE, 0x30, NULL, 0);
	finish(&image);
	memcpy(&head, image.bytes, sizeof(head));
	head.e_machine = EM_AARCH64;
	memcpy(image.bytes, &head, sizeof(head));
	assert_int_equal(eh_frame_read_image(image.bytes, sizeof(image.bytes), &eh), -ENOTSUP);
	image.bytes[0] = 'e';
	assert_int_equal(eh_frame_read_image(image.bytes, sizeof(image.bytes), &eh), -EBADMSG);
	assert_int_equal(eh_frame_read(-1, &eh), -EBADMSG);
}

/* Each of a million functions that names another CIE than the last one would be a million times its work. */
static void work_is_bounded(void **state)
{
	static uint8_t section[3u << 20];
	const size_t cie_bytes = 1u << 18;
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct image image = {0};
	struct eh_frame eh;
	size_t at = 0;

	(void)state;
	/* Two long CIEs that share a slot, then functions of both in turn. */
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t head[2] = {(uint32_t)cie_bytes - 4, 0};

		memcpy(section + at, head, sizeof(head));
		memcpy(section + at + 8, "\1zR\0\1\x78\x10\1\3", 9);
		at += cie_bytes;
	}
	for (uint32_t i = 0; at + 64 < sizeof(section); i++) {
		const uint32_t cie = i % 2 ? (uint32_t)cie_bytes : 0;
		const uint32_t fde[5] = {16, (uint32_t)at + 4 - cie, CODE + 16 * i, 16, 0};

		memcpy(section + at, fde, sizeof(fde));
		at += sizeof(fde);
	}
	finish(&image);
	((Elf64_Shdr *)(void *)(image.bytes + sizeof(image.bytes) - 2 * sizeof(Elf64_Shdr)))
		->sh_offset = sizeof(image.bytes);
	((Elf64_Shdr *)(void *)(image.bytes + sizeof(image.bytes) - 2 * sizeof(Elf64_Shdr)))
		->sh_size = sizeof(section);
	assert_int_equal(write_all(fd, image.bytes, sizeof(image.bytes)), 0);
	assert_int_equal(write_all(fd, section, sizeof(section)), 0);
	assert_int_equal(eh_frame_read(fd, &eh), -E2BIG);
	close(fd);
}

static void the_kernels_own_library_has_one(void **state)
{
	const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct code_mapping m;
	char *maps = NULL;
	struct eh_frame eh;

	(void)state;
	if (!vdso)
		return; /* booted with vdso=0 */
	assert_true(own_mapping(vdso, &m, &maps));
	free(maps);
	assert_int_equal(
		eh_frame_read_image((void *)(uintptr_t)m.start, (size_t)(m.end - m.start), &eh), 0);
	assert_true(eh.count > 2);
	eh_frame_fini(&eh);
}

static void a_file_may_be_damaged(void **state)
{
	struct image good = {0}, image;
	unsigned int seed = 1;
	struct eh_frame eh;

	(void)state;
	put_usual_cie(&good);
	for (uint32_t i = 0; i < 20; i++)
		put_fde(&good, CODE + 16 * i, 16, usual, sizeof(usual));
	finish(&good);
	for (size_t i = 0; i < 20000; i++) {
		const size_t span = i % 2 ? good.len : sizeof(good.bytes) - SECTION_AT;

		image = good;
		for (size_t j = 0; j < 4; j++)
			image.bytes[SECTION_AT + (size_t)rand_r(&seed) % span] =
				(uint8_t)rand_r(&seed);
		if (eh_frame_read_image(image.bytes, sizeof(image.bytes), &eh))
			continue;
		for (size_t j = 1; j < eh.count; j++)
			assert_true(eh.rows[j - 1].pc < eh.rows[j].pc);
		eh_frame_fini(&eh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(rows_say_what_libdw_says),
		cmocka_unit_test(the_kernels_own_library_has_one),
#endif
		cmocka_unit_test(a_push_moves_the_frame),
		cmocka_unit_test(expressions_are_known_by_their_form),
		cmocka_unit_test(a_signal_and_the_end_are_marked),
		cmocka_unit_test(one_bad_function_leaves_the_others),
		cmocka_unit_test(functions_may_overlap),
		cmocka_unit_test(a_file_without_it_is_refused),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(a_file_may_be_damaged),
	};

	(void)own_offset;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

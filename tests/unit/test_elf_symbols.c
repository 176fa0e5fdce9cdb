// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/elf_symbols.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_code.h"

#define CUTS 200u
#define DAMAGES 2000u

static char *image;
static size_t image_len;

static int load_image(void **state)
{
	(void)state;
	return file_load(AT_FDCWD, OWN_FILE, 256u << 20, &image, &image_len);
}

static int free_image(void **state)
{
	(void)state;
	free(image);
	return 0;
}

static int file_of(const void *bytes, size_t len)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, bytes, len), 0);
	return fd;
}

__attribute__((noinline)) static int a_function_of_known_name(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i;
}

static void a_function_is_found_by_its_place_in_the_file(void **state)
{
	uint64_t offset = own_offset((uint64_t)(uintptr_t)a_function_of_known_name);
	int fd = open(OWN_FILE, O_RDONLY | O_CLOEXEC);
	struct elf_symbols elf;
	struct symbol symbol;

	(void)state;
	assert_int_not_equal(offset, 0);
	elf_symbols_init(&elf);
	assert_int_equal(elf_symbols_read(&elf, fd), 0);
	assert_true(elf_symbols_find(&elf, offset + 1, &symbol));
	assert_string_equal(symbol.name, "a_function_of_known_name");
	assert_int_equal(symbol.start, offset);
	assert_false(elf_symbols_find(&elf, 1ull << 60, &symbol));
	elf_symbols_fini(&elf);
	close(fd);
}

static void what_is_no_elf_file_is_refused(void **state)
{
	uint8_t id[BUILD_ID_BYTES] = {1};
	struct elf_symbols elf;
	int fd = file_of("#!/bin/sh\n", 10);

	(void)state;
	elf_symbols_init(&elf);
	assert_int_equal(elf_symbols_read(&elf, fd), -EBADMSG);
	assert_int_equal(elf_symbols_read_debug(&elf, fd), -EBADMSG);
	assert_false(elf_build_id(fd, id));
	assert_int_equal(id[0], 0);
	assert_int_equal(elf_symbols_read(&elf, -1), -EBADMSG);
	elf_symbols_fini(&elf);
	close(fd);
}

/* Whatever it makes of it, it may not stumble. */
static void read_anyhow(const char *bytes, size_t len)
{
	int fd = file_of(bytes, len);
	uint8_t id[BUILD_ID_BYTES];
	struct elf_symbols elf;
	struct symbol symbol;
	int err;

	elf_build_id(fd, id);
	elf_symbols_init(&elf);
	err = elf_symbols_read(&elf, fd);
	assert_true(err == 0 || err == -EBADMSG || err == -ENOENT);
	for (uint64_t offset = 0; offset < len; offset += 1 + len / 64)
		(void)elf_symbols_find(&elf, offset, &symbol);
	elf_symbols_fini(&elf);
	close(fd);
}

static void a_file_may_break_off_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < CUTS; i++)
		read_anyhow(image, image_len * i / CUTS);
}

static void a_file_may_be_damaged(void **state)
{
	char *copy = malloc(image_len);
	unsigned int seed = 1;

	(void)state;
	for (size_t i = 0; i < DAMAGES; i++) {
		size_t span = i % 2 ? image_len : 4096; /* the heads are what leads elsewhere */

		memcpy(copy, image, image_len);
		for (size_t j = 0; j < 8; j++)
			copy[(size_t)rand_r(&seed) % span] = (char)rand_r(&seed);
		read_anyhow(copy, image_len < 65536 || i % 16 ? image_len : 65536);
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_by_its_place_in_the_file),
		cmocka_unit_test(what_is_no_elf_file_is_refused),
		cmocka_unit_test(a_file_may_break_off_anywhere),
		cmocka_unit_test(a_file_may_be_damaged),
	};

	a_function_of_known_name(0);
	return cmocka_run_group_tests(tests, load_image, free_image);
}

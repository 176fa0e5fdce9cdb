// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copies of this program, made with objcopy as distributions make theirs: stripped, with debugging information in another
 * file, with a compressed symbol table. In each of them a function of known name is looked for.
 */
#include "symbol/module.h"

#include <limits.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_code.h"

#include "symbol/elf_symbols.h"
#include "symbol/symbols.h"

static char folder[] = "/tmp/sonde-module-XXXXXX";
static uint8_t own_id[BUILD_ID_BYTES];
static uint64_t inner_offset, outer_offset;

/* An address in the code of the function that it is inlined into. */
static inline __attribute__((always_inline)) uint64_t an_inlined_function(void)
{
	uint64_t here;

#if defined(__x86_64__)
	__asm__ volatile("lea -1(%%rip), %0" : "=r"(here));
#else
	__asm__ volatile("adr %0, ." : "=r"(here));
#endif
	return here;
}

__attribute__((noinline)) static uint64_t a_function_of_known_name(void)
{
	return an_inlined_function();
}

/* In a shell in which $F is the folder, $ID the build id as a path, and $OWN this program. */
static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

static void tell_shell(void)
{
	char own[PATH_MAX] = "", id[64];
	size_t at = (size_t)snprintf(id, sizeof(id), "%02x/", own_id[0]);

	for (size_t i = 1; i < BUILD_ID_BYTES; i++)
		at += (size_t)snprintf(id + at, sizeof(id) - at, "%02x", own_id[i]);
	assert_true(readlink(OWN_FILE, own, sizeof(own) - 1) > 0);
	assert_int_equal(setenv("F", folder, 1), 0);
	assert_int_equal(setenv("ID", id, 1), 0);
	assert_int_equal(setenv("OWN", own, 1), 0);
}

static int set_up(void **state)
{
	int fd = open(OWN_FILE, O_RDONLY | O_CLOEXEC);

	(void)state;
	inner_offset = own_offset(a_function_of_known_name());
	outer_offset = own_offset((uint64_t)(uintptr_t)a_function_of_known_name);
	if (!elf_build_id(fd, own_id) || !mkdtemp(folder))
		return -1;
	close(fd);
	tell_shell();
	run("cd $F && objcopy --only-keep-debug $OWN whole.debug && objcopy --strip-all $OWN stripped");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	run("rm -rf $F");
	return 0;
}

static int no_folders(void **state)
{
	(void)state;
	return setenv("SONDE_SYMBOLS", "/nowhere", 1);
}

/* A folder in that one, behind one that does not exist. */
static void search(const char *name)
{
	char folders[PATH_MAX];

	(void)snprintf(folders, sizeof(folders), "/nowhere:%s%s", folder, name);
	assert_int_equal(setenv("SONDE_SYMBOLS", folders, 1), 0);
}

/* The places of the inlined function in the file of that name in the folder. */
static size_t find(const char *name, struct module **module, struct symbol_place *places)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	*module = module_new(path, strlen(path), own_id, 1);
	assert_non_null(*module);
	return module_find(*module, inner_offset, places, SYMBOL_INLINED_MAX);
}

/* @inlined: there is debugging information, if the tests were built with it. */
static void expect_name(const char *name, bool inlined)
{
	struct symbol_place places[SYMBOL_INLINED_MAX], *last;
	struct module *module;
	size_t count = find(name, &module, places);

	assert_true(count >= 1 && count <= 2);
	last = &places[count - 1];
	assert_non_null(last->function);
	assert_string_equal(last->function, "a_function_of_known_name");
	assert_int_equal(last->offset, inner_offset - outer_offset);
	assert_false(last->inlined);
	if (count == 2) {
		assert_true(inlined);
		assert_true(places[0].inlined);
		assert_string_equal(places[0].function, "an_inlined_function");
		assert_non_null(strstr(places[0].file, "test_module.c"));
		assert_true(places[0].line > 0 && last->line > places[0].line);
	}
	module_free(module);
}

static bool has_debugging_information(void)
{
	struct symbol_place places[SYMBOL_INLINED_MAX];
	struct module *module;
	size_t count;

	run("cp $OWN $F/whole");
	count = find("whole", &module, places);
	module_free(module);
	return count == 2;
}

static void a_program_has_functions_and_those_in_them(void **state)
{
	(void)state;
	if (!has_debugging_information())
		skip();
	expect_name("whole", true);
}

/* Its file and where the function begins: from the tables for unwinding. */
static void a_stripped_one_has_beginnings_of_functions(void **state)
{
	struct symbol_place places[SYMBOL_INLINED_MAX];
	struct module *module;

	(void)state;
	assert_int_equal(find("stripped", &module, places), 1);
	assert_null(places[0].function);
	assert_string_equal(places[0].module, "stripped");
	assert_int_equal(places[0].offset, inner_offset);
	assert_int_equal(places[0].begins, outer_offset);
	module_free(module);
}

static void debugging_information_is_found_by_build_id(void **state)
{
	(void)state;
	run("mkdir -p $F/by_id/.build-id/$(dirname $ID) && "
	    "cp $F/whole.debug $F/by_id/.build-id/$ID.debug");
	search("/by_id");
	expect_name("stripped", true);
}

static void debugging_information_is_found_by_its_link(void **state)
{
	(void)state;
	run("cd $F && mkdir -p linked/.debug && cp whole.debug linked/.debug/link.debug && "
	    "cd linked/.debug && objcopy --add-gnu-debuglink=link.debug ../../stripped ../program");
	expect_name("linked/program", true);
}

/* Of another program: its build id differs. */
static void a_link_to_another_file_is_not_followed(void **state)
{
	struct symbol_place places[SYMBOL_INLINED_MAX];
	struct module *module;

	(void)state;
	run("cd $F && mkdir -p other && cp whole.debug other/link.debug && cd other && "
	    "objcopy --add-gnu-debuglink=link.debug ../stripped program && "
	    "objcopy --remove-section .note.gnu.build-id ../whole.debug link.debug");
	assert_int_equal(find("other/program", &module, places), 1);
	assert_null(places[0].function);
	module_free(module);
}

/* As on another machine, to which the program was copied. */
static void a_copy_is_found_in_a_folder(void **state)
{
	(void)state;
	run("mkdir -p $F/copies && cp $OWN $F/copies/program");
	search("/copies");
	expect_name("gone/program", true);
}

static void a_compressed_symbol_table_is_read(void **state)
{
	char path[PATH_MAX], *bytes;
	size_t len, room, packed_len = 0;
	uint8_t *packed;
	int fd;

	(void)state;
	run("objcopy --strip-debug $OWN $F/table");
	(void)snprintf(path, sizeof(path), "%s/table", folder);
	assert_int_equal(file_load(AT_FDCWD, path, 64u << 20, &bytes, &len), 0);
	room = lzma_stream_buffer_bound(len);
	packed = malloc(room);
	assert_non_null(packed);
	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (uint8_t *)bytes, len,
						 packed, &packed_len, room),
			 LZMA_OK);
	(void)snprintf(path, sizeof(path), "%s/table.xz", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write_all(fd, packed, packed_len), 0);
	close(fd);
	free(packed);
	free(bytes);
	run("cd $F && objcopy --add-section .gnu_debugdata=table.xz stripped mini");
	expect_name("mini", false);
}

/* Calls into libraries go through a table of jumps, whose entries are named as perf names them. */
static void entries_of_the_linkage_table_have_names(void **state)
{
	struct symbol_place places[SYMBOL_INLINED_MAX];
	struct module *module;
	bool found = false;

	(void)state;
	(void)find("stripped", &module, places);
	for (uint64_t offset = 0; offset < 4u << 20 && !found; offset += 16) {
		size_t count = module_find(module, offset, places, SYMBOL_INLINED_MAX);

		found = places[count - 1].function &&
			!strcmp(places[count - 1].function, "mkdtemp@plt");
	}
	module_free(module);
	assert_true(found);
}

#define MODULE_TEST(name) cmocka_unit_test_setup(name, no_folders)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MODULE_TEST(a_program_has_functions_and_those_in_them),
		MODULE_TEST(a_stripped_one_has_beginnings_of_functions),
		MODULE_TEST(debugging_information_is_found_by_build_id),
		MODULE_TEST(debugging_information_is_found_by_its_link),
		MODULE_TEST(a_link_to_another_file_is_not_followed),
		MODULE_TEST(a_copy_is_found_in_a_folder),
		MODULE_TEST(a_compressed_symbol_table_is_read),
		MODULE_TEST(entries_of_the_linkage_table_have_names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_code.h"

static const uint8_t no_id[BUILD_ID_BYTES];

static int set_up(void **state)
{
	*state = symbols_new();
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	symbols_free(*state);
	return 0;
}

static void add(struct symbols *s, uint32_t pid, int64_t since_ns, uint64_t start, uint64_t end,
		const char *path)
{
	const struct symbol_mapping m = {
		.since_ns = since_ns,
		.start = start,
		.end = end,
		.offset = 0x1000,
		.pid = pid,
		.build_id = no_id,
		.path = path,
		.path_len = strlen(path),
	};

	assert_int_equal(symbols_add_mapping(s, &m), 0);
}

static const char *text_at(struct symbols *s, uint32_t pid, int64_t time_ns, uint64_t address)
{
	static char text[SYMBOL_TEXT_BYTES];
	struct symbol_place place;

	text[0] = 0;
	if (symbols_find(s, pid, time_ns, address, &place)) {
		size_t len = symbol_format(&place, text);

		assert_int_equal(len, strlen(text));
	}
	return text;
}

static void stacks_have_a_label_for_all_that_is_known(void **state)
{
	static const struct {
		struct symbol_place place;
		const char *label;
	} all[] = {
		{{.function = "read", .module = "libc.so.6", .offset = 0x12}, "read"},
		{{.module = "dash", .offset = 0x4a30, .begins = 0x4a20}, "[dash+0x4a20]"},
		{{.module = "dash", .offset = 0x4a30}, "[dash]"},
		{{.module = "[vdso]", .offset = 0x30, .begins = 0x20}, "[vdso]"},
		{{0}, "[unknown]"},
	};
	char text[SYMBOL_LABEL_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_int_equal(symbol_label(&all[i].place, text), strlen(all[i].label));
		assert_string_equal(text, all[i].label);
	}
}

static void functions_of_the_kernel_are_everybodys(void **state)
{
	struct symbols *s = *state;

	assert_int_equal(symbols_add_kernel(s, 0xffffffff81000000, 0x100, "tcp_ack", 7), 0);
	assert_string_equal(text_at(s, 1, 0, 0xffffffff81000012), "tcp_ack+0x12");
	assert_string_equal(text_at(s, 0, 0, 0xffffffff81000100), "");
	assert_string_equal(text_at(s, 1, 0, 0x1000), "");
}

static void a_mapping_counts_for_its_process_and_time(void **state)
{
	struct symbols *s = *state;

	add(s, 7, 100, 0x10000, 0x20000, "/no/such/first");
	add(s, 7, 100, 0x30000, 0x40000, "/no/such/library");
	add(s, 7, 200, 0x10000, 0x20000, "/no/such/second");
	add(s, 8, 100, 0x10000, 0x20000, "/no/such/other");
	assert_string_equal(text_at(s, 7, 100, 0x10004), "first+0x1004");
	assert_string_equal(text_at(s, 7, 199, 0x30000), "library+0x1000");
	assert_string_equal(text_at(s, 7, 200, 0x10004), "second+0x1004");
	/* After exec there is nothing left of what was before. */
	assert_string_equal(text_at(s, 7, 200, 0x30000), "");
	assert_string_equal(text_at(s, 8, 500, 0x1ffff), "other+0x10fff");
	assert_string_equal(text_at(s, 8, 500, 0x20000), "");
	assert_string_equal(text_at(s, 9, 500, 0x10000), "");
	/* Its first sample may be a little older than what is told of it. */
	assert_string_equal(text_at(s, 7, 99, 0x10004), "first+0x1004");
}

static void what_is_mapped_over_something_hides_it(void **state)
{
	struct symbols *s = *state;

	add(s, 7, 100, 0x10000, 0x20000, "/no/such/below");
	add(s, 7, 100, 0x18000, 0x19000, "");
	assert_string_equal(text_at(s, 7, 100, 0x10000), "below+0x1000");
	assert_string_equal(text_at(s, 7, 100, 0x18000), "[anonymous]+0x1000");
	assert_string_equal(text_at(s, 7, 100, 0x19000), "below+0xa000");
}

/* This program as a process of its own trace. */
static void add_own(struct symbols *s, const uint8_t *build_id)
{
	struct code_mapping own;
	char *maps = NULL;

	assert_true(own_mapping((uint64_t)(uintptr_t)add_own, &own, &maps));
	assert_int_equal(symbols_add_mapping(s,
					     &(struct symbol_mapping){
						     .start = own.start,
						     .end = own.end,
						     .offset = own.offset,
						     .pid = (uint32_t)getpid(),
						     .build_id = build_id,
						     .path = own.path,
						     .path_len = own.path_len,
					     }),
			 0);
	free(maps);
}

static void a_file_counts_where_it_is_the_recorded_one(void **state)
{
	uint64_t address = (uint64_t)(uintptr_t)add_own + 1;
	uint8_t id[BUILD_ID_BYTES];
	int fd = open(OWN_FILE, O_RDONLY | O_CLOEXEC);
	const char *text;

	elf_build_id(fd, id);
	close(fd);
	id[0] ^= 1;
	add_own(*state, id);
	text = text_at(*state, (uint32_t)getpid(), 0, address);
	assert_non_null(strstr(text, "test_symbols+0x"));
	id[0] ^= 1;
	add_own(*state, id);
	assert_string_equal(text_at(*state, (uint32_t)getpid(), 0, address), "add_own+0x1");
}

static void long_names_fit(void **state)
{
	char name[1000];

	memset(name, 'x', sizeof(name));
	assert_int_equal(symbols_add_kernel(*state, 1ull << 63, 0x100, name, sizeof(name)), 0);
	assert_true(strlen(text_at(*state, 1, 0, 1ull << 63)) < SYMBOL_TEXT_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_have_a_label_for_all_that_is_known),
		cmocka_unit_test_setup_teardown(functions_of_the_kernel_are_everybodys, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_mapping_counts_for_its_process_and_time, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_mapped_over_something_hides_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_file_counts_where_it_is_the_recorded_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(long_names_fit, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

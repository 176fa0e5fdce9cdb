// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/process_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char maps[] =
	"55b907cc1000-55b907cc3000 r--p 00000000 fe:00 247498                     /usr/bin/head\n"
	"55b907cc3000-55b907cc9000 r-xp 00002000 fe:10 247498                     /usr/bin/a b\n"
	"7f7fefe00000-7f7fefe01000 rwxp 00000000 00:00 0 \n"
	"7f7fefe8c000-7f7fefe8e000 r-xp 00000000 00:00 0                          [vdso]\n"
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n";

static void only_code_is_taken(void **state)
{
	const char *at = maps, *end = maps + strlen(maps);
	struct code_mapping m;

	(void)state;
	assert_true(process_map_next(&at, end, &m));
	assert_int_equal(m.start, 0x55b907cc3000);
	assert_int_equal(m.end, 0x55b907cc9000);
	assert_int_equal(m.offset, 0x2000);
	assert_int_equal(m.device, 0xfeull << 32 | 0x10);
	assert_int_equal(m.inode, 247498);
	assert_int_equal(m.path_len, strlen("/usr/bin/a b"));
	assert_memory_equal(m.path, "/usr/bin/a b", m.path_len);
	assert_true(process_map_next(&at, end, &m));
	assert_int_equal(m.inode, 0);
	assert_int_equal(m.path_len, 0);
	assert_true(process_map_next(&at, end, &m));
	assert_memory_equal(m.path, "[vdso]", 6);
	assert_false(process_map_next(&at, end, &m));
	assert_ptr_equal(at, end);
}

static void lines_of_no_sense_are_skipped(void **state)
{
	static const char odd[] = "\n-\n1-\n1-2\n2-1 r-xp 0 0:0 0 /reversed\n"
				  "1-2 r-xp\n1-2 r-x\n1-2 r-xp zz 0:0 0 /offset\n"
				  "10000000000000000-2 r-xp 0 0:0 0 /large\n"
				  "1-2 r-xp 0 0:0 18446744073709551616 /inode\n"
				  "1-2 r-xp 0 0:0 0 /good";
	const char *at = odd, *end = odd + strlen(odd);
	struct code_mapping m;

	(void)state;
	assert_true(process_map_next(&at, end, &m));
	assert_memory_equal(m.path, "/good", 5);
	assert_false(process_map_next(&at, end, &m));
}

static void any_part_of_the_text_can_be_read(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(maps); len++) {
		const char *at = maps;
		struct code_mapping m;
		size_t count = 0;

		while (process_map_next(&at, maps + len, &m)) {
			assert_true(m.end > m.start);
			assert_true(m.path + m.path_len <= maps + len);
			count++;
		}
		assert_true(count <= 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_code_is_taken),
		cmocka_unit_test(lines_of_no_sense_are_skipped),
		cmocka_unit_test(any_part_of_the_text_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

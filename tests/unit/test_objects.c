// SPDX-License-Identifier: BSD-2-Clause
#include "probe/objects.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void each_object_opens_with_its_btf(void **state)
{
	(void)state;
	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		struct bpf_object *object = object_open(object_name(i), NULL);

		assert_non_null(object);
		assert_non_null(bpf_object__btf(object));
		/* rx.bpf.c describes records that no program makes. */
		assert_true(bpf_object__next_program(object, NULL) ||
			    !strcmp(object_name(i), "rx"));
		bpf_object__close(object);
	}
}

static void there_are_no_others(void **state)
{
	(void)state;
	assert_null(object_name(OBJECT_COUNT));
	errno = 0;
	assert_null(object_open("no-such", NULL));
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_object_opens_with_its_btf),
		cmocka_unit_test(there_are_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "probe/permit.h"

#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "probe/kernel_btf.h"

static void each_check_has_a_name_and_a_finding(void **state)
{
	struct permit checks[PERMIT_MAX];
	struct btf *kernel = kernel_btf_load();
	size_t count = permit_check(kernel, checks);

	(void)state;
	assert_in_range(count, 1, PERMIT_MAX);
	for (size_t i = 0; i < count; i++) {
		assert_true(*checks[i].name && *checks[i].found);
		assert_null(strchr(checks[i].found, '\n'));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(checks[i].name, checks[k].name);
	}
	btf__free(kernel);
}

static void what_is_not_right_has_a_remedy(void **state)
{
	struct permit checks[PERMIT_MAX];
	struct btf *kernel = kernel_btf_load();
	size_t count = permit_check(kernel, checks);

	(void)state;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(checks[i].state == PERMIT_OK, !*checks[i].remedy);
	btf__free(kernel);
}

static void a_kernel_without_btf_cannot_record(void **state)
{
	struct permit checks[PERMIT_MAX];
	struct diag diag = {.text = ""};
	size_t count = permit_check(NULL, checks), missing = 0;

	(void)state;
	for (size_t i = 0; i < count; i++)
		missing += checks[i].state == PERMIT_MISSING;
	assert_true(missing > 0);
	assert_int_equal(permit_require(NULL, &diag), -EPERM);
	assert_non_null(strstr(diag.text, "CONFIG_DEBUG_INFO_BTF=y"));
}

/* Both ask the same: what `doctor` calls missing is what `record` refuses for. */
static void both_ways_of_asking_agree(void **state)
{
	struct permit checks[PERMIT_MAX];
	struct btf *kernel = kernel_btf_load();
	size_t count = permit_check(kernel, checks), missing = 0;

	(void)state;
	for (size_t i = 0; i < count; i++)
		missing += checks[i].state == PERMIT_MISSING;
	assert_int_equal(permit_require(kernel, NULL) < 0, missing > 0);
	btf__free(kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_check_has_a_name_and_a_finding),
		cmocka_unit_test(what_is_not_right_has_a_remedy),
		cmocka_unit_test(a_kernel_without_btf_cannot_record),
		cmocka_unit_test(both_ways_of_asking_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

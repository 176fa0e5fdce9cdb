// SPDX-License-Identifier: BSD-2-Clause
#include "probe/constants.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "probe/catalogue.h"
#include "probe/loader_config.h"
#include "probe/objects.h"
#include "wire/filter.h"

static int set_up(void **state)
{
	struct catalogue *cat;
	struct diag diag;
	int err = catalogue_open(&cat, &diag);

	*state = cat;
	return err;
}

static int tear_down(void **state)
{
	catalogue_close(*state);
	return 0;
}

static int set(struct bpf_object *obj, const struct catalogue *cat)
{
	static const struct filter_config filter;
	const struct loader_config config = {
		.cpus = 2, .sub_shift = 12, .sub_count = 2, .packet_key = 1, .filter = &filter};

	return constants_set(obj, &config, cat);
}

static void each_object_has_only_known_ones(void **state)
{
	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		struct bpf_object *obj = object_open(object_name(i), NULL);

		assert_non_null(obj);
		assert_int_equal(set(obj, *state), 0);
		bpf_object__close(obj);
	}
}

/* Renames variable @name of the object in memory, as one that somebody misspelt. */
static void misspell(struct bpf_object *obj, const char *name)
{
	const struct btf *btf = bpf_object__btf(obj);

	for (uint32_t i = 1; i < btf__type_cnt(btf); i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);
		const char *text = btf__name_by_offset(btf, t->name_off);

		if (btf_is_var(t) && !strcmp(text, name)) {
			((char *)(uintptr_t)text)[strlen(text) - 1]++;
			return;
		}
	}
	fail_msg("no variable %s", name);
}

static void one_that_nobody_sets_is_refused(void **state)
{
	struct bpf_object *obj = object_open("sys", NULL);

	assert_non_null(obj);
	misspell(obj, "cfg_overwrite");
	assert_int_equal(set(obj, *state), -EINVAL);
	bpf_object__close(obj);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_object_has_only_known_ones),
		cmocka_unit_test(one_that_nobody_sets_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

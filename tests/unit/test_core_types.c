// SPDX-License-Identifier: BSD-2-Clause
#include "probe/loader.h"

#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

/* The types of the kernel below, which are numbered as they are added. */
enum {
	INT = 1,
	CRED,
	CONST_CRED,
	CRED_POINTER,
	LIST,
	LIST_POINTER,
	TASK_POINTER,
	INNER,
	ROWS,
	TASK,
};

/*
 * Struct list { struct list *next, *prev; };
 * struct inner { struct task *task; };
 * struct task { struct list list; const struct cred *cred; struct inner rows[3]; };
 */
static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_struct(btf, "cred", 4);
	btf__add_field(btf, "uid", INT, 0, 0);
	btf__add_const(btf, CRED);
	btf__add_ptr(btf, CONST_CRED);
	btf__add_struct(btf, "list", 16);
	btf__add_field(btf, "next", LIST_POINTER, 0, 0);
	btf__add_field(btf, "prev", LIST_POINTER, 64, 0);
	btf__add_ptr(btf, LIST);
	btf__add_ptr(btf, TASK);
	btf__add_struct(btf, "inner", 8);
	btf__add_field(btf, "task", TASK_POINTER, 0, 0);
	btf__add_array(btf, INT, INNER, 3);
	assert_int_equal(btf__add_struct(btf, "task", 48), TASK);
	btf__add_field(btf, "list", LIST, 0, 0);
	btf__add_field(btf, "cred", CRED_POINTER, 128, 0);
	btf__add_field(btf, "rows", ROWS, 192, 0);
	btf__add_struct(btf, "other", 4);
	btf__add_field(btf, "x", INT, 0, 0);
	btf__add_struct(btf, "twin", 4);
	btf__add_struct(btf, "twin", 8);
	return btf;
}

static struct btf *reduced_to(const char *const *names, size_t count)
{
	struct btf *kernel = make_kernel(), *object = btf__new_empty(), *types = NULL;
	const struct btf *objects[] = {object};

	for (size_t i = 0; i < count; i++)
		assert_true(btf__add_struct(object, names[i], 4) > 0);
	assert_int_equal(core_types_make(kernel, objects, 1, &types), 0);
	btf__free(object);
	btf__free(kernel);
	return types;
}

static int count_named(const struct btf *btf, const char *name)
{
	int count = 0;

	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		count += !strcmp(btf__name_by_offset(btf, t->name_off), name);
	}
	return count;
}

static const struct btf_type *find(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	assert_true(id > 0);
	return btf__type_by_id(btf, (uint32_t)id);
}

static const struct btf_type *member(const struct btf *btf, const struct btf_type *t, int i)
{
	return btf__type_by_id(btf, btf_members(t)[i].type);
}

static void a_type_comes_with_what_it_contains(void **state)
{
	const char *names[] = {"task", "of_ours_alone"};
	struct btf *types = reduced_to(names, 2);
	const struct btf_type *task = find(types, "task"), *rows, *inner;

	(void)state;
	assert_int_equal(task->size, 48);
	assert_int_equal(btf_vlen(task), 3);
	assert_string_equal(btf__name_by_offset(types, btf_members(task)[1].name_off), "cred");
	assert_int_equal(btf_members(task)[1].offset, 128);
	assert_ptr_equal(member(types, task, 0), find(types, "list"));
	rows = member(types, task, 2);
	assert_true(btf_is_array(rows));
	assert_int_equal(btf_array(rows)->nelems, 3);
	inner = btf__type_by_id(types, btf_array(rows)->type);
	assert_string_equal(btf__name_by_offset(types, inner->name_off), "inner");
	assert_int_equal(count_named(types, "int"), 1); /* the array's index */
	assert_int_equal(count_named(types, "other"), 0);
	assert_int_equal(count_named(types, "of_ours_alone"), 0);
	btf__free(types);
}

static void what_is_behind_a_pointer_stays_out(void **state)
{
	const char *names[] = {"task"};
	struct btf *types = reduced_to(names, 1);
	const struct btf_type *pointer = member(types, find(types, "task"), 1);

	(void)state;
	assert_true(btf_is_ptr(pointer));
	assert_int_equal(pointer->type, 0);
	assert_int_equal(count_named(types, "cred"), 0);
	btf__free(types);
}

static void a_flavour_is_the_same_type(void **state)
{
	const char *names[] = {"cred___before_6_4", "othe"};
	struct btf *types = reduced_to(names, 2);

	(void)state;
	assert_int_equal(count_named(types, "cred"), 1);
	assert_int_equal(count_named(types, "other"), 0);
	btf__free(types);
}

static void all_of_one_name_are_there(void **state)
{
	const char *names[] = {"twin", "twin"};
	struct btf *types = reduced_to(names, 2);

	(void)state;
	assert_int_equal(count_named(types, "twin"), 2);
	btf__free(types);
}

static void a_type_that_is_not_there_is_refused(void **state)
{
	struct btf *kernel = btf__new_empty(), *object = btf__new_empty(), *types = NULL;
	const struct btf *objects[] = {object};

	(void)state;
	btf__add_struct(object, "torn", 4);
	btf__add_struct(kernel, "torn", 4);
	btf__add_field(kernel, "x", 77, 0, 0);
	assert_int_equal(core_types_make(kernel, objects, 1, &types), -EINVAL);
	assert_null(types);
	btf__free(object);
	btf__free(kernel);
}

static void a_file_holds_them(void **state)
{
	const char *names[] = {"task"};
	struct btf *types = reduced_to(names, 1), *again;
	int fd = core_types_file(types);
	char path[32];

	(void)state;
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = btf__parse(path, NULL);
	assert_non_null(again);
	assert_int_equal(btf__type_cnt(again), btf__type_cnt(types));
	assert_int_equal(find(again, "task")->size, 48);
	btf__free(again);
	btf__free(types);
	fd_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_type_comes_with_what_it_contains),
		cmocka_unit_test(what_is_behind_a_pointer_stays_out),
		cmocka_unit_test(a_flavour_is_the_same_type),
		cmocka_unit_test(all_of_one_name_are_there),
		cmocka_unit_test(a_type_that_is_not_there_is_refused),
		cmocka_unit_test(a_file_holds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

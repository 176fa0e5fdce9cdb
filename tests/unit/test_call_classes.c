// SPDX-License-Identifier: BSD-2-Clause
/* Event classes of system calls, and the plans by which the kernel half packs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/call_classes.h"
#include "schema/syscalls.h"
#include "wire/record.h"

static const struct event_class *find(const struct call_classes *classes, const char *name)
{
	for (size_t i = 0; i < call_classes_count(classes); i++) {
		if (!strcmp(call_classes_get(classes, i)->name, name))
			return call_classes_get(classes, i);
	}
	fail_msg("no class %s", name);
	return NULL;
}

static uint32_t record_bytes_of(const struct call_classes *classes, const char *name)
{
	return RECORD_HEAD_BYTES + find(classes, name)->payload_bytes;
}

static void test_sizes(void **state)
{
	struct call_classes *classes = call_classes_new();

	(void)state;
	assert_non_null(classes);
	assert_int_equal(record_bytes_of(classes, "sys.getppid"), 20);
	assert_int_equal(record_bytes_of(classes, "sys.read"), 40);
	call_classes_leave_out_texts(classes);
	assert_int_equal(record_bytes_of(classes, "sys.openat"), 40);
	for (size_t i = 0; i < call_classes_count(classes); i++) {
		const struct event_class *class = call_classes_get(classes, i);

		assert_int_equal(class->payload_bytes % RECORD_ALIGN, 0);
		assert_in_range(class->id, CALL_FIRST_ID, RECORD_ID_EXTENDED - 1);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(class->id, call_classes_get(classes, k)->id);
		for (size_t f = 0; f < class->field_count; f++)
			assert_int_equal(event_class_find(class, class->fields[f].name), f);
	}
	call_classes_free(classes);
}

static int number(bool compat, const char *name);

/* Behind what all records have: the texts, then how each is. */
static void test_texts(void **state)
{
	static struct call_plan plans[2][CALL_NUMBERS_PLANNED];
	struct call_classes *classes = call_classes_new();
	const struct event_class *class = find(classes, "sys.renameat2");
	size_t compat = (size_t)event_class_find(class, "compat");

	(void)state;
	assert_false(class->fixed);
	assert_int_equal(class->payload_bytes, 0);
	assert_int_equal(class->field_count, compat + 5);
	assert_int_equal(event_class_find(class, "oldname"), compat + 1);
	assert_int_equal(event_class_find(class, "newname"), compat + 2);
	assert_int_equal(event_class_find(class, "oldname_state"), compat + 3);
	assert_int_equal(event_class_find(class, "newname_state"), compat + 4);
	assert_int_equal(class->fields[compat + 1].kind, FIELD_STRING);
	assert_true(find(classes, "sys.read")->fixed);
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "renameat2")].texts, 1 << 1 | 1 << 3);
	assert_int_equal(plans[0][number(false, "mount")].texts, 7);
	assert_int_equal(plans[0][number(false, "read")].texts, 0);
	for (size_t nr = 0; nr < CALL_NUMBERS_PLANNED; nr++)
		assert_in_range(__builtin_popcount(plans[0][nr].texts), 0, CALL_TEXTS_MAX);
	call_classes_leave_out_texts(classes);
	assert_int_equal(class->field_count, compat + 1);
	assert_true(class->fixed);
	assert_int_equal(class->payload_bytes, 4 + 8 + 4 + 8 + 4 + 12);
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "renameat2")].texts, 0);
	call_classes_free(classes);
}

/* Of an address how many bytes are there, these, and how it is; only where the caller fills it. */
static void test_addresses(void **state)
{
	static struct call_plan plans[2][CALL_NUMBERS_PLANNED];
	struct call_classes *classes = call_classes_new();
	const struct event_class *class = find(classes, "sys.connect");
	size_t compat = (size_t)event_class_find(class, "compat");

	(void)state;
	assert_false(class->fixed);
	assert_int_equal(class->field_count, compat + 4);
	assert_int_equal(event_class_find(class, "uservaddr_bytes"), compat + 1);
	assert_int_equal(event_class_find(class, "uservaddr"), compat + 2);
	assert_int_equal(event_class_find(class, "uservaddr_state"), compat + 3);
	assert_int_equal(class->fields[compat + 2].length, compat + 2);
	assert_true(field_is_sockaddr(&class->fields[compat + 2]));
	assert_true(find(classes, "sys.accept")->fixed);
	assert_true(find(classes, "sys.recvfrom")->fixed);
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "connect")].address,
			 2 | 3 << CALL_ADDRESS_LENGTH_SHIFT);
	assert_int_equal(plans[0][number(false, "sendto")].address,
			 5 | 6 << CALL_ADDRESS_LENGTH_SHIFT);
	for (size_t nr = 0; nr < CALL_NUMBERS_PLANNED; nr++)
		assert_false(plans[0][nr].texts && plans[0][nr].address);
	call_classes_leave_out_texts(classes);
	assert_true(class->fixed);
	assert_int_equal(class->payload_bytes, 4 + 8 + 4 + 12);
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "connect")].address, 0);
	call_classes_free(classes);
}

/* A list of texts is behind them; its call has no more than one. */
static void test_list(void **state)
{
	static struct call_plan plans[2][CALL_NUMBERS_PLANNED];
	struct call_classes *classes = call_classes_new();
	const struct event_class *class = find(classes, "sys.execve");
	size_t compat = (size_t)event_class_find(class, "compat");

	(void)state;
	assert_int_equal(class->field_count, compat + 6);
	assert_int_equal(event_class_find(class, "argv_bytes"), compat + 3);
	assert_int_equal(event_class_find(class, "argv"), compat + 4);
	assert_int_equal(event_class_find(class, "argv_state"), compat + 5);
	assert_true(field_is_texts(&class->fields[compat + 4]));
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "execve")].list, 2);
	assert_int_equal(plans[0][number(false, "execveat")].list, 3);
	for (size_t nr = 0; nr < CALL_NUMBERS_PLANNED; nr++) {
		if (plans[0][nr].list)
			assert_int_equal(__builtin_popcount(plans[0][nr].texts), 1);
	}
	assert_int_equal(plans[0][number(false, "pipe2")].pair, 1);
	assert_int_equal(plans[0][number(false, "socketpair")].pair, 4);
	assert_int_equal(plans[0][number(false, "read")].pair, 0);
	call_classes_leave_out_texts(classes);
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "execve")].list, 0);
	call_classes_free(classes);
}

/* Metadata declares a type that fields share once: its name is of one description only, and by one pointer. */
static void test_shared_types(void **state)
{
	struct call_classes *classes = call_classes_new();
	const struct field *seen[128];
	size_t count = 0, i;

	(void)state;
	for (size_t c = 0; c < call_classes_count(classes); c++) {
		const struct event_class *class = call_classes_get(classes, c);

		for (size_t f = 0; f < class->field_count; f++) {
			const struct field *field = &class->fields[f];

			if (field_is_many(field)) /* a sequence has one of its own */
				continue;
			assert_non_null(field->shared_type);
			for (i = 0; i < count; i++) {
				if (!strcmp(seen[i]->shared_type, field->shared_type))
					break;
			}
			if (i == count) {
				assert_in_range(count, 0, 127);
				seen[count++] = field;
			}
			assert_ptr_equal(seen[i]->shared_type, field->shared_type);
			assert_ptr_equal(seen[i]->labels, field->labels);
			assert_ptr_equal(seen[i]->text, field->text);
			assert_ptr_equal(seen[i]->unit, field->unit);
			assert_int_equal(seen[i]->bits, field->bits);
			assert_int_equal(seen[i]->is_signed, field->is_signed);
			assert_int_equal(seen[i]->show, field->show);
		}
	}
	call_classes_free(classes);
}

static int number(bool compat, const char *name)
{
	struct syscalls *calls = syscalls_new(syscalls_native_text, syscalls_compat_text);
	int nr = syscalls_number(calls, compat, name);

	syscalls_free(calls);
	return nr;
}

static void test_plans(void **state)
{
	static struct call_plan plans[2][CALL_NUMBERS_PLANNED];
	struct call_classes *classes = call_classes_new();
	const struct call_plan *lseek;

	(void)state;
	call_classes_plan(classes, plans);
	lseek = &plans[0][number(false, "lseek")];
	assert_int_equal(lseek->id, find(classes, "sys.lseek")->id);
	assert_int_equal(lseek->bytes, 16);
	assert_int_equal(lseek->args[0], 4);
	assert_int_equal(lseek->args[1], 8);
	assert_int_equal(lseek->args[2], 4);
	assert_int_equal(lseek->args[3], 0);
	assert_int_equal(plans[0][CALL_NUMBERS_PLANNED - 1].id, CALL_PLAN_NONE);
	if (number(true, "lseek") >= 0) {
		assert_int_equal(plans[1][number(true, "lseek")].args[1], 8 | CALL_ARG_EXTEND);
		assert_int_equal(plans[1][number(true, "pread64")].id, CALL_PLAN_NONE);
	}
	call_classes_free(classes);
}

/* Some are chosen: the others are not recorded, those without a class neither. */
static void test_choice(void **state)
{
	static struct call_plan plans[2][CALL_NUMBERS_PLANNED];
	struct call_classes *classes = call_classes_new();

	(void)state;
	assert_true(call_classes_all_chosen(classes));
	assert_false(call_classes_choose(classes, "sys.no_such_call"));
	assert_true(call_classes_all_chosen(classes));
	assert_true(call_classes_choose(classes, "sys.open*"));
	assert_false(call_classes_all_chosen(classes));
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "openat")].id, find(classes, "sys.openat")->id);
	assert_int_equal(plans[0][number(false, "read")].id, CALL_PLAN_UNWANTED);
	assert_int_equal(plans[0][CALL_NUMBERS_PLANNED - 1].id, CALL_PLAN_UNWANTED);
	call_classes_choose_all(classes);
	call_classes_plan(classes, plans);
	assert_int_equal(plans[0][number(false, "read")].id, find(classes, "sys.read")->id);
	call_classes_free(classes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	     cmocka_unit_test(test_texts),
		cmocka_unit_test(test_addresses),    cmocka_unit_test(test_list),
		cmocka_unit_test(test_shared_types), cmocka_unit_test(test_plans),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

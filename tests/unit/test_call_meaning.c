// SPDX-License-Identifier: BSD-2-Clause
/* Meanings of arguments are those of arguments that there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/call_meaning.h"
#include "schema/call_values.h"
#include "schema/calls.h"
#include "schema/field.h"

static const struct call_arg *find_arg(const struct call *call, const char *name)
{
	for (size_t i = 0; i < call->arg_count; i++) {
		if (!strcmp(call->args[i].name, name))
			return &call->args[i];
	}
	return NULL;
}

/* The argument that decides exists too, and forms that need values have some. */
static void check_meaning(const struct call *call, const struct call_meaning *meaning)
{
	assert_string_equal(meaning->call, call->name);
	if (meaning->by)
		assert_non_null(find_arg(call, meaning->by));
	for (size_t i = 0; i < meaning->count; i++) {
		const struct call_case *c = &meaning->cases[i];

		assert_true(c->first <= c->last);
		if (c->form == CALL_FORM_VALUE || c->form == CALL_FORM_FLAGS ||
		    c->form == CALL_FORM_NUMBER || c->form == CALL_FORM_OR_VALUE)
			assert_true(c->values && c->values->count);
		if (c->form == CALL_FORM_OR_VALUE || c->form == CALL_FORM_MAP ||
		    c->form == CALL_FORM_SOCKET_TYPE)
			assert_true(c->flags && c->rest);
		if (c->form == CALL_FORM_MAP || c->form == CALL_FORM_OR_SHIFTED)
			assert_non_null(c->shift);
	}
}

static void test_arguments(void **state)
{
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < calls_count(); i++) {
		const struct call *call = calls_get(i);
		const struct call_meaning *result = call_meaning_result(call->name);

		if (result)
			check_meaning(call, result);
		for (size_t a = 0; a < call->arg_count; a++) {
			const struct call_meaning *meaning =
				call_meaning_find(call->name, call->args[a].name);

			if (!meaning)
				continue;
			found++;
			assert_string_equal(meaning->arg, call->args[a].name);
			check_meaning(call, meaning);
		}
	}
	/* None is of a call or an argument that there is not. */
	assert_int_equal(found, call_meaning_count());
}

static void test_cases(void **state)
{
	const struct call_meaning *arg = call_meaning_find("fcntl", "arg");
	const struct call_meaning *time = call_meaning_find("futex", "utime");

	(void)state;
	assert_null(call_meaning_find("fcntl", "cmd"));
	assert_null(call_meaning_find("read", "count"));
	assert_string_equal(arg->by, "cmd");
	assert_int_equal(call_meaning_case(arg, 0)->form, CALL_FORM_INT);
	assert_int_equal(call_meaning_case(arg, 1)->form, CALL_FORM_ABSENT);
	assert_int_equal(call_meaning_case(arg, 4)->form, CALL_FORM_FLAGS);
	assert_int_equal(call_meaning_case(arg, 77777)->form, CALL_FORM_HEX);
	/* FUTEX_PRIVATE_FLAG decides nothing. */
	assert_int_equal(call_meaning_case(time, 1)->form, CALL_FORM_ABSENT);
	assert_int_equal(call_meaning_case(time, 0x81)->form, CALL_FORM_ABSENT);
	assert_int_equal(call_meaning_case(time, 0x83)->form, CALL_FORM_UINT);
	assert_int_equal(call_meaning_case(time, 0x7f)->form, CALL_FORM_PLAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

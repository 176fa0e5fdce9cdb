// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/rights.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static void without_rules_everybody_sees_everything(void **state)
{
	struct allow allow = {0};

	(void)state;
	assert_true(allow_session(&allow, NULL, "tcp"));
	assert_true(allow_session(&allow, "web1", "tcp"));
}

static void with_rules_each_sees_what_is_allowed(void **state)
{
	struct allow allow = {0};
	struct diag diag;

	(void)state;
	assert_int_equal(allow_add(&allow, "web*=tcp-*", &diag), 0);
	assert_int_equal(allow_add(&allow, "admin=*", &diag), 0);
	assert_true(allow_session(&allow, "web1", "tcp-a"));
	assert_false(allow_session(&allow, "web1", "disk"));
	assert_false(allow_session(&allow, "db", "tcp-a"));
	assert_true(allow_session(&allow, "admin", "disk"));
	assert_false(allow_session(&allow, NULL, "tcp-a"));
	assert_false(allow_session(&allow, "", "tcp-a"));
	allow_fini(&allow);
}

static void a_rule_names_a_peer_and_a_session(void **state)
{
	static const char *const wrong[] = {"", "=", "web", "web=", "=tcp"};
	struct allow allow = {0};
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(allow_add(&allow, wrong[i], &diag), -EINVAL);
		assert_non_null(strstr(diag.text, "PEER=SESSION"));
	}
	assert_int_equal(allow.count, 0);
	allow_fini(&allow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rules_everybody_sees_everything),
		cmocka_unit_test(with_rules_each_sees_what_is_allowed),
		cmocka_unit_test(a_rule_names_a_peer_and_a_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "output/json.h"

#include <math.h>

#include "view_fixture.h"

static void test_shape(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys,tcp,sonde.task");
	fixture_task(&f, 0, 42, "ng\"inx");
	fixture_enter(&f, 5, 42, 110, false);
	fixture_exit(&f, 6, 43, 39, -2);
	fixture_tcp(&f, 7, 1ull << 63, UINT64_MAX, 800);
	fixture_lost(&f, 8, 1, 2, 1, 0);
	assert_string_equal(
		fixture_run(&f, json_new(&f.view)),
		"{\"time\":1700000000000000000,\"cpu\":0,\"event\":\"sonde.task\",\"fields\":"
		"{\"tid\":42,\"pid\":42,\"comm\":\"ng\\\"inx\"}}\n"
		"{\"time\":1700000000000000005,\"cpu\":1,\"tid\":42,\"comm\":\"ng\\\"inx\","
		"\"event\":\"sys.enter\",\"fields\":{\"ip\":139638282147448,\"args\":[1,0],"
		"\"nr\":110,\"compat\":0},\"names\":{\"nr\":\"getppid\"}}\n"
		"{\"time\":1700000000000000006,\"cpu\":1,\"tid\":43,\"event\":\"sys.exit\","
		"\"fields\":{\"ret\":-2,\"nr\":39,\"compat\":0},"
		"\"names\":{\"ret\":\"ENOENT\",\"nr\":\"getpid\"}}\n"
		"{\"time\":1700000000000000007,\"cpu\":0,\"tid\":7,\"event\":\"tcp.ack\","
		"\"fields\":{\"cookie\":9223372036854775808,"
		"\"bytes_acked\":18446744073709551615,\"bytes_received\":5,\"srtt_us\":800,"
		"\"snd_cwnd\":10,\"total_retrans\":3,\"state\":1,\"lport\":5000,\"rport\":80,"
		"\"saddr\":\"10.0.0.1\",\"daddr\":\"10.0.0.2\"},"
		"\"names\":{\"state\":\"ESTABLISHED\"}}\n"
		"{\"time\":1700000000000000008,\"cpu\":1,\"event\":\"sonde.lost\","
		"\"fields\":{\"count\":2,\"nested\":1,\"recursion\":0,\"packets\":0,\"level\":0}}\n");
	fixture_fini(&f);
}

static void test_odd_values(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "misc");
	fixture_misc(&f, 0, 0.1, "a\x1b\"\xff\xe2\x82\xac\n");
	fixture_misc(&f, 0, NAN, "");
	assert_string_equal(
		fixture_run(&f, json_new(&f.view)),
		"{\"time\":1700000000000000000,\"event\":\"misc.all\",\"fields\":{\"ratio\":0.1,"
		"\"list\":[1,-2,3],\"mode\":420,\"peer\":\"::1\","
		"\"path\":\"a\\u001b\\\"\xef\xbf\xbd\xe2\x82\xac\\n\"}}\n"
		"{\"time\":1700000000000000000,\"event\":\"misc.all\",\"fields\":{\"ratio\":null,"
		"\"list\":[1,-2,3],\"mode\":420,\"peer\":\"::1\",\"path\":\"\"}}\n");
	fixture_fini(&f);
}

static void test_sequences(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "seq");
	fixture_sequence(&f, 0, 0);
	fixture_sequence(&f, 1, 2);
	assert_string_equal(fixture_run(&f, json_new(&f.view)),
			    "{\"time\":1700000000000000000,\"event\":\"seq.stack\",\"fields\":"
			    "{\"depth\":0,\"stack\":[]}}\n"
			    "{\"time\":1700000000000000001,\"event\":\"seq.stack\",\"fields\":"
			    "{\"depth\":2,\"stack\":[10,20]}}\n");
	fixture_fini(&f);
}

static void test_addresses_of_code(void **state)
{
	const uint64_t kernel[] = {0xffffffff81002010, 0xffffffff81002000}, user[] = {0x400100, 1};
	struct fixture f;

	(void)state;
	fixture_init(&f, "cpu");
	fixture_symbols(&f);
	fixture_stacks(&f, 0, 7, 2, kernel, 2, user, 2, kernel[0]);
	fixture_sample(&f, 1, 8, 0, 0x400100);
	/* What is returned to belongs to the function that has called. */
	assert_string_equal(
		fixture_run(&f, json_new(&f.view)),
		"{\"time\":1700000000000000000,\"cpu\":0,\"tid\":7,\"event\":\"cpu.sample\",\"fields\":"
		"{\"pc\":18446744071578853392,\"pid\":7,\"state\":2,\"missed\":0,\"kernel_depth\":2,"
		"\"user_depth\":2,\"kernel_stack\":[18446744071578853392,18446744071578853376],"
		"\"user_stack\":[4194560,1]},\"names\":{\"pc\":\"in\\\"ner+0x10\",\"state\":\"SYS\","
		"\"kernel_stack\":[\"in\\\"ner+0x10\",\"outer+0x1000\"],"
		"\"user_stack\":[\"program+0x100\",null]}}\n"
		"{\"time\":1700000000000000001,\"cpu\":0,\"tid\":8,\"event\":\"cpu.sample\",\"fields\":"
		"{\"pc\":4194560,\"pid\":8,\"state\":0,\"missed\":0,\"kernel_depth\":0,\"user_depth\":0,"
		"\"kernel_stack\":[],\"user_stack\":[]},\"names\":{\"state\":\"USER\"}}\n");
	fixture_fini(&f);
}

static void test_chosen_fields(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys,seq");
	assert_int_equal(field_choice_add(&f.view.fields, "nr,ret,stack", NULL), 0);
	fixture_enter(&f, 0, 42, 39, false);
	fixture_exit(&f, 1, 42, 39, -2);
	fixture_sequence(&f, 2, 2);
	assert_string_equal(fixture_run(&f, json_new(&f.view)),
			    "{\"time\":1700000000000000000,\"cpu\":1,\"tid\":42,"
			    "\"event\":\"sys.enter\",\"fields\":{\"nr\":39},"
			    "\"names\":{\"nr\":\"getpid\"}}\n"
			    "{\"time\":1700000000000000001,\"cpu\":1,\"tid\":42,"
			    "\"event\":\"sys.exit\",\"fields\":{\"nr\":39,\"ret\":-2},"
			    "\"names\":{\"nr\":\"getpid\",\"ret\":\"ENOENT\"}}\n"
			    "{\"time\":1700000000000000002,\"event\":\"seq.stack\",\"fields\":"
			    "{\"stack\":[10,20]}}\n");
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);
}

static void test_no_field_of_the_class(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "seq");
	assert_int_equal(field_choice_add(&f.view.fields, "nr", NULL), 0);
	fixture_sequence(&f, 2, 2);
	assert_string_equal(
		fixture_run(&f, json_new(&f.view)),
		"{\"time\":1700000000000000002,\"event\":\"seq.stack\",\"fields\":{}}\n");
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shape),	      cmocka_unit_test(test_odd_values),
		cmocka_unit_test(test_sequences),     cmocka_unit_test(test_addresses_of_code),
		cmocka_unit_test(test_chosen_fields), cmocka_unit_test(test_no_field_of_the_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

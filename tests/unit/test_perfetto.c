// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto.h"

#include "view_fixture.h"

#define BEGINNING                                                         \
	"{\"displayTimeUnit\":\"ns\",\"metadata\":{\"writer\":\"sonde\"," \
	"\"time 0, in ns since 1970\":\"1700000000000000000\"},\"traceEvents\":["

static void test_nothing(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	assert_string_equal(fixture_run(&f, perfetto_new(&f.view)),
			    "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"writer\":\"sonde\","
			    "\"time 0, in ns since 1970\":\"0\"},\"traceEvents\":[\n]}\n");
	fixture_fini(&f);
}

/* A call with its result; an end without a beginning is a point; what goes on ends with the trace. */
static void test_calls(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys");
	fixture_task(&f, 0, 42, "ng\"inx\x1b");
	fixture_enter(&f, 1005, 42, 110, false);
	fixture_exit(&f, 2000007, 42, 110, -2);
	fixture_exit(&f, 2000008, 42, 39, 7);
	fixture_enter(&f, 2000009, 42, 5000, true);
	assert_string_equal(
		fixture_run(&f, perfetto_new(&f.view)), BEGINNING
		"\n{\"ph\":\"M\",\"pid\":42,\"tid\":42,\"name\":\"process_name\","
		"\"args\":{\"name\":\"ng\\\\\\\"inx\\\\x1b\"}},\n"
		"{\"ph\":\"M\",\"pid\":42,\"tid\":42,\"name\":\"thread_name\","
		"\"args\":{\"name\":\"ng\\\\\\\"inx\\\\x1b\"}},\n"
		"{\"ph\":\"M\",\"pid\":42,\"tid\":42,\"name\":\"thread_sort_index\","
		"\"args\":{\"sort_index\":85}},\n"
		"{\"ph\":\"B\",\"ts\":1.005,\"pid\":42,\"tid\":42,\"cat\":\"sys\",\"name\":\"getppid\","
		"\"args\":{\"ip\":\"0x7f0012345678\",\"args\":[\"0x1\",\"0x0\"],\"nr\":\"getppid\","
		"\"compat\":0}},\n"
		"{\"ph\":\"E\",\"ts\":2000.007,\"pid\":42,\"tid\":42,\"args\":{\"ret\":\"-2 (ENOENT)\"}},\n"
		"{\"ph\":\"i\",\"ts\":2000.008,\"pid\":42,\"tid\":42,\"s\":\"t\",\"cat\":\"sys\","
		"\"name\":\"sys.exit\",\"args\":{\"ret\":7,\"nr\":\"getpid\",\"compat\":0}},\n"
		"{\"ph\":\"B\",\"ts\":2000.009,\"pid\":42,\"tid\":42,\"cat\":\"sys\",\"name\":\"call 5000\","
		"\"args\":{\"ip\":\"0x7f0012345678\",\"args\":[\"0x1\",\"0x0\"],\"nr\":5000,"
		"\"compat\":1}},\n"
		"{\"ph\":\"E\",\"ts\":2000.009,\"pid\":42,\"tid\":42,"
		"\"args\":{\"end\":\"the trace ends\"}}\n]}\n");
	fixture_fini(&f);
}

/* How often @part is in @text. */
static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* What is under way ends at a loss; what ends behind it is not matched with what began before. */
static void test_losses(void **state)
{
	struct fixture f;
	const char *got;

	(void)state;
	fixture_init(&f, "sys,sched");
	fixture_switch(&f, 0, 1, 0, "swapper/1", 42, "nginx");
	fixture_enter(&f, 1, 42, 110, false);
	fixture_lost(&f, 2, 1, 3, 1, 0);
	fixture_exit(&f, 3, 42, 110, 0);
	fixture_switch(&f, 4, 1, 42, "nginx", 0, "swapper/1");
	fixture_lost(&f, 5, 1, 0, 0, 2);
	got = fixture_run(&f, perfetto_new(&f.view));
	assert_int_equal(count(got, "{\"ph\":\"B\""), 3); /* the CPU, the state, the call */
	assert_int_equal(count(got, "\"args\":{\"end\":\"events were lost here\"}"), 3);
	assert_int_equal(count(got, "{\"ph\":\"E\""), 3);
	assert_int_equal(
		count(got, "\"s\":\"g\",\"cat\":\"sonde\",\"name\":\"3 events lost here\""), 1);
	assert_int_equal(count(got, "\"name\":\"2 packets overwritten here\""), 1);
	assert_int_equal(count(got, "\"name\":\"sys.exit\""), 1);
	fixture_fini(&f);
}

/* Numbers that no task and no CPU has: on tracks that there are, or on that of all others. */
static void test_odd_numbers(void **state)
{
	struct fixture f;
	const char *got;

	(void)state;
	fixture_init(&f, "sys,misc,seq");
	fixture_enter(&f, 0, INT32_MAX, 110, false);
	fixture_enter(&f, 1, 0, 110, false);
	fixture_misc(&f, 2, 0.5, "a\x1b\"\xff");
	fixture_sequence(&f, -1, 2); /* before the first */
	f.events[f.count - 1].cpu = INT32_MAX;
	got = fixture_run(&f, perfetto_new(&f.view));
	assert_int_equal(count(got, "\"pid\":10000000,\"tid\":10000001,\"s\":\"t\""), 2);
	assert_int_equal(count(got, "\"pid\":14000000,\"tid\":14000000,\"s\":\"t\""), 2);
	assert_int_equal(count(got, "\"ts\":-0.001,"), 1);
	assert_int_equal(count(got, "\"path\":\"a\\u001b\\\"\xef\xbf\xbd\""), 1);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_odd_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

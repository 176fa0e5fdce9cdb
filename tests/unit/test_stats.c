// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats.h"

#include "output/stats_tables.h"
#include "view_fixture.h"

static void add_events(struct fixture *f)
{
	fixture_task(f, 0, 42, "nginx");
	fixture_enter(f, 1000, 42, 39, false);
	fixture_exit(f, 3000, 42, 39, 42);
	fixture_enter(f, 4000, 42, 0, false);
	fixture_enter(f, 5000, 43, 0, false);
	fixture_exit(f, 8000, 42, 0, -11);
	fixture_lost(f, 8500, 1, 7, 2, 0);
	fixture_exit(f, 9000, 43, 0, 10); /* across a loss: not matched */
	fixture_exit(f, 9500, 44, 5000, -1); /* never began, no such number */
	fixture_tcp(f, 10000, 77, 100, 800);
	fixture_tcp(f, 11000, 77, 300, 1600);
	fixture_tcp(f, 12000, 0, 5, 0); /* no cookie: by its addresses */
	fixture_switch(f, 20000, 0, 42, "nginx", 0, "swapper/0");
	fixture_switch(f, 30000, 0, 0, "swapper/0", 43, "bash");
	fixture_switch(f, 90000, 0, 43, "bash", 42, "nginx");
	fixture_misc(f, 1000000000, 0, "");
}

static void test_json(void **state)
{
	const struct stats_options options = {.write = stats_json_write};
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	add_events(&f);
	assert_string_equal(
		fixture_run(&f, stats_new(&f.view, &options)),
		"{\"duration_ns\":1000000000,\"begin\":1700000000000000000,"
		"\"end\":1700000001000000000,\"events\":15,\"bytes\":600,\"lost\":7,"
		"\"packets_overwritten\":0,\"classes\":["
		"{\"name\":\"sys.exit\",\"events\":4,\"bytes\":160,\"rate\":4.0},"
		"{\"name\":\"sys.enter\",\"events\":3,\"bytes\":120,\"rate\":3.0},"
		"{\"name\":\"sched.switch\",\"events\":3,\"bytes\":120,\"rate\":3.0},"
		"{\"name\":\"tcp.ack\",\"events\":3,\"bytes\":120,\"rate\":3.0},"
		"{\"name\":\"misc.all\",\"events\":1,\"bytes\":40,\"rate\":1.0},"
		"{\"name\":\"sonde.task\",\"events\":1,\"bytes\":40,\"rate\":1.0}],"
		"\"losses\":[{\"cpu\":1,\"events\":7,\"buffer_full\":5,\"nested\":2,"
		"\"recursion\":0,\"packets_overwritten\":0}],"
		"\"tasks\":["
		"{\"events\":5,\"tid\":42,\"comm\":\"nginx\",\"syscalls\":2,"
		"\"cpu_ns\":999910000},"
		"{\"events\":3,\"tid\":7,\"syscalls\":0,\"cpu_ns\":0},"
		"{\"events\":3,\"tid\":43,\"comm\":\"bash\",\"syscalls\":1,\"cpu_ns\":60000},"
		"{\"events\":1,\"tid\":0,\"comm\":\"swapper\",\"syscalls\":0,\"cpu_ns\":10000},"
		"{\"events\":1,\"tid\":44,\"syscalls\":1,\"cpu_ns\":0},"
		"{\"events\":1,\"syscalls\":0,\"cpu_ns\":0}],"
		"\"syscalls\":["
		"{\"calls\":2,\"nr\":0,\"name\":\"read\",\"compat\":false,\"errors\":1,"
		"\"matched\":1,\"total_ns\":4000,\"avg_ns\":4000,\"max_ns\":4000},"
		"{\"calls\":1,\"nr\":39,\"name\":\"getpid\",\"compat\":false,\"errors\":0,"
		"\"matched\":1,\"total_ns\":2000,\"avg_ns\":2000,\"max_ns\":2000},"
		"{\"calls\":1,\"compat\":false,\"errors\":1,\"matched\":0}],"
		"\"disks\":[],\"connections\":["
		"{\"saddr\":\"10.0.0.1\",\"lport\":5000,\"daddr\":\"10.0.0.2\",\"rport\":80,"
		"\"cookie\":77,\"events\":2,\"bytes_acked\":200,\"bytes_received\":0,"
		"\"acked_total_bytes\":300,\"received_total_bytes\":5,"
		"\"total_retrans\":0,\"srtt_min_ns\":800000,\"srtt_avg_ns\":1200000,"
		"\"srtt_last_ns\":1600000,\"snd_cwnd\":10,\"state\":\"ESTABLISHED\"},"
		"{\"saddr\":\"10.0.0.1\",\"lport\":5000,\"daddr\":\"10.0.0.2\",\"rport\":80,"
		"\"events\":1,\"bytes_acked\":0,\"bytes_received\":0,"
		"\"acked_total_bytes\":5,\"received_total_bytes\":5,\"total_retrans\":0,"
		"\"snd_cwnd\":10,\"state\":\"ESTABLISHED\"}]}\n");
	fixture_fini(&f);
}

static void test_tables(void **state)
{
	const struct stats_options options = {.write = stats_text_write, .rows = 2};
	const char *text, *line;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	add_events(&f);
	text = fixture_run(&f, stats_new(&f.view, &options));
	assert_non_null(strstr(text, "15 events in 1.00 s (15/s), 600 B (600 B/s), 7 lost\n"));
	assert_non_null(strstr(text, "nginx:42"));
	assert_non_null(strstr(text, "10.0.0.1:5000 -> 10.0.0.2:80"));
	assert_non_null(strstr(text, "... and 4 more\n"));
	for (line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		assert_true(strcspn(line, "\n") <= 100);
	fixture_fini(&f);
}

static void test_selection(void **state)
{
	const struct stats_options options = {.write = stats_json_write};
	struct fixture f;

	(void)state;
	fixture_init(&f, "tcp");
	add_events(&f);
	assert_non_null(strstr(fixture_run(&f, stats_new(&f.view, &options)),
			       "\"events\":3,\"bytes\":120,\"lost\":7"));
	fixture_fini(&f);
}

static void test_empty(void **state)
{
	const struct stats_options text = {.write = stats_text_write},
				   json = {.write = stats_json_write};
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	assert_string_equal(fixture_run(&f, stats_new(&f.view, &text)),
			    "0 events in 0 ns, 0 lost\n");
	fixture_fini(&f);
	fixture_init(&f, NULL);
	assert_string_equal(fixture_run(&f, stats_new(&f.view, &json)),
			    "{\"duration_ns\":0,\"events\":0,\"bytes\":0,\"lost\":0,"
			    "\"packets_overwritten\":0,\"classes\":[],\"losses\":[],\"tasks\":[],"
			    "\"syscalls\":[],\"disks\":[],\"connections\":[]}\n");
	fixture_fini(&f);
}

/* Where only the ends of calls were recorded, those are counted. */
static void test_exits_alone(void **state)
{
	const struct stats_options options = {.write = stats_json_write};
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_exit(&f, 0, 42, 39, 1);
	fixture_exit(&f, 10, 42, 39, 1);
	assert_non_null(strstr(fixture_run(&f, stats_new(&f.view, &options)),
			       "\"syscalls\":[{\"calls\":2,\"nr\":39,\"name\":\"getpid\","
			       "\"compat\":false,\"errors\":0,\"matched\":0}]"));
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),	    cmocka_unit_test(test_tables),
		cmocka_unit_test(test_selection),   cmocka_unit_test(test_empty),
		cmocka_unit_test(test_exits_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

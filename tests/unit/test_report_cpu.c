// SPDX-License-Identifier: BSD-2-Clause
#include "output/report.h"

#include "view_fixture.h"

#include "output/report_kind.h"

static const struct trace_env rate[] = {{"sonde_sample_hz", NULL, 100}};

static uint32_t kind(const char *name)
{
	size_t i;

	for (i = 0; strcmp(report_kind_get(i)->name, name); i++)
		;
	return 1u << i;
}

static void fill(struct fixture *f)
{
	const uint64_t kernel[] = {0xffffffff81002010, 0xffffffff81001010}, user[] = {0x400100};

	fixture_init(f, NULL);
	fixture_symbols(f);
	f->info.env = rate;
	f->info.env_count = 1;
	fixture_task(f, 0, 7, "nginx");
	fixture_stacks(f, 1, 7, 2, kernel, 2, user, 1, kernel[0]);
	fixture_stacks(f, 2, 7, 0, NULL, 0, user, 1, user[0]);
	fixture_sample(f, 3, 8, 1, 0x400100);
	fixture_sample(f, 4, 0, 3, 0xffffffff81001010);
}

static const char *run(struct fixture *f, const struct report_options *options)
{
	return fixture_run(f, report_new(&f->view, options));
}

static void tables_are_by_state_process_and_function(void **state)
{
	struct report_options options = {.rows = 10, .kinds = kind("cpu")};
	struct fixture f;

	(void)state;
	fill(&f);
	assert_string_equal(run(&f, &options),
			    "CPUs: 4 samples, 100 a second of each\n"
			    "\n"
			    "state   samples   share\n"
			    "user          1  25.0 %\n"
			    "nice          1  25.0 %\n"
			    "system        1  25.0 %\n"
			    "idle          1  25.0 %\n"
			    "\n"
			    "process  samples   share    about  user  nice  system\n"
			    "nginx:7        2  66.7 %  20.0 ms     1             1\n"
			    "-:8            1  33.3 %  10.0 ms           1\n"
			    "\n"
			    "function     samples   share  and called   share       in\n"
			    "(no symbol)        1  33.3 %           2  66.7 %  program\n"
			    "(not known)        1  33.3 %           1  33.3 %\n"
			    "in\\\"ner            1  33.3 %           1  33.3 %   kernel\n"
			    "outer                  0.0 %           1  33.3 %   kernel\n");
	fixture_fini(&f);
}

static void rows_are_bounded(void **state)
{
	struct report_options options = {.rows = 1, .kinds = kind("cpu")};
	struct fixture f;
	const char *text;

	(void)state;
	fill(&f);
	text = run(&f, &options);
	assert_null(strstr(text, "-:8"));
	assert_non_null(strstr(text, "... and 1 more"));
	assert_non_null(strstr(text, "... and 3 more"));
	fixture_fini(&f);
}

static void programs_get_one_object(void **state)
{
	struct report_options options = {.form = REPORT_JSON, .rows = 2, .kinds = kind("cpu")};
	struct fixture f;

	(void)state;
	fill(&f);
	assert_string_equal(
		run(&f, &options),
		"{\"duration_ns\":4,\"lost\":0,\"packets_overwritten\":0,\"reports\":{\"cpu\":{"
		"\"samples\":4,\"missed\":0,\"cut\":0,\"hz\":100,\"states\":{\"user\":1,\"nice\":1,"
		"\"sys\":1,\"idle\":1},\"by_process\":[{\"pid\":7,\"comm\":\"nginx\",\"samples\":2,"
		"\"user\":1,\"nice\":0,\"sys\":1},{\"pid\":8,\"samples\":1,\"user\":0,\"nice\":1,"
		"\"sys\":0}],\"by_function\":[{\"self\":1,\"total\":2,\"kernel\":false,"
		"\"module\":\"program\"},{\"self\":1,\"total\":1,\"kernel\":false}]}}}\n");
	fixture_fini(&f);
}

static void folded_stacks_are_all_there_is(void **state)
{
	struct report_options options = {.folded = true, .kinds = kind("cpu")};
	struct fixture f;

	(void)state;
	fill(&f);
	assert_string_equal(run(&f, &options), "nginx;[program] 1\n"
					       "nginx;[program];outer_[k];in\"ner_[k] 1\n"
					       "-;[unknown] 1\n");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_by_state_process_and_function),
		cmocka_unit_test(rows_are_bounded),
		cmocka_unit_test(programs_get_one_object),
		cmocka_unit_test(folded_stacks_are_all_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/field_choice.h"
#include "output/columns.h"

#include <errno.h>

#include "base/diag.h"
#include "view_fixture.h"

/* The names of the fields of @class that @lists choose, with blanks between them. */
static const char *chosen(enum fixture_class class, const char *list, const char *more)
{
	static char text[512];
	struct field_choice choice = {0};
	struct fixture f;
	uint32_t fields[16];
	size_t count;

	fixture_init(&f, NULL);
	if (list)
		assert_int_equal(field_choice_add(&choice, list, NULL), 0);
	if (more)
		assert_int_equal(field_choice_add(&choice, more, NULL), 0);
	count = field_choice_list(&choice, f.classes[class], 0, fields);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, f.classes[class]->fields[fields[i]].name);
	}
	field_choice_fini(&choice);
	fixture_fini(&f);
	return text;
}

static void test_order(void **state)
{
	(void)state;
	assert_string_equal(chosen(FIXTURE_EXIT, NULL, NULL), "ret nr compat");
	assert_string_equal(chosen(FIXTURE_EXIT, "nr,ret", NULL), "nr ret");
	assert_string_equal(chosen(FIXTURE_EXIT, "nr", "ret,time,nr"), "nr ret");
	assert_string_equal(chosen(FIXTURE_EXIT, "args", NULL), "");
	assert_string_equal(chosen(FIXTURE_TCP, "rport,*port,s*,fields.cookie", NULL),
			    "rport lport srtt_us snd_cwnd state saddr cookie");
	assert_string_equal(chosen(FIXTURE_TASK, "tid,fields.comm,*", NULL), "tid comm pid");
}

/* Host and process are only what a source knows. */
static void test_origins(void **state)
{
	const struct origin origin = {.procname = "p"};
	const struct event_class class = {.name = "e", .origin = &origin}, *classes = &class;
	const struct trace_info info = {.class_count = 1, .classes = &classes}, none = {0};

	(void)state;
	assert_int_equal(field_choice_find_common(&info, "procname"), COMMON_PROCNAME);
	assert_int_equal(field_choice_find_common(&info, "vpid"), -1);
	assert_int_equal(field_choice_find_common(&none, "procname"), -1);
	assert_int_equal(field_choice_find_common(&none, "comm"), COMMON_COMM);
	assert_int_equal(field_choice_find_common(&none, "fields.comm"), -1);
}

static void test_what_fits(void **state)
{
	(void)state;
	assert_true(field_choice_fits("a", "a.b"));
	assert_true(field_choice_fits("a.b", "a.b"));
	assert_true(field_choice_fits("a.*", "a.b.c"));
	assert_true(field_choice_fits("fields.a", "a.b"));
	assert_true(field_choice_fits("fields.a", "fields.a"));
	assert_true(field_choice_fits("list[0]", "list[0]")); /* as it is written */
	assert_false(field_choice_fits("a", "ab"));
	assert_false(field_choice_fits("a.b", "a"));
	assert_false(field_choice_fits("A", "a"));
}

static void test_lists(void **state)
{
	struct field_choice choice = {0};
	struct diag diag = {0};

	(void)state;
	assert_int_equal(field_choice_add(&choice, "", &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "a name is missing"));
	assert_int_equal(field_choice_add(&choice, "a,,b", &diag), -EINVAL);
	assert_int_equal(field_choice_add(&choice, "a,", &diag), -EINVAL);
	while (choice.count < FIELD_CHOICE_MAX)
		assert_int_equal(field_choice_add(&choice, "x", NULL), 0);
	assert_int_equal(field_choice_add(&choice, "x", &diag), -E2BIG);
	field_choice_fini(&choice);
}

static void check(const char *pattern, const char *list, int err, const char *why)
{
	struct field_choice choice = {0};
	struct diag diag = {0};
	struct fixture f;

	fixture_init(&f, pattern);
	assert_int_equal(field_choice_add(&choice, list, NULL), 0);
	assert_int_equal(columns_check(&choice, &f.info, &f.select, &diag), err);
	if (err)
		assert_string_equal(diag.text, why);
	field_choice_fini(&choice);
	fixture_fini(&f);
}

static void test_unknown_names(void **state)
{
	(void)state;
	check(NULL, "ret,srtt_us,time,s*,count", 0, NULL); /* also one of the losses */
	check("sys.exit", "dur,ret", 0, NULL); /* follows from sys.enter, which is there */
	check("sys.exit", "du", -ENOENT,
	      "no event that is chosen has a field 'du': did you mean 'dur'?");
	check("sys.enter", "dur", -ENOENT,
	      "no event that is chosen has a field 'dur', which is one of sys.exit: "
	      "choose that too, or leave the field out");
	check(NULL, "ret,srt_us", -ENOENT,
	      "no event that is chosen has a field 'srt_us': did you mean 'srtt_us'?");
	check("sys", "ret,srtt_us", -ENOENT,
	      "no event that is chosen has a field 'srtt_us', which is one of tcp.ack: "
	      "choose that too, or leave the field out");
	check("sys", "state", -ENOENT,
	      "no event that is chosen has a field 'state', which is one of tcp.ack, "
	      "cpu.sample: choose that too, or leave the field out");
	check("sys.exit,sonde.task", "xyzzy*", -ENOENT,
	      "no event has a field 'xyzzy*'; those that are chosen have time, cpu, tid, comm, event, "
	      "ret, nr, compat, dur, fields.tid, pid, fields.comm, count, nested, recursion, packets, level");
	check("sys", "tiem", -ENOENT,
	      "no event that is chosen has a field 'tiem': did you mean 'time'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	      cmocka_unit_test(test_origins),
		cmocka_unit_test(test_what_fits),     cmocka_unit_test(test_lists),
		cmocka_unit_test(test_unknown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

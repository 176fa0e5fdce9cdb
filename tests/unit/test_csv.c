// SPDX-License-Identifier: BSD-2-Clause
#include "output/csv.h"

#include "output/columns.h"
#include "view_fixture.h"

static void test_commas(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exit,misc,sonde.task");
	fixture_task(&f, 0, 42, "a,b");
	fixture_exit(&f, 1, 42, 39, -2);
	fixture_misc(&f, 2, 1e300, "two\nlines, \"quoted\" \x1b");
	fixture_lost(&f, 3, 1, 9, 0, 0);
	assert_string_equal(
		fixture_run(&f, csv_new(&f.view, CSV_COMMAS, false)),
		"time,cpu,tid,comm,event,ret,nr,compat,ratio,list,mode,peer,path,fields.tid,pid,"
		"fields.comm,count,nested,recursion,packets,level\r\n"
		"1700000000000000000,0,,,sonde.task,,,,,,,,,42,42,\"a,b\",,,,,\r\n"
		"1700000000000000001,1,42,\"a,b\",sys.exit,-2,39,0,,,,,,,,,,,,,\r\n"
		"1700000000000000002,,,,misc.all,,,,1e+300,1 -2 3,420,::1,"
		"\"two\nlines, \"\"quoted\"\" \\x1b\",,,,,,,,\r\n"
		"1700000000000000003,1,,,sonde.lost,,,,,,,,,,,,9,0,0,0,0\r\n");
	fixture_fini(&f);
}

static void test_tabs(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "misc");
	fixture_misc(&f, 2, -0.25, "a\tb\nc\\d");
	assert_string_equal(fixture_run(&f, csv_new(&f.view, CSV_TABS, false)),
			    "time\tcpu\ttid\tcomm\tevent\tratio\tlist\tmode\tpeer\tpath\tcount\t"
			    "nested\trecursion\tpackets\tlevel\n"
			    "1700000000000000002\t\t\t\tmisc.all\t-0.25\t1 -2 3\t420\t::1\t"
			    "a\\tb\\nc\\\\d\t\t\t\t\t\n");
	fixture_fini(&f);
}

static void test_sequences(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "seq");
	fixture_sequence(&f, 0, 0);
	fixture_sequence(&f, 1, 3);
	assert_string_equal(fixture_run(&f, csv_new(&f.view, CSV_COMMAS, false)),
			    "time,cpu,tid,comm,event,depth,stack,count,nested,recursion,packets,"
			    "level\r\n"
			    "1700000000000000000,,,,seq.stack,0,,,,,,\r\n"
			    "1700000000000000001,,,,seq.stack,3,10 20 30,,,,,\r\n");
	fixture_fini(&f);
}

static void test_header_without_events(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exit");
	assert_string_equal(fixture_run(&f, csv_new(&f.view, CSV_TABS, false)),
			    "time\tcpu\ttid\tcomm\tevent\tret\tnr\tcompat\tcount\tnested\t"
			    "recursion\tpackets\tlevel\n");
	fixture_fini(&f);
}

/* Columns as they were asked for; a glob's are those of the classes, the losses' last. */
static void test_chosen_columns(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exit,sonde.task");
	assert_int_equal(field_choice_add(&f.view.fields, "event,nr,tid,*,nr", NULL), 0);
	fixture_task(&f, 0, 42, "a");
	fixture_exit(&f, 1, 42, 39, -2);
	fixture_lost(&f, 2, 1, 9, 0, 0);
	assert_string_equal(
		fixture_run(&f, csv_new(&f.view, CSV_COMMAS, false)),
		"event,nr,tid,ret,compat,fields.tid,pid,fields.comm,count,nested,recursion,"
		"packets,level\r\n"
		"sonde.task,,,,,42,42,a,,,,,\r\n"
		"sys.exit,39,42,-2,0,,,,,,,,\r\n"
		"sonde.lost,,,,,,,,9,0,0,0,0\r\n");
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);
}

static void test_one_column(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exit,sonde.task");
	assert_int_equal(field_choice_add(&f.view.fields, "fields.tid", NULL), 0);
	fixture_task(&f, 0, 42, "a");
	fixture_exit(&f, 1, 42, 39, -2);
	assert_string_equal(fixture_run(&f, csv_new(&f.view, CSV_TABS, false)),
			    "fields.tid\n42\n\n");
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);
}

/* The trace was opened again, and has more: the head is not written again, and rows stay as long. */
static void test_goes_on(void **state)
{
	struct columns columns = {0};
	char missing[64];
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exit");
	assert_int_equal(field_choice_add(&f.view.fields, "event,tid,comm,ret,pid", NULL), 0);
	f.view.columns = &columns;
	fixture_exit(&f, 1, 42, 39, -2);
	assert_string_equal(fixture_run(&f, csv_new(&f.view, CSV_TABS, false)),
			    "event\ttid\tcomm\tret\nsys.exit\t42\t\t-2\n");
	assert_int_equal(columns_missing(&columns, &f.view, missing, sizeof(missing)), 0);
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);

	fixture_init(&f, "sys.exit,sonde.task");
	assert_int_equal(
		field_choice_add(&f.view.fields, "event,tid,comm,ret,pid,fields.comm", NULL), 0);
	f.view.columns = &columns;
	fixture_task(&f, 0, 42, "a");
	fixture_exit(&f, 1, 42, 39, -2);
	assert_string_equal(fixture_run(&f, csv_new(&f.view, CSV_TABS, false)),
			    "sonde.task\t\t\t\nsys.exit\t42\ta\t-2\n");
	assert_int_equal(columns_missing(&columns, &f.view, missing, sizeof(missing)), 2);
	assert_string_equal(missing, "pid, comm");
	assert_int_equal(columns_missing(&columns, &f.view, missing, 4), 2);
	assert_string_equal(missing, "pid");
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);
	columns_fini(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commas),	       cmocka_unit_test(test_tabs),
		cmocka_unit_test(test_sequences),      cmocka_unit_test(test_header_without_events),
		cmocka_unit_test(test_chosen_columns), cmocka_unit_test(test_one_column),
		cmocka_unit_test(test_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

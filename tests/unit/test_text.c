// SPDX-License-Identifier: BSD-2-Clause
#include "output/text.h"

#include "view_fixture.h"

static const char *run(struct fixture *f, enum time_style time, bool colour)
{
	const struct text_options options = {.time = time, .colour = colour, .raw = true};

	return fixture_run(f, text_new(&f->view, &options));
}

static void test_names_stand_beside_numbers(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.ente?,sys.exi?");
	fixture_task(&f, 0, 42, "nginx"); /* not shown, but learnt from */
	fixture_enter(&f, 5, 42, 39, false);
	fixture_exit(&f, 1000, 42, 39, -2);
	fixture_enter(&f, 2000, 43, 20, true);
	fixture_exit(&f, 3000, 43, 999, -512);
	assert_string_equal(
		run(&f, TIME_STYLE_CLOCK, false),
		"22:13:20.000000005   1  nginx:42                sys.enter nr=39 (getpid) "
		"ip=0x7f0012345678 args=[0x1, 0x0] compat=0\n"
		"22:13:20.000001000   1  nginx:42                sys.exit  nr=39 (getpid) "
		"ret=-2 (ENOENT) compat=0\n"
		"22:13:20.000002000   1  -:43                    sys.enter nr=20 (getpid) "
		"ip=0x7f0012345678 args=[0x1, 0x0] compat=1\n"
		"22:13:20.000003000   1  -:43                    sys.exit  nr=999 "
		"ret=-512 (ERESTARTSYS) compat=0\n");
	fixture_fini(&f);
}

/* On a terminal: a line ends at its last column, and what is looked for first comes first. */
static void test_lines_are_cut(void **state)
{
	struct text_options options = {.time = TIME_STYLE_EPOCH, .width = 96};
	struct fixture f;

	(void)state;
	fixture_init(&f, "tcp.*");
	fixture_tcp(&f, 0, 77, 1234567890123, 800);
	assert_string_equal(fixture_run(&f, text_new(&f.view, &options)),
			    "1700000000.000000000   0  -:7                     tcp.ack  "
			    "10.0.0.1:5000 -> 10.0.0.2:80 state...\n");
	fixture_fini(&f);
	options.width = 400;
	fixture_init(&f, "tcp.*");
	fixture_tcp(&f, 0, 77, 1234567890123, 800);
	assert_string_equal(
		fixture_run(&f, text_new(&f.view, &options)),
		"1700000000.000000000   0  -:7                     tcp.ack  "
		"10.0.0.1:5000 -> 10.0.0.2:80 state=ESTABLISHED snd_cwnd=10 srtt_us=800 "
		"cookie=77 bytes_acked=1234567890123 bytes_received=5 total_retrans=3\n");
	fixture_fini(&f);
}

static void test_connections_stand_first(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "tcp.*");
	fixture_tcp(&f, 0, 77, 1234567890123, 800);
	assert_string_equal(run(&f, TIME_STYLE_EPOCH, false),
			    "1700000000.000000000   0  -:7                     tcp.ack  "
			    "10.0.0.1:5000 -> 10.0.0.2:80 cookie=77 bytes_acked=1234567890123 "
			    "bytes_received=5 srtt_us=800 snd_cwnd=10 total_retrans=3 "
			    "state=ESTABLISHED\n");
	fixture_fini(&f);
}

static void test_no_byte_commands_the_terminal(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "misc,sys.ente?,sys.exi?");
	fixture_task(&f, 0, 42, "\x1b[31m");
	fixture_misc(&f, 0, 0.5, "a\"b\\\x1b[2J\n\xc2\x9b\xff\xc3\xa9");
	fixture_exit(&f, 0, 42, 39, 42);
	assert_string_equal(
		run(&f, TIME_STYLE_ABS, false),
		"2023-11-14T22:13:20.000000000+00:00   -  -                       misc.all  "
		"ratio=0.5 list=[1, -2, 3] mode=0644 peer=::1 "
		"path=\"a\\\"b\\\\\\x1b[2J\\n\\xc2\\x9b\\xff\xc3\xa9\"\n"
		"2023-11-14T22:13:20.000000000+00:00   1  \\x1b[31m:42             sys.exit  "
		"nr=39 (getpid) ret=42 compat=0\n");
	fixture_fini(&f);
}

static void test_sequences_are_lists(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "seq");
	fixture_sequence(&f, 0, 0);
	fixture_sequence(&f, 0, 2);
	assert_string_equal(run(&f, TIME_STYLE_CLOCK, false),
			    "22:13:20.000000000   -  -                       seq.stack depth=0 "
			    "stack=[]\n"
			    "22:13:20.000000000   -  -                       seq.stack depth=2 "
			    "stack=[0xa, 0x14]\n");
	fixture_fini(&f);
}

static void test_loss_stands_where_it_happened(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.ente?,sys.exi?");
	fixture_exit(&f, 0, 1, 39, 1);
	fixture_lost(&f, 1, 1, 123, 0, 0);
	fixture_lost(&f, 1, 0, 1, 1, 0);
	fixture_lost(&f, 1, 3, 10, 4, 0);
	fixture_lost(&f, 1, -1, 0, 0, 2);
	fixture_exit(&f, 2500000000, 1, 39, 1);
	assert_string_equal(
		run(&f, TIME_STYLE_REL, false),
		"    +0.000000000   1  -:1                     sys.exit  nr=39 (getpid) ret=1 "
		"compat=0\n"
		"--- 123 events lost here on cpu 1 (buffer full) ---\n"
		"--- 1 event lost here on cpu 0 (nested too deep) ---\n"
		"--- 10 events lost here on cpu 3 (6 buffer full, 4 nested too deep) ---\n"
		"--- 2 packets overwritten here ---\n"
		"    +2.500000000   1  -:1                     sys.exit  nr=39 (getpid) ret=1 "
		"compat=0\n");
	fixture_fini(&f);
}

static void test_colour_only_when_asked(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exi?");
	fixture_exit(&f, 0, 1, 39, 1);
	assert_null(strchr(run(&f, TIME_STYLE_CLOCK, false), '\x1b'));
	fixture_fini(&f);
	fixture_init(&f, "sys.exi?");
	fixture_exit(&f, 0, 1, 39, 1);
	assert_non_null(strstr(run(&f, TIME_STYLE_CLOCK, true), "\x1b[36msys.exit"));
	fixture_fini(&f);
}

static void test_addresses_of_code(void **state)
{
	const uint64_t kernel[] = {0xffffffff81002010, 0xffffffff81002000}, user[] = {0x400100, 1};
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f, "cpu");
	fixture_symbols(&f);
	fixture_stacks(&f, 0, 7, 2, kernel, 2, user, 2, kernel[0]);
	text = run(&f, TIME_STYLE_EPOCH, false);
	assert_non_null(strstr(text, " pc=0xffffffff81002010 (in\\\"ner+0x10) pid=7 state=SYS "));
	assert_non_null(strstr(text, " kernel_stack=[in\\\"ner+0x10, outer+0x1000] "
				     "user_stack=[program+0x100, 0x1]\n"));
	fixture_fini(&f);
}

/* A line for each frame, below the event. */
static void test_stacks(void **state)
{
	const uint64_t kernel[] = {0xffffffff81002010, 0xffffffff81002000}, user[] = {0x400100, 1};
	struct text_options options = {.time = TIME_STYLE_EPOCH};
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f, "cpu");
	fixture_symbols(&f);
	fixture_stacks(&f, 0, 7, 2, kernel, 2, user, 2, kernel[0]);
	fixture_sample(&f, 1, 7, 2, 1);
	text = fixture_run(&f, text_new(&f.view, &options));
	assert_non_null(strstr(text, " kernel_depth=2 user_depth=2\n"
				     "        kernel   in\\\"ner+0x10\n"
				     "                 outer+0x1000\n"
				     "        user     program+0x100\n"
				     "                 0x1\n"
				     "1700000000.000000001 "));
	assert_string_equal(strrchr(text, 'k'), "kernel_depth=0 user_depth=0\n");
	fixture_fini(&f);
	options.width = 60;
	fixture_init(&f, "cpu");
	fixture_symbols(&f);
	fixture_stacks(&f, 0, 7, 2, kernel, 1, user, 1, kernel[0]);
	text = fixture_run(&f, text_new(&f.view, &options));
	assert_non_null(strstr(
		text, "...\n        kernel   in\\\"ner+0x10\n        user     program+0x100\n"));
	fixture_fini(&f);
}

/* In the order asked for; a connection only where all of it was asked for. */
static void test_chosen_fields(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "tcp,sys.exit");
	assert_int_equal(
		field_choice_add(&f.view.fields, "ret,state,rport,saddr,lport,daddr,nr", NULL), 0);
	fixture_tcp(&f, 0, 1, 2, 3);
	fixture_exit(&f, 1, 42, 39, -2);
	assert_string_equal(run(&f, TIME_STYLE_EPOCH, false),
			    "1700000000.000000000   0  -:7                     tcp.ack "
			    " state=ESTABLISHED 10.0.0.1:5000 -> 10.0.0.2:80\n"
			    "1700000000.000000001   1  -:42                    sys.exit"
			    " ret=-2 (ENOENT) nr=39 (getpid)\n");
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);

	fixture_init(&f, "tcp");
	assert_int_equal(field_choice_add(&f.view.fields, "rport,saddr", NULL), 0);
	fixture_tcp(&f, 0, 1, 2, 3);
	assert_string_equal(run(&f, TIME_STYLE_EPOCH, false),
			    "1700000000.000000000   0  -:7                     tcp.ack "
			    " rport=80 saddr=10.0.0.1\n");
	field_choice_fini(&f.view.fields);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_stand_beside_numbers),
		cmocka_unit_test(test_lines_are_cut),
		cmocka_unit_test(test_connections_stand_first),
		cmocka_unit_test(test_no_byte_commands_the_terminal),
		cmocka_unit_test(test_sequences_are_lists),
		cmocka_unit_test(test_loss_stands_where_it_happened),
		cmocka_unit_test(test_colour_only_when_asked),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_addresses_of_code),
		cmocka_unit_test(test_chosen_fields),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

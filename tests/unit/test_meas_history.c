// SPDX-License-Identifier: BSD-2-Clause
/*
 * What msmod keeps in its file, and which events go by which of its changes.
 */
#include "record_format/meas/meas_history.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "record_format/meas/meas_form.h"
#include "schema/event.h"

#define SECOND 1000000000ll

static char path[] = "/tmp/meas_history.XXXXXX";
static int dir;

static void store(const bool *on, int64_t second)
{
	struct meas_change change = {.time_ns = second * SECOND};

	memcpy(change.on, on, sizeof(change.on));
	assert_int_equal(meas_switch_store(dir, &change), 0);
}

static void test_file(void **state)
{
	static const char text[] = "swtch\nwhat nobody knows\ndisc_io_id\nswtch";
	bool on[MEAS_SWITCHES] = {false}, got[MEAS_SWITCHES];
	int fd;

	(void)state;
	(void)unlinkat(dir, MEAS_SWITCH_FILE, 0);
	memset(got, true, sizeof(got));
	assert_int_equal(meas_switch_load(dir, got), 0);
	assert_memory_equal(got, on, sizeof(on));

	on[MEAS_SWTCH] = on[MEAS_DISC_IO] = true;
	store(on, 7);
	assert_int_equal(meas_switch_load(dir, got), 0);
	assert_memory_equal(got, on, sizeof(on));

	fd = openat(dir, MEAS_SWITCH_FILE, O_WRONLY | O_TRUNC);
	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fd_close(fd), 0);
	assert_int_equal(meas_switch_load(dir, got), 0);
	assert_memory_equal(got, on, sizeof(on));
}

static void test_mark(void **state)
{
	bool which[MEAS_SWITCHES] = {false};

	(void)state;
	assert_int_equal(meas_switch_mark("swtc", which), -ENOENT);
	assert_int_equal(meas_switch_mark("03", which), -ENOENT);
	assert_int_equal(meas_switch_mark("3", which), 0);
	assert_true(which[MEAS_SWTCH]);
	assert_int_equal(meas_switch_mark("syscall?*", which), 0);
	assert_true(which[MEAS_SYSCALLSTART] && which[MEAS_SYSCALLEXIT]);
	assert_false(which[MEAS_SYSCALL]);
}

static void test_needs(void **state)
{
	bool on[MEAS_SWITCHES] = {false};
	const char *needs[MEAS_NEEDS_MAX];

	(void)state;
	assert_int_equal(meas_switch_needs(on, needs), 0);
	on[MEAS_SWTCH] = on[MEAS_SETRQ] = on[MEAS_DISC_CTD] = true;
	assert_int_equal(meas_switch_needs(on, needs), 3);
	assert_string_equal(needs[0], "sched.switch");
	assert_string_equal(needs[1], "sched.wakeup");
	assert_string_equal(needs[2], "sched.wakeup_new");
	memset(on, true, sizeof(on));
	assert_in_range(meas_switch_needs(on, needs), 10, MEAS_NEEDS_MAX - 1);
}

static void test_changes(void **state)
{
	static struct meas_history history;
	struct event events[4];
	bool on[MEAS_SWITCHES] = {false};

	(void)state;
	for (int i = 0; i < 4; i++)
		events[i] = (struct event){.time_ns = (100 + 10 * i) * SECOND};
	(void)unlinkat(dir, MEAS_SWITCH_FILE, 0);
	on[MEAS_SWTCH] = true;
	store(on, 50);
	assert_int_equal(meas_history_init(&history, dir), 0);
	assert_int_equal(meas_history_look(&history), 0);
	assert_int_equal(meas_history_span(&history, events, 4), 4);

	/* Off from 105 on, and something else from 120 on: both are known before the events come. */
	on[MEAS_SWTCH] = false;
	store(on, 105);
	assert_int_equal(meas_history_look(&history), 0);
	on[MEAS_EXIT] = true;
	store(on, 120);
	assert_int_equal(meas_history_look(&history), 0);
	assert_int_equal(meas_history_span(&history, events, 4), 1);
	assert_true(meas_history_on(&history)[MEAS_SWTCH]);
	assert_int_equal(meas_history_span(&history, events + 1, 3), 0);
	assert_false(meas_history_on(&history)[MEAS_SWTCH]);
	assert_int_equal(meas_history_span(&history, events + 1, 3), 1);
	assert_int_equal(meas_history_span(&history, events + 2, 2), 0);
	assert_true(meas_history_on(&history)[MEAS_EXIT]);
	assert_int_equal(meas_history_span(&history, events + 2, 2), 2);
}

/* What is on for a short time only is known, however late iscan looks. */
static void test_short_changes(void **state)
{
	static struct meas_history history;
	const struct event events[3] = {
		{.time_ns = 100 * SECOND}, {.time_ns = 110 * SECOND}, {.time_ns = 120 * SECOND}};
	bool on[MEAS_SWITCHES] = {false}, off[MEAS_SWITCHES] = {false};

	(void)state;
	(void)unlinkat(dir, MEAS_SWITCH_FILE, 0);
	assert_int_equal(meas_history_init(&history, dir), 0);
	on[MEAS_SWTCH] = true;
	store(on, 105);
	store(off, 115);
	assert_int_equal(meas_history_look(&history), 0);
	assert_int_equal(meas_history_span(&history, events, 3), 1);
	assert_int_equal(meas_history_span(&history, events + 1, 2), 0);
	assert_true(meas_history_on(&history)[MEAS_SWTCH]);
	assert_int_equal(meas_history_span(&history, events + 1, 2), 1);
	assert_int_equal(meas_history_span(&history, events + 2, 1), 0);
	assert_false(meas_history_on(&history)[MEAS_SWTCH]);
	assert_int_equal(meas_history_span(&history, events + 2, 1), 1);
}

/* A file of another hand, without times or with bad ones. */
static void test_by_hand(void **state)
{
	static const char text[] = "swtch\n@\n@x exit\n@-3 exit\n@5x exit\n@7 exit nobody\n";
	const struct timespec times[2] = {{50, 0}, {50, 0}};
	struct meas_change changes[MEAS_CHANGES_KEPT];
	int fd = openat(dir, MEAS_SWITCH_FILE, O_WRONLY | O_TRUNC | O_CREAT, 0600);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fd_close(fd), 0);
	assert_int_equal(utimensat(dir, MEAS_SWITCH_FILE, times, 0), 0);
	assert_int_equal(meas_switch_changes(dir, changes), 2);
	assert_true(changes[0].time_ns == 7 && changes[0].on[MEAS_EXIT]);
	assert_true(changes[1].time_ns == 50 * SECOND && changes[1].on[MEAS_SWTCH]);
	assert_false(changes[1].on[MEAS_EXIT]);
}

/* What nobody has obeyed yet stays bounded, and the last is what counts. */
static void test_many_changes(void **state)
{
	static struct meas_history history;
	struct event event = {.time_ns = 10000 * SECOND};
	bool on[MEAS_SWITCHES] = {false};

	(void)state;
	(void)unlinkat(dir, MEAS_SWITCH_FILE, 0);
	store(on, 1);
	assert_int_equal(meas_history_init(&history, dir), 0);
	for (int i = 0; i < 200; i++) {
		on[MEAS_SWTCH] = i % 2;
		store(on, 100 + i);
		assert_int_equal(meas_history_look(&history), 0);
	}
	assert_int_equal(history.count, MEAS_CHANGES_MAX);
	while (!meas_history_span(&history, &event, 1))
		continue;
	assert_int_equal(history.count, 1);
	assert_true(meas_history_on(&history)[MEAS_SWTCH]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),	     cmocka_unit_test(test_mark),
		cmocka_unit_test(test_needs),	     cmocka_unit_test(test_changes),
		cmocka_unit_test(test_many_changes), cmocka_unit_test(test_short_changes),
		cmocka_unit_test(test_by_hand),
	};
	int failed;

	if (!mkdtemp(path))
		return 1;
	dir = open(path, O_RDONLY | O_DIRECTORY);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlinkat(dir, MEAS_SWITCH_FILE, 0);
	(void)fd_close(dir);
	(void)rmdir(path);
	return failed;
}

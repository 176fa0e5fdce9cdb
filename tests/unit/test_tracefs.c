// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracefs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char place[] = "/tmp/sonde-tracefs-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(place))
		return -1;
	make("events");
	make("events/sched");
	make("events/sched/sched_switch");
	put("events/sched/sched_switch/format", "ID: 1\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", place);
	return system(command);
}

static void names_are_groups_and_events(void **state)
{
	const char *group, *event;
	struct tracefs *fs;
	char *text;

	(void)state;
	put("available_events", "sched:sched_switch\nnet:net_dev_queue\n");
	assert_int_equal(tracefs_open_at(place, &fs), 0);
	assert_int_equal(tracefs_count(fs), 2);
	tracefs_name(fs, 1, &group, &event);
	assert_string_equal(group, "net");
	assert_string_equal(event, "net_dev_queue");
	assert_int_equal(tracefs_format(fs, 0, &text), 0);
	assert_string_equal(text, "ID: 1\n");
	free(text);
	assert_int_equal(tracefs_format(fs, 1, &text), -ENOENT);
	tracefs_close(fs);
}

static void no_name_leads_elsewhere(void **state)
{
	struct tracefs *fs;

	(void)state;
	put("available_events", "..:x\nx:..\n.:y\na/b:c\na:b/c\n:\nnocolon\n\na:\n:b\nsched:last");
	assert_int_equal(tracefs_open_at(place, &fs), 0);
	assert_int_equal(tracefs_count(fs), 0); /* the last line has no end: it is cut off */
	tracefs_close(fs);
}

static void what_is_not_there_is_told(void **state)
{
	struct tracefs *fs;

	(void)state;
	assert_int_equal(tracefs_open_at("/no/such/place", &fs), -ENOENT);
	assert_int_equal(tracefs_open_at("/proc", &fs), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_groups_and_events),
		cmocka_unit_test(no_name_leads_elsewhere),
		cmocka_unit_test(what_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

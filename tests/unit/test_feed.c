// SPDX-License-Identifier: BSD-2-Clause
/* Needs a kernel that takes programs: skipped where there is none. With the argument "refused" there is none. */
#include "record/feed.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "record/filter.h"
#include "schema/source.h"

#define CALLS 300000
#define RECORD_BYTES 20 /* of the beginning of one getppid */

/* Until a recording ends that does not have what it should have. */
#define PATIENCE_NS (600ull * 1000000000)

static char runtime_dir[] = "/tmp/feed.XXXXXX";

static const char *const calls[] = {"sys.enter"};
static const char *const switches[] = {"sched.switch"};

static int entries_in_runtime_dir(const char *prefix)
{
	DIR *dir = opendir(runtime_dir);
	struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		count += !strncmp(entry->d_name, prefix, strlen(prefix));
	closedir(dir);
	return count;
}

static void remove_tree(const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(system(command), 0);
}

/* What the files of the trace take. */
static uint64_t feed_bytes(void)
{
	char path[128];
	struct dirent *entry;
	uint64_t blocks = 0;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/feed.%d", runtime_dir, (int)getpid());
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (!fstatat(dirfd(dir), entry->d_name, &st, 0) && S_ISREG(st.st_mode))
			blocks += (uint64_t)st.st_blocks;
	}
	closedir(dir);
	return blocks * 512;
}

static int open_feed(const struct feed_config *config, struct event_source **ret)
{
	struct diag diag = {0};
	int err = feed_open(config, ret, &diag);

	if (err == -EPERM || err == -EACCES || err == -ENOENT || err == -ENODEV) {
		print_message("%s\n", diag.text);
		skip();
	}
	if (err)
		print_message("%s\n", diag.text);
	return err;
}

/*
 * All events of classes called @name until the end: their count. In the order of time, none lost. After @enough of them a
 * signal ends the recording; 0 = never.
 */
static uint64_t read_all(struct event_source *feed, const char *name, uint64_t enough)
{
	int64_t last_ns = INT64_MIN;
	bool told = !enough;
	const struct event *events;
	uint64_t count = 0;
	int got;

	while ((got = feed->ops->next(feed, &events)) > 0 || got == -EAGAIN) {
		for (int i = 0; i < got; i++) {
			assert_true(events[i].time_ns >= last_ns);
			last_ns = events[i].time_ns;
			assert_int_not_equal(events[i].class->role, EVENT_ROLE_LOST);
			count += !strcmp(events[i].class->name, name);
		}
		if (!told && count >= enough) {
			assert_int_equal(kill(getpid(), SIGTERM), 0);
			told = true;
		}
	}
	assert_int_equal(got, 0);
	return count;
}

/* getppid, as the system call that it is, by a child that waits for a byte first, or until we have ended. */
static pid_t fork_caller(const int gate[2], int times)
{
	pid_t pid = fork();
	char byte;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	close(gate[1]);
	if (read(gate[0], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < times; i++)
		(void)syscall(SYS_getppid);
	_exit(0);
}

/* Every call of a process comes out, once, and the recording is not kept. */
static void test_all_that_happens_and_nothing_kept(void **state)
{
	struct event_source *feed;
	struct diag diag = {0};
	struct filter filter;
	int gate[2], status;
	char text[16];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(gate), 0);
	pid = fork_caller(gate, CALLS);
	filter_init(&filter);
	snprintf(text, sizeof(text), "%d", (int)pid);
	assert_int_equal(filter_add_pid(&filter, text, &diag), 0);
	assert_int_equal(filter_add_syscall(&filter, "getppid", &diag), 0);
	assert_int_equal(open_feed(&(struct feed_config){.patterns = calls,
							 .pattern_count = 1,
							 .filter = &filter,
							 .duration_ns = PATIENCE_NS},
				   &feed),
			 0);
	assert_int_equal(entries_in_runtime_dir("feed."), 1);
	assert_int_equal(write(gate[1], "", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read_all(feed, "sys.getppid", CALLS), CALLS);
	assert_true(feed_bytes() < CALLS * RECORD_BYTES / 4);
	assert_null(feed->ops->problem(feed, 0));
	feed->ops->close(feed);
	assert_int_equal(entries_in_runtime_dir("feed."), 0);
	close(gate[0]);
	close(gate[1]);
}

/* A signal ends it, as it ends a recorder: what came before is still given. */
static void test_signal_ends_it(void **state)
{
	struct event_source *feed;

	(void)state;
	assert_int_equal(open_feed(&(struct feed_config){.patterns = switches, .pattern_count = 1},
				   &feed),
			 0);
	usleep(100000);
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_true(read_all(feed, "sched.switch", 0) > 0);
	assert_null(feed->ops->problem(feed, 0));
	feed->ops->close(feed);
}

/* What is off until it is turned on is described all the same, and that some of it cannot run is nobody's
 * problem before; and a client finds the feed. */
static void test_later(void **state)
{
	static const char *const later[] = {"sys.enter", "disk.tape"};
	struct event_source *feed;
	bool described = false;

	(void)state;
	assert_int_equal(open_feed(&(struct feed_config){.patterns = switches,
							 .pattern_count = 1,
							 .later = later,
							 .later_count = 2,
							 .name = "example"},
				   &feed),
			 0);
	for (size_t i = 0; i < feed->info->class_count; i++)
		described |= !strcmp(feed->info->classes[i]->name, "sys.enter");
	assert_true(described);
	assert_null(feed->ops->problem(feed, 0));
	assert_int_equal(entries_in_runtime_dir("example."), 1);
	feed->ops->close(feed);
	assert_int_equal(entries_in_runtime_dir("example."), 0);
}

/* What a killed process has left is removed by the next. */
static void test_leftovers_go(void **state)
{
	struct event_source *feed;
	char path[128];
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	snprintf(path, sizeof(path), "%s/feed.%d", runtime_dir, (int)pid);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/metadata");
	assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
	assert_int_equal(open_feed(&(struct feed_config){.patterns = switches, .pattern_count = 1},
				   &feed),
			 0);
	assert_int_equal(entries_in_runtime_dir("feed."), 1);
	feed->ops->close(feed);
	assert_int_equal(entries_in_runtime_dir("feed."), 0);
}

static void test_what_there_is_not(void **state)
{
	static const char *const nothing[] = {"no.such"};
	struct event_source *feed;
	struct diag diag = {0};
	int before = entries_in_runtime_dir("feed."), err;

	(void)state;
	err = feed_open(&(struct feed_config){.patterns = nothing, .pattern_count = 1}, &feed,
			&diag);
	assert_int_not_equal(err, 0);
	assert_true(*diag.text);
	assert_int_equal(entries_in_runtime_dir("feed."), before);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(runtime_dir) ? setenv("SONDE_RUNTIME_DIR", runtime_dir, 1) : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	remove_tree(runtime_dir);
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	return (int)syscall(SYS_capset, &head, none);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_that_happens_and_nothing_kept),
		cmocka_unit_test(test_signal_ends_it),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_leftovers_go),
		cmocka_unit_test(test_what_there_is_not),
	};

	if (argc > 1 && !strcmp(argv[1], "refused") && drop_capabilities())
		return 1;
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

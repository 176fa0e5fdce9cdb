// SPDX-License-Identifier: BSD-2-Clause
#include "record/control_client.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"
#include "record/control.h"

struct fixture {
	char path[64];
	int dir;
	struct control *control;
	bool end;
};

static enum control_verdict handle(void *ctx, char *line, struct buffer *answer)
{
	(void)ctx;
	buffer_format(answer, "{\"ok\":true,\"heard\":\"%s\"}\n", line);
	return CONTROL_ANSWERED;
}

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.path = "/tmp/sonde-client-XXXXXX"};
	if (!mkdtemp(fix.path))
		return -1;
	fix.dir = open(fix.path, O_RDONLY | O_DIRECTORY);
	*state = &fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	fd_close(fix->dir);
	return rmdir(fix->path);
}

static void *serve(void *arg)
{
	struct fixture *fix = arg;

	while (!__atomic_load_n(&fix->end, __ATOMIC_ACQUIRE)) {
		control_pump(fix->control);
		usleep(500);
	}
	return NULL;
}

static void a_recorder_is_found_and_answers(void **state)
{
	struct recorder list[RECORDERS_MAX];
	struct fixture *fix = *state;
	struct buffer answer;
	pthread_t thread;
	struct diag diag;

	assert_int_equal(control_open(fix->dir, CONTROL_RECORDER, "web", handle, fix, &fix->control,
				      &diag),
			 0);
	assert_int_equal(pthread_create(&thread, NULL, serve, fix), 0);
	assert_int_equal(recorder_list(fix->dir, RECORDER_LIST_RECORDERS, list), 1);
	assert_string_equal(list[0].name, "web");
	assert_int_equal(list[0].pid, getpid());
	buffer_init(&answer);
	assert_int_equal(recorder_ask(fix->dir, &list[0], "enable tcp", 5000, &answer), 0);
	assert_string_equal(answer.data, "{\"ok\":true,\"heard\":\"enable tcp\"}\n");
	buffer_fini(&answer);
	__atomic_store_n(&fix->end, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	control_close(fix->control, NULL);
	assert_int_equal(recorder_list(fix->dir, RECORDER_LIST_RECORDERS, list), 0);
}

static void relays_are_told_apart(void **state)
{
	struct recorder list[RECORDERS_MAX];
	struct fixture *fix = *state;
	struct diag diag;

	assert_int_equal(
		control_open(fix->dir, CONTROL_RELAY, "web", handle, fix, &fix->control, &diag), 0);
	assert_int_equal(recorder_list(fix->dir, RECORDER_LIST_RECORDERS, list), 0);
	assert_int_equal(recorder_list(fix->dir, RECORDER_LIST_RELAYS, list), 1);
	assert_int_equal(list[0].kind, CONTROL_RELAY);
	assert_int_equal(list[0].pid, getpid());
	control_close(fix->control, NULL);
}

static void one_that_hangs_is_given_up(void **state)
{
	struct recorder list[RECORDERS_MAX];
	struct fixture *fix = *state;
	struct buffer answer;
	struct diag diag;

	assert_int_equal(control_open(fix->dir, CONTROL_RECORDER, "web", handle, fix, &fix->control,
				      &diag),
			 0);
	assert_int_equal(recorder_list(fix->dir, RECORDER_LIST_RECORDERS, list), 1);
	buffer_init(&answer);
	assert_int_equal(recorder_ask(fix->dir, &list[0], "status", 20, &answer), -ETIMEDOUT);
	control_close(fix->control, NULL);
	assert_int_equal(recorder_ask(fix->dir, &list[0], "status", 20, &answer), -ENOENT);
	buffer_fini(&answer);
}

/* A child that dies without closing leaves its socket; who looks for recorders takes it away. */
static void sockets_of_the_dead_are_removed(void **state)
{
	struct recorder list[RECORDERS_MAX];
	char file[CONTROL_FILE_BYTES];
	struct fixture *fix = *state;
	pid_t child = fork();

	if (!child) {
		struct diag diag;

		_exit(control_open(fix->dir, CONTROL_RECORDER, "dead", handle, fix, &fix->control,
				   &diag) ?
			      1 :
			      0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	control_file_format(file, CONTROL_RECORDER, "dead", child);
	assert_int_equal(faccessat(fix->dir, file, F_OK, 0), 0);
	assert_int_equal(recorder_list(fix->dir, RECORDER_LIST_RECORDERS, list), 0);
	assert_int_equal(faccessat(fix->dir, file, F_OK, 0), -1);
}

#define CLIENT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLIENT_TEST(a_recorder_is_found_and_answers),
		CLIENT_TEST(relays_are_told_apart),
		CLIENT_TEST(one_that_hangs_is_given_up),
		CLIENT_TEST(sockets_of_the_dead_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

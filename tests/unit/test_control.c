// SPDX-License-Identifier: BSD-2-Clause
#include "record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "record/control_dir.h"

struct fixture {
	char path[64];
	int dir;
	struct control *control;
	char heard[64]; /* the last request */
	int requests;
};

static enum control_verdict handle(void *ctx, char *line, struct buffer *answer)
{
	struct fixture *fix = ctx;

	fix->requests++;
	snprintf(fix->heard, sizeof(fix->heard), "%s", line);
	if (!strcmp(line, "stop"))
		return CONTROL_STOP;
	buffer_string(answer, "{\"ok\":true}\n");
	return CONTROL_ANSWERED;
}

static int set_up(void **state)
{
	static struct fixture fix;
	struct diag diag;

	fix = (struct fixture){.path = "/tmp/sonde-control-XXXXXX"};
	if (!mkdtemp(fix.path))
		return -1;
	fix.dir = open(fix.path, O_RDONLY | O_DIRECTORY);
	*state = &fix;
	return control_open(fix.dir, CONTROL_RECORDER, "test", handle, &fix, &fix.control, &diag);
}

/* An empty directory is left: nothing that the server made stays behind. */
static int tear_down(void **state)
{
	struct fixture *fix = *state;

	control_close(fix->control, NULL);
	fd_close(fix->dir);
	return rmdir(fix->path);
}

static int join(const struct fixture *fix)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	char file[CONTROL_FILE_BYTES];
	struct sockaddr_un address;

	control_file_format(file, CONTROL_RECORDER, "test", getpid());
	control_address(&address, fix->dir, file);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		fail_msg("connect: %s", strerror(errno));
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static int pump(struct fixture *fix)
{
	int stop = 0;

	/* Accept, then hear. */
	for (int i = 0; i < 3; i++)
		stop |= control_pump(fix->control);
	return stop;
}

static void expect(int fd, const char *wanted)
{
	char text[256] = "";
	ssize_t got = recv(fd, text, sizeof(text) - 1, 0);

	if (got < 0)
		fail_msg("recv: %s", strerror(errno));
	assert_non_null(strstr(text, wanted));
}

static void expect_closed(int fd)
{
	char byte;

	assert_true(recv(fd, &byte, 1, 0) == 0 || errno == ECONNRESET);
	close(fd);
}

static void a_line_is_answered_with_a_line(void **state)
{
	struct fixture *fix = *state;
	int fd = join(fix);

	say(fd, "status\n");
	assert_int_equal(pump(fix), 0);
	assert_string_equal(fix->heard, "status");
	expect(fd, "{\"ok\":true}\n");
	expect_closed(fd);
}

/* A client that cannot be taken does not keep the recorder busy; it is answered when there is a descriptor again. */
static void without_descriptors_clients_wait(void **state)
{
	struct fixture *fix = *state;
	struct rlimit before, none;
	struct pollfd call = {.fd = control_fd(fix->control), .events = POLLIN};
	int fd = join(fix);

	say(fd, "status\n");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	(void)pump(fix);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(fix->requests, 0);
	assert_int_equal(poll(&call, 1, 0), 0);
	control_tick(fix->control, clock_monotonic_ns());
	assert_int_equal(poll(&call, 1, 0), 1);
	(void)pump(fix);
	expect(fd, "{\"ok\":true}\n");
	expect_closed(fd);
}

static void the_socket_is_closed_to_others(void **state)
{
	struct fixture *fix = *state;
	char file[CONTROL_FILE_BYTES];
	struct stat st;

	control_file_format(file, CONTROL_RECORDER, "test", getpid());
	assert_int_equal(fstatat(fix->dir, file, &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(S_ISSOCK(st.st_mode));
}

static void a_line_may_come_in_pieces(void **state)
{
	struct fixture *fix = *state;
	int fd = join(fix);

	say(fd, "sta");
	pump(fix);
	say(fd, "tus");
	pump(fix);
	assert_int_equal(fix->requests, 0);
	say(fd, "\n");
	pump(fix);
	assert_string_equal(fix->heard, "status");
	expect(fd, "{\"ok\":true}\n");
	expect_closed(fd);
}

static void what_comes_behind_the_line_is_ignored(void **state)
{
	struct fixture *fix = *state;
	int fd = join(fix);

	say(fd, "one\ntwo\nthree\n");
	pump(fix);
	assert_int_equal(fix->requests, 1);
	assert_string_equal(fix->heard, "one");
	expect(fd, "{\"ok\":true}\n");
	expect_closed(fd);
}

static void an_endless_line_is_cut_off(void **state)
{
	struct fixture *fix = *state;
	int fd = join(fix);
	char block[1024];

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 100; i++) {
		(void)send(fd, block, sizeof(block), MSG_NOSIGNAL);
		pump(fix);
	}
	assert_int_equal(fix->requests, 0);
	expect(fd, "too long");
	expect_closed(fd);
}

static void who_says_nothing_is_sent_away(void **state)
{
	struct fixture *fix = *state;
	int fd = join(fix), late = join(fix);
	char byte;

	say(fd, "no newline");
	pump(fix);
	control_tick(fix->control, clock_monotonic_ns());
	assert_true(recv(fd, &byte, 1, 0) < 0 && errno == EAGAIN);
	control_tick(fix->control, clock_monotonic_ns() + CONTROL_PATIENCE_NS);
	expect(fd, "no request came");
	expect_closed(fd);
	expect(late, "no request came");
	expect_closed(late);
}

static void too_many_clients_are_refused(void **state)
{
	struct fixture *fix = *state;
	int fds[CONTROL_CLIENTS_MAX], one_more;

	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		fds[i] = join(fix);
		pump(fix);
	}
	one_more = join(fix);
	pump(fix);
	expect(one_more, "too many clients");
	expect_closed(one_more);
	/* The others are still heard, and their places are free again when they go. */
	say(fds[3], "hello\n");
	pump(fix);
	expect(fds[3], "{\"ok\":true}\n");
	expect_closed(fds[3]);
	fds[3] = join(fix);
	say(fds[3], "again\n");
	pump(fix);
	expect(fds[3], "{\"ok\":true}\n");
	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
		close(fds[i]);
	pump(fix);
}

static void who_hangs_up_is_forgotten(void **state)
{
	struct fixture *fix = *state;

	for (int i = 0; i < 10 * CONTROL_CLIENTS_MAX; i++) {
		int fd = join(fix);

		say(fd, "half a lin");
		pump(fix);
		close(fd);
		pump(fix);
	}
	assert_int_equal(fix->requests, 0);
}

static void a_stop_is_answered_at_the_end(void **state)
{
	struct fixture *fix = *state;
	int one = join(fix), two = join(fix);
	struct buffer end;
	char byte;

	say(one, "stop\n");
	assert_int_equal(pump(fix), 1);
	say(two, "stop\n");
	assert_int_equal(pump(fix), 1);
	say(one, "hurry\n");
	assert_int_equal(pump(fix), 0);
	assert_true(recv(one, &byte, 1, 0) < 0 && errno == EAGAIN);
	/* Who waits for the end is not out of time. */
	control_tick(fix->control, clock_monotonic_ns() + 2 * CONTROL_PATIENCE_NS);
	assert_true(recv(one, &byte, 1, 0) < 0 && errno == EAGAIN);
	buffer_init(&end);
	buffer_string(&end, "{\"ok\":true,\"events\":5}\n");
	control_close(fix->control, &end);
	fix->control = NULL;
	buffer_fini(&end);
	expect(one, "\"events\":5");
	expect_closed(one);
	expect(two, "\"events\":5");
	expect_closed(two);
}

static void bytes_of_any_kind_are_a_request(void **state)
{
	static const char garbage[] = "\0\xff\x1b[31m{\"ok\":\n";
	struct fixture *fix = *state;
	int fd = join(fix);

	assert_int_equal(send(fd, garbage, sizeof(garbage) - 1, 0), sizeof(garbage) - 1);
	pump(fix);
	assert_int_equal(fix->requests, 1);
	assert_string_equal(fix->heard, "");
	expect(fd, "{\"ok\":true}\n");
	expect_closed(fd);
}

#define CONTROL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTROL_TEST(a_line_is_answered_with_a_line),
		CONTROL_TEST(without_descriptors_clients_wait),
		CONTROL_TEST(the_socket_is_closed_to_others),
		CONTROL_TEST(a_line_may_come_in_pieces),
		CONTROL_TEST(what_comes_behind_the_line_is_ignored),
		CONTROL_TEST(an_endless_line_is_cut_off),
		CONTROL_TEST(who_says_nothing_is_sent_away),
		CONTROL_TEST(too_many_clients_are_refused),
		CONTROL_TEST(who_hangs_up_is_forgotten),
		CONTROL_TEST(a_stop_is_answered_at_the_end),
		CONTROL_TEST(bytes_of_any_kind_are_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

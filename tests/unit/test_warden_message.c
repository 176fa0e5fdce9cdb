// SPDX-License-Identifier: BSD-2-Clause
#include "probe/warden_request.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#define MANY 8

static int ends[2];

static int set_up(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int tear_down(void **state)
{
	(void)state;
	return close(ends[0]) || close(ends[1]) ? -1 : 0;
}

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* A message with @count descriptors, which warden_message_send never sends. */
static void send_with(int count)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(MANY * sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = "request", .iov_len = 7};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int)),
	};
	int fds[MANY];

	for (int i = 0; i < count; i++)
		fds[i] = ends[0];
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
	memcpy(CMSG_DATA(&control.head), fds, (size_t)count * sizeof(int));
	assert_int_equal(sendmsg(ends[0], &msg, 0), 7);
}

static void a_descriptor_arrives(void **state)
{
	char bytes[8];
	int fd = -1;

	(void)state;
	assert_int_equal(warden_message_send(ends[0], "request", 7, ends[0]), 0);
	assert_int_equal(warden_message_receive(ends[1], bytes, sizeof(bytes), &fd), 7);
	assert_memory_equal(bytes, "request", 7);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	assert_int_equal(warden_message_send(ends[0], "request", 7, -1), 0);
	assert_int_equal(warden_message_receive(ends[1], bytes, sizeof(bytes), &fd), 7);
	assert_int_equal(fd, -1);
}

static void none_of_several_stays(void **state)
{
	int before = open_files(), fd;
	char bytes[8];

	(void)state;
	for (int count = 2; count <= MANY; count++) {
		send_with(count);
		fd = 0;
		assert_int_equal(warden_message_receive(ends[1], bytes, sizeof(bytes), &fd),
				 -EBADMSG);
		assert_int_equal(fd, -1);
		assert_int_equal(open_files(), before);
	}
}

static void that_of_a_message_too_long_does_not_stay(void **state)
{
	int before = open_files(), fd = 0;
	char bytes[6];

	(void)state;
	send_with(1);
	assert_int_equal(warden_message_receive(ends[1], bytes, sizeof(bytes), &fd), -EBADMSG);
	assert_int_equal(fd, -1);
	assert_int_equal(open_files(), before);
}

static void where_no_number_is_left_it_says_so(void **state)
{
	struct rlimit before, full;
	int fd = dup(ends[0]);
	ssize_t len;
	char bytes[8];

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	full = before;
	full.rlim_cur = (rlim_t)fd;
	send_with(1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
	len = warden_message_receive(ends[1], bytes, sizeof(bytes), &fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(len, -EMFILE);
	assert_int_equal(fd, -1);
}

static void its_end_is_told(void **state)
{
	char bytes[8];
	int fd = 0;

	(void)state;
	assert_int_equal(shutdown(ends[0], SHUT_WR), 0);
	assert_int_equal(warden_message_receive(ends[1], bytes, sizeof(bytes), &fd), 0);
	assert_int_equal(fd, -1);
}

#define MESSAGE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MESSAGE_TEST(a_descriptor_arrives),
		MESSAGE_TEST(none_of_several_stays),
		MESSAGE_TEST(that_of_a_message_too_long_does_not_stay),
		MESSAGE_TEST(where_no_number_is_left_it_says_so),
		MESSAGE_TEST(its_end_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

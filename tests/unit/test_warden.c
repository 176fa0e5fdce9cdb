// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "probe/kallsyms.h"
#include "probe/netns.h"
#include "probe/warden_request.h"
#include "symbol/process_map.h"

static struct warden *warden;

static int set_up(void **state)
{
	const struct warden_config config = {.command_fd = -1};

	(void)state;
	/* The test itself is what is looked at. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	return warden_open(&config, &warden);
}

static int tear_down(void **state)
{
	(void)state;
	warden_close(warden);
	warden = NULL;
	return 0;
}

static pid_t child(void)
{
	char path[64], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	fd_close(fd);
	return atoi(text);
}

static void skip_where_a_child_may_not_look(void)
{
	int fd = -1;

	if (geteuid())
		skip();
	assert_int_equal(warden_maps(warden, (uint32_t)getpid(), &fd), 0);
	fd_close(fd);
}

static char *load_maps(size_t *len)
{
	char *maps = NULL;
	int fd = -1;

	assert_int_equal(warden_maps(warden, (uint32_t)getpid(), &fd), 0);
	assert_int_equal(file_load_fd(fd, 1 << 24, &maps, len), 0);
	fd_close(fd);
	return maps;
}

static void it_opens_code_and_nothing_else(void **state)
{
	unsigned long start = 0, end = 0;
	struct code_mapping m = {0};
	const char *at;
	char *maps, *line;
	struct stat st;
	size_t len;
	int fd = -1;

	(void)state;
	skip_where_a_child_may_not_look();
	maps = load_maps(&len);
	at = maps;
	while (process_map_next(&at, maps + len, &m) && !m.inode)
		;
	assert_true(m.inode);
	assert_int_equal(warden_mapped_file(warden, (uint32_t)getpid(), m.start, m.end, &fd), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_ino, m.inode);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	fd_close(fd);
	assert_int_equal(warden_mapped_file(warden, (uint32_t)getpid(), m.start, m.end + 4096, &fd),
			 -ENOENT);
	/* A file that is mapped as data. */
	for (line = strtok(maps, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, " r--p ") && strchr(line, '/') &&
		    sscanf(line, "%lx-%lx", &start, &end) == 2)
			break;
	}
	assert_non_null(line);
	assert_int_equal(warden_mapped_file(warden, (uint32_t)getpid(), start, end, &fd), -ENOENT);
	free(maps);
}

/* What the kernel shows is decided for who opens the file, not for who reads it. */
static void it_opens_the_symbols_of_the_kernel(void **state)
{
	int fd = -1;

	(void)state;
	assert_int_equal(warden_kallsyms(warden, &fd), 0);
	assert_int_equal(kallsyms_find_in(fd, "schedule"), kallsyms_find("schedule"));
	assert_int_equal(kallsyms_find_in(-1, "schedule"), 0);
}

static int find_inode(void *ctx, uint32_t inode)
{
	return *(const uint32_t *)ctx == inode ? 77 : 0;
}

static void it_lists_sockets(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint32_t inode;
	struct stat st;

	(void)state;
	skip_where_a_child_may_not_look();
	assert_int_equal(fstat(fd, &st), 0);
	inode = (uint32_t)st.st_ino;
	assert_int_equal(warden_sockets(warden, (uint32_t)getpid(), find_inode, &inode), 77);
	close(fd);
	assert_int_equal(warden_sockets(warden, (uint32_t)getpid(), find_inode, &inode), 0);
}

static int first_inode(void *ctx, uint32_t inode, int err)
{
	*(uint32_t *)ctx = inode;
	return err ?: 77;
}

static void it_knows_namespaces_that_it_has_listed(void **state)
{
	uint32_t inode = 0, own = netns_current(), none = 1;
	int fd = -1;

	(void)state;
	assert_int_equal(warden_netns_walk(warden, NULL, 0, first_inode, &inode), 77);
	assert_int_equal(inode, own);
	assert_int_equal(warden_netns_walk(warden, &own, 1, first_inode, &inode), 77);
	assert_int_equal(warden_netns_walk(warden, &none, 1, first_inode, &inode), 0);
	assert_int_equal(warden_netns_diag(warden, own, &fd), 0);
	fd_close(fd);
	assert_int_equal(warden_netns_diag(warden, none, &fd), -ENOENT);
}

/* The reply comes without its file, and the next one with it. */
static void without_a_free_number_it_goes_on(void **state)
{
	uint32_t inode, own = netns_current();
	struct rlimit before, full;
	int err, fd = dup(STDERR_FILENO);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	full = before;
	full.rlim_cur = (rlim_t)fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
	err = warden_netns_walk(warden, NULL, 0, first_inode, &inode);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err, -EMFILE);
	assert_false(warden_has_ended(warden));
	assert_int_equal(warden_netns_walk(warden, &own, 1, first_inode, &inode), 77);
}

static void what_is_no_link_has_no_iterator(void **state)
{
	uint32_t inode, own = netns_current();
	int null = open("/dev/null", O_RDONLY), fd = -1, err;

	(void)state;
	assert_int_equal(warden_netns_walk(warden, &own, 1, first_inode, &inode), 77);
	err = warden_netns_iter(warden, own, null, &fd);
	assert_true(err < 0 || fd < 0);
	assert_int_not_equal(err, -EPIPE);
	close(null);
}

static void without_a_command_there_is_none_to_end(void **state)
{
	(void)state;
	assert_int_equal(warden_end_command(warden, SIGTERM), -ESRCH);
}

static void it_ends_the_command(void **state)
{
	struct warden_config config = {.command_fd = -1};
	struct warden *other = NULL;
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		pause();
		_exit(0);
	}
	config.command_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_int_equal(warden_open(&config, &other), 0);
	assert_int_equal(warden_end_command(other, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_int_equal(warden_end_command(other, SIGTERM), -ESRCH);
	close(config.command_fd);
	warden_close(other);
}

/* Signals of a terminal reach it too, and do not end it. What does is known at once. */
static void its_end_is_known(void **state)
{
	uint32_t inode = 0;
	int fd = -1, pidfd;
	struct pollfd end = {.events = POLLIN};

	(void)state;
	assert_true(child() > 0);
	assert_false(warden_has_ended(warden));
	assert_string_equal(warden_why(warden), "");
	/* It answers, so it has set its signals. */
	assert_int_equal(warden_end_command(warden, SIGTERM), -ESRCH);
	assert_int_equal(kill(child(), SIGINT) | kill(child(), SIGTERM) | kill(child(), SIGHUP), 0);
	assert_int_equal(warden_end_command(warden, SIGTERM), -ESRCH);
	assert_false(warden_has_ended(warden));
	pidfd = (int)syscall(SYS_pidfd_open, child(), 0);
	end.fd = pidfd;
	assert_int_equal(kill(child(), SIGKILL), 0);
	assert_int_equal(poll(&end, 1, -1), 1);
	close(pidfd);
	assert_true(warden_has_ended(warden));
	assert_int_equal(warden_maps(warden, (uint32_t)getpid(), &fd), -EPIPE);
	assert_int_equal(warden_netns_walk(warden, NULL, 0, first_inode, &inode), 77);
	assert_int_equal(inode, netns_current());
	assert_string_not_equal(warden_why(warden), "");
}

/* However that ends: it holds no end of its own lines. */
static void it_ends_with_its_recorder(void **state)
{
	const struct warden_config config = {.command_fd = -1};
	struct pollfd end = {.events = POLLIN};
	pid_t recorder, its = 0;
	int told[2];

	(void)state;
	assert_int_equal(pipe(told), 0);
	recorder = fork();
	if (!recorder) {
		if (warden_open(&config, &warden) || warden_end_command(warden, SIGTERM) != -ESRCH)
			_exit(1);
		its = child();
		(void)!write(told[1], &its, sizeof(its));
		pause();
		_exit(0);
	}
	close(told[1]);
	assert_int_equal(read(told[0], &its, sizeof(its)), sizeof(its));
	end.fd = (int)syscall(SYS_pidfd_open, its, 0);
	assert_true(end.fd >= 0);
	assert_int_equal(poll(&end, 1, 0), 0);
	assert_int_equal(kill(recorder, SIGKILL), 0);
	assert_int_equal(waitpid(recorder, NULL, 0), recorder);
	assert_int_equal(poll(&end, 1, 60000), 1);
	close(end.fd);
	close(told[0]);
}

static struct warden_request good(enum warden_kind kind)
{
	return (struct warden_request){.kind = kind};
}

static int parse(const struct warden_request *req, size_t fds)
{
	struct warden_request ret;

	return warden_request_parse(req, sizeof(*req), fds, &ret);
}

/* Each field, where it has no business, and each value that is none. */
static void only_requests_of_the_list_are_taken(void **state)
{
	struct warden_request req = good(WARDEN_RUN_STATS), ret;

	(void)state;
	assert_int_equal(parse(&req, 0), 0);
	assert_int_equal(parse(&req, 1), -EBADMSG);
	assert_int_equal(warden_request_parse(&req, sizeof(req) - 1, 0, &ret), -EBADMSG);
	req.pid = 1;
	assert_int_equal(parse(&req, 0), -EBADMSG);
	req = good(WARDEN_KIND_END);
	assert_int_equal(parse(&req, 0), -EBADMSG);
	req = good(WARDEN_MAPS);
	assert_int_equal(parse(&req, 0), -EBADMSG);
	req.pid = WARDEN_PID_END;
	assert_int_equal(parse(&req, 0), -EBADMSG);
	req.pid--;
	assert_int_equal(parse(&req, 0), 0);
	req = good(WARDEN_END_COMMAND);
	req.signal = SIGSTOP;
	assert_int_equal(parse(&req, 0), -EBADMSG);
	req.signal = SIGKILL;
	assert_int_equal(parse(&req, 0), 0);
	req = good(WARDEN_MAPPED_FILE);
	req.pid = 1;
	assert_int_equal(parse(&req, 0), -EBADMSG);
	req.start = 4096;
	req.end = 8193;
	assert_int_equal(parse(&req, 0), -EBADMSG);
	req.end = 8192;
	assert_int_equal(parse(&req, 0), 0);
	req = good(WARDEN_NETNS_HOOK);
	req.netns = 1;
	req.family = 2;
	assert_int_equal(parse(&req, 0), -EBADMSG);
	assert_int_equal(parse(&req, 1), 0);
	req.hook = 5;
	assert_int_equal(parse(&req, 1), -EBADMSG);
}

#define WARDEN_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WARDEN_TEST(it_opens_code_and_nothing_else),
		WARDEN_TEST(it_opens_the_symbols_of_the_kernel),
		WARDEN_TEST(it_lists_sockets),
		WARDEN_TEST(it_knows_namespaces_that_it_has_listed),
		WARDEN_TEST(without_a_free_number_it_goes_on),
		WARDEN_TEST(what_is_no_link_has_no_iterator),
		WARDEN_TEST(without_a_command_there_is_none_to_end),
		WARDEN_TEST(its_end_is_known),
		cmocka_unit_test(it_ends_with_its_recorder),
		cmocka_unit_test(it_ends_the_command),
		cmocka_unit_test(only_requests_of_the_list_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "probe/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What a walk has visited. */
struct visits {
	uint32_t inodes[4096];
	size_t count;
	int answer; /* of the visitor */
};

static int note_visit(void *ctx, const struct netns *ns)
{
	struct visits *visits = ctx;

	assert_true(ns->inode && ns->fd >= 0);
	if (visits->count < 4096)
		visits->inodes[visits->count] = ns->inode;
	visits->count++;
	return visits->answer;
}

static size_t times_visited(const struct visits *visits, uint32_t inode)
{
	size_t times = 0;

	for (size_t i = 0; i < visits->count && i < 4096; i++)
		times += visits->inodes[i] == inode;
	return times;
}

static void each_is_visited_once_and_ours_first(void **state)
{
	static struct visits visits;

	(void)state;
	visits = (struct visits){0};
	assert_int_equal(netns_walk(NULL, 0, note_visit, &visits), 0);
	assert_in_range(visits.count, 1, 4096);
	assert_int_equal(visits.inodes[0], netns_current());
	for (size_t i = 0; i < visits.count; i++)
		assert_int_equal(times_visited(&visits, visits.inodes[i]), 1);
}

static void only_what_is_wanted_is_visited(void **state)
{
	uint32_t wanted[] = {1, netns_current()};
	static struct visits visits;

	(void)state;
	visits = (struct visits){0};
	assert_int_equal(netns_walk(wanted, 2, note_visit, &visits), 0);
	assert_int_equal(visits.count, 1);
	assert_int_equal(visits.inodes[0], wanted[1]);
	assert_int_equal(netns_walk(wanted, 1, note_visit, &visits), 0);
	assert_int_equal(visits.count, 1);
}

static void a_visitor_can_end_the_walk(void **state)
{
	static struct visits visits;

	(void)state;
	visits = (struct visits){.answer = -ECANCELED};
	assert_int_equal(netns_walk(NULL, 0, note_visit, &visits), -ECANCELED);
	assert_int_equal(visits.count, 1);
}

/* A child that is in a namespace of its own until its stdin ends. */
struct elsewhere {
	pid_t pid;
	int gate;
};

static bool begin_elsewhere(struct elsewhere *child)
{
	int gate[2], ready[2];
	char byte = 0;

	assert_int_equal(pipe2(gate, O_CLOEXEC) | pipe2(ready, O_CLOEXEC), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (!child->pid) {
		close(gate[1]);
		byte = unshare(CLONE_NEWNET) ? 'n' : 'y';
		if (write(ready[1], &byte, 1) == 1)
			(void)!read(gate[0], &byte, 1);
		_exit(0);
	}
	close(gate[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	child->gate = gate[1];
	return byte == 'y';
}

static void end_elsewhere(struct elsewhere *child)
{
	close(child->gate);
	waitpid(child->pid, NULL, 0);
}

static int tell_current(void *ctx)
{
	*(uint32_t *)ctx = netns_current();
	return 7;
}

/* Jumps into each namespace that it is shown. */
static int jump_in(void *ctx, const struct netns *ns)
{
	uint32_t there = 0, home = netns_current();

	assert_int_equal(netns_call(ns, tell_current, &there), 7);
	assert_int_equal(there, ns->inode);
	assert_int_equal(netns_current(), home);
	*(uint32_t *)ctx = there;
	return 0;
}

static uint32_t inode_of_process(pid_t pid)
{
	char path[64], link[64] = "";
	uint32_t inode = 0;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	assert_true(readlink(path, link, sizeof(link) - 1) > 0);
	assert_int_equal(sscanf(link, "net:[%u]", &inode), 1);
	return inode;
}

static void a_process_elsewhere_is_found_and_joined(void **state)
{
	struct elsewhere child;
	uint32_t wanted, there = 0, home = netns_current();

	(void)state;
	if (!begin_elsewhere(&child)) {
		end_elsewhere(&child);
		skip();
	}
	wanted = inode_of_process(child.pid);
	assert_int_not_equal(wanted, home);
	assert_int_equal(netns_walk(&wanted, 1, jump_in, &there), 0);
	assert_int_equal(there, wanted);
	assert_int_equal(netns_walk(&home, 1, jump_in, &there), 0);
	assert_int_equal(there, home);
	end_elsewhere(&child);
}

/* Status 0: found where no process is in it any more, by a mount with a blank in its name. */
static int look_for_mounted(const char *dir)
{
	static struct visits visits;
	struct elsewhere child;
	char from[64], to[300];
	uint32_t inode;
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return 77;
	if (!begin_elsewhere(&child))
		return 77;
	inode = inode_of_process(child.pid);
	snprintf(from, sizeof(from), "/proc/%d/ns/net", child.pid);
	snprintf(to, sizeof(to), "%s/a name", dir);
	fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	if (fd < 0 || mount(from, to, NULL, MS_BIND, NULL))
		return 77;
	end_elsewhere(&child);
	if (netns_walk(&inode, 1, note_visit, &visits) || visits.count != 1)
		return 1;
	umount(to);
	unlink(to);
	visits.count = 0;
	return netns_walk(&inode, 1, note_visit, &visits) || visits.count;
}

static void one_that_is_only_mounted_is_found_until_it_is_gone(void **state)
{
	char dir[] = "/tmp/sonde-netns-XXXXXX";
	int status;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	pid = fork();
	if (!pid)
		_exit(look_for_mounted(dir));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	rmdir(dir);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_visited_once_and_ours_first),
		cmocka_unit_test(only_what_is_wanted_is_visited),
		cmocka_unit_test(a_visitor_can_end_the_walk),
		cmocka_unit_test(a_process_elsewhere_is_found_and_joined),
		cmocka_unit_test(one_that_is_only_mounted_is_found_until_it_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

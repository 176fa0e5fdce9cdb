// SPDX-License-Identifier: BSD-2-Clause
#include "record/tcp_poll.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/map.h"
#include "probe/warden.h"
#include "record/filter.h"

/* Each test has a socket, and a set of processes that has none yet. */
struct scene {
	struct filter filter;
	struct map found;
	struct warden *warden;
	uint64_t *pids;
	int fd;
	uint32_t inode;
};

static int set_up(void **state)
{
	static struct scene scene;
	struct stat st;

	assert_int_equal(warden_open_here(&scene.warden), 0);
	filter_init(&scene.filter);
	map_init(&scene.found, sizeof(uint32_t), sizeof(uint8_t), 0);
	scene.pids = calloc(FILTER_PID_WORDS, sizeof(uint64_t));
	scene.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!scene.pids || fstat(scene.fd, &st))
		return -1;
	scene.inode = (uint32_t)st.st_ino;
	*state = &scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	warden_close(scene->warden);
	map_fini(&scene->found);
	free(scene->pids);
	close(scene->fd);
	return 0;
}

static void set_bit(uint64_t *pids, pid_t pid)
{
	pids[pid / 64] |= 1ull << pid % 64;
}

static bool has_bit(const uint64_t *pids, pid_t pid)
{
	return pids[pid / 64] >> pid % 64 & 1;
}

static bool is_found(struct scene *scene)
{
	assert_int_equal(socket_owners_find(scene->warden, &scene->filter.config, scene->pids,
					    &scene->found),
			 0);
	return map_get(&scene->found, &scene->inode);
}

static void sockets_are_those_of_the_process(void **state)
{
	struct scene *scene = *state;

	scene->filter.config.by_pid = 1;
	assert_false(is_found(scene));
	set_bit(scene->pids, getpid());
	assert_true(is_found(scene));
}

static void a_process_is_known_by_its_name(void **state)
{
	struct scene *scene = *state;
	char name[16];

	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	assert_int_equal(prctl(PR_SET_NAME, "the socket's"), 0);
	assert_int_equal(filter_add_comm(&scene->filter, "the sock", NULL), 0);
	assert_false(is_found(scene));
	assert_int_equal(filter_add_comm(&scene->filter, "the sock*", NULL), 0);
	assert_true(is_found(scene));
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

/* Waits for the end of its stdin, as its child does. */
static pid_t make_child(int gate[2], int ready)
{
	pid_t pid = fork();
	char byte = 0;

	if (pid)
		return pid;
	close(gate[1]);
	pid = fork();
	if (pid)
		(void)!write(ready, &pid, sizeof(pid));
	(void)!read(gate[0], &byte, 1);
	_exit(0);
}

static void descendants_join_and_the_dead_leave(void **state)
{
	struct scene *scene = *state;
	int gate[2], ready[2];
	pid_t child, grandchild;

	assert_int_equal(pipe(gate) | pipe(ready), 0);
	child = make_child(gate, ready[1]);
	assert_int_equal(read(ready[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	set_bit(scene->pids, child);
	assert_int_equal(socket_owners_follow(scene->pids), 0);
	assert_true(has_bit(scene->pids, child));
	assert_true(has_bit(scene->pids, grandchild));
	assert_false(has_bit(scene->pids, getpid()));
	close(gate[1]);
	waitpid(child, NULL, 0);
	assert_int_equal(socket_owners_follow(scene->pids), 0);
	assert_false(has_bit(scene->pids, child));
	close(gate[0]);
	close(ready[0]);
	close(ready[1]);
}

#define OWNERS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OWNERS_TEST(sockets_are_those_of_the_process),
		OWNERS_TEST(a_process_is_known_by_its_name),
		OWNERS_TEST(descendants_join_and_the_dead_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

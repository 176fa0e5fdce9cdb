// SPDX-License-Identifier: BSD-2-Clause
#include "record/tcp_poll.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "probe/catalogue.h"
#include "probe/inet_diag.h"
#include "probe/netns.h"
#include "probe/permit.h"
#include "probe/warden.h"
#include "record/filter.h"
#include "record/notes.h"
#include "record/poll_record.h"
#include "wire/measure.h"
#include "wire/record.h"

static struct catalogue *cat;

static int open_catalogue(void **state)
{
	struct diag diag = {0};

	(void)state;
	return catalogue_open(&cat, &diag);
}

static int close_catalogue(void **state)
{
	(void)state;
	catalogue_close(cat);
	return 0;
}

/* What is left of both ways under a filter. */
static void expect_limited(const struct filter *filter, bool overwrite, bool program, bool asking)
{
	struct measurement *poll = catalogue_get(cat, TCP_POLL);
	struct measurement before = *poll;

	poll->hooks[0].usable = poll->hooks[1].usable = true;
	tcp_poll_limit(cat, &filter->config, overwrite);
	assert_int_equal(poll->hooks[0].usable, program);
	assert_int_equal(poll->hooks[1].usable, asking);
	assert_true(asking || *poll->hooks[1].reason);
	for (int i = 0; i < 2; i++) {
		bool partial = !filter->config.netns_count && !permit_to_enter();

		assert_int_equal(partial, poll->hooks[i].misses != NULL);
		assert_int_equal(partial, poll->hooks[i].because != NULL);
	}
	*poll = before;
}

static void what_the_kernel_does_not_answer_takes_a_program(void **state)
{
	struct filter filter;

	(void)state;
	filter_init(&filter);
	expect_limited(&filter, false, true, true);
	expect_limited(&filter, true, true, false);
	filter.config.cgroup_count = 1;
	expect_limited(&filter, false, true, false);
}

static void other_namespaces_take_a_privilege(void **state)
{
	bool may = permit_to_enter();
	struct filter filter;

	(void)state;
	filter_init(&filter);
	filter.config.netns_count = 1;
	filter.config.netns[0] = netns_current();
	expect_limited(&filter, false, true, true);
	filter.config.netns[0] = 1;
	expect_limited(&filter, false, may, may);
}

/* A connection to ourselves, and the question for it. */
struct scene {
	int fds[3];
	struct filter filter;
	struct poll_record record;
	struct tcp_poll_question question;
	unsigned int flushes;
};

static void count_flush(void *ctx)
{
	struct scene *scene = ctx;

	scene->flushes++;
}

static void connect_self(struct scene *scene)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(address);
	struct diag diag;
	char port[8];

	scene->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	scene->fds[1] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(scene->fds[0], (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(scene->fds[0], 1), 0);
	assert_int_equal(getsockname(scene->fds[0], (struct sockaddr *)&address, &len), 0);
	if (connect(scene->fds[1], (struct sockaddr *)&address, len))
		skip(); /* no loopback here */
	scene->fds[2] = accept(scene->fds[0], NULL, NULL);
	snprintf(port, sizeof(port), "%u", ntohs(address.sin_port));
	assert_int_equal(filter_add_port(&scene->filter, port, &diag), 0);
}

static int set_up(void **state)
{
	static const uint8_t uuid[16];
	static struct scene scene;

	scene = (struct scene){0};
	filter_init(&scene.filter);
	scene.filter.config.netns_count = 1;
	scene.filter.config.netns[0] = netns_current();
	if (poll_record_init(&scene.record, &catalogue_get(cat, TCP_POLL)->class,
			     INET_INFO_LEAST_BYTES))
		return -1;
	scene.question = (struct tcp_poll_question){
		.filter = &scene.filter.config,
		.record = &scene.record,
		.notes = notes_new(uuid),
		.flush = count_flush,
		.ctx = &scene,
	};
	assert_int_equal(warden_open_here(&scene.question.warden), 0);
	*state = &scene;
	return scene.question.notes ? 0 : -1;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	for (int i = 0; i < 3; i++)
		close(scene->fds[i]);
	warden_close(scene->question.warden);
	notes_free(scene->question.notes);
	return 0;
}

static void skip_where_the_kernel_does_not_answer(void)
{
	char reason[160];

	if (inet_diag_check(reason, sizeof(reason)))
		skip();
}

static void a_round_notes_each_connection(void **state)
{
	struct scene *scene = *state;
	struct tcp_poll_result result = {0};
	const uint8_t *packet;
	uint64_t head, callvalue;
	size_t len;

	skip_where_the_kernel_does_not_answer();
	connect_self(scene);
	assert_int_equal(tcp_poll_ask(&scene->question, 5, &result), 0);
	assert_int_equal(result.namespaces, 1);
	assert_int_equal(result.forbidden, 0);
	assert_int_equal(result.failed, 0);
	assert_int_equal(notes_count(scene->question.notes), 2);
	assert_int_equal(scene->flushes, 0);
	packet = notes_packet(scene->question.notes, 0, &len);
	assert_non_null(packet);
	assert_int_equal(len, sizeof(struct packet_head) +
				      2 * (RECORD_HEAD_BYTES + scene->record.class.payload_bytes));
	memcpy(&head, packet + sizeof(struct packet_head), sizeof(head));
	assert_int_equal(head & RECORD_ID_EXTENDED, TCP_POLL);
	assert_int_equal(head >> RECORD_TID_SHIFT, getpid());
	memcpy(&callvalue, packet + sizeof(struct packet_head) + sizeof(head), sizeof(callvalue));
	assert_int_equal(callvalue, 5); /* its first field */
}

/* There is a descriptor for the list of namespaces, and none for a socket in one. */
static void a_namespace_that_is_not_looked_into_is_counted(void **state)
{
	struct scene *scene = *state;
	struct tcp_poll_result result = {0};
	struct rlimit before, one;
	int err, fd;

	skip_where_the_kernel_does_not_answer();
	connect_self(scene);
	fd = dup(scene->fds[0]);
	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	one = before;
	one.rlim_cur = (rlim_t)fd + 1;
	close(fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &one), 0);
	err = tcp_poll_ask(&scene->question, 1, &result);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err, 0);
	assert_int_equal(result.namespaces, 0);
	assert_int_equal(result.failed, 1);
	assert_int_equal(result.err, -EMFILE);
	assert_int_equal(notes_count(scene->question.notes), 0);
}

static void the_owner_must_be_wanted(void **state)
{
	static uint64_t pids[FILTER_PID_WORDS];
	struct scene *scene = *state;
	struct tcp_poll_result result = {0};

	skip_where_the_kernel_does_not_answer();
	connect_self(scene);
	scene->filter.config.by_pid = 1;
	scene->question.pids = pids;
	assert_int_equal(tcp_poll_ask(&scene->question, 1, &result), 0);
	assert_int_equal(notes_count(scene->question.notes), 0);
	pids[getpid() / 64] = 1ull << getpid() % 64;
	assert_int_equal(tcp_poll_ask(&scene->question, 2, &result), 0);
	assert_int_equal(notes_count(scene->question.notes), 2);
}

static void many_connections_are_written_meanwhile(void **state)
{
	uint8_t payload[POLL_PAYLOAD_MAX] = {0};
	struct scene *scene = *state;
	struct tcp_poll_result result = {0};

	skip_where_the_kernel_does_not_answer();
	connect_self(scene);
	while (notes_bytes(scene->question.notes) < 256 << 10)
		assert_int_equal(notes_add_record(scene->question.notes, 1, TCP_POLL, 0, payload,
						  sizeof(payload)),
				 0);
	assert_int_equal(tcp_poll_ask(&scene->question, 1, &result), 0);
	assert_int_equal(scene->flushes, 2);
}

#define ROUND_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_does_not_answer_takes_a_program),
		cmocka_unit_test(other_namespaces_take_a_privilege),
		ROUND_TEST(a_round_notes_each_connection),
		ROUND_TEST(a_namespace_that_is_not_looked_into_is_counted),
		ROUND_TEST(the_owner_must_be_wanted),
		ROUND_TEST(many_connections_are_written_meanwhile),
	};

	return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}

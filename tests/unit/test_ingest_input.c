// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_packets.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/io.h"

#define MUCH (3u * INGEST_BLOCK_BYTES)

/* One of those who send, and what came of it. */
struct sender {
	struct ingest_input *input;
	int peer; /* its end */
	struct buffer came;
	size_t longest; /* piece */
	ssize_t says; /* what is told of each */
	bool has_ended;
	int err;
	struct event_base *base;
};

struct fixture {
	struct event_base *base;
	uint8_t *block;
	struct sender senders[2];
};

static ssize_t came(void *ctx, const uint8_t *bytes, size_t len)
{
	struct sender *sender = ctx;

	assert_false(sender->has_ended);
	sender->longest = len > sender->longest ? len : sender->longest;
	buffer_append(&sender->came, bytes, len);
	return sender->says;
}

static void ended(void *ctx, int err)
{
	struct sender *sender = ctx;

	assert_false(sender->has_ended);
	sender->has_ended = true;
	sender->err = err;
	ingest_input_free(sender->input);
	sender->input = NULL;
}

static struct bufferevent *connect_sender(struct fixture *fix, struct sender *sender)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	sender->peer = ends[1];
	sender->base = fix->base;
	buffer_init(&sender->came);
	return bufferevent_socket_new(fix->base, ends[0], BEV_OPT_CLOSE_ON_FREE);
}

static void open_input(struct fixture *fix, struct sender *sender, struct bufferevent *link)
{
	const struct ingest_input_owner owner = {came, ended, sender};

	assert_non_null(link);
	sender->input = ingest_input_new(link, fix->block, &owner);
	assert_non_null(sender->input);
	assert_int_equal(sender->came.len, 0); /* not before it returns */
}

/* Until it has so many bytes in all, or has ended. */
static void run_until(struct sender *sender, size_t len)
{
	while (!sender->has_ended && sender->came.len < len)
		assert_int_equal(event_base_loop(sender->base, EVLOOP_ONCE), 0);
}

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	fix->base = event_base_new();
	fix->block = malloc(INGEST_BLOCK_BYTES);
	fix->senders[0].peer = fix->senders[1].peer = -1;
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	for (size_t i = 0; i < 2; i++) {
		ingest_input_free(fix->senders[i].input);
		fd_close(fix->senders[i].peer);
		buffer_fini(&fix->senders[i].came);
	}
	event_base_free(fix->base);
	free(fix->block);
	free(fix);
	return 0;
}

static void test_comes_as_it_was_sent(void **state)
{
	struct fixture *fix = *state;
	struct sender *sender = &fix->senders[0];
	char *sent = malloc(MUCH);

	for (size_t i = 0; i < MUCH; i++)
		sent[i] = (char)(i * 7 + i / 251);
	open_input(fix, sender, connect_sender(fix, sender));
	sender->says = 1;
	for (size_t at = 0; at < MUCH;) {
		ssize_t n = write(sender->peer, sent + at, MUCH - at);

		assert_true(n > 0);
		at += (size_t)n;
		run_until(sender, at);
	}
	assert_int_equal(sender->came.len, MUCH);
	assert_memory_equal(sender->came.data, sent, MUCH);
	assert_in_range(sender->longest, 4097, INGEST_BLOCK_BYTES);
	assert_false(sender->has_ended);
	free(sent);
}

/* As admission has it: more came than it had asked for. */
static void test_what_the_link_has_comes_first(void **state)
{
	struct fixture *fix = *state;
	struct sender *sender = &fix->senders[0];
	struct bufferevent *link = connect_sender(fix, sender);

	assert_int_equal(write_all(sender->peer, "before", 6), 0);
	(void)bufferevent_enable(link, EV_READ);
	while (evbuffer_get_length(bufferevent_get_input(link)) < 6)
		assert_int_equal(event_base_loop(fix->base, EVLOOP_ONCE), 0);
	(void)bufferevent_disable(link, EV_READ);
	open_input(fix, sender, link);
	assert_int_equal(write_all(sender->peer, " and after", 10), 0);
	run_until(sender, 16);
	assert_memory_equal(sender->came.data, "before and after", 16);
}

static void test_end_comes_behind_all(void **state)
{
	struct fixture *fix = *state;
	struct sender *sender = &fix->senders[0];

	open_input(fix, sender, connect_sender(fix, sender));
	sender->says = 4;
	assert_int_equal(write_all(sender->peer, "half", 4), 0);
	assert_int_equal(shutdown(sender->peer, SHUT_WR), 0);
	run_until(sender, SIZE_MAX);
	assert_int_equal(sender->err, 0);
	assert_memory_equal(sender->came.data, "half", 4);
}

static void test_who_does_wrong_is_told_of_once(void **state)
{
	struct fixture *fix = *state;
	struct sender *sender = &fix->senders[0];
	char byte;

	open_input(fix, sender, connect_sender(fix, sender));
	sender->says = -EPROTO;
	assert_int_equal(write_all(sender->peer, "what", 4), 0);
	run_until(sender, SIZE_MAX);
	assert_int_equal(sender->err, -EPROTO);
	assert_int_equal(read(sender->peer, &byte, 1), 0); /* it is closed */
}

/* The block is for both, and nothing of the one gets to the other. */
static void test_two_take_turns(void **state)
{
	struct fixture *fix = *state;
	struct sender *one = &fix->senders[0], *other = &fix->senders[1];

	open_input(fix, one, connect_sender(fix, one));
	open_input(fix, other, connect_sender(fix, other));
	for (size_t i = 1; i <= 100; i++) {
		assert_int_equal(write_all(one->peer, "11111111", 8), 0);
		assert_int_equal(write_all(other->peer, "2222", 4), 0);
		one->says = other->says = i % 2;
		run_until(one, 8 * i);
		run_until(other, 4 * i);
	}
	for (size_t i = 0; i < 400; i++) {
		assert_int_equal(one->came.data[i], '1');
		assert_int_equal(other->came.data[i], '2');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_comes_as_it_was_sent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_the_link_has_comes_first, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_end_comes_behind_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_who_does_wrong_is_told_of_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_two_take_turns, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

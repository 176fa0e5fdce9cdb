// SPDX-License-Identifier: BSD-2-Clause
#include "probe/inet_diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

/* A connection to ourselves. */
struct pair {
	int listener;
	int client;
	int server;
	uint16_t listener_port;
	uint16_t client_port;
};

static uint16_t port_of(int fd)
{
	struct sockaddr_in address = {0};
	socklen_t len = sizeof(address);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	return ntohs(address.sin_port);
}

static void pair_open(struct pair *pair)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	pair->listener = socket(AF_INET, SOCK_STREAM, 0);
	pair->client = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(pair->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(pair->listener, 1), 0);
	pair->listener_port = port_of(pair->listener);
	address.sin_port = htons(pair->listener_port);
	if (connect(pair->client, (struct sockaddr *)&address, sizeof(address)))
		skip(); /* no loopback here */
	pair->server = accept(pair->listener, NULL, NULL);
	assert_true(pair->server >= 0);
	pair->client_port = port_of(pair->client);
}

static void pair_close(struct pair *pair)
{
	close(pair->client);
	close(pair->server);
	close(pair->listener);
}

struct found {
	const struct pair *pair;
	struct inet_socket client;
	size_t clients;
	size_t servers;
	size_t listeners;
	int answer; /* of the visitor */
};

static int look(void *ctx, const struct inet_socket *socket)
{
	struct found *found = ctx;
	const struct pair *pair = found->pair;

	if (socket->lport == pair->client_port && socket->rport == pair->listener_port) {
		found->client = *socket;
		found->clients++;
	}
	found->servers += socket->lport == pair->listener_port &&
			  socket->rport == pair->client_port;
	found->listeners += socket->state == 10;
	return found->answer;
}

static void skip_where_the_kernel_does_not_answer(void)
{
	char reason[160];

	if (inet_diag_check(reason, sizeof(reason)))
		skip();
}

static void both_ends_of_a_connection_are_found(void **state)
{
	bool interrupted = false;
	struct found found = {0};
	struct pair pair;
	int fd = -1;

	(void)state;
	skip_where_the_kernel_does_not_answer();
	pair_open(&pair);
	found.pair = &pair;
	assert_int_equal(inet_diag_open(&fd), 0);
	assert_int_equal(inet_diag_dump(fd, look, &found, &interrupted), 0);
	fd_close(fd);
	assert_int_equal(found.clients, 1);
	assert_int_equal(found.servers, 1);
	assert_int_equal(found.listeners, 0);
	assert_int_equal(found.client.state, 1);
	assert_int_equal(found.client.family, AF_INET);
	assert_int_equal(found.client.uid, geteuid());
	assert_true(found.client.cookie && found.client.inode && *found.client.ca_name);
	pair_close(&pair);
}

static void a_visitor_can_end_the_dump(void **state)
{
	bool interrupted = false;
	struct found found = {.answer = -ECANCELED};
	struct pair pair;
	int fd = -1;

	(void)state;
	skip_where_the_kernel_does_not_answer();
	pair_open(&pair);
	found.pair = &pair;
	assert_int_equal(inet_diag_open(&fd), 0);
	assert_int_equal(inet_diag_dump(fd, look, &found, &interrupted), -ECANCELED);
	fd_close(fd);
	pair_close(&pair);
}

static void the_check_says_why_not(void **state)
{
	char reason[160] = "";
	int err = inet_diag_check(reason, sizeof(reason));

	(void)state;
	assert_int_equal(!err, !*reason);
	if (!err)
		assert_true(inet_diag_info_bytes() >= INET_INFO_LEAST_BYTES);
}

static void what_is_no_such_socket_cannot_be_asked(void **state)
{
	bool interrupted = false;

	(void)state;
	assert_int_equal(inet_diag_dump(-1, look, NULL, &interrupted), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_a_connection_are_found),
		cmocka_unit_test(a_visitor_can_end_the_dump),
		cmocka_unit_test(the_check_says_why_not),
		cmocka_unit_test(what_is_no_such_socket_cannot_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

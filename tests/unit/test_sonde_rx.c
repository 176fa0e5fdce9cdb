// SPDX-License-Identifier: BSD-2-Clause
/* The responder as programs have it, asked by rx_client. */
#include <sonde/rx.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/diag.h"
#include "rx/rx_client.h"
#include "rx/rx_message.h"
#include "rx/rx_record.h"

#define CONNS 1000

static bool tell_conn(void *ctx, uint32_t index, bool all, struct sonde_rx_conn *ret)
{
	(void)ctx;
	ret->cid = index * 4;
	return all && index < CONNS;
}

static const struct sonde_rx_callbacks callbacks = {.conn = tell_conn};

struct server {
	struct sonde_rx_responder *responder;
	atomic_bool ended;
	int err; /* of serving */
	pthread_t thread;
};

static void *run(void *arg)
{
	struct server *server = arg;
	struct pollfd fd = {sonde_rx_responder_fd(server->responder), POLLIN, 0};

	while (!server->ended && server->err >= 0) {
		(void)poll(&fd, 1, 10);
		server->err = sonde_rx_responder_serve(server->responder);
	}
	return NULL;
}

static void server_start(struct server *server, const struct sonde_rx_config *config)
{
	struct sonde_error error;

	*server = (struct server){0};
	assert_int_equal(
		sonde_rx_responder_open(config, &callbacks, NULL, &server->responder, &error), 0);
	assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
}

static void server_stop(struct server *server)
{
	server->ended = true;
	assert_int_equal(pthread_join(server->thread, NULL), 0);
	assert_true(server->err >= 0);
	sonde_rx_responder_close(server->responder);
}

static union rx_address address_of(const struct server *server, uint32_t host)
{
	return (union rx_address){
		.in = {.sin_family = AF_INET,
		       .sin_addr.s_addr = htonl(host),
		       .sin_port = htons(sonde_rx_responder_port(server->responder))}};
}

/* All of a list, many questions at a time; each has the record that it asked for. */
static void test_list(void **state)
{
	const struct sonde_rx_config config = {.address = "127.0.0.1",
					       .source_rate = SONDE_RX_NO_LIMIT,
					       .total_rate = SONDE_RX_NO_LIMIT};
	struct rx_client *client;
	struct rx_answer answer;
	struct server server;
	union rx_address address;
	unsigned int got = 0;

	(void)state;
	server_start(&server, &config);
	address = address_of(&server, INADDR_LOOPBACK);
	assert_int_equal(rx_client_open(&(struct rx_client_config){0}, &client, NULL), 0);
	for (int i = 0; i <= CONNS; i++) {
		const struct rx_query query = {RX_TYPE_DEBUG, RX_DEBUG_ALL_CONN, i};

		assert_int_equal(rx_client_ask(client, &address, &query, (uint64_t)i), 0);
	}
	while (rx_client_next(client, &answer) == 1) {
		struct sonde_rx_conn conn;

		assert_int_equal(answer.err, 0);
		assert_int_equal(rx_conn_unpack(answer.payload, answer.len, &conn), 0);
		assert_int_equal(conn.cid, answer.tag < CONNS ? answer.tag * 4 : RX_DEBUG_END);
		got++;
	}
	assert_int_equal(got, CONNS + 1);
	rx_client_close(client);
	server_stop(&server);
}

/* On a host with several addresses the answer comes from the one that was asked. */
static void test_asked_address(void **state)
{
	const struct rx_query query = {.type = RX_TYPE_VERSION};
	struct rx_client *client;
	struct rx_answer answer;
	struct server server;
	union rx_address address;

	(void)state;
	server_start(&server, &(struct sonde_rx_config){.text = "text"});
	address = address_of(&server, INADDR_LOOPBACK + 6);
	assert_int_equal(rx_client_open(&(struct rx_client_config){0}, &client, NULL), 0);
	assert_int_equal(rx_client_ask_one(client, &address, &query, &answer), 0);
	assert_int_equal(answer.err, 0);
	assert_string_equal((const char *)answer.payload, "text");
	assert_int_equal(rx_client_counts(client)->strangers, 0);
	rx_client_close(client);
	server_stop(&server);
}

/* A program with a socket of its own hands in what comes there. */
static void test_own_socket(void **state)
{
	const struct sockaddr_in from = {.sin_family = AF_INET};
	const struct sockaddr_in6 other = {.sin6_family = AF_INET6};
	const struct rx_query query = {RX_TYPE_DEBUG, RX_DEBUG_BASIC, 0};
	struct sonde_rx_responder *responder;
	struct sonde_rx_counts counts;
	uint8_t packet[RX_REQUEST_MAX_BYTES], reply[SONDE_RX_REPLY_BYTES];
	size_t len = rx_query_pack(&query, 1, packet);

	(void)state;
	assert_int_equal(sonde_rx_responder_open(&(struct sonde_rx_config){.address = "127.0.0.1"},
						 &callbacks, NULL, &responder, NULL),
			 0);
	assert_int_equal(sonde_rx_responder_answer(responder, (const struct sockaddr *)&from,
						   packet, len, reply),
			 RX_HEADER_BYTES + RX_BASIC_BYTES);
	assert_int_equal(sonde_rx_responder_answer(responder, (const struct sockaddr *)&other,
						   packet, len, reply),
			 0);
	sonde_rx_responder_counts(responder, &counts);
	assert_int_equal(counts.answered, 1);
	assert_int_equal(sonde_rx_responder_serve(responder), 0);
	sonde_rx_responder_close(responder);
}

static void test_errors(void **state)
{
	struct sonde_rx_responder *responder, *second;
	struct sonde_rx_config config = {.address = "localhost"};
	struct sonde_error error;

	(void)state;
	assert_int_equal(sonde_rx_responder_open(&config, &callbacks, NULL, &responder, &error),
			 -EINVAL);
	assert_string_equal(error.text, "'localhost' is not an IPv4 address");
	config.address = "127.0.0.1";
	assert_int_equal(sonde_rx_responder_open(&config, &callbacks, NULL, &responder, &error), 0);
	config.port = sonde_rx_responder_port(responder);
	assert_int_equal(sonde_rx_responder_open(&config, &callbacks, NULL, &second, &error),
			 -EADDRINUSE);
	sonde_rx_responder_close(responder);
	sonde_rx_responder_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_asked_address),
		cmocka_unit_test(test_own_socket),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

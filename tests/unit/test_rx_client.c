// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"
#include "rx/rx_record.h"

#define QUESTIONS 300

struct endpoint {
	int fd;
	union rx_address address;
};

static struct endpoint make_endpoint(void)
{
	struct endpoint endpoint = {.fd = socket(AF_INET, SOCK_DGRAM, 0)};
	socklen_t len = sizeof(endpoint.address.in);

	endpoint.address.in = (struct sockaddr_in){.sin_family = AF_INET,
						   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_true(endpoint.fd >= 0);
	assert_int_equal(bind(endpoint.fd, &endpoint.address.any, len), 0);
	assert_int_equal(getsockname(endpoint.fd, &endpoint.address.any, &len), 0);
	return endpoint;
}

/* The request that waits there, and who sent it. */
static size_t take_request(const struct endpoint *endpoint, uint8_t *packet,
			   struct sockaddr_in *from)
{
	socklen_t len = sizeof(*from);
	ssize_t got = recvfrom(endpoint->fd, packet, RX_PACKET_MAX_BYTES, MSG_DONTWAIT,
			       (struct sockaddr *)from, &len);

	return got < 0 ? 0 : (size_t)got;
}

static struct rx_client *open_client(const struct rx_client_config *config)
{
	struct rx_client *client;
	struct diag diag;

	assert_int_equal(rx_client_open(config, &client, &diag), 0);
	return client;
}

static const struct rx_query ask_version = {.type = RX_TYPE_VERSION};
static const struct rx_query ask_conn = {.type = RX_TYPE_DEBUG,
					 .what = RX_DEBUG_ALL_CONN,
					 .index = 258};

/* Byte for byte what rxdebug sends, but for the number. */
static void test_requests(void **state)
{
	static const uint8_t want[] = {0, 0, 3, 0xe7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				       0, 0, 8, 5,    0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 1, 2};
	struct endpoint endpoint = make_endpoint();
	struct rx_client *client =
		open_client(&(struct rx_client_config){.wait_ns = 1, .tries = 1});
	uint8_t packet[RX_PACKET_MAX_BYTES];
	struct rx_answer answer;
	struct sockaddr_in from;

	(void)state;
	assert_int_equal(rx_client_ask_one(client, &endpoint.address, &ask_conn, &answer), 0);
	assert_int_equal(take_request(&endpoint, packet, &from), sizeof(want));
	memset(packet + 8, 0, 4);
	assert_memory_equal(packet, want, sizeof(want));
	assert_int_equal(rx_client_ask_one(client, &endpoint.address, &ask_version, &answer), 0);
	assert_int_equal(take_request(&endpoint, packet, &from), RX_HEADER_BYTES + 1);
	assert_int_equal(packet[20], RX_TYPE_VERSION);
	assert_int_equal(packet[RX_HEADER_BYTES], 0);
	close(endpoint.fd);
	rx_client_close(client);
}

/* Who has not seen a question should not know its number. */
static void test_numbers(void **state)
{
	struct endpoint endpoint = make_endpoint();
	uint8_t packets[2][RX_PACKET_MAX_BYTES];
	struct rx_answer answer;
	struct sockaddr_in from;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rx_client *client =
			open_client(&(struct rx_client_config){.wait_ns = 1, .tries = 1});

		assert_int_equal(rx_client_ask_one(client, &endpoint.address, &ask_conn, &answer),
				 0);
		assert_true(take_request(&endpoint, packets[i], &from) > 0);
		rx_client_close(client);
	}
	assert_memory_not_equal(packets[0] + 8, packets[1] + 8, 4);
	close(endpoint.fd);
}

/* Each try is sent, the last is waited for as well, and the tag comes back. */
static void test_silence(void **state)
{
	struct endpoint endpoint = make_endpoint();
	struct rx_client *client =
		open_client(&(struct rx_client_config){.wait_ns = 1000000, .tries = 3});
	uint8_t packet[RX_PACKET_MAX_BYTES];
	struct rx_answer answer;
	struct sockaddr_in from;
	unsigned int requests = 0;

	(void)state;
	assert_int_equal(rx_client_ask(client, &endpoint.address, &ask_version, 77), 0);
	assert_int_equal(rx_client_next(client, &answer), 1);
	assert_int_equal(answer.err, -ETIMEDOUT);
	assert_int_equal(answer.tag, 77);
	assert_int_equal(answer.tries, 3);
	while (take_request(&endpoint, packet, &from))
		requests++;
	assert_int_equal(requests, 3);
	assert_int_equal(rx_client_counts(client)->resent, 2);
	assert_int_equal(rx_client_next(client, &answer), 0);
	close(endpoint.fd);
	rx_client_close(client);
}

/* Who waits by himself is never held up, and told until when he may. */
static void test_waiting_elsewhere(void **state)
{
	struct endpoint endpoint = make_endpoint();
	struct rx_client *client =
		open_client(&(struct rx_client_config){.wait_ns = 60 * NS_PER_SEC, .tries = 3});
	struct pollfd poll_fd = {.fd = rx_client_fd(client), .events = POLLIN};
	uint64_t before_ns = clock_monotonic_ns();
	uint8_t packet[RX_PACKET_MAX_BYTES];
	struct rx_answer answer;
	struct sockaddr_in from;

	(void)state;
	assert_int_equal(rx_client_due_ns(client), UINT64_MAX);
	assert_int_equal(rx_client_next_until(client, 0, &answer), -EAGAIN);
	assert_int_equal(rx_client_ask(client, &endpoint.address, &ask_version, 77), 0);
	assert_int_equal(rx_client_next_until(client, 0, &answer), -EAGAIN);
	assert_true(rx_client_due_ns(client) >= before_ns + 60 * NS_PER_SEC);
	assert_true(rx_client_due_ns(client) <= clock_monotonic_ns() + 60 * NS_PER_SEC);
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	assert_int_equal(take_request(&endpoint, packet, &from), RX_HEADER_BYTES + 1);
	packet[21] = 4;
	assert_true(sendto(endpoint.fd, packet, RX_HEADER_BYTES + 5, 0, (struct sockaddr *)&from,
			   sizeof(from)) > 0);
	assert_int_equal(poll(&poll_fd, 1, 60000), 1);
	assert_int_equal(rx_client_next_until(client, 0, &answer), 1);
	assert_int_equal(answer.tag, 77);
	assert_int_equal(rx_client_due_ns(client), UINT64_MAX);
	close(endpoint.fd);
	rx_client_close(client);
}

/* What a thread does with each request: @packet is its own to change. */
typedef void (*serve_fn)(const struct endpoint *endpoint, uint8_t *packet, size_t len,
			 const struct sockaddr_in *from);

struct server {
	struct endpoint endpoint;
	serve_fn serve;
	pthread_t thread;
};

/* Until a packet of one byte comes. */
static void *serve_all(void *ctx)
{
	struct server *server = ctx;
	uint8_t packet[RX_PACKET_MAX_BYTES];
	struct sockaddr_in from;

	for (;;) {
		socklen_t from_len = sizeof(from);
		ssize_t len = recvfrom(server->endpoint.fd, packet, sizeof(packet), 0,
				       (struct sockaddr *)&from, &from_len);

		if (len == 1)
			return NULL;
		server->serve(&server->endpoint, packet, (size_t)len, &from);
	}
}

static void server_start(struct server *server, serve_fn serve)
{
	server->endpoint = make_endpoint();
	server->serve = serve;
	assert_int_equal(pthread_create(&server->thread, NULL, serve_all, server), 0);
}

static void server_stop(struct server *server)
{
	assert_int_equal(sendto(server->endpoint.fd, "", 1, 0, &server->endpoint.address.any,
				sizeof(server->endpoint.address.in)),
			 1);
	assert_int_equal(pthread_join(server->thread, NULL), 0);
	close(server->endpoint.fd);
}

static void send_from(int fd, const uint8_t *packet, size_t len, const struct sockaddr_in *to)
{
	(void)!sendto(fd, packet, len, 0, (const struct sockaddr *)to, sizeof(*to));
}

/* A connection whose cid is the index that was asked for. */
static void answer_it(const struct endpoint *endpoint, uint8_t *packet, size_t len,
		      const struct sockaddr_in *from)
{
	struct sonde_rx_conn conn = {.cid = (uint32_t)packet[len - 2] << 8 | packet[len - 1]};

	packet[21] &= 0xfe;
	rx_conn_pack(&conn, packet + RX_HEADER_BYTES);
	send_from(endpoint->fd, packet, RX_HEADER_BYTES + RX_CONN_BYTES, from);
}

/* Before the answer comes all that is none. */
static void lie_first(const struct endpoint *endpoint, uint8_t *packet, size_t len,
		      const struct sockaddr_in *from)
{
	uint8_t lie[RX_HEADER_BYTES + RX_CONN_BYTES] = {0};
	struct endpoint stranger = make_endpoint();

	memcpy(lie, packet, RX_HEADER_BYTES);
	send_from(endpoint->fd, lie, sizeof(lie), from); /* a request itself */
	lie[21] &= 0xfe;
	send_from(stranger.fd, lie, sizeof(lie), from);
	send_from(endpoint->fd, lie, RX_HEADER_BYTES - 1, from);
	send_from(endpoint->fd, lie, RX_HEADER_BYTES + RX_CONN_LEAST_BYTES - 1, from);
	lie[20] = 1; /* data */
	send_from(endpoint->fd, lie, sizeof(lie), from);
	lie[20] = RX_TYPE_DEBUG;
	lie[11]++; /* of another question */
	send_from(endpoint->fd, lie, sizeof(lie), from);
	close(stranger.fd);
	answer_it(endpoint, packet, len, from);
}

static void refuse_it(const struct endpoint *endpoint, uint8_t *packet, size_t len,
		      const struct sockaddr_in *from)
{
	bool abort = packet[len - 1] & 1;

	packet[21] &= 0xfe;
	packet[20] = abort ? RX_TYPE_ABORT : RX_TYPE_DEBUG;
	memset(packet + RX_HEADER_BYTES, 0xff, 8);
	packet[RX_HEADER_BYTES + 3] = packet[RX_HEADER_BYTES + 7] = 0xf8;
	send_from(endpoint->fd, packet, RX_HEADER_BYTES + (abort ? 4u : 8u), from);
}

static void test_lies(void **state)
{
	struct rx_client *client = open_client(&(struct rx_client_config){0});
	const struct rx_client_counts *counts = rx_client_counts(client);
	struct rx_answer answer;
	struct server server;
	struct sonde_rx_conn conn;

	(void)state;
	server_start(&server, lie_first);
	assert_int_equal(rx_client_ask_one(client, &server.endpoint.address, &ask_conn, &answer),
			 0);
	assert_int_equal(answer.err, 0);
	assert_int_equal(rx_conn_unpack(answer.payload, answer.len, &conn), 0);
	assert_int_equal(conn.cid, 258);
	assert_int_equal(counts->strangers, 1);
	assert_int_equal(counts->malformed, 4);
	assert_int_equal(counts->late, 1);
	server_stop(&server);
	rx_client_close(client);
}

/* Each gets the answer to its own question, though only some are on their way at once. */
static void test_many(void **state)
{
	struct rx_client *client = open_client(&(struct rx_client_config){.window = 10});
	bool seen[QUESTIONS] = {false};
	struct rx_answer answer;
	struct server server;
	struct sonde_rx_conn conn;

	(void)state;
	server_start(&server, answer_it);
	for (int32_t i = 0; i < QUESTIONS; i++) {
		struct rx_query query = ask_conn;

		query.index = i;
		assert_int_equal(
			rx_client_ask(client, &server.endpoint.address, &query, (uint64_t)i), 0);
	}
	for (int i = 0; i < QUESTIONS; i++) {
		assert_int_equal(rx_client_next(client, &answer), 1);
		assert_int_equal(answer.err, 0);
		assert_int_equal(rx_conn_unpack(answer.payload, answer.len, &conn), 0);
		assert_int_equal(conn.cid, answer.tag);
		assert_false(seen[answer.tag]);
		seen[answer.tag] = true;
	}
	assert_int_equal(rx_client_next(client, &answer), 0);
	server_stop(&server);
	rx_client_close(client);
}

static void test_refusals(void **state)
{
	struct rx_client *client = open_client(&(struct rx_client_config){0});
	struct rx_query query = ask_conn;
	struct rx_answer answer;
	struct server server;

	(void)state;
	server_start(&server, refuse_it);
	for (query.index = 0; query.index < 2; query.index++) {
		assert_int_equal(
			rx_client_ask_one(client, &server.endpoint.address, &query, &answer), 0);
		assert_int_equal(answer.err, -ENOTSUP);
	}
	server_stop(&server);
	rx_client_close(client);
}

/* One client asks over both; what it does not speak it says of each question. */
static void test_ipv6(void **state)
{
	union rx_address far = {
		.in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT}};
	struct endpoint endpoint = make_endpoint();
	struct rx_client *client =
		open_client(&(struct rx_client_config){.wait_ns = 1, .tries = 1});
	uint8_t packet[RX_PACKET_MAX_BYTES];
	socklen_t len = sizeof(far);
	struct rx_answer answer;
	struct sockaddr_in from;
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	(void)state;
	if (fd < 0 || bind(fd, &far.any, len) || getsockname(fd, &far.any, &len))
		skip();
	assert_int_equal(rx_client_ask_one(client, &far, &ask_conn, &answer), 0);
	assert_int_equal(answer.err, -EAFNOSUPPORT);
	rx_client_close(client);
	client = open_client(&(struct rx_client_config){.wait_ns = 1, .tries = 1, .ipv6 = true});
	assert_int_equal(rx_client_ask_one(client, &far, &ask_conn, &answer), 0);
	assert_int_equal(recv(fd, packet, sizeof(packet), MSG_DONTWAIT), RX_HEADER_BYTES + 8);
	assert_int_equal(rx_client_ask_one(client, &endpoint.address, &ask_conn, &answer), 0);
	assert_int_equal(take_request(&endpoint, packet, &from), RX_HEADER_BYTES + 8);
	assert_int_equal(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	close(fd);
	close(endpoint.fd);
	rx_client_close(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_silence),	 cmocka_unit_test(test_waiting_elsewhere),
		cmocka_unit_test(test_lies),	 cmocka_unit_test(test_many),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_ipv6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_host.h"

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

#include "base/diag.h"
#include "probe/inet_diag.h"

static const struct inet_socket plain = {
	.cookie = 0x123456789ull,
	.state = 1,
	.daddr = {[10] = 0xff, 0xff, 192, 0, 2, 7},
	.lport = 80,
	.rport = 40000,
	.mss = 1448,
	.snd_cwnd = 10,
	.srtt_us = 12345,
	.mdev_us = 2345,
	.rto_us = 1204000,
	.bytes_sent = 5000000000,
	.bytes_received = 7,
	.data_segs_out = 30,
	.total_retrans = 4,
};

static void test_conn(void **state)
{
	struct inet_socket socket = plain;
	struct sonde_rx_conn conn;

	(void)state;
	assert_true(rx_host_conn(&socket, 99, &conn));
	assert_int_equal(conn.host, 0xc0000207);
	assert_int_equal(conn.port, 40000);
	assert_int_equal(conn.cid, (uint32_t)(0x123456789ull << 2));
	assert_int_equal(conn.epoch, 99);
	assert_int_equal(conn.type, 1);
	assert_int_equal(conn.nat_mtu, 1448);
	assert_int_equal(conn.calls[0].state, SONDE_RX_CALL_DALLY);
	assert_int_equal(conn.calls[1].state, SONDE_RX_CALL_NONE);
	socket.lport = 40001;
	assert_true(rx_host_conn(&socket, 99, &conn));
	assert_int_equal(conn.type, 0);
}

/* What waits in the socket is what a call has under way. */
static void test_states(void **state)
{
	struct inet_socket socket = plain;
	struct sonde_rx_conn conn;

	(void)state;
	socket.rmem_alloc = 100;
	assert_true(rx_host_conn(&socket, 99, &conn));
	assert_int_equal(conn.calls[0].state, SONDE_RX_CALL_ACTIVE);
	assert_int_equal(conn.calls[0].mode, SONDE_RX_MODE_RECEIVING);
	assert_int_equal(conn.calls[0].other, SONDE_RX_CALL_HAS_INPUT);
	socket.rmem_alloc = 0;
	socket.packets_out = 9;
	assert_true(rx_host_conn(&socket, 99, &conn));
	assert_int_equal(conn.calls[0].mode, SONDE_RX_MODE_SENDING);
	assert_int_equal(conn.calls[0].other, SONDE_RX_CALL_HAS_OUTPUT);
	assert_int_equal(conn.calls[0].flags, 0);
	socket.packets_out = 10;
	assert_true(rx_host_conn(&socket, 99, &conn));
	assert_int_equal(conn.calls[0].flags, SONDE_RX_CALL_WAIT_WINDOW_SEND);
	socket.state = 2; /* SYN_SENT */
	assert_true(rx_host_conn(&socket, 99, &conn));
	assert_int_equal(conn.calls[0].state, SONDE_RX_CALL_PRECALL);
	socket.state = 8; /* CLOSE_WAIT */
	assert_true(rx_host_conn(&socket, 99, &conn));
	assert_int_equal(conn.calls[0].state, SONDE_RX_CALL_HOLD);
}

static void test_ipv6(void **state)
{
	struct inet_socket socket = plain;
	struct sonde_rx_conn conn;

	(void)state;
	assert_true(rx_host_conn(&socket, 99, &conn)); /* one of IPv4 mapped into IPv6 */
	socket.daddr[0] = 0x20;
	assert_false(rx_host_conn(&socket, 99, &conn));
}

static void test_peer(void **state)
{
	struct inet_socket small = plain;
	struct sonde_rx_peer peer = {0};

	(void)state;
	rx_host_add_to_peer(&plain, &peer);
	assert_int_equal(peer.host, 0xc0000207);
	assert_int_equal(peer.port, 40000);
	assert_int_equal(peer.mtu, 1448);
	assert_int_equal(peer.rtt >> 3, 12);
	assert_int_equal(peer.rtt_dev >> 2, 2);
	assert_int_equal(peer.timeout_s, 1);
	assert_int_equal(peer.timeout_us, 204000);
	assert_int_equal(peer.cwind, 10);
	assert_int_equal(peer.sent, 26);
	assert_int_equal(peer.resent, 4);
	assert_int_equal(peer.bytes_sent, 5000000000);
	assert_int_equal(peer.bytes_received, 7);
	assert_int_equal(peer.ref_count, 2);
	/* Another one there, on which less went: sums, but the way is that of the first. */
	small.srtt_us = 1000000;
	small.bytes_sent = 1;
	small.bytes_received = 2;
	rx_host_add_to_peer(&small, &peer);
	assert_int_equal(peer.rtt >> 3, 12);
	assert_int_equal(peer.bytes_sent, 5000000001);
	assert_int_equal(peer.bytes_received, 9);
	assert_int_equal(peer.sent, 52);
	assert_int_equal(peer.ref_count, 3);
}

static void test_no_sample(void **state)
{
	struct inet_socket socket = plain;
	struct sonde_rx_peer peer = {0};

	(void)state;
	socket.srtt_us = 0;
	rx_host_add_to_peer(&socket, &peer);
	assert_int_equal(peer.rtt, 16000);
}

static uint16_t bind_and_tell(int fd, struct sockaddr_in *address)
{
	socklen_t len = sizeof(*address);

	assert_int_equal(bind(fd, (struct sockaddr *)address, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)address, &len), 0);
	return ntohs(address->sin_port);
}

/* Of the running kernel: both ends of a connection of ours, each once, in both lists. */
static void test_own_connection(void **state)
{
	const struct sonde_rx_callbacks *tell = &rx_host_callbacks;
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	uint32_t ends = 0, peers = 0, conns = 0;
	struct sonde_rx_stats stats = {0};
	struct sonde_rx_conn conn;
	struct sonde_rx_peer peer;
	struct rx_host *host;
	struct diag diag;
	uint16_t port;
	int err;

	(void)state;
	port = bind_and_tell(listener, &address);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
	err = rx_host_open(&host, &diag);
	if (err == -ENOTSUP)
		skip();
	assert_int_equal(err, 0);
	for (; tell->conn(host, conns, true, &conn); conns++)
		ends += conn.port == port;
	for (uint32_t i = 0; tell->peer(host, i, &peer); i++)
		peers += peer.port == port && peer.host == INADDR_LOOPBACK;
	assert_int_equal(ends, 1);
	assert_int_equal(peers, 1);
	tell->stats(host, &stats);
	assert_int_equal(stats.words[SONDE_RX_STAT_SERVER_CONNS] +
				 stats.words[SONDE_RX_STAT_CLIENT_CONNS],
			 conns);
	assert_int_equal(stats.words[SONDE_RX_STAT_CALLS], conns + rx_host_over_ipv6(host));
	assert_true(stats.words[SONDE_RX_STAT_DATA_SENT] > 0);
	rx_host_close(host);
	close(client);
	close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conn),	  cmocka_unit_test(test_states),
		cmocka_unit_test(test_ipv6),	  cmocka_unit_test(test_peer),
		cmocka_unit_test(test_no_sample), cmocka_unit_test(test_own_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

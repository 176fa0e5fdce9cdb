// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_program RECORDS VERSION RATE COUNT: a program with responders of the library's, for tests and bench.
 *
 * RECORDS is a file of records as they are on the wire, one behind the other, a byte in front of each that says
 * which collection it is of. VERSION: 'L' to 'S'. RATE: bytes a second, for one source and all, 0 = no limit. COUNT
 * responders, the first at 127.0.0.1, the others at 127.1.0.1 and up, with one port. Prints the port, and ends with
 * its standard input.
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <sonde/rx.h>

#include "base/io.h"
#include "wire/rx_debug.h"

#define LIMIT_BYTES (64u << 20)
#define LISTS (RX_DEBUG_PEER + 1)

/* The records of each collection, unpacked. */
static struct {
	struct sonde_rx_basic basic;
	struct sonde_rx_stats stats;
	struct sonde_rx_conn *conns[2]; /* [1]: all */
	struct sonde_rx_peer *peers;
	uint32_t counts[LISTS];
} records;

static void tell_basic(void *ctx, struct sonde_rx_basic *ret)
{
	(void)ctx;
	*ret = records.basic;
}

static void tell_stats(void *ctx, struct sonde_rx_stats *ret)
{
	(void)ctx;
	*ret = records.stats;
}

static bool tell_conn(void *ctx, uint32_t index, bool all, struct sonde_rx_conn *ret)
{
	(void)ctx;
	if (index >= records.counts[all ? RX_DEBUG_ALL_CONN : RX_DEBUG_CONN])
		return false;
	*ret = records.conns[all][index];
	return true;
}

static bool tell_peer(void *ctx, uint32_t index, struct sonde_rx_peer *ret)
{
	(void)ctx;
	if (index >= records.counts[RX_DEBUG_PEER])
		return false;
	*ret = records.peers[index];
	return true;
}

static const struct sonde_rx_callbacks callbacks = {
	.basic = tell_basic,
	.conn = tell_conn,
	.stats = tell_stats,
	.peer = tell_peer,
};

static size_t take_record(const uint8_t *at, size_t left)
{
	static const size_t bytes[LISTS] = {
		0, RX_BASIC_BYTES, RX_CONN_BYTES, RX_CONN_BYTES, RX_STATS_BYTES, RX_PEER_BYTES};
	uint8_t what = *at++;
	uint32_t *count = &records.counts[what % LISTS];
	int err = -1;

	if (what >= LISTS || !bytes[what] || left <= bytes[what])
		errx(1, "collection %u with %zu bytes left", what, left);
	switch (what) {
	case RX_DEBUG_BASIC:
		err = sonde_rx_basic_unpack(at, bytes[what], &records.basic);
		break;
	case RX_DEBUG_STATS:
		err = sonde_rx_stats_unpack(at, bytes[what], &records.stats);
		break;
	case RX_DEBUG_PEER:
		err = sonde_rx_peer_unpack(at, bytes[what], &records.peers[*count]);
		break;
	default:
		err = sonde_rx_conn_unpack(at, bytes[what],
					   &records.conns[what == RX_DEBUG_ALL_CONN][*count]);
	}
	if (err)
		errx(1, "a record of collection %u", what);
	(*count)++;
	return 1 + bytes[what];
}

static void load(const char *name)
{
	char *text;
	size_t len, most;

	if (file_load(AT_FDCWD, name, LIMIT_BYTES, &text, &len))
		err(1, "%s", name);
	most = len / RX_PEER_BYTES + 1;
	records.conns[0] = calloc(most, sizeof(*records.conns[0]));
	records.conns[1] = calloc(most, sizeof(*records.conns[1]));
	records.peers = calloc(most, sizeof(*records.peers));
	if (!records.conns[0] || !records.conns[1] || !records.peers)
		errx(1, "no memory");
	for (size_t at = 0; at < len;)
		at += take_record((const uint8_t *)text + at, len - at);
	free(text);
}

static struct sonde_rx_responder *start(struct sonde_rx_config *config, uint32_t host)
{
	struct in_addr address = {htonl(host)};
	struct sonde_rx_responder *responder;
	struct sonde_error error;
	char text[INET_ADDRSTRLEN];

	config->address = inet_ntop(AF_INET, &address, text, sizeof(text));
	if (sonde_rx_responder_open(config, &callbacks, NULL, &responder, &error))
		errx(1, "%s", error.text);
	config->port = sonde_rx_responder_port(responder);
	return responder;
}

static void watch(int epoll, int fd, void *ptr)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = ptr};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll");
}

static void serve(int epoll)
{
	for (;;) {
		struct epoll_event events[64];
		int count = epoll_wait(epoll, events, 64, -1);

		for (int i = 0; i < count; i++) {
			if (!events[i].data.ptr)
				return;
			if (sonde_rx_responder_serve(events[i].data.ptr) < 0)
				errx(1, "serving fails");
		}
	}
}

int main(int argc, char **argv)
{
	struct sonde_rx_config config = {.text = "OpenAFS 1.8.9 made up"};
	struct sonde_rx_responder **responders;
	uint32_t count;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (argc != 5 || epoll < 0)
		errx(2, "RECORDS VERSION RATE COUNT");
	load(argv[1]);
	config.version = argv[2][0];
	config.source_rate = (uint32_t)strtoul(argv[3], NULL, 10) ?: SONDE_RX_NO_LIMIT;
	config.total_rate = config.source_rate;
	count = (uint32_t)strtoul(argv[4], NULL, 10);
	responders = calloc(count, sizeof(struct sonde_rx_responder *));
	if (!responders)
		errx(1, "no memory");
	file_limit_raise();
	for (uint32_t i = 0; i < count; i++) {
		responders[i] = start(&config, i ? 0x7f010000 + i : INADDR_LOOPBACK);
		watch(epoll, sonde_rx_responder_fd(responders[i]), responders[i]);
	}
	watch(epoll, STDIN_FILENO, NULL);
	printf("%u\n", config.port);
	fflush(stdout);
	serve(epoll);
	for (uint32_t i = 0; i < count; i++)
		sonde_rx_responder_close(responders[i]);
	free(responders);
	return 0;
}

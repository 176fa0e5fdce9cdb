// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_push: any bytes as what a relay answers to a recorder that streams to it, from its version to the end of the
 * session: the recorder ends, in time, without reading or writing what is not its own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "live/proto/live_url.h"
#include "live/push/push_session.h"
#include "wire/record.h"

#define SIZE_MAX_BYTES (64u << 10) /* that the socket holds */
#define PATIENCE_NS (20 * NS_PER_MS)
#define PACKET_BYTES 4096u
#define METADATA "/* CTF 1.8 */\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A relay on loopback that says @bytes to each control connection, whatever it hears. */
struct relay {
	int control;
	int data;
	struct push_url url;
	const uint8_t *bytes;
	size_t len;
	int link; /* the control connection */
	sem_t said;
};

static struct relay relay = {.control = -1};

static void *answer(void *unused)
{
	(void)unused;
	for (;;) {
		relay.link = accept(relay.control, NULL, NULL);
		if (relay.link < 0)
			abort();
		(void)!send(relay.link, relay.bytes, relay.len, MSG_NOSIGNAL);
		(void)shutdown(relay.link, SHUT_WR);
		sem_post(&relay.said);
	}
	return NULL;
}

static int listen_at_any(int flags, char port[6])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) || listen(fd, 8) ||
	    getsockname(fd, (struct sockaddr *)&address, &len))
		abort();
	snprintf(port, 6, "%u", (unsigned int)ntohs(address.sin_port));
	return fd;
}

static void start(void)
{
	pthread_t thread;

	strcpy(relay.url.host, "127.0.0.1");
	relay.data = listen_at_any(SOCK_NONBLOCK, relay.url.data);
	relay.control = listen_at_any(0, relay.url.control);
	if (sem_init(&relay.said, 0, 0) || pthread_create(&thread, NULL, answer, NULL))
		abort();
}

/* So that no connection stays behind, waiting for late packets. */
static void hang_up(int fd)
{
	const struct linger at_once = {.l_onoff = 1};

	if (fd < 0)
		return;
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	(void)close(fd);
}

static void push(struct push_session *ps, int stop_fd)
{
	static const uint8_t uuid[16] = "fuzz_push";
	static _Alignas(uint64_t) uint8_t packet[PACKET_BYTES];
	struct packet_head head = {.packet_bits = 8 * PACKET_BYTES,
				   .content_bits = 8 * PACKET_BYTES};
	const uint64_t stop = 1;
	int err = push_session_metadata(ps, uuid, METADATA, strlen(METADATA));

	if (strlen(push_session_path(ps)) >= PACKET_BYTES)
		abort();
	for (uint32_t cpu = 0; cpu < 2 && !err; cpu++) {
		head.cpu = cpu;
		memcpy(packet, &head, sizeof(head));
		err = push_session_announce(ps, packet) ?: push_session_publish(ps);
		err = err ?: push_session_packet(ps, packet, sizeof(packet));
	}
	err = err ?: push_session_beacon(ps, NS_PER_SEC) ?: push_session_confirm(ps);
	(void)!write(stop_fd, &stop, sizeof(stop)); /* no time for viewers */
	if (!err)
		(void)push_session_end(ps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct push_session_config config = {.url = &relay.url,
					     .host = "host",
					     .name = "name",
					     .live_timer_us = 1000,
					     .link.patience_ns = PATIENCE_NS};
	struct push_session *ps;
	struct diag diag = {0};
	uint64_t sent = 0;

	if (size > SIZE_MAX_BYTES)
		return 0;
	if (relay.control < 0)
		start();
	relay.bytes = data;
	relay.len = size;
	config.link.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	config.sent = &sent;
	if (!push_session_open(&config, &ps, &diag)) {
		push(ps, config.link.stop_fd);
		push_session_close(ps);
	} else if (!*diag.text) {
		abort();
	}
	while (sem_wait(&relay.said) && errno == EINTR)
		;
	hang_up(relay.link);
	hang_up(accept(relay.data, NULL, NULL));
	(void)close(config.link.stop_fd);
	return 0;
}

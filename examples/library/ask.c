/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask HOST PORT: how busy an Rx endpoint (AFS) is, and which program it is. HOST is an IPv4 address.
 *
 *	cc ask.c $(pkg-config --cflags --libs sonde) -o ask
 *	./ask 127.0.0.1 7003
 */
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sonde/rx.h>

#define TRIES 5
#define WAIT_MS 1000

/* Whether *@reply is the answer of who is asked by @fd. */
static int ask(int fd, int what, struct sonde_rx_reply *reply)
{
	unsigned char packet[SONDE_RX_REQUEST_BYTES], answer[1500];
	struct sonde_rx_request request;
	struct pollfd wait = {fd, POLLIN, 0};
	size_t len;
	uint32_t call;
	ssize_t got;
	int i;

	if (getrandom(&call, sizeof(call), 0) != sizeof(call))
		err(1, "getrandom");
	sonde_rx_request_init(&request, what, 0, call);
	len = sonde_rx_request_pack(&request, packet);
	for (i = 0; i < TRIES; i++) {
		if (send(fd, packet, len, 0) < 0)
			err(1, "send");
		while (poll(&wait, 1, WAIT_MS) > 0) {
			got = recv(fd, answer, sizeof(answer), 0);
			if (got < 0)
				err(1, "recv");
			/* What was meant for somebody else is let go. */
			if (!sonde_rx_reply_unpack(answer, (size_t)got, what, reply) &&
			    reply->header.call == call)
				return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {0};
	struct sonde_rx_reply reply;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (argc != 3 || inet_pton(AF_INET, argv[1], &address.sin_addr) != 1)
		errx(2, "usage: ask HOST PORT");
	address.sin_family = AF_INET;
	address.sin_port = htons((uint16_t)atoi(argv[2]));
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "%s", argv[1]);
	if (!ask(fd, SONDE_RX_WHAT_BASIC, &reply) || reply.kind != SONDE_RX_REPLY_BASIC)
		errx(1, "%s does not tell", argv[1]);
	printf("version %c, %d packets free", reply.body.basic.version,
	       reply.body.basic.free_packets);
	if (sonde_rx_basic_has(&reply.body.basic, 'O'))
		printf(", %d calls wait, %d threads idle", reply.body.basic.waiting,
		       reply.body.basic.idle_threads);
	printf("\n");
	/* What it calls itself is anybody's text. */
	if (ask(fd, 0, &reply) && reply.kind == SONDE_RX_REPLY_VERSION) {
		printf("program ");
		for (const char *c = reply.body.version; *c; c++)
			putchar(*c >= ' ' && *c <= '~' ? *c : '?');
		printf("\n");
	}
	close(fd);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_load HOST PORT SECONDS: asks an Rx endpoint for its basic statistics as fast as it answers, from one
 * socket, and prints answers a second. So many are on their way at once that neither side waits for the other.
 */
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define BATCH 64
#define WINDOW 512
#define REQUEST_BYTES 36
#define REPLY_BYTES 312

static struct mmsghdr out[BATCH], in[BATCH];
static uint8_t request[REQUEST_BYTES] = {[2] = 3, [3] = 0xe7, [20] = 8, [21] = 5, [31] = 1};
static uint8_t replies[BATCH][REPLY_BYTES];

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int open_socket(const char *host, const char *port)
{
	struct sockaddr_in server = {.sin_family = AF_INET,
				     .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), bytes = 1 << 20;

	if (inet_pton(AF_INET, host, &server.sin_addr) != 1 || fd < 0 ||
	    connect(fd, (const struct sockaddr *)&server, sizeof(server)))
		err(1, "%s:%s", host, port);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return fd;
}

int main(int argc, char **argv)
{
	static struct iovec from = {request, sizeof(request)}, to[BATCH];
	double seconds, start, end;
	long asked = 0, answered = 0;
	int fd;

	if (argc != 4)
		errx(2, "HOST PORT SECONDS");
	fd = open_socket(argv[1], argv[2]);
	seconds = strtod(argv[3], NULL);
	for (int i = 0; i < BATCH; i++) {
		to[i] = (struct iovec){replies[i], REPLY_BYTES};
		out[i].msg_hdr = (struct msghdr){.msg_iov = &from, .msg_iovlen = 1};
		in[i].msg_hdr = (struct msghdr){.msg_iov = &to[i], .msg_iovlen = 1};
	}
	start = now();
	for (end = start; end - start < seconds; end = now()) {
		struct pollfd fds = {fd, POLLIN, 0};
		int got;

		if (asked - answered <= WINDOW - BATCH) {
			got = sendmmsg(fd, out, BATCH, 0);
			asked += got > 0 ? got : 0;
		}
		got = recvmmsg(fd, in, BATCH, 0, NULL);
		answered += got > 0 ? got : 0;
		/* What is lost is not waited for long. */
		if (got <= 0 && asked - answered > WINDOW - BATCH && !poll(&fds, 1, 10))
			asked = answered;
	}
	printf("%.0f\n", (double)answered / (end - start));
	return 0;
}

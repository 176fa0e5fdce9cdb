// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_delay HOST PORT MS: a way of MS milliseconds, there and back together, to a UDP port: prints the port to send to.
 * For one client at a time. Ends with its standard input.
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
#include <unistd.h>

#define ROOM 4096 /* packets on their way, in one direction */
#define PACKET_BYTES 512

struct packet {
	double due; /* s */
	ssize_t len;
	uint8_t bytes[PACKET_BYTES];
};

/* One direction. All take as long, so that they leave in the order in which they came. */
struct way {
	struct packet packets[ROOM];
	unsigned int first;
	unsigned int count;
};

static struct way there, back;
static struct sockaddr_in client;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static struct packet *place(struct way *way, unsigned int i)
{
	return &way->packets[(way->first + i) % ROOM];
}

static void take(struct way *way, int fd, struct sockaddr_in *from, double delay)
{
	while (way->count < ROOM) {
		struct packet *packet = place(way, way->count);
		socklen_t len = sizeof(*from);

		packet->len = recvfrom(fd, packet->bytes, PACKET_BYTES, MSG_DONTWAIT,
				       (struct sockaddr *)from, from ? &len : NULL);
		if (packet->len < 0)
			return;
		packet->due = now() + delay;
		way->count++;
	}
}

/* What is due leaves; how many ms until the next does, -1 = there is none. */
static double give(struct way *way, int fd, const struct sockaddr_in *to)
{
	while (way->count) {
		struct packet *packet = place(way, 0);
		double left = packet->due - now();

		if (left > 0)
			return left;
		(void)!sendto(fd, packet->bytes, (size_t)packet->len, 0,
			      (const struct sockaddr *)to, to ? sizeof(*to) : 0);
		way->first = (way->first + 1) % ROOM;
		way->count--;
	}
	return -1;
}

static int open_socket(const char *host, uint16_t port, struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), bytes = 4 << 20;

	*address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
	if (inet_pton(AF_INET, host, &address->sin_addr) != 1 || fd < 0)
		err(1, "%s", host);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return fd;
}

int main(int argc, char **argv)
{
	struct sockaddr_in own, server;
	socklen_t len = sizeof(own);
	struct pollfd fds[3] = {{.fd = STDIN_FILENO, .events = POLLIN}};
	double delay;

	if (argc != 4)
		errx(2, "HOST PORT MS");
	delay = strtod(argv[3], NULL) / 2000;
	fds[1] = (struct pollfd){open_socket("127.0.0.1", 0, &own), POLLIN, 0};
	fds[2] = (struct pollfd){open_socket(argv[1], (uint16_t)atoi(argv[2]), &server), POLLIN, 0};
	if (bind(fds[1].fd, (struct sockaddr *)&own, len) ||
	    getsockname(fds[1].fd, (struct sockaddr *)&own, &len) ||
	    connect(fds[2].fd, (struct sockaddr *)&server, len))
		err(1, "sockets");
	printf("%u\n", ntohs(own.sin_port));
	fflush(stdout);
	while (!fds[0].revents) {
		double one = give(&there, fds[2].fd, NULL), other = give(&back, fds[1].fd, &client);
		double left = one < 0 || (other >= 0 && other < one) ? other : one;
		struct timespec wait = {0, (long)(left * 1e9)};

		(void)ppoll(fds, 3, left < 0 ? NULL : &wait, NULL);
		take(&there, fds[1].fd, &client, delay);
		take(&back, fds[2].fd, NULL, delay);
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * guest_actor: does one thing a known number of times, so that a trace can be checked against it.
 * Linked statically: the guest has few libraries.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK 65536
#define I386_GETPGID 132 /* asm/unistd_32.h; 132 is utime in the 64-bit table */

static int fail(const char *what)
{
	fprintf(stderr, "actor: %s: %s\n", what, strerror(errno));
	return 1;
}

static int call_getppid(long count)
{
	while (count-- > 0)
		syscall(SYS_getppid);
	return 0;
}

/* The 32-bit entry of a 64-bit kernel, with arguments that a trace must show. */
static int call_int80(long count)
{
	while (count-- > 0) {
		long nr = I386_GETPGID;

		asm volatile("int $0x80"
			     : "+a"(nr)
			     : "b"(11L), "c"(22L), "d"(33L), "S"(44L), "D"(55L)
			     : "memory", "r8", "r9", "r10", "r11");
		if (nr != (getpgid(11) < 0 ? -errno : getpgid(11)))
			return 1;
	}
	return 0;
}

/* Goes to and fro between the first two CPUs. */
static int migrate(long count)
{
	for (long i = 0; i < count; i++) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(i & 1, &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus))
			return fail("sched_setaffinity");
	}
	return 0;
}

static int drain(int listener)
{
	static char bytes[CHUNK];
	int fd = accept(listener, NULL, NULL);
	ssize_t got;

	if (fd < 0)
		return fail("accept");
	do {
		got = read(fd, bytes, sizeof(bytes));
	} while (got > 0);
	close(fd);
	return got < 0 ? fail("read") : 0;
}

/* Returns when it listens; a child takes one connection and reads it to its end. */
static int serve(uint16_t port)
{
	struct sockaddr_in6 addr = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	int listener = socket(AF_INET6, SOCK_STREAM, 0);
	int on = 1;

	if (listener < 0)
		return fail("socket");
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1))
		return fail("listen");
	return fork() ? 0 : drain(listener);
}

static int dial(const char *host, uint16_t port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	bool is_v4 = inet_pton(AF_INET, host, &v4.sin_addr) == 1;
	int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM, 0);
	int err;

	if (fd < 0 || (!is_v4 && inet_pton(AF_INET6, host, &v6.sin6_addr) != 1))
		return -1;
	if (is_v4)
		err = connect(fd, (struct sockaddr *)&v4, sizeof(v4));
	else
		err = connect(fd, (struct sockaddr *)&v6, sizeof(v6));
	return err ? -1 : fd;
}

/* Sends @bytes, then waits for the peer to have read them all. */
static int send_bytes(const char *host, uint16_t port, long bytes)
{
	static char data[CHUNK];
	int fd = dial(host, port);

	if (fd < 0)
		return fail("connect");
	while (bytes > 0) {
		ssize_t put = write(fd, data, bytes < CHUNK ? (size_t)bytes : CHUNK);

		if (put < 0)
			return fail("write");
		bytes -= put;
	}
	shutdown(fd, SHUT_WR);
	return read(fd, data, 1) < 0 ? fail("read") : 0;
}

/* Sends a little, and does nothing more for @seconds. */
static int hold(const char *host, uint16_t port, unsigned int seconds)
{
	static const char data[1000];
	int fd = dial(host, port);

	if (fd < 0)
		return fail("connect");
	if (write(fd, data, sizeof(data)) != sizeof(data))
		return fail("write");
	sleep(seconds);
	close(fd);
	return 0;
}

/* Datagrams to itself, one after the other, over IPv4 and IPv6; each bears its number in bytes. Not
 * connected, each call says where to. */
static int send_datagrams(const char *host, uint16_t port, long count, bool connected)
{
	static char data[CHUNK];
	struct sockaddr_in6 addr = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	if (fd < 0 || inet_pton(AF_INET6, host, &addr.sin6_addr) != 1)
		return fail("socket");
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    (connected && connect(fd, (struct sockaddr *)&addr, sizeof(addr))))
		return fail("connect");
	for (long i = 1; i <= count; i++) {
		if (sendto(fd, data, (size_t)i, 0, connected ? NULL : (struct sockaddr *)&addr,
			   connected ? 0 : sizeof(addr)) != i ||
		    recv(fd, data, sizeof(data), 0) != i)
			return fail("send");
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long number = argc > 2 ? atol(argv[2]) : 0;

	if (!strcmp(what, "getppid"))
		return call_getppid(number);
	if (!strcmp(what, "int80"))
		return call_int80(number);
	if (!strcmp(what, "migrate"))
		return migrate(number);
	if (!strcmp(what, "serve"))
		return serve((uint16_t)number);
	if (!strcmp(what, "send") && argc == 5)
		return send_bytes(argv[2], (uint16_t)atoi(argv[3]), atol(argv[4]));
	if (!strcmp(what, "hold") && argc == 5)
		return hold(argv[2], (uint16_t)atoi(argv[3]), (unsigned int)atoi(argv[4]));
	if (!strcmp(what, "datagrams") && argc == 5)
		return send_datagrams(argv[2], (uint16_t)atoi(argv[3]), atol(argv[4]), true);
	if (!strcmp(what, "addressed") && argc == 5)
		return send_datagrams(argv[2], (uint16_t)atoi(argv[3]), atol(argv[4]), false);
	fprintf(stderr, "Usage: actor getppid|int80|migrate COUNT | serve PORT | "
			"send ADDRESS PORT BYTES | hold ADDRESS PORT SECONDS | "
			"datagrams|addressed ADDRESS6 PORT COUNT\n");
	return 2;
}

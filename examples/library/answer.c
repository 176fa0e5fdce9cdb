/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answer PORT: tells rxdebug how busy this host is: tasks that run as calls, those beyond its CPUs as calls that
 * wait for a thread.
 *
 *	cc answer.c $(pkg-config --cflags --libs sonde) -o answer
 *	./answer 7009 & rxdebug 127.0.0.1 7009
 */
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sonde/rx.h>

static int running_tasks(void)
{
	FILE *file = fopen("/proc/loadavg", "r");
	int running = 0;

	if (file) {
		if (fscanf(file, "%*f %*f %*f %d", &running) != 1)
			running = 0;
		fclose(file);
	}
	return running;
}

static void tell_basic(void *ctx, struct sonde_rx_basic *ret)
{
	const int cpus = *(const int *)ctx, running = running_tasks();

	ret->waiting = running > cpus ? running - cpus : 0;
	ret->idle_threads = running < cpus ? cpus - running : 0;
}

int main(int argc, char **argv)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct sonde_rx_callbacks callbacks = {0};
	struct sonde_rx_config config = {0};
	struct sonde_rx_responder *responder;
	struct sonde_error error;
	struct pollfd fd;
	int got = 0;

	if (argc != 2)
		errx(2, "usage: answer PORT");
	callbacks.basic = tell_basic;
	config.address = "127.0.0.1";
	config.port = (uint16_t)atoi(argv[1]);
	config.text = "answer 1.0";
	if (sonde_rx_responder_open(&config, &callbacks, &cpus, &responder, &error))
		errx(1, "%s", error.text);
	printf("port %u\n", sonde_rx_responder_port(responder));
	fflush(stdout);
	fd.fd = sonde_rx_responder_fd(responder);
	fd.events = POLLIN;
	while (got >= 0) {
		(void)poll(&fd, 1, -1);
		got = sonde_rx_responder_serve(responder);
	}
	errx(1, "%s", sonde_strerror(got));
}

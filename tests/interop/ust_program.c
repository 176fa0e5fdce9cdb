// SPDX-License-Identifier: BSD-2-Clause
/*
 * ust_program ROUNDS BURST [PAUSE_US [SMALL [RICH]]]: fires the tracepoints of ust_events.h ROUNDS times from
 * two threads, with a pause between rounds, then BURST more without one, SMALL small ones,
 * and RICH of several fields.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ust_events.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned int rounds, burst, pause_us, small, rich;

static void fire(unsigned int i)
{
	static const char *const texts[] = {"x", "a \"quoted\" one", "tab\tline\nend\\",
					    "\xc3\xa4\xc3\xa4\xe2\x82\xac",
					    "a longer text, of which a piece is taken"};
	static const int colours[] = {0, 1, 50, 95, 99, 100, 101, 102, -1};
	static const double numbers[] = {0, -1.5, 3.1415926535897931, 1e300, -1e-300, 16777217};
	const char *text = texts[i % 5];
	uint64_t x = 0x123456789abcdef0ull * (i + 1), longs[4] = {x, ~x, i, 1ull << 63};
	uint8_t bytes[8] = {0, 1, 2, 0x7f, 0x80, 0xff, (uint8_t)i, 9};
	char padded[8] = "";

	(void)snprintf(padded, sizeof(padded), "%.7s", text);
	lttng_ust_tracepoint(sonde_test, integers, i % 3 ? x : 0 - (uint64_t)i);
	lttng_ust_tracepoint(sonde_test, floats, numbers[i % 6]);
	lttng_ust_tracepoint(sonde_test, enums, colours[i % 9]);
	lttng_ust_tracepoint(sonde_test, arrays, longs, bytes, i % 5 % 4);
	lttng_ust_tracepoint(sonde_test, texts, i % 5 < 4 ? padded : text, 1 + i % 5);
	lttng_ust_tracepoint(sonde_test, nothing);
}

static void *work(void *arg)
{
	static const char *const texts[] = {"GET /", "POST /orders", "GET /static/app.js"};
	static const uint32_t items[4] = {7, 1500, 65536, 4000000000};
	unsigned int i;

	(void)arg;
	for (i = 0; i < rounds; i++) {
		fire(i);
		if (pause_us)
			(void)usleep(pause_us);
	}
	for (i = 0; i < burst; i++)
		lttng_ust_tracepoint(sonde_test, burst, i);
	for (i = 0; i < small; i++)
		lttng_ust_tracepoint(sonde_test, small, i);
	for (i = 0; i < rich; i++)
		lttng_ust_tracepoint(sonde_test, rich, i, items, i % 5, texts[i % 3]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	size_t i;

	if (argc < 3) {
		(void)fprintf(stderr, "Usage: %s ROUNDS BURST [PAUSE_US [SMALL [RICH]]]\n",
			      argv[0]);
		return 2;
	}
	rounds = (unsigned int)strtoul(argv[1], NULL, 10);
	burst = (unsigned int)strtoul(argv[2], NULL, 10);
	pause_us = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 0;
	small = argc > 4 ? (unsigned int)strtoul(argv[4], NULL, 10) : 0;
	rich = argc > 5 ? (unsigned int)strtoul(argv[5], NULL, 10) : 0;
	for (i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	}
	for (i = 0; i < 2; i++)
		(void)pthread_join(threads[i], NULL);
	return 0;
}

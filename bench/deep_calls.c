// SPDX-License-Identifier: BSD-2-Clause
/*
 * deep_calls CALLS REPEATS DEPTH: what one getppid call costs in CPU time, made by a function that DEPTH others have called. Prints a
 * line "0 NS" for each repetition, NS per call. Built without optimization, so that a stack has each of them,
 * with frame pointers and without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long calls;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static __attribute__((noinline)) int call_all(int depth)
{
	if (depth)
		return call_all(depth - 1) + 1;
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	return 0;
}

int main(int argc, char **argv)
{
	int repeats, depth;

	if (argc != 4)
		return 2;
	calls = atol(argv[1]);
	repeats = atoi(argv[2]);
	depth = atoi(argv[3]);
	for (int i = 0; i < repeats; i++) {
		double start_ns = now_ns();

		if (call_all(depth) != depth)
			return 1;
		printf("0 %.2f\n", (now_ns() - start_ns) / (double)calls);
	}
	return 0;
}

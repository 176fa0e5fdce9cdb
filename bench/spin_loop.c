// SPDX-License-Identifier: BSD-2-Clause
/*
 * spin_loop STEPS REPEATS CPU: a loop in user mode that calls nobody, on one CPU. Prints a line "CPU NS"
 * for each repetition, NS per thousand steps: whatever interrupts it shows.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	long steps = argc == 4 ? atol(argv[1]) : 0, repeats = argc == 4 ? atol(argv[2]) : 0;
	double *ns = calloc(repeats > 0 ? (size_t)repeats : 1, sizeof(*ns));
	cpu_set_t set;

	if (steps < 1 || repeats < 1 || !ns) {
		fprintf(stderr, "Usage: spin_loop STEPS REPEATS CPU\n");
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET((size_t)atoi(argv[3]), &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("spin_loop");
		return 1;
	}
	for (long i = 0; i < repeats; i++) {
		double start_ns = now_ns();

		for (long j = 0; j < steps; j++)
			__asm__ volatile("" : : "r"(j));
		ns[i] = (now_ns() - start_ns) * 1000 / (double)steps;
	}
	for (long i = 0; i < repeats; i++)
		printf("%s %.4f\n", argv[3], ns[i]);
	free(ns);
	return fflush(stdout) ? 1 : 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * syscall_loop CALLS REPEATS CPU...: what one getppid call costs on each of the CPUs, all busy
 * at once. Prints a line "CPU NS" for each repetition, NS per call. The cheapest system call
 * there is, so whatever is hooked to system calls shows as much as it can.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Times go out at the end: printing is a system call too. */
static int measure(int cpu, long calls, int repeats)
{
	double *ns = calloc((size_t)repeats, sizeof(*ns));

	if (!ns || pin(cpu)) {
		perror("syscall_loop");
		free(ns);
		return 1;
	}
	for (int i = 0; i < repeats; i++) {
		double start_ns = now_ns();

		for (long j = 0; j < calls; j++)
			syscall(SYS_getppid);
		ns[i] = (now_ns() - start_ns) / (double)calls;
	}
	for (int i = 0; i < repeats; i++)
		printf("%d %.2f\n", cpu, ns[i]);
	free(ns);
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	int status, failures = 0;

	if (argc < 4) {
		fprintf(stderr, "Usage: syscall_loop CALLS REPEATS CPU...\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		pid_t pid = fork();

		if (!pid)
			exit(measure(atoi(argv[i]), atol(argv[1]), atoi(argv[2])));
		failures += pid < 0;
	}
	while (wait(&status) > 0)
		failures += !WIFEXITED(status) || WEXITSTATUS(status);
	return failures ? 1 : 0;
}

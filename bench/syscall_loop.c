// SPDX-License-Identifier: BSD-2-Clause
/*
 * syscall_loop [-c CALL] CALLS REPEATS CPU...: what one call costs on each of the CPUs, all busy
 * at once. Prints a line "CPU NS" for each repetition, NS per call. Without -c getppid, the cheapest system call
 * there is, so whatever is hooked to system calls shows as much as it can. "read" reads nothing, "access" is given
 * a path that is not there.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static const struct call {
	const char *name;
	long nr, args[3];
} known[] = {
	{"getppid", SYS_getppid, {0}},
	{"read", SYS_read, {0, 0, 0}},
	{"access", SYS_access, {(long)"/proc/there/is/no/such/f", F_OK}},
};

static const struct call *call_named(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

/* Times go out at the end: printing is a system call too. */
static int measure(const struct call *call, int cpu, long calls, int repeats)
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
			syscall(call->nr, call->args[0], call->args[1], call->args[2]);
		ns[i] = (now_ns() - start_ns) / (double)calls;
	}
	for (int i = 0; i < repeats; i++)
		printf("%d %.2f\n", cpu, ns[i]);
	free(ns);
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct call *call = &known[0];
	int status, failures = 0;

	if (argc > 2 && !strcmp(argv[1], "-c")) {
		call = call_named(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc < 4 || !call) {
		fprintf(stderr,
			"Usage: syscall_loop [-c getppid|read|access] CALLS REPEATS CPU...\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		pid_t pid = fork();

		if (!pid)
			exit(measure(call, atoi(argv[i]), atol(argv[1]), atoi(argv[2])));
		failures += pid < 0;
	}
	while (wait(&status) > 0)
		failures += !WIFEXITED(status) || WEXITSTATUS(status);
	return failures ? 1 : 0;
}

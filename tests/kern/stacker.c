// SPDX-License-Identifier: BSD-2-Clause
/*
 * stacker: a program whose stacks are known, for tests/kern/stacks.py: a child waits in wait_here, called by wait_outer
 * and be_child; the parent wakes it in wake_here, called by wake_outer and be_parent, each time it has fallen asleep.
 *
 * Usage: stacker ROUNDS. It prints the pids of both; for each line that it gets it does so many rounds, and says when they
 * are done. It stays until its input ends: the recorder still has to look at it. Calls are made without libc, whose functions have no frame pointers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define KNOWN __attribute__((noinline, noclone))

#if defined(__x86_64__)
#define CALL(nr, a, b, c, ret)                                                         \
	asm volatile("syscall"                                                         \
		     : "=a"(ret)                                                       \
		     : "0"((long)(nr)), "D"((long)(a)), "S"((long)(b)), "d"((long)(c)) \
		     : "rcx", "r11", "memory")
#elif defined(__aarch64__)
#define CALL(nr, a, b, c, ret)                                                           \
	do {                                                                             \
		register long x8 asm("x8") = (nr);                                       \
		register long x0 asm("x0") = (long)(a);                                  \
		register long x1 asm("x1") = (long)(b);                                  \
		register long x2 asm("x2") = (long)(c);                                  \
		asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory"); \
		ret = x0;                                                                \
	} while (0)
#endif

static int pipe_fds[2];
static int rounds;

KNOWN static long wait_here(void)
{
	char byte;
	long ret;

	CALL(SYS_read, pipe_fds[0], &byte, 1, ret);
	return ret;
}

KNOWN static long wait_outer(void)
{
	return wait_here() + 1;
}

KNOWN static int be_child(void)
{
	long ret;

	do {
		ret = wait_outer();
	} while (ret == 2);
	return ret != 1; /* 1: the other end is closed */
}

KNOWN static long wake_here(void)
{
	long ret;

	CALL(SYS_write, pipe_fds[1], "x", 1, ret);
	return ret;
}

KNOWN static long wake_outer(void)
{
	return wake_here() + 1;
}

/* It waits in its read until it is woken. */
static int is_asleep(pid_t child)
{
	char path[64], text[512];
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

KNOWN static int be_parent(pid_t child)
{
	for (int i = 0; i < rounds; i++) {
		while (!is_asleep(child))
			usleep(100);
		if (wake_outer() != 2)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char line[16];
	pid_t child;
	int failed = 0, status = 0;

	rounds = argc > 1 ? atoi(argv[1]) : 1;
	if (pipe(pipe_fds))
		return 1;
	child = fork();
	if (!child) {
		close(pipe_fds[1]);
		_exit(be_child());
	}
	printf("%d %d\n", (int)getpid(), (int)child);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		failed |= be_parent(child);
		printf("done\n");
		fflush(stdout);
	}
	close(pipe_fds[1]);
	waitpid(child, &status, 0);
	return failed || status;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * timed COMMAND [ARG...]: runs it with its output thrown away and prints one line: seconds it
 * took, CPU seconds, peak memory in KiB, exit status. Small, since a command's peak memory is
 * never less than that of the program that started it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void become(char **command)
{
	int null_fd = open("/dev/null", O_WRONLY);

	if (null_fd >= 0 && dup2(null_fd, STDOUT_FILENO) >= 0)
		execvp(command[0], command);
	_exit(127);
}

int main(int argc, char **argv)
{
	double start = now();
	struct rusage used;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (!pid)
		become(argv + 1);
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return 1;
	printf("%.4f %.4f %ld %d\n", now() - start, seconds(used.ru_utime) + seconds(used.ru_stime),
	       used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

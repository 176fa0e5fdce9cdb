// SPDX-License-Identifier: BSD-2-Clause
/*
 * actor: does known things, exactly as often as it is told, for tests that count.
 *
 * usage: actor calls N          getpgid N times and end
 *        actor paced N          the same, with a pause after each 5000
 *        actor rounds N         for each line on stdin: getpgid N times, then "done" on stdout
 *        actor open FILE        for each line on stdin: opens FILE for reading, then "done"
 *        actor threads T N      T threads, getpgid N times each; prints their tids
 *        actor compat N         int $0x80: getpgid N times, then one call with known arguments
 *        actor spin MS          runs on the CPU; prints user and system time used, in us
 *        actor burn MS         MS of CPU time in burn_in_user, called by burn_outer; prints the time
 *                              used, in us, user and system
 *        actor read MS         the same, reading /dev/zero
 *        actor deep MS         the same as burn, under 200 calls of itself
 *        actor exit STATUS      ends with that
 *
 * Each getpgid is given its number, from 0, as the process that it asks for.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COMPAT_GETPGID 132
#define COMPAT_PREAD64 180
#define THREADS_MAX 64
#define CALLS_A_PACE 5000
#define PACE_US 10000

static long count; /* calls of each thread */

/* Calls from number @first on. */
static void call_often(long first, long times)
{
	for (long i = first; i < first + times; i++)
		syscall(SYS_getpgid, i);
}

static int do_calls(long times)
{
	call_often(0, times);
	return 0;
}

/* At most half a million calls a second, for which a ring has room while nobody reads it for long. */
static int do_paced(long times)
{
	for (long i = 0; i < times; i += CALLS_A_PACE) {
		call_often(i, times - i < CALLS_A_PACE ? times - i : CALLS_A_PACE);
		usleep(PACE_US);
	}
	return 0;
}

static int do_rounds(long times)
{
	char line[16];

	for (long round = 0; read(0, line, sizeof(line)) > 0; round++) {
		call_often(round * times, times);
		if (write(1, "done\n", 5) != 5)
			return 1;
	}
	return 0;
}

static int do_open(const char *file)
{
	char line[16];

	while (read(0, line, sizeof(line)) > 0) {
		int fd = open(file, O_RDONLY);

		if (fd >= 0)
			close(fd);
		if (write(1, "done\n", 5) != 5)
			return 1;
	}
	return 0;
}

static void *thread_main(void *tid)
{
	*(long *)tid = syscall(SYS_gettid);
	call_often(0, count);
	return NULL;
}

static int do_threads(int threads, long times)
{
	pthread_t made[THREADS_MAX];
	long tids[THREADS_MAX];

	count = times;
	for (int i = 0; i < threads && i < THREADS_MAX; i++) {
		if (pthread_create(&made[i], NULL, thread_main, &tids[i]))
			return 1;
	}
	for (int i = 0; i < threads && i < THREADS_MAX; i++) {
		pthread_join(made[i], NULL);
		printf("%ld ", tids[i]);
	}
	printf("\n");
	return 0;
}

#if defined(__x86_64__)
static long compat_call(long nr, const uint32_t args[6])
{
	long ret;

	/* The sixth argument is in ebp, which the compiler may need: saved around. */
	__asm__ volatile("push %%rbp\n\t"
			 "mov %[sixth], %%ebp\n\t"
			 "int $0x80\n\t"
			 "pop %%rbp"
			 : "=a"(ret)
			 : "a"(nr), "b"(args[0]), "c"(args[1]), "d"(args[2]), "S"(args[3]),
			   "D"(args[4]), [sixth] "r"(args[5])
			 : "memory", "r8", "r9", "r10", "r11");
	return (int32_t)ret;
}

static int do_compat(long times)
{
	static const uint32_t nothing[6];
	/* An impossible descriptor: the call fails and changes nothing. */
	static const uint32_t known[6] = {0xffffffff, 0x11111111, 0xfedcba98,
					  0x33333333, 0x44444444, 0x55555555};

	for (long i = 0; i < times; i++)
		compat_call(COMPAT_GETPGID, nothing);
	printf("%ld\n", compat_call(COMPAT_PREAD64, known));
	return 0;
}
#else
static int do_compat(long times)
{
	(void)times;
	return 77;
}
#endif

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int do_spin(long ms)
{
	long long end = now_ms() + ms;
	struct rusage used;

	while (now_ms() < end)
		call_often(0, 100);
	getrusage(RUSAGE_SELF, &used);
	printf("%lld %lld %ld %ld\n", used.ru_utime.tv_sec * 1000000LL + used.ru_utime.tv_usec,
	       used.ru_stime.tv_sec * 1000000LL + used.ru_stime.tv_usec, used.ru_minflt,
	       used.ru_majflt);
	return 0;
}

static long long used_us(struct rusage *used)
{
	getrusage(RUSAGE_SELF, used);
	return (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000LL +
	       used->ru_utime.tv_usec + used->ru_stime.tv_usec;
}

/* Functions of their own, which samples find by name. */
static __attribute__((noinline, noclone)) unsigned long burn_in_user(unsigned long from)
{
	/* Who asks for its frame has one. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	for (long i = 0; i < 1000000; i++)
		__asm__ volatile("" : "+r"(from) : "r"(i));
	return from + 1;
}

static __attribute__((noinline, noclone)) int burn_outer(long ms)
{
	struct rusage used;
	unsigned long sum = 0;

	while (used_us(&used) < ms * 1000)
		sum = burn_in_user(sum);
	__asm__ volatile("" : : "r"(sum));
	return 0;
}

static __attribute__((noinline, noclone)) int read_zeros(long ms)
{
	static char buffer[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);
	struct rusage used;

	while (used_us(&used) < ms * 1000) {
		for (int i = 0; i < 10; i++) {
			if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
				return 1;
		}
	}
	close(fd);
	return 0;
}

#define CALLS_DEEP 200

static __attribute__((noinline, noclone)) int burn_below(long ms, int calls)
{
	int err = calls ? burn_below(ms, calls - 1) : burn_outer(ms);

	__asm__ volatile("" : "+r"(err)); /* not a call at the end, which would be a jump */
	return err;
}

static int burn_deep(long ms)
{
	return burn_below(ms, CALLS_DEEP);
}

static int do_burn(int (*burn)(long ms), long ms)
{
	struct rusage used;
	int err = burn(ms);

	used_us(&used);
	printf("%lld %lld\n", used.ru_utime.tv_sec * 1000000LL + used.ru_utime.tv_usec,
	       used.ru_stime.tv_sec * 1000000LL + used.ru_stime.tv_usec);
	return err;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long number = argc > 2 ? atol(argv[2]) : 0;

	if (!strcmp(what, "calls"))
		return do_calls(number);
	if (!strcmp(what, "paced"))
		return do_paced(number);
	if (!strcmp(what, "rounds"))
		return do_rounds(number);
	if (!strcmp(what, "open"))
		return do_open(argv[2]);
	if (!strcmp(what, "threads") && argc > 3)
		return do_threads((int)number, atol(argv[3]));
	if (!strcmp(what, "compat"))
		return do_compat(number);
	if (!strcmp(what, "spin"))
		return do_spin(number);
	if (!strcmp(what, "burn"))
		return do_burn(burn_outer, number);
	if (!strcmp(what, "deep"))
		return do_burn(burn_deep, number);
	if (!strcmp(what, "read"))
		return do_burn(read_zeros, number);
	if (!strcmp(what, "exit"))
		return (int)number;
	return 2;
}

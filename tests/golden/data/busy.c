// SPDX-License-Identifier: BSD-2-Clause
/*
 * busy: what the trace `busy` is a recording of: a tenth of a second in a function of the program,
 * and one in the kernel, which fills memory with zeros. Recorded in namespaces of its own, as root,
 * by
 *
 *	gcc -O1 -fno-omit-frame-pointer -static -o busy busy.c
 *	unshare -m -n -u sh -c 'hostname golden; mount --bind . /mnt; exec \
 *		sonde record -e cpu.sample --rate 200 --detail full -o trace -- /mnt/busy'
 *
 * The boot id in its environment was replaced. The program is not here: its functions have no names.
 */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define HALF_NS 100000000ll

static char zeros[1 << 20];

static long long used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000ll + used.tv_nsec;
}

static __attribute__((noinline)) void burn(void)
{
	for (int i = 0; i < 100000; i++)
		__asm__ volatile("" : : "r"(i));
}

int main(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	while (used_ns() < HALF_NS)
		burn();
	while (used_ns() < 2 * HALF_NS) {
		if (read(fd, zeros, sizeof(zeros)) != sizeof(zeros))
			return 1;
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * warm_memory MIB: touches that much memory, says "warm", and gives it back when its standard
 * input ends: what is then written into the page cache does not have to wait until a host has
 * found memory for this virtual machine, which takes longer than all that is to be measured.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u

int main(int argc, char **argv)
{
	size_t len = argc == 2 ? (size_t)atol(argv[1]) << 20 : 0;
	char *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("warm_memory");
		return 2;
	}
	/* Page by page, as the page cache will ask for it. */
	(void)madvise(memory, len, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < len; i += PAGE_BYTES)
		memory[i] = 1;
	puts("warm");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}

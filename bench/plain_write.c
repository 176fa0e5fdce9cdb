// SPDX-License-Identifier: BSD-2-Clause
/*
 * plain_write FILE BYTES: writes that many bytes of memory to the file in pieces of 256 KiB, as
 * cheaply as write(2) can, and prints the CPU time in ns: what no recorder into the page cache
 * can go below.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIECE_BYTES (256u << 10)
#define PIECES 16u /* as many as there are sub-buffers in a ring */

static double cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}

int main(int argc, char **argv)
{
	char *memory = malloc(PIECES * PIECE_BYTES);
	double start_ns;
	long pieces;
	int fd;

	if (argc != 3 || !memory)
		return 2;
	memset(memory, 1, PIECES * PIECE_BYTES);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0644);
	pieces = atol(argv[2]) / PIECE_BYTES;
	start_ns = cpu_ns();
	for (long i = 0; i < pieces; i++) {
		const char *piece = memory + (unsigned long)i % PIECES * PIECE_BYTES;

		if (write(fd, piece, PIECE_BYTES) != PIECE_BYTES) {
			perror(argv[1]);
			return 1;
		}
	}
	printf("%.0f\n", cpu_ns() - start_ns);
	close(fd);
	free(memory);
	return 0;
}

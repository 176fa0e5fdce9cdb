// SPDX-License-Identifier: BSD-2-Clause
/*
 * hold: a library that is loaded before others (LD_PRELOAD), in whose presence one file takes as long to read as the
 * test wants: whoever reads the file of inode HOLD_INODE by pread waits until the pipe HOLD_FD has a byte or is closed.
 */
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static void hold(int fd)
{
	const char *inode = getenv("HOLD_INODE"), *until = getenv("HOLD_FD");
	struct stat st;
	char byte;

	if (inode && until && !fstat(fd, &st) && st.st_ino == strtoull(inode, NULL, 10))
		(void)!read(atoi(until), &byte, 1);
}

/* With 64 bits of offset this is pread64, and so it is for those who call it. */
ssize_t pread(int fd, void *data, size_t len, off_t offset)
{
	ssize_t (*real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");

	hold(fd);
	return real(fd, data, len, offset);
}

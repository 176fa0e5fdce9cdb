// SPDX-License-Identifier: BSD-2-Clause
/*
 * hold: a library that is loaded before others (LD_PRELOAD), in whose presence one file takes as long to read as the
 * test wants: whoever reads the file of inode HOLD_INODE waits until the pipe HOLD_FD has a byte or is closed. If there
 * is a pipe HELD_FD, a byte in it says that it is read.
 */
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static ssize_t real_read(int fd, void *data, size_t len)
{
	ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");

	return real(fd, data, len);
}

static void hold(int fd)
{
	const char *inode = getenv("HOLD_INODE"), *until = getenv("HOLD_FD");
	const char *held = getenv("HELD_FD");
	static bool said;
	struct stat st;
	char byte;

	if (!inode || !until || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_ino != strtoull(inode, NULL, 10))
		return;
	if (held && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		(void)!write(atoi(held), "", 1);
	(void)!real_read(atoi(until), &byte, 1);
}

ssize_t read(int fd, void *data, size_t len)
{
	hold(fd);
	return real_read(fd, data, len);
}

/* What read is where the compiler knows how much @data has room for. */
ssize_t __read_chk(int fd, void *data, size_t len, size_t room)
{
	hold(fd);
	if (len > room)
		abort();
	return real_read(fd, data, len);
}

/* With 64 bits of offset this is pread64, and so it is for those who call it. */
ssize_t pread(int fd, void *data, size_t len, off_t offset)
{
	ssize_t (*real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");

	hold(fd);
	return real(fd, data, len, offset);
}

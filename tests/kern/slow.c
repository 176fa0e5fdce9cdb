// SPDX-License-Identifier: BSD-2-Clause
/*
 * slow: a library that is loaded before others (LD_PRELOAD), in whose presence the disk seems to be
 * slow: whoever writes 4 KiB or more at a time waits 20 ms for it.
 */
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#define LONG_WRITE 4096
#define WRITE_US 20000

ssize_t write(int fd, const void *data, size_t len)
{
	ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");

	if (len >= LONG_WRITE)
		usleep(WRITE_US);
	return real(fd, data, len);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t offset)
{
	ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");

	if (len >= LONG_WRITE)
		usleep(WRITE_US);
	return real(fd, data, len, offset);
}

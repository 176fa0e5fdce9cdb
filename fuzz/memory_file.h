/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_file: an input as the file that a reader of files wants, without a disk.
 */
#ifndef SONDE_FUZZ_MEMORY_FILE_H
#define SONDE_FUZZ_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/file_window.h"
#include "base/io.h"

/* The caller closes it, or whom he gives it to. */
static inline struct file_window *memory_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct file_window *file;
	char name[32];

	if (fd < 0 || write_all(fd, data, size))
		abort();
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (file_window_open(name, &file))
		abort();
	(void)fd_close(fd);
	return file;
}

#endif /* SONDE_FUZZ_MEMORY_FILE_H */

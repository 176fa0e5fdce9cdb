/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conduit: bytes of files into sockets, by the kernel, and without a copy: the pages that a file has in memory
 * go through a pipe. sendfile(2) does the same with a pipe of its own, of 64 KiB at a time; with all that fits
 * in this one, the socket has more to send at once, and wakes its reader less often.
 *
 * One is enough for all the sockets of a thread: nothing stays in it between calls.
 */
#ifndef SONDE_BASE_CONDUIT_H
#define SONDE_BASE_CONDUIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct conduit;

/* 0 or -errno. The caller owns *@ret. */
int conduit_new(struct conduit **ret);
/* NULL is fine. */
void conduit_free(struct conduit *conduit);

/*
 * Of @len bytes of @file at @offset, as many as @socket takes now, if that does not wait, and at most what
 * goes at once: their number, 0 = the file ends there, -EAGAIN = it takes none now, or -errno. Where the other
 * end is closed, that is SIGPIPE, unless blocked, and -EPIPE.
 */
ssize_t conduit_send(struct conduit *conduit, int file, uint64_t offset, size_t len, int socket);

#endif /* SONDE_BASE_CONDUIT_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_window: a file or a pipe, read from its beginning to its end through a window in memory.
 *
 * For formats of one file: a decoder looks at the next bytes, in place, and skips those that it is
 * done with. The window is as large as the largest look, whatever the file's size.
 */
#ifndef SONDE_BASE_FILE_WINDOW_H
#define SONDE_BASE_FILE_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FILE_WINDOW_BYTES (256u << 10)
#define FILE_WINDOW_MAX_BYTES (16u << 20) /* of one look */
#define FILE_WINDOW_PAUSE_NS 100000000l /* between two looks at a file that is followed */

struct file_window;

/* "-" is standard input, which stays open. 0, or -errno: -EISDIR where it is a directory. */
int file_window_open(const char *name, struct file_window **ret);
/* NULL is fine. */
void file_window_close(struct file_window *window);

/*
 * What comes next: @want bytes, more where they are there already, fewer only at the end of the
 * file: the count, or -errno; -E2BIG above the limit. *@ret is borrowed until the next look.
 */
ssize_t file_window_look(struct file_window *window, size_t want, const uint8_t **ret);
/*
 * From here on the file is followed: as long as a process writes it, which holds a lock on it
 * (flock), a look that finds fewer bytes than it wants waits a moment and gives -EAGAIN. A pipe is
 * followed in any case.
 */
void file_window_follow(struct file_window *window);
/*
 * For a file that is followed, and is filled in place: waits a moment, and forgets bytes that were read
 * and not skipped. -EAGAIN: look again. 0: no process writes it any more, and its present content is final;
 * so it is for a file that is not followed.
 */
int file_window_again(struct file_window *window);
/* Done with @len bytes of those that the last look gave. */
void file_window_skip(struct file_window *window, size_t len);

/* Offset of what comes next from the beginning of the file. */
uint64_t file_window_offset(const struct file_window *window);
/* Bytes of the whole file; 0 = unknown, it is a pipe. */
uint64_t file_window_size(const struct file_window *window);

#endif /* SONDE_BASE_FILE_WINDOW_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * directory: a trace directory that is being written: where stream files go, their indexes, and
 * the metadata.
 */
#ifndef SONDE_TRACE_DIRECTORY_H
#define SONDE_TRACE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The traces in a directory: itself, or those below it, as sessions of LTTng and those that
 * `sonde serve -o` stores have one for each domain, user and chunk.
 */

struct diag;

#define TRACE_FIND_DEPTH 16 /* of a trace in the directory; LTTng's are six deep */

/*
 * Calls @found for each, in the order of their paths, numbers in them as numbers: open as @fd, which it takes;
 * @path is that below the directory, "" = itself. Links and hidden directories are not looked into. Takes
 * @dir_fd. Ends with the first error of @found, and returns it: the diag is @found's. 0 also if none is found.
 */
int trace_find(int dir_fd, int (*found)(void *ctx, int fd, const char *path, struct diag *diag),
	       void *ctx, struct diag *diag);

struct directory {
	int fd;
	int index_fd;
	bool made; /* it was not there before */
};

/* Makes @path (its parent must be there; -EEXIST where it is and is not empty; -EACCES where another user
 * has a hand in it: base/place) and index/ in it, with the modes that the umask leaves, for @group
 * (0: as the file system has it). Also behind an error, the caller closes or undoes. */
int directory_create(struct directory *dir, const char *path, gid_t group, struct diag *diag);
void directory_close(struct directory *dir);

/* Whether a process writes the trace whose directory is open as @fd. */
bool directory_is_written(int fd);

/* Puts longer metadata in the place of the old text, which it begins with. A reader finds one or
 * the other, whole. 0 or -errno; after an error the old one is still there. */
int directory_metadata(const struct directory *dir, const void *metadata, size_t len);

/* Closes it and removes what was created, if no other process has put files into it. */
void directory_undo(struct directory *dir, const char *path);

/* Removes a trace from @path: its files, its indexes, and itself. -ENOTEMPTY if it has a
 * folder that does not belong to a trace: then nothing is removed. -EBADMSG: it has no metadata. */
int directory_remove(const char *path, struct diag *diag);

#endif /* SONDE_TRACE_DIRECTORY_H */

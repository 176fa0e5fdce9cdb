/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * find: the traces in a directory: itself, or those below it, as sessions of LTTng and those that
 * `sonde serve -o` stores have one for each domain, user and chunk.
 */
#ifndef SONDE_TRACE_FIND_H
#define SONDE_TRACE_FIND_H

struct diag;

#define TRACE_FIND_DEPTH 16 /* of a trace in the directory; LTTng's are six deep */

/*
 * Calls @found for each, in the order of their paths, numbers in them as numbers: open as @fd, which it takes;
 * @path is that below the directory, "" = itself. Links and hidden directories are not looked into. Takes
 * @dir_fd. Ends with the first error of @found, and returns it: the diag is @found's. 0 also if none is found.
 */
int trace_find(int dir_fd, int (*found)(void *ctx, int fd, const char *path, struct diag *diag),
	       void *ctx, struct diag *diag);

#endif /* SONDE_TRACE_FIND_H */

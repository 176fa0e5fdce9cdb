/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * place: where output is created. Modes are those of the umask. Root follows no symbolic link of
 * another user and creates nothing in a directory that it opens for output and that another user owns:
 * such a user could exchange what lies there.
 */
#ifndef SONDE_BASE_PLACE_H
#define SONDE_BASE_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

struct diag;

/* Opens directory @path, or creates it (its parent must exist); *@made says which. -EACCES: the place
 * is another user's. An fd, or -errno with the diag. */
int place_directory(const char *path, bool *made, struct diag *diag);

/* As open(2) with O_CREAT and @flags: an fd, or -errno with the diag. */
int place_file(const char *path, int flags, struct diag *diag);

/* Gives what is open as @fd, and what will be created in it if it is a directory, to @group;
 * 0 = does nothing. 0, or -errno with the diag. */
int place_give(int fd, const char *path, gid_t group, struct diag *diag);

#endif /* SONDE_BASE_PLACE_H */

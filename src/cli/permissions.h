/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * permissions: access rights of files that a verb writes: --permissions and --group, the same for
 * all verbs that write recorded data. Without them: its owner alone, whatever the shell's umask
 * is. The umask of the process carries them, so every file that is created later has them.
 */
#ifndef SONDE_CLI_PERMISSIONS_H
#define SONDE_CLI_PERMISSIONS_H

#include <sys/types.h>

struct diag;

#define PERMISSIONS_TEXT                                                                               \
	"of what is written: 640 or 750 lets its group read it (directories get x where there is r); " \
	"default 600"
#define PERMISSIONS_GROUP_TEXT "give it to this group, a name or a number"

/* Zeroed: its owner alone. */
struct permissions {
	mode_t mode; /* 0 = the default */
	gid_t group; /* 0 = as the file system has it */
};

int permissions_parse(const char *text, struct permissions *ret, struct diag *diag);
int permissions_parse_group(const char *text, struct permissions *ret, struct diag *diag);

/* Before the first file is created, and behind the fork of any program that should have the user's own
 * umask. NULL = the default. */
void permissions_apply(const struct permissions *permissions);

#endif /* SONDE_CLI_PERMISSIONS_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control_dir: where the recorders and relays of one user have their sockets, and what these are called:
 * "NAME.PID.sock" and "NAME.PID.relay", in a directory that only this user may enter.
 */
#ifndef SONDE_RECORD_CONTROL_DIR_H
#define SONDE_RECORD_CONTROL_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sockaddr_un;
struct diag;

#define RECORDER_NAME_BYTES 41
#define CONTROL_FILE_BYTES 64
#define CONTROL_PATH_BYTES 4096

/* What answers there. */
enum control_kind { CONTROL_RECORDER, CONTROL_RELAY, CONTROL_KINDS };

/* Where it is, or would be. */
void control_dir_path(char *path, size_t room);
/*
 * Opens the directory, after making it where it is not there: $SONDE_RUNTIME_DIR, or for root
 * /run/sonde, for others $XDG_RUNTIME_DIR/sonde, or /tmp/sonde-UID. -EPERM: it belongs to another user
 * (which root may say by $SONDE_RUNTIME_DIR that it wants), or is open to others.
 */
int control_dir_open(int *ret, struct diag *diag);
/* The same, but -ENOENT where it is not there. */
int control_dir_find(int *ret, struct diag *diag);

/* 1 to 40 letters, digits, '-', '_', '.'; no dot at the start. */
bool recorder_name_is_good(const char *name);
/* The last part of a trace's path, made into a good name. */
void recorder_name_make(const char *path, char name[RECORDER_NAME_BYTES]);

void control_file_format(char file[CONTROL_FILE_BYTES], enum control_kind kind, const char *name,
			 pid_t pid);
/* False if @file is not such a name. */
bool control_file_parse(const char *file, enum control_kind *kind, char name[RECORDER_NAME_BYTES],
			pid_t *pid);

/* The address of @file in the directory @dir: by its fd, since addresses are short. */
void control_address(struct sockaddr_un *address, int dir, const char *file);

#endif /* SONDE_RECORD_CONTROL_DIR_H */

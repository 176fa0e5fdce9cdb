/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_status: what a running magnet-read says of itself, in place of /proc/net/magnet: a small text
 * in the directory of the control sockets, "magnet.PID", a word and its value a line. `sonde status
 * --magnet` reads them all. A text is always whole: it is renamed into its place.
 */
#ifndef SONDE_CLI_MAGNET_STATUS_H
#define SONDE_CLI_MAGNET_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record_format/magnet/magnet_record.h"

struct verb_spec;

struct magnet_status {
	pid_t pid;
	char file[1024];
	char layout[MAGNET_LAYOUT_NAME_BYTES];
	char events[256]; /* patterns */
	uint64_t since_ns; /* since the epoch */
	uint64_t room; /* records that the file can have */
	uint64_t records; /* that it has */
	uint64_t lost; /* events, since it began */
};

/* This process's, into the directory @dir. 0 or -errno. */
int magnet_status_write(int dir, const struct magnet_status *status);
void magnet_status_remove(int dir);

/* Prints all of them; entries of processes that were killed are removed. An enum exit_status. */
int magnet_status_show(const struct verb_spec *spec, bool json);

#endif /* SONDE_CLI_MAGNET_STATUS_H */

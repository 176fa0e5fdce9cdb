/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_names: which of our measurements patterns mean, of those that MAGNeT has a record for.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_NAMES_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_NAMES_H

#include <stddef.h>

#define MAGNET_NAMES_MAX 32u

struct diag;

struct magnet_names {
	const char *names[MAGNET_NAMES_MAX]; /* "net.tcp_send"; each once */
	size_t count;
};

/* Adds those of @patterns, which stand in a list with commas. -ENOENT: one means none. */
int magnet_names_add(struct magnet_names *names, const char *patterns, struct diag *diag);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_NAMES_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compress_level: the argument of --compress, of the verbs that write traces.
 */
#ifndef SONDE_CLI_COMPRESS_LEVEL_H
#define SONDE_CLI_COMPRESS_LEVEL_H

struct diag;

#define COMPRESS_LEVEL_TEXT \
	"compress packets with zstd; LEVEL: -50 (quick) to 19 (small), default 1"

/* @arg NULL = the default. 0, or -EINVAL with the diag. */
int compress_level_parse(const char *arg, int *ret, struct diag *diag);

#endif /* SONDE_CLI_COMPRESS_LEVEL_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lttng_relayd_config: the configuration files of lttng-relayd(8): "KEY = VALUE" lines of their [relayd] section, where a key is
 * the long name of an option. lttng_relayd calls it before it reads the command line.
 */
#ifndef SONDE_CLI_LTTNG_RELAYD_CONFIG_H
#define SONDE_CLI_LTTNG_RELAYD_CONFIG_H

#include <stdbool.h>

struct diag;
struct verb_spec;

/* A key of the file: @id and @arg as options_next has them. @arg lasts as long as the file's *@ret. */
typedef int (*lttng_relayd_set)(void *ctx, int id, const char *arg, struct diag *diag);

/* Calls @set for each key of @path. *@ret is the text of the file, which the caller frees; on failure too. A file that is not
 * there is an error only if it is @needed. 0 or -errno with the diag. */
int lttng_relayd_config_read(const char *path, bool needed, const struct verb_spec *spec,
			     lttng_relayd_set set, void *ctx, char **ret, struct diag *diag);

#endif /* SONDE_CLI_LTTNG_RELAYD_CONFIG_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host: what a trace says of the machine that it was recorded on: its environment block.
 */
#ifndef SONDE_RECORD_HOST_H
#define SONDE_RECORD_HOST_H

#include <stddef.h>
#include <sys/utsname.h>

#include "schema/source.h"

#define HOST_ENV_MAX 24

struct host {
	struct utsname uts;
	char boot_id[40];
	char clock_source[32];
	char created[40]; /* ISO 8601, local time with offset */
	struct trace_env env[HOST_ENV_MAX];
	size_t env_count;
};

/* Fills it from the running kernel. Values that cannot be read are skipped. */
void host_init(struct host *host);
/* Adds an entry; the texts are borrowed. False where it is full. */
bool host_add(struct host *host, const char *name, const char *text, int64_t number);

#endif /* SONDE_RECORD_HOST_H */

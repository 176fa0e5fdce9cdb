// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/inherited.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST 3

/* The next of "NAME:NAME:...". */
static void take_name(const char **names, char name[INHERITED_NAME_BYTES])
{
	size_t len = *names ? strcspn(*names, ":") : 0;

	snprintf(name, INHERITED_NAME_BYTES, "%.*s", (int)len, *names ?: "");
	if (*names)
		*names += len + ((*names)[len] == ':');
}

void inherited_take(struct inherited *ret)
{
	const char *pid = secure_getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	const char *names = secure_getenv("LISTEN_FDNAMES");
	long count = pid && fds && strtol(pid, NULL, 10) == getpid() ? strtol(fds, NULL, 10) : 0;

	ret->count = count < 0 ? 0 : count > INHERITED_MAX ? INHERITED_MAX : (int)count;
	for (int i = 0; i < ret->count; i++) {
		ret->sockets[i].fd = FIRST + i;
		take_name(&names, ret->sockets[i].name);
		(void)fcntl(FIRST + i, F_SETFD, FD_CLOEXEC);
	}
	(void)unsetenv("LISTEN_PID");
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_FDNAMES");
}

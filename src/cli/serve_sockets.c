// SPDX-License-Identifier: BSD-2-Clause
#include "cli/serve_sockets.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/diag.h"
#include "live/access/inherited.h"

#define UNIT_SUFFIX ".socket"

/* What systemd calls a socket of which the unit says nothing. */
static bool is_unnamed(const char *name)
{
	size_t len = strlen(name), suffix = strlen(UNIT_SUFFIX);

	return !len || !strcmp(name, "unknown") ||
	       (len > suffix && !strcmp(name + len - suffix, UNIT_SUFFIX));
}

int serve_sockets_name(struct inherited *inherited, struct diag *diag)
{
	for (int i = 0; i < inherited->count; i++) {
		char *name = inherited->sockets[i].name;

		if (is_unnamed(name))
			strcpy(name, SERVE_SOCKET_LIVE);
		else if (strcmp(name, SERVE_SOCKET_LIVE) && strcmp(name, SERVE_SOCKET_CONTROL) &&
			 strcmp(name, SERVE_SOCKET_DATA))
			return diag_set(
				diag, -EINVAL,
				"a socket is called '%s' (FileDescriptorName=): it has to be "
				"live, control or data",
				name);
	}
	return 0;
}

int serve_sockets_take(struct inherited *inherited, const char *name)
{
	for (int i = 0; i < inherited->count; i++) {
		struct inherited_socket *at = &inherited->sockets[i];
		int fd = at->fd;

		if (fd < 0 || strcmp(at->name, name) != 0)
			continue;
		at->fd = -1;
		return fd;
	}
	return -1;
}

int serve_sockets_all_taken(const struct inherited *inherited, struct diag *diag)
{
	for (int i = 0; i < inherited->count; i++) {
		if (inherited->sockets[i].fd >= 0)
			return diag_set(
				diag, -EINVAL,
				"a socket for %s is given, but no -o: where to store what comes",
				inherited->sockets[i].name);
	}
	return 0;
}

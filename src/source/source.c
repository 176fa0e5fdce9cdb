// SPDX-License-Identifier: BSD-2-Clause
#include "source/source.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "trace/reader.h"

/* One kind of source: how to tell it, and how to open it. */
struct kind {
	bool (*is)(const char *name);
	int (*open)(const char *name, struct event_source **ret, struct diag *diag);
	int (*follow)(const char *name, struct event_source **ret, struct diag *diag);
};

static bool is_stdin(const char *name)
{
	return !strcmp(name, "-");
}

static int open_stdin(const char *name, struct event_source **ret, struct diag *diag)
{
	(void)name;
	(void)ret;
	return diag_set(diag, -ENOTSUP,
			"traces cannot be read from standard input yet; name a trace directory");
}

static bool is_net(const char *name)
{
	return !strncmp(name, "net://", 6) || !strncmp(name, "net6://", 7);
}

static int open_net(const char *name, struct event_source **ret, struct diag *diag)
{
	(void)ret;
	return diag_set(diag, -ENOTSUP,
			"%s: live sessions cannot be read yet; name a trace directory", name);
}

/* The first that knows @name opens it. */
static const struct kind kinds[] = {
	{is_stdin, open_stdin, open_stdin},
	{is_net, open_net, open_net},
	{reader_is, reader_open, reader_follow},
};

static int open_kind(const char *name, bool follow, struct event_source **ret, struct diag *diag)
{
	struct stat st;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].is(name))
			return follow ? kinds[i].follow(name, ret, diag) :
					kinds[i].open(name, ret, diag);
	}
	if (stat(name, &st))
		return diag_set(diag, -errno, "%s: %s", name, strerror(errno));
	return diag_set(diag, -ENOTSUP, "%s: not a trace directory, nor any other kind of trace",
			name);
}

int source_open(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_kind(name, false, ret, diag);
}

int source_follow(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_kind(name, true, ret, diag);
}

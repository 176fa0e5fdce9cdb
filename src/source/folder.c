// SPDX-License-Identifier: BSD-2-Clause
#include "source/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "source/merged.h"
#include "trace/find.h"
#include "trace/reader.h"

#define TRACES_OPEN 64 /* of more traces no file stays open */

struct folder {
	const char *name;
	char **traces;
	int count;
};

bool folder_is(const char *name)
{
	struct stat st;
	bool has_metadata = false;
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return false;
	has_metadata = !fstatat(fd, "metadata", &st, 0);
	(void)fd_close(fd);
	return !has_metadata;
}

static int add_trace(void *ctx, int fd, const char *path, struct diag *diag)
{
	struct folder *folder = ctx;
	char **traces = folder->traces;

	(void)fd_close(fd);
	if (!(folder->count & (folder->count - 1)))
		traces = reallocarray(traces, folder->count ? 2 * (size_t)folder->count : 1,
				      sizeof(char *));
	if (traces)
		folder->traces = traces;
	if (!traces || asprintf(&traces[folder->count], "%s/%s", folder->name, path) < 0)
		return diag_set(diag, -ENOMEM, "no memory");
	folder->count++;
	return 0;
}

static void fini(struct folder *folder)
{
	for (int i = 0; i < folder->count; i++)
		free(folder->traces[i]);
	free(folder->traces);
}

/* The diag has the name. */
static int look_in(const char *name, struct folder *ret, struct diag *diag)
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	*ret = (struct folder){.name = name};
	if (fd < 0)
		return diag_set(diag, -errno, "%s: %s", name, strerror(errno));
	err = trace_find(fd, add_trace, ret, diag);
	if (!err && !ret->count)
		err = diag_set(diag, -EBADMSG,
			       "%s: not a trace: no file named metadata, nor a trace below it",
			       name);
	if (err)
		fini(ret);
	return err;
}

static int open_trace(void *ctx, const char *name, struct event_source **ret, struct diag *diag)
{
	(void)ctx;
	return reader_open(name, ret, diag);
}

static int open_one_of_many(void *ctx, const char *name, struct event_source **ret,
			    struct diag *diag)
{
	(void)ctx;
	return reader_open_many(name, ret, diag);
}

int folder_open(const char *name, struct event_source **ret, struct diag *diag)
{
	struct folder folder;
	struct merged_opener opener = {open_trace, NULL};
	int err = look_in(name, &folder, diag);

	if (err)
		return err;
	if (folder.count > TRACES_OPEN)
		opener.open = open_one_of_many;
	if (folder.count == 1)
		err = reader_open(folder.traces[0], ret, diag);
	else
		err = merged_open(folder.traces, folder.count, &opener, ret, diag);
	fini(&folder);
	return err;
}

int folder_follow(const char *name, struct event_source **ret, struct diag *diag)
{
	struct folder folder;
	int err = look_in(name, &folder, diag);

	if (err)
		return err;
	if (folder.count == 1)
		err = reader_follow(folder.traces[0], ret, diag);
	else
		err = diag_set(diag, -ENOTSUP,
			       "%s: there are %d traces below it, and one at a time can be "
			       "followed: %s",
			       name, folder.count, folder.traces[0]);
	fini(&folder);
	return err;
}

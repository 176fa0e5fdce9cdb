// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "probe/tracepoint_format.h"

#define NAMES_BYTES_MAX (4u << 20)

struct name {
	const char *group;
	const char *event;
};

struct tracefs {
	int dir; /* where it is mounted */
	char *names; /* "sched:sched_switch\n...", its colons and ends NUL */
	size_t count;
	struct name *list;
};

/* Since 4.1; within debugfs before, and still there for what looks for it there. */
static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static int refuse(int err, struct diag *diag)
{
	if (err == -EACCES || err == -EPERM)
		return diag_set(
			diag, -EACCES,
			"only root may read what the kernel says of its tracepoints "
			"(/sys/kernel/tracing): use sudo, or let your group in: sudo mount -o "
			"remount,mode=0750,gid=GROUP /sys/kernel/tracing");
	if (err == -ENOENT)
		return diag_set(diag, -ENODEV,
				"the kernel's tracepoints are described in tracefs, which is not "
				"mounted: sudo mount -t tracefs nodev /sys/kernel/tracing");
	return diag_set(diag, err, "/sys/kernel/tracing/available_events: %s", strerror(-err));
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

/* A name goes into a path: it must not lead out of its folder. */
static int is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static int split_names(struct tracefs *fs)
{
	char *line = fs->names, *end, *colon;

	fs->list = calloc(count_lines(line) + 1, sizeof(*fs->list));
	if (!fs->list)
		return -ENOMEM;
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = 0;
		if (is_name(line) && is_name(colon + 1))
			fs->list[fs->count++] = (struct name){line, colon + 1};
	}
	return 0;
}

int tracefs_open_at(const char *place, struct tracefs **ret)
{
	struct tracefs *fs = calloc(1, sizeof(*fs));
	size_t len;
	int err = 0;

	if (!fs)
		return -ENOMEM;
	fs->dir = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fs->dir < 0)
		err = -errno;
	err = err ?: file_load(fs->dir, "available_events", NAMES_BYTES_MAX, &fs->names, &len);
	err = err ?: split_names(fs);
	if (err) {
		tracefs_close(fs);
		return err;
	}
	*ret = fs;
	return 0;
}

int tracefs_open(struct tracefs **ret, struct diag *diag)
{
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int found = tracefs_open_at(places[i], ret);

		if (!found)
			return 0;
		if (err == -ENOENT) /* what stops us where it is mounted says more */
			err = found;
	}
	return refuse(err, diag);
}

void tracefs_close(struct tracefs *fs)
{
	if (!fs)
		return;
	fd_close(fs->dir);
	free(fs->names);
	free(fs->list);
	free(fs);
}

size_t tracefs_count(const struct tracefs *fs)
{
	return fs->count;
}

void tracefs_name(const struct tracefs *fs, size_t i, const char **group, const char **event)
{
	*group = fs->list[i].group;
	*event = fs->list[i].event;
}

int tracefs_format(const struct tracefs *fs, size_t i, char **ret)
{
	char path[256];
	size_t len;

	if (snprintf(path, sizeof(path), "events/%s/%s/format", fs->list[i].group,
		     fs->list[i].event) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return file_load(fs->dir, path, FORMAT_TEXT_MAX, ret, &len);
}

int tracefs_look(struct diag *diag)
{
	struct tracefs *fs = NULL;
	int err = tracefs_open(&fs, diag);
	int count = err ? err : (int)tracefs_count(fs);

	tracefs_close(fs);
	return count;
}

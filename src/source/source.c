// SPDX-License-Identifier: BSD-2-Clause
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file_window.h"
#include "base/io.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer_source.h"
#include "record_format/magnet/magnet_source.h"
#include "record_format/meas/meas_reader.h"
#include "record_format/pcap/pcap_source.h"
#include "record_format/pm/pm_head.h"
#include "record_format/pm/pm_reader.h"
#include "schema/source.h"
#include "source/merged.h"
#include "source/stacked.h"
#include "trace/directory.h"
#include "trace/reader.h"

/*
 * A directory that is not a trace but has some below it, as one SOURCE: a session of LTTng, with its
 * domains, users and chunks, or what `sonde serve -o` has stored.
 */

#define TRACES_OPEN 64 /* of more traces no file stays open */

struct folder {
	const char *name;
	char **traces;
	int count;
};

/* A directory without metadata. */
static bool folder_is(const char *name)
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

/* All traces below it in the order of time; if it is one alone, that trace. -EBADMSG: none found. */
static int folder_open(const char *name, struct event_source **ret, struct diag *diag)
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

/* -ENOTSUP: there are several. */
static int folder_follow(const char *name, struct event_source **ret, struct diag *diag)
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

#define SOURCE_HEAD_BYTES 4096u /* enough to recognize every format */

/* What is opened by its name. */
struct kind {
	bool (*is)(const char *name);
	int (*open)(const char *name, struct event_source **ret, struct diag *diag);
	int (*follow)(const char *name, struct event_source **ret, struct diag *diag);
};

/* A format of one file, known by how it begins. Such a file can come through a pipe. */
struct file_kind {
	/* The first bytes, SOURCE_HEAD_BYTES unless the file is shorter. */
	bool (*is)(const uint8_t *head, size_t len);
	/* The source owns @file from here on, even if this fails. */
	int (*open)(struct file_window *file, const char *name, struct event_source **ret,
		    struct diag *diag);
};

static int open_live(const char *name, struct event_source **ret, struct diag *diag)
{
	const struct viewer_options options = {.now = false};

	return viewer_source_open(name, &options, ret, diag);
}

/* The first that knows @name opens it. */
static const struct kind kinds[] = {
	{live_url_is, open_live, open_live},
	{folder_is, folder_open, folder_follow},
	{reader_is, reader_open, reader_follow},
};

static const struct file_kind file_kinds[] = {
	{meas_reader_is, meas_reader_open},
	{magnet_is, magnet_open},
	{pcap_source_is, pcap_source_open},
	{pm_head_is, pm_reader_open},
	{NULL, NULL},
};

/* By the first available bytes, if they are enough: more may come late through a pipe. *@ret is NULL if no
 * format begins so. The bytes that were looked at, or -errno. */
static ssize_t find_kind(struct file_window *file, const struct file_kind **ret)
{
	static const size_t wants[] = {1, SOURCE_HEAD_BYTES};
	const uint8_t *head;
	ssize_t len = 0;

	*ret = NULL;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		len = file_window_look(file, wants[i], &head);
		for (const struct file_kind *kind = file_kinds; len > 0 && kind->is; kind++) {
			if (!kind->is(head, (size_t)len))
				continue;
			*ret = kind;
			return len;
		}
	}
	return len;
}

/* A file whose head is not complete is not such a file yet. */
static int open_known_file(struct file_window *file, const char *name, bool follow,
			   struct event_source **ret, struct diag *diag)
{
	const struct file_kind *kind;
	ssize_t len = find_kind(file, &kind);
	int err;

	if (kind) {
		err = kind->open(file, name, ret, diag);
		if (!err && follow)
			file_window_follow(file);
		return err;
	}
	file_window_close(file);
	if (len < 0)
		return diag_set(diag, (int)len, "%s: %s", name, strerror((int)-len));
	return diag_set(
		diag, -ENOTSUP, "%s: %s", name,
		len ? "not a trace directory, nor a file of a kind that is known (.pm, .magnet, .meas, .pcap)" :
		      "it is empty: no kind of trace");
}

static int open_file(const char *name, bool follow, struct event_source **ret, struct diag *diag)
{
	struct file_window *file;
	int err = file_window_open(name, &file);

	if (err)
		return diag_set(diag, err, "%s: %s", name, strerror(-err));
	return open_known_file(file, strcmp(name, "-") ? name : "standard input", follow, ret,
			       diag);
}

static int open_kind(const char *name, bool follow, struct event_source **ret, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].is(name))
			return follow ? kinds[i].follow(name, ret, diag) :
					kinds[i].open(name, ret, diag);
	}
	return open_file(name, follow, ret, diag);
}

/* Takes over @source; *@ret has the stacks of its events in these. */
static int add_stacks(struct event_source *source, struct event_source **ret, struct diag *diag)
{
	int err = stacked_add(&source);

	if (err) {
		source->ops->close(source);
		return diag_set(diag, err, "no memory");
	}
	*ret = source;
	return 0;
}

static int open_stacked(const char *name, bool follow, struct event_source **ret, struct diag *diag)
{
	struct event_source *source;
	int err = open_kind(name, follow, &source, diag);

	return err ? err : add_stacks(source, ret, diag);
}

int source_open_live(const char *url, const struct viewer_options *options,
		     struct event_source **ret, struct diag *diag)
{
	struct event_source *source;
	int err = viewer_source_open(url, options, &source, diag);

	return err ? err : add_stacks(source, ret, diag);
}

int source_open(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_stacked(name, false, ret, diag);
}

int source_follow(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_stacked(name, true, ret, diag);
}

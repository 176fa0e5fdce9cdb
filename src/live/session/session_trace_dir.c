// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session_trace_dir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/session/index_maker.h"
#include "live/session/session.h"
#include "live/session/session_index.h"
#include "trace/directory.h"
#include "trace/end_file.h"
#include "trace/follow.h"
#include "trace/frame_input.h"
#include "trace/reader.h"
#include "trace/stream_input.h"
#include "wire/ctf.h"
#include "wire/frame.h"
#include "wire/record.h"

#define DECLARED_CPUS_MAX 256
#define DECLARED_LEVELS 3u /* few machines have events in NMIs */
#define SLICE 64u /* streams that are opened at a time: some milliseconds */
#define MARGIN_NS 100000u /* less than passes before a packet is in its file and seen there */

struct stream {
	char *channel;
	struct session_stream *session;
	struct session_file *file; /* NULL: not there yet */
	bool refused; /* it cannot be published, which was said */
	bool asked; /* its index is being made */
	uint64_t count; /* packets that were there at this look */
};

struct session_trace_dir {
	struct session_trace_dir_config config;
	int fd; /* of the folder */
	struct pool_folder *folder;
	struct session_trace *trace;
	struct stat metadata; /* as it was when it was read */
	struct index_task *task; /* the maker's; NULL: no index is missing */
	char **wanted; /* the names of streams whose indexes are to be made */
	size_t wanted_count;
	struct stream **streams;
	size_t count;
	void *by_channel; /* the same, as tsearch keeps them */
	struct dirent **entries; /* files that session_trace_dir_prepare opens */
	size_t entry_count;
	size_t prepared; /* of these */
	struct settled settled;
	uint64_t end; /* of the newest packet */
	bool grows;
};

static void tell(const struct session_trace_dir *dir, const char *name, int err)
{
	struct diag diag;

	(void)diag_set(&diag, err, "%s/%s is not served: %s", dir->trace->path, name,
		       strerror(-err));
	dir->config.problem(dir->config.ctx, diag.text);
}

/* Complete metadata replaces the old text. */
static int read_metadata(struct session_trace_dir *dir, struct diag *diag)
{
	struct stat now;
	char *text = NULL;
	size_t len;
	int err;

	if (fstatat(dir->fd, "metadata", &now, 0))
		return diag_set(diag, -errno, "metadata: %s", strerror(errno));
	if (now.st_ino == dir->metadata.st_ino && now.st_size == dir->metadata.st_size &&
	    now.st_mtim.tv_sec == dir->metadata.st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == dir->metadata.st_mtim.tv_nsec)
		return 0;
	err = file_load(dir->fd, "metadata", CTF_METADATA_MAX_BYTES, &text, &len);
	if (err)
		return diag_set(diag, err, "metadata: %s", strerror(-err));
	dir->metadata = now;
	err = session_trace_metadata(dir->trace, text, len, diag);
	free(text);
	return err ? diag_prefix(diag, err, "metadata") : 0;
}

/* Compressed ones have a suffix that viewers must not see. */
static size_t channel_len(const char *name)
{
	return strlen(name) - (frame_input_is(name) ? strlen(FRAME_SUFFIX) : 0);
}

static int compare(const void *a, const void *b)
{
	const struct stream *left = a, *right = b;

	return strcmp(left->channel, right->channel);
}

static struct stream *find(const struct session_trace_dir *dir, const char *name)
{
	char channel[NAME_MAX + 1];
	const struct stream key = {.channel = channel};
	struct stream *const *found;

	snprintf(channel, sizeof(channel), "%.*s", (int)channel_len(name), name);
	found = tfind(&key, &dir->by_channel, compare);
	return found ? *found : NULL;
}

static void free_stream(struct stream *stream)
{
	session_file_unref(stream->file);
	free(stream->channel);
	free(stream);
}

static int add(struct session_trace_dir *dir, const char *name, uint64_t class_id,
	       struct stream **ret)
{
	struct stream **streams = reallocarray(dir->streams, dir->count + 1, sizeof(*streams));
	struct stream *stream = calloc(1, sizeof(*stream));
	int err = -ENOMEM;

	if (streams)
		dir->streams = streams;
	if (stream)
		stream->channel = strndup(name, channel_len(name));
	if (streams && stream && stream->channel && tsearch(stream, &dir->by_channel, compare))
		err = session_stream_new(dir->trace, stream->channel, class_id, &stream->session);
	if (err) {
		if (stream && stream->channel)
			(void)tdelete(stream, &dir->by_channel, compare);
		if (stream)
			free_stream(stream);
		return err;
	}
	streams[dir->count++] = stream;
	*ret = stream;
	return 0;
}

/*
 * What a recorder of ours will have, before it has anything to write there: some viewers see new streams only
 * when an old one has new packets.
 */
static int declare(struct session_trace_dir *dir)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct stream *stream;
	char name[32];
	int err = add(dir, "recorder", STREAM_CLASS_RECORDER, &stream);

	for (long cpu = 0; !err && cpu < cpus && cpu < DECLARED_CPUS_MAX; cpu++) {
		for (unsigned int level = 0; !err && level < DECLARED_LEVELS; level++) {
			snprintf(name, sizeof(name), "cpu%ld_level%u", cpu, level);
			err = add(dir, name, STREAM_CLASS_KERNEL, &stream);
		}
	}
	return err;
}

/* Files are the task's from index_maker_ask on; until then names gather here. */
static int want_index(struct session_trace_dir *dir, struct stream *stream, const char *name)
{
	char **wanted = reallocarray(dir->wanted, dir->wanted_count + 1, sizeof(char *));

	if (!wanted)
		return -ENOMEM;
	dir->wanted = wanted;
	wanted[dir->wanted_count] = strdup(name);
	if (!wanted[dir->wanted_count])
		return -ENOMEM;
	dir->wanted_count++;
	stream->asked = true;
	return 0;
}

static int refuse(const struct session_trace_dir *dir, struct stream *stream, const char *name,
		  int err)
{
	stream->refused = true;
	tell(dir, name, err);
	return 0;
}

/* @index: the descriptor of an index that was made, which it takes, or -errno. */
static int attach(struct session_trace_dir *dir, struct stream *stream, const char *name, int index)
{
	int err = index;

	if (index >= 0)
		err = session_file_open(dir->config.files, dir->folder, name, index, &stream->file);
	return err < 0 ? refuse(dir, stream, name, err) :
			 session_stream_file(stream->session, stream->file);
}

/* -ENOMEM and the like end it; a stream that cannot be opened is reported, once. */
static int open_stream(struct session_trace_dir *dir, const char *name, struct stream **ret)
{
	struct stream *stream = find(dir, name);
	int err = stream ? 0 : add(dir, name, SESSION_CLASS_UNKNOWN, &stream);

	*ret = stream;
	if (err || stream->file || stream->refused || stream->asked)
		return err;
	err = session_file_open(dir->config.files, dir->folder, name, -1, &stream->file);
	if (!err)
		return session_stream_file(stream->session, stream->file);
	if (dir->grows && err == -ENOENT)
		return 0; /* its index comes behind its first packet */
	return err == -ENOENT ? want_index(dir, stream, name) : refuse(dir, stream, name, err);
}

/* The metadata is all there by now. */
static int ask_indexes(struct session_trace_dir *dir)
{
	int err;

	if (!dir->wanted_count)
		return 0;
	err = index_maker_ask(dir->config.maker, dir->fd, &dir->trace->metadata.text, dir->wanted,
			      dir->wanted_count, &dir->task);
	dir->wanted = NULL;
	dir->wanted_count = 0;
	return err;
}

/* How far a stream goes now; viewers do not get it yet. */
static void count_packets(struct session_trace_dir *dir, struct stream *stream)
{
	struct session_packet packet;
	uint64_t before = stream->count;

	if (!stream->file)
		return;
	stream->count = session_file_entries(stream->file);
	if (dir->grows && stream->count > before &&
	    session_file_packet(stream->file, stream->count - 1, &packet) == 1 &&
	    packet.end > dir->end)
		dir->end = packet.end;
}

/* Of a trace that does not grow. */
static void show_all(struct session_trace_dir *dir, struct stream *stream)
{
	count_packets(dir, stream);
	session_stream_packets(stream->session, stream->count);
}

/* Up to SLICE of those that are made: 1 = there may be more. */
static int take_indexes(struct session_trace_dir *dir)
{
	struct index_made made;
	unsigned int taken = 0;
	int err = 0;

	while (!err && taken++ < SLICE && index_task_next(dir->task, &made)) {
		struct stream *stream = find(dir, made.name);

		if (made.fd >= 0 && *made.diag.text) {
			(void)diag_prefix(&made.diag, 0,
					  "%s/%s is served up to where it can be read",
					  dir->trace->path, made.name);
			dir->config.problem(dir->config.ctx, made.diag.text);
		}
		err = attach(dir, stream, made.name, made.fd);
		if (!err)
			show_all(dir, stream);
	}
	return err ?: taken > SLICE;
}

/*
 * The end mark of a converted trace is a file, which viewers of ours get as a hidden stream of one packet: its bytes. That it
 * is not there is a stream without a packet.
 */
static int open_end_file(struct session_trace_dir *dir)
{
	struct stream *stream;
	struct stat st = {0};
	int err, index;

	if (find(dir, END_FILE_NAME))
		return 0;
	if (fstatat(dir->fd, END_FILE_NAME, &st, 0) && errno != ENOENT)
		return -errno;
	err = add(dir, END_FILE_NAME, SESSION_CLASS_UNKNOWN, &stream);
	if (err || !st.st_size)
		return err;
	err = session_index_of_one((uint64_t)st.st_size, &index);
	err = err ?: attach(dir, stream, END_FILE_NAME, index);
	if (!err)
		show_all(dir, stream);
	return err;
}

static int list_entries(struct session_trace_dir *dir)
{
	int count = scandirat(dir->fd, ".", &dir->entries, stream_input_is_file, versionsort);

	if (count < 0)
		return -errno;
	dir->entry_count = (size_t)count;
	return 0;
}

static void free_entries(struct session_trace_dir *dir)
{
	for (size_t i = 0; i < dir->entry_count; i++)
		free(dir->entries[i]);
	free(dir->entries);
	dir->entries = NULL;
	dir->entry_count = 0;
}

static int open_streams(struct session_trace_dir *dir)
{
	struct stream *stream;
	int err = list_entries(dir);

	for (size_t i = 0; !err && i < dir->entry_count; i++)
		err = open_stream(dir, dir->entries[i]->d_name, &stream);
	free_entries(dir);
	if (!err && !dir->grows && dir->trace->metadata.converted)
		err = open_end_file(dir);
	return err;
}

static void publish(struct session_trace_dir *dir)
{
	session_trace_publish(dir->trace);
	for (size_t i = 0; i < dir->count; i++)
		session_stream_packets(dir->streams[i]->session, dir->streams[i]->count);
}

/*
 * The trace's clock counts ns: only Sonde's recorder holds the lock. The settled time may be that
 * of the last event for long, and viewers get a slightly earlier time for each stream
 * (relay_view), which still has to be later than that event.
 */
static void tell_settled(struct session_trace_dir *dir, uint64_t complete)
{
	if (!complete) {
		settled_see(&dir->settled, (int64_t)clock_monotonic_ns(),
			    dir->end ? (int64_t)dir->end : INT64_MIN);
		if (dir->settled.until_ns > 0)
			complete = (uint64_t)dir->settled.until_ns + MARGIN_NS;
	}
	session_trace_beacon(dir->trace, complete);
}

/*
 * The order matters. If no process writes any more, all is written; a packet that is found has its metadata by
 * now; a time that is reported as complete was so before the packets were counted.
 */
static int look_at_files(struct session_trace_dir *dir, struct diag *diag)
{
	int err;

	dir->grows = directory_is_written(dir->fd);
	err = open_streams(dir);
	if (err)
		return diag_set(diag, err, "%s", strerror(-err));
	for (size_t i = 0; i < dir->count; i++)
		count_packets(dir, dir->streams[i]);
	err = read_metadata(dir, diag);
	if (err)
		return err;
	err = ask_indexes(dir);
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

int session_trace_dir_look(struct session_trace_dir *dir, uint64_t complete, struct diag *diag)
{
	int err;

	if (!dir->grows && dir->task) {
		err = take_indexes(dir);
		return err < 0 ? diag_set(diag, err, "%s", strerror(-err)) : err;
	}
	err = look_at_files(dir, diag);
	if (err)
		return err;
	publish(dir);
	if (dir->grows)
		tell_settled(dir, complete);
	return 0;
}

int session_trace_dir_prepare(struct session_trace_dir *dir, struct diag *diag)
{
	struct stream *stream;
	int err = 0;

	for (size_t i = 0; !err && i < SLICE && dir->prepared < dir->entry_count; i++) {
		err = open_stream(dir, dir->entries[dir->prepared++]->d_name, &stream);
		if (!err && !dir->grows)
			show_all(dir, stream);
	}
	if (!err && dir->prepared < dir->entry_count)
		return 1;
	free_entries(dir);
	if (!err && dir->grows)
		return session_trace_dir_look(dir, 0, diag);
	if (!err && dir->trace->metadata.converted)
		err = open_end_file(dir);
	err = err ?: ask_indexes(dir);
	if (err)
		return diag_set(diag, err, "%s", strerror(-err));
	session_trace_publish(dir->trace);
	return 0;
}

int session_trace_dir_open(struct session *session, const struct session_trace_dir_config *config,
			   int fd, const char *path, struct session_trace_dir **ret,
			   struct diag *diag)
{
	struct session_trace_dir *dir = calloc(1, sizeof(*dir));
	char label[PATH_MAX];
	int err = -ENOMEM;

	if (!dir) {
		(void)fd_close(fd);
		return diag_set(diag, err, "no memory");
	}
	*dir = (struct session_trace_dir){.config = *config, .fd = fd};
	snprintf(label, sizeof(label), "%s%s%s", config->name, *path ? "/" : "", path);
	dir->folder = pool_folder_new(NULL, fd, label);
	if (!dir->folder) {
		(void)diag_set(diag, err, "no memory");
		goto fail;
	}
	err = session_trace_new(session, path, &dir->trace);
	if (err) {
		(void)diag_set(diag, err, "%s", strerror(-err));
		goto fail;
	}
	dir->grows = directory_is_written(fd);
	err = read_metadata(dir, diag);
	if (err)
		goto fail;
	settled_init(&dir->settled, dir->trace->metadata.snapshots);
	if (dir->grows && declare(dir)) {
		err = diag_set(diag, -ENOMEM, "no memory");
		goto fail;
	}
	err = list_entries(dir);
	if (err) {
		(void)diag_set(diag, err, "%s", strerror(-err));
		goto fail;
	}
	*ret = dir;
	return 0;

fail:
	session_trace_dir_close(dir);
	return err;
}

void session_trace_dir_close(struct session_trace_dir *dir)
{
	if (!dir)
		return;
	while (dir->count) {
		struct stream *stream = dir->streams[--dir->count];

		(void)tdelete(stream, &dir->by_channel, compare);
		free_stream(stream);
	}
	free(dir->streams);
	free_entries(dir);
	for (size_t i = 0; i < dir->wanted_count; i++)
		free(dir->wanted[i]);
	free(dir->wanted);
	if (dir->folder)
		pool_folder_unref(dir->folder);
	else
		(void)fd_close(dir->fd);
	free(dir);
}

int session_trace_dir_fd(const struct session_trace_dir *dir)
{
	return dir->fd;
}

bool session_trace_dir_grows(const struct session_trace_dir *dir)
{
	return dir->grows;
}

bool session_trace_dir_is_over(const struct session_trace_dir *dir)
{
	return !dir->grows && (!dir->task || index_task_is_over(dir->task));
}

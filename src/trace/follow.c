// SPDX-License-Identifier: BSD-2-Clause
#include "trace/follow.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "ctf/packet.h"
#include "ctf/trace_class.h"
#include "trace/directory.h"
#include "trace/index_walk.h"
#include "trace/merge.h"
#include "trace/stream_input.h"

void settled_init(struct settled *settled, bool snapshots)
{
	*settled = (struct settled){.snapshots = snapshots, .until_ns = INT64_MIN};
}

/* What was there a wait ago is complete; and, unless snapshots come, what lies so far behind the
 * newest event, as that was written when it was new. */
void settled_see(struct settled *settled, int64_t now_ns, int64_t end_ns)
{
	struct settled_look *looks = settled->looks;
	size_t done = 0;

	if (settled->count < SETTLED_LOOKS_MAX &&
	    (!settled->count || looks[settled->count - 1].end_ns < end_ns))
		looks[settled->count++] = (struct settled_look){now_ns, end_ns};
	while (done < settled->count && looks[done].at_ns <= now_ns - SETTLED_WAIT_NS)
		settled->until_ns = looks[done++].end_ns;
	settled->count -= done;
	memmove(looks, looks + done, settled->count * sizeof(*looks));
	if (!settled->snapshots && end_ns > INT64_MIN + SETTLED_WAIT_NS &&
	    end_ns - SETTLED_WAIT_NS > settled->until_ns)
		settled->until_ns = end_ns - SETTLED_WAIT_NS;
}

struct followed {
	char *name;
	int index_fd; /* < 0: not there yet */
	off_t index_bytes; /* at the last look */
};

struct follow {
	struct follow_config config;
	struct followed *streams;
	size_t count;
	int64_t end_ns; /* of the newest packet */
	struct settled settled;
	bool looked;
	bool final; /* no process writes any more */
};

struct follow *follow_new(const struct follow_config *config)
{
	struct follow *follow = calloc(1, sizeof(*follow));

	if (!follow)
		return NULL;
	follow->config = *config;
	follow->end_ns = INT64_MIN;
	settled_init(&follow->settled, config->snapshots);
	return follow;
}

void follow_free(struct follow *follow)
{
	if (!follow)
		return;
	for (size_t i = 0; i < follow->count; i++) {
		free(follow->streams[i].name);
		(void)fd_close(follow->streams[i].index_fd);
	}
	free(follow->streams);
	free(follow);
}

static bool is_known(const struct follow *follow, const char *name)
{
	for (size_t i = 0; i < follow->count; i++) {
		if (!strcmp(follow->streams[i].name, name))
			return true;
	}
	return false;
}

static int add_stream(struct follow *follow, const char *name)
{
	struct followed *streams = realloc(follow->streams, (follow->count + 1) * sizeof(*streams));
	char *copy = strdup(name);

	if (streams)
		follow->streams = streams;
	if (!streams || !copy) {
		free(copy);
		return -ENOMEM;
	}
	streams[follow->count++] = (struct followed){.name = copy, .index_fd = -1};
	return follow->config.add(follow->config.ctx, name);
}

static int add_streams(struct follow *follow)
{
	struct dirent **entries = NULL;
	int count = scandirat(follow->config.dir, ".", &entries, stream_input_is_file, versionsort);
	int err = count < 0 ? -errno : 0;

	for (int i = 0; i < count; i++) {
		if (!err && !is_known(follow, entries[i]->d_name))
			err = add_stream(follow, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return err;
}

static bool open_index(const struct follow *follow, struct followed *stream)
{
	if (stream->index_fd < 0)
		stream->index_fd = stream_input_index(follow->config.dir, stream->name);
	return stream->index_fd >= 0;
}

/* When the last packet in an index of @len bytes ends. */
static bool last_end(const struct follow *follow, int fd, off_t len, int64_t *ret)
{
	const struct ctf_stream_class *stream;
	struct index_packet packet;

	if (index_last(fd, len, &packet))
		return false;
	stream = ctf_trace_class_stream(follow->config.trace, packet.stream_id);
	if (stream)
		*ret = ctf_clock_ns(stream->clock, packet.end);
	return stream;
}

/* How far the streams go, by their indexes. */
static void look_at_ends(struct follow *follow)
{
	for (size_t i = 0; i < follow->count; i++) {
		struct followed *stream = &follow->streams[i];
		struct stat st;
		int64_t end_ns;

		if (!open_index(follow, stream) || fstat(stream->index_fd, &st) ||
		    st.st_size == stream->index_bytes)
			continue;
		stream->index_bytes = st.st_size;
		if (last_end(follow, stream->index_fd, st.st_size, &end_ns) &&
		    end_ns > follow->end_ns)
			follow->end_ns = end_ns;
	}
}

static bool has_grown(const struct follow *follow)
{
	const struct stat *before = &follow->config.metadata;
	struct stat now;

	return !fstatat(follow->config.dir, "metadata", &now, 0) &&
	       (now.st_ino != before->st_ino || now.st_size != before->st_size ||
		now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

/*
 * The order matters. Whoever is found not to write has written all; a packet that is found has its
 * metadata by now; and no more of a file is read than was found here.
 */
static int look(struct follow *follow)
{
	bool written = directory_is_written(follow->config.dir);
	int err = add_streams(follow);

	if (err)
		return err;
	look_at_ends(follow);
	merge_look(follow->config.merge, written);
	if (has_grown(follow))
		return -ESTALE;
	settled_see(&follow->settled, (int64_t)clock_monotonic_ns(), follow->end_ns);
	follow->final = !written;
	merge_until(follow->config.merge, written ? follow->settled.until_ns : INT64_MAX);
	return 0;
}

int follow_next(struct follow *follow, const struct event **ret)
{
	const struct timespec pause = {0, FOLLOW_LOOK_NS};
	int count = merge_next(follow->config.merge, ret);

	if (count || follow->final)
		return count;
	if (follow->looked)
		(void)nanosleep(&pause, NULL); /* cut short by a signal: the caller's business */
	follow->looked = true;
	return look(follow) ?: -EAGAIN;
}

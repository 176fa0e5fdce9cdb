// SPDX-License-Identifier: BSD-2-Clause
#include "trace/follow.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "ctf/packet_index.h"
#include "ctf/trace_class.h"
#include "trace/index_last.h"
#include "trace/merge.h"
#include "trace/reader.h"
#include "trace/stream_input.h"

#define SEEN_MAX 32u /* looks that a wait has room for, twice */

struct followed {
	char *name;
	int index_fd; /* < 0: not there yet */
	off_t index_bytes; /* at the last look */
};

/* At @at_ns, by our clock, the files went as far as @end_ns, by the trace's. */
struct seen {
	int64_t at_ns;
	int64_t end_ns;
};

struct follow {
	struct follow_config config;
	struct followed *streams;
	size_t count;
	int64_t end_ns; /* of the newest packet */
	int64_t until_ns; /* nothing up to here is still to come */
	struct seen seen[SEEN_MAX]; /* the oldest first */
	size_t seen_count;
	bool looked;
	bool final; /* nobody writes any more */
};

struct follow *follow_new(const struct follow_config *config)
{
	struct follow *follow = calloc(1, sizeof(*follow));

	if (!follow)
		return NULL;
	follow->config = *config;
	follow->end_ns = INT64_MIN;
	follow->until_ns = INT64_MIN;
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

/* A recorder holds the lock as long as it writes; the kernel takes it back whatever becomes of it. */
static bool is_written(int dir)
{
	if (flock(dir, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK;
	(void)flock(dir, LOCK_UN);
	return false;
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
	int count = scandirat(follow->config.dir, ".", &entries, reader_is_stream, versionsort);
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

/* When the last packet ends of which an index of @len bytes tells. */
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

/* What was there a wait ago is complete; and, unless snapshots come, what lies so far behind the
 * newest event, as that was written when it was new. */
static void move_on(struct follow *follow, int64_t now_ns)
{
	size_t done = 0;

	if (follow->seen_count < SEEN_MAX &&
	    (!follow->seen_count || follow->seen[follow->seen_count - 1].end_ns < follow->end_ns))
		follow->seen[follow->seen_count++] = (struct seen){now_ns, follow->end_ns};
	while (done < follow->seen_count && follow->seen[done].at_ns <= now_ns - FOLLOW_WAIT_NS)
		follow->until_ns = follow->seen[done++].end_ns;
	follow->seen_count -= done;
	memmove(follow->seen, follow->seen + done, follow->seen_count * sizeof(*follow->seen));
	if (!follow->config.snapshots && follow->end_ns > INT64_MIN + FOLLOW_WAIT_NS &&
	    follow->end_ns - FOLLOW_WAIT_NS > follow->until_ns)
		follow->until_ns = follow->end_ns - FOLLOW_WAIT_NS;
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
	bool written = is_written(follow->config.dir);
	int err = add_streams(follow);

	if (err)
		return err;
	look_at_ends(follow);
	merge_look(follow->config.merge, written);
	if (has_grown(follow))
		return -ESTALE;
	move_on(follow, (int64_t)clock_monotonic_ns());
	follow->final = !written;
	merge_until(follow->config.merge, written ? follow->until_ns : INT64_MAX);
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

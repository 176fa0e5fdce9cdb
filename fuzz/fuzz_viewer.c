// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_viewer: any bytes as what a relay sends, whatever it was asked: from the greeting to the events of a
 * session, and lists of sessions.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/diag.h"
#include "live/access/live_conn.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer.h"
#include "live/viewer/viewer_feed.h"
#include "live/viewer/viewer_list.h"
#include "live/viewer/viewer_outlet.h"
#include "live/viewer/viewer_set.h"
#include "schema/trace_info.h"
#include "symbol/symbols.h"
#include "trace/merge.h"

#define STEPS_MAX 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory_conn {
	struct live_conn conn; /* first: the vtable's functions get this */
	const uint8_t *data;
	size_t left;
};

static ssize_t memory_read(struct live_conn *conn, void *bytes, size_t len)
{
	struct memory_conn *memory = (struct memory_conn *)conn;
	size_t got = len < memory->left ? len : memory->left;

	memcpy(bytes, memory->data, got);
	memory->data += got;
	memory->left -= got;
	return (ssize_t)got; /* at the end: closed */
}

static ssize_t memory_write(struct live_conn *conn, const void *bytes, size_t len)
{
	(void)conn;
	(void)bytes;
	return (ssize_t)len;
}

static int memory_wait(struct live_conn *conn, bool write, uint64_t timeout_ns)
{
	(void)conn;
	(void)write;
	(void)timeout_ns;
	return 1;
}

static void memory_close(struct live_conn *conn)
{
	free((struct memory_conn *)conn);
}

static const struct live_conn_ops memory_ops = {
	.read = memory_read,
	.write = memory_write,
	.wait = memory_wait,
	.close = memory_close,
};

static struct viewer *connect_to(const uint8_t *data, size_t size)
{
	struct memory_conn *memory = malloc(sizeof(*memory));

	if (!memory)
		return NULL;
	*memory = (struct memory_conn){{&memory_ops}, data, size};
	return viewer_new(&memory->conn);
}

static void list(const uint8_t *data, size_t size, const struct live_url *url)
{
	struct viewer *viewer = connect_to(data, size);
	struct viewer_list sessions = {0};
	struct diag diag;

	if (viewer && !viewer_greet(viewer, &diag) && !viewer_list_get(&sessions, viewer, &diag)) {
		if (viewer_list_fail(&sessions, url, &diag) != -ENOENT || !*diag.text)
			abort();
		viewer_list_join(&sessions);
	}
	viewer_list_fini(&sessions);
	viewer_free(viewer);
}

static void drain(struct merge *merge)
{
	const struct event *events;

	while (merge_next(merge, &events) > 0)
		;
}

/* As live/viewer/viewer_source does, without a clock. */
static void follow(struct viewer_feed *feed, struct merge *merge)
{
	struct viewer_set *set = viewer_feed_set(feed);
	struct diag diag = {0};
	int err = 0;

	for (unsigned int i = 0; i < STEPS_MAX && !err && !viewer_feed_is_over(feed); i++) {
		err = viewer_feed_step(feed, 0, &diag);
		if (err && !*diag.text)
			abort(); /* without a word */
		if (viewer_outlet_has_grown(set) && viewer_outlet_describe(set))
			return;
		if (viewer_outlet_open(set, merge))
			return;
		merge_look(merge, true);
		merge_until(merge, viewer_outlet_until(set));
		drain(merge);
		viewer_outlet_drop(set, merge);
	}
	viewer_feed_break(feed);
	merge_look(merge, false);
	merge_until(merge, INT64_MAX);
	drain(merge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct live_url url = {AF_UNSPEC, "relay", "5344", "box", "demo"};
	struct problem_list problems;
	struct viewer_set_config config = {
		.problems = &problems,
		.symbols = symbols_new(),
		.retry_ns = 1,
	};
	struct viewer *viewer = connect_to(data, size);
	struct viewer_feed *feed = viewer_feed_new(&config);
	struct merge *merge = merge_new();
	struct diag diag;

	problem_list_init(&problems);
	list(data, size, &url);
	if (viewer && feed && merge && !viewer_greet(viewer, &diag) &&
	    !viewer_feed_attach(feed, viewer, &url, LIVE_SEEK_BEGINNING, &diag))
		follow(feed, merge);
	merge_free(merge);
	viewer_feed_free(feed);
	viewer_free(viewer);
	symbols_free(config.symbols);
	problem_list_fini(&problems);
	return 0;
}

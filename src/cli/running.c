// SPDX-License-Identifier: BSD-2-Clause
#include "cli/running.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/io.h"
#include "record/answer.h"
#include "record/control_client.h"

#define PATIENCE_MS 300 /* for one: a recorder answers within a millisecond, unless it is loading */
#define PATIENCE_ALL_MS 1000
#define ON_NAME_MAX 160 /* a tracepoint has at most 144 (probe/tracepoint.h) */

/* One measurement that one recorder has on. */
struct running_on {
	int who;
	char name[ON_NAME_MAX];
};

struct running {
	struct recorder list[RECORDERS_MAX];
	int count;
	struct buffer on; /* struct running_on, one behind the other */
};

static void take_names(struct running *r, int who, const char *answer)
{
	struct running_on on = {.who = who};

	for (size_t n = 0; answer_text(answer, "on", n, on.name, sizeof(on.name)); n++)
		buffer_append(&r->on, &on, sizeof(on));
}

static void ask_all(struct running *r, int dir)
{
	uint64_t end_ns = clock_monotonic_ns() + PATIENCE_ALL_MS * NS_PER_MS;
	struct buffer answer;

	buffer_init(&answer);
	for (int who = 0; who < r->count && clock_monotonic_ns() < end_ns; who++) {
		if (!recorder_ask(dir, &r->list[who], "status", PATIENCE_MS, &answer))
			take_names(r, who, answer.data);
	}
	buffer_fini(&answer);
}

struct running *running_new(void)
{
	struct running *r = calloc(1, sizeof(*r));
	int dir = -1;

	if (!r)
		return NULL;
	buffer_init(&r->on);
	if (!control_dir_find(&dir, NULL))
		r->count = recorder_list(dir, RECORDER_LIST_RECORDERS, r->list);
	ask_all(r, dir);
	fd_close(dir);
	if (r->on.len && !buffer_error(&r->on))
		return r;
	running_free(r);
	return NULL;
}

void running_free(struct running *r)
{
	if (!r)
		return;
	buffer_fini(&r->on);
	free(r);
}

const struct recorder *running_recorder(const struct running *r, const char *name, size_t n)
{
	const struct running_on *on = r ? (const void *)r->on.data : NULL;
	size_t count = r ? r->on.len / sizeof(*on) : 0;

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(on[i].name, name) && !n--)
			return &r->list[on[i].who];
	}
	return NULL;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_history.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "schema/event.h"

/* Whether the file is another one than at the last call. */
static bool is_new(struct meas_history *history)
{
	uint64_t now[3] = {0};
	struct stat st;
	bool is_other;

	if (!fstatat(history->dir, MEAS_SWITCH_FILE, &st, 0)) {
		now[0] = st.st_ino;
		now[1] = (uint64_t)st.st_mtim.tv_sec * NS_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
		now[2] = (uint64_t)st.st_size;
	}
	is_other = memcmp(now, history->seen, sizeof(now)) != 0;
	memcpy(history->seen, now, sizeof(now));
	return is_other;
}

int meas_history_init(struct meas_history *history, int dir)
{
	struct meas_change changes[MEAS_CHANGES_KEPT];
	int count;

	history->dir = dir;
	(void)is_new(history);
	count = meas_switch_changes(dir, changes);
	if (count < 0)
		return count;
	history->count = 1;
	history->changes[0] = changes[count - 1];
	return 0;
}

static void add(struct meas_history *history, const struct meas_change *change)
{
	struct meas_change *last = &history->changes[history->count - 1];

	if (change->time_ns == last->time_ns)
		return;
	if (history->count < MEAS_CHANGES_MAX)
		last = &history->changes[history->count++];
	*last = *change;
}

/* A clock that was set back makes later changes earlier: the present state counts in any case. */
int meas_history_look(struct meas_history *history)
{
	int64_t known_ns = history->changes[history->count - 1].time_ns;
	struct meas_change changes[MEAS_CHANGES_KEPT];
	int count;

	if (!is_new(history))
		return 0;
	count = meas_switch_changes(history->dir, changes);
	if (count < 0)
		return count;
	for (int i = 0; i < count; i++) {
		if (changes[i].time_ns > known_ns || i == count - 1)
			add(history, &changes[i]);
	}
	return 0;
}

const bool *meas_history_on(const struct meas_history *history)
{
	return history->changes[0].on;
}

size_t meas_history_span(struct meas_history *history, const struct event *events, size_t count)
{
	size_t before = 0;

	if (history->count < 2)
		return count;
	while (before < count && events[before].time_ns < history->changes[1].time_ns)
		before++;
	if (before)
		return before;
	history->count--;
	memmove(history->changes, history->changes + 1, history->count * sizeof(*history->changes));
	return 0;
}

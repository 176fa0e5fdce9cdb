// SPDX-License-Identifier: BSD-2-Clause
#include "meas/meas_history.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "schema/event.h"

static int64_t changed_at(int dir)
{
	struct stat st;

	if (fstatat(dir, MEAS_SWITCH_FILE, &st, 0))
		return 0;
	return (int64_t)st.st_mtim.tv_sec * (int64_t)NS_PER_SEC + st.st_mtim.tv_nsec;
}

int meas_history_init(struct meas_history *history, int dir)
{
	history->dir = dir;
	history->count = 1;
	history->changes[0].time_ns = changed_at(dir);
	return meas_switch_load(dir, history->changes[0].on);
}

int meas_history_look(struct meas_history *history)
{
	struct meas_change *last = &history->changes[history->count - 1];
	struct meas_change change = {.time_ns = changed_at(history->dir)};
	int err;

	if (change.time_ns == last->time_ns)
		return 0;
	err = meas_switch_load(history->dir, change.on);
	if (err)
		return err;
	if (history->count < MEAS_CHANGES_MAX)
		last = &history->changes[history->count++];
	*last = change;
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

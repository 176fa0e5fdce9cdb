// SPDX-License-Identifier: BSD-2-Clause
#include "graph/lane.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/task_names.h"
#include "graph/series.h"

#define FIRST_ROOM 4u

/* The entry of @slot, which is the last or comes behind it. NULL: no memory. */
static struct lane_entry *entry_at(struct lane *lane, int64_t slot)
{
	struct lane_entry *last = lane->count ? &lane->entries[lane->count - 1] : NULL;
	size_t room = lane->room ? 2 * lane->room : FIRST_ROOM;

	if (last && last->slot >= slot)
		return last;
	if (lane->count == lane->room) {
		struct lane_entry *entries = reallocarray(lane->entries, room, sizeof(*entries));

		if (!entries)
			return NULL;
		lane->entries = entries;
		lane->room = room;
	}
	last = &lane->entries[lane->count++];
	*last = (struct lane_entry){.slot = slot, .after = LANE_UNKNOWN};
	return last;
}

/* @who ran for @part of the stretch. */
static void note_who(struct lane_entry *entry, uint64_t who, uint64_t part)
{
	if (!who)
		return;
	if (entry->who == who)
		part += entry->who_part;
	else if (part < entry->who_part)
		return;
	entry->who = who & (TID_LIMIT - 1);
	entry->who_part = (part < LANE_WHOLE ? part : LANE_WHOLE) & LANE_WHOLE;
}

static void add(struct lane *lane, unsigned int shift, struct lane_entry *entry, uint64_t ns)
{
	entry->ns[lane->state] += ns;
	lane->total_ns[lane->state] += ns;
	note_who(entry, lane->who, (uint64_t)(LANE_WHOLE * ldexp((double)ns, -(int)shift)));
}

/* The time from since_ns on in the state that it has. */
static int account(struct lane *lane, unsigned int shift, int64_t to_ns)
{
	int64_t from = lane->since_ns >> shift, to = to_ns >> shift;
	struct lane_entry *entry = entry_at(lane, from);

	if (!entry)
		return -ENOMEM;
	if (from == to) {
		add(lane, shift, entry, (uint64_t)to_ns - (uint64_t)lane->since_ns);
		return 0;
	}
	add(lane, shift, entry, ((uint64_t)(from + 1) << shift) - (uint64_t)lane->since_ns);
	lane->total_ns[lane->state] += ((uint64_t)to - (uint64_t)from - 1) << shift;
	entry->after = lane->state & 3u;
	entry->who_after = lane->who & (TID_LIMIT - 1);
	entry = entry_at(lane, to);
	if (!entry)
		return -ENOMEM;
	add(lane, shift, entry, (uint64_t)to_ns - ((uint64_t)to << shift));
	return 0;
}

int lane_change(struct lane *lane, unsigned int shift, int64_t time_ns, enum lane_state state)
{
	int err = 0;

	if (lane->state != LANE_UNKNOWN && time_ns > lane->since_ns)
		err = account(lane, shift, time_ns);
	if (!lane->started || time_ns > lane->since_ns)
		lane->since_ns = time_ns;
	lane->started = true;
	lane->state = state;
	return err;
}

/* The whole of a stretch of the old length that has no entry: spent in one state. */
static void add_stretch(struct lane_entry *entry, unsigned int shift, enum lane_state state,
			uint64_t who)
{
	if (state == LANE_UNKNOWN)
		return;
	entry->ns[state] += 1ull << shift;
	note_who(entry, who, LANE_WHOLE / 2);
}

/* Its stretch becomes one half of another. */
static const struct lane_entry *halve(struct lane_entry *entry)
{
	entry->who_part /= 2;
	return entry;
}

static void join(struct lane_entry *entry, const struct lane_entry *second)
{
	for (size_t i = 0; i < LANE_STATES; i++)
		entry->ns[i] += second->ns[i];
	note_who(entry, second->who, second->who_part);
	entry->after = second->after;
	entry->who_after = second->who_after;
}

void lane_double(struct lane *lane, unsigned int shift)
{
	enum lane_state before = LANE_UNKNOWN; /* of the time in front of the entry */
	uint64_t who_before = 0;
	size_t kept = 0;

	for (size_t i = 0; i < lane->count; i++) {
		struct lane_entry entry = lane->entries[i];
		const struct lane_entry *next = i + 1 < lane->count ? &lane->entries[i + 1] : NULL;
		bool is_second = entry.slot & 1;

		entry.slot >>= 1;
		entry.who_part /= 2;
		if (is_second)
			add_stretch(&entry, shift, before, who_before);
		else if (next && next->slot >> 1 == entry.slot)
			join(&entry, halve(&lane->entries[++i]));
		else
			add_stretch(&entry, shift, (enum lane_state)entry.after, entry.who_after);
		before = (enum lane_state)entry.after;
		who_before = entry.who_after;
		lane->entries[kept++] = entry;
	}
	lane->count = kept;
}

void lane_fini(struct lane *lane)
{
	free(lane->entries);
	*lane = (struct lane){.state = LANE_UNKNOWN};
}

/* @ns of the time from @from on and before @to, as far as that is within the columns: evenly, since no
 * more is known. */
static void fill(const struct lane_columns *columns, double *out, double from, double to, double ns)
{
	double width = series_since(columns->to_ns, columns->from_ns) / (double)columns->count;
	double first = fmax(from / width, 0), last = fmin(to / width, (double)columns->count);
	double part = ns / (last - first);

	for (double i = floor(first); i < last; i++)
		out[(size_t)i] += part * (fmin(i + 1, last) - fmax(i, first));
}

/* @who ran so long from @from to @to. */
static void fill_who(const struct lane_columns *columns, double from, double to, uint32_t who,
		     double ns)
{
	double width = series_since(columns->to_ns, columns->from_ns) / (double)columns->count;
	double first = fmax(from / width, 0), last = fmin(to / width, (double)columns->count);
	double part = ns / (last - first);

	for (double i = floor(first); columns->who && who && i < last; i++) {
		double here = part * (fmin(i + 1, last) - fmax(i, first));

		if (here <= columns->who_ns[(size_t)i])
			continue;
		columns->who_ns[(size_t)i] = here;
		columns->who[(size_t)i] = who;
	}
}

static double since(const struct lane_columns *columns, int64_t slot, unsigned int shift)
{
	return series_since((int64_t)((uint64_t)slot << shift), columns->from_ns);
}

void lane_fill(const struct lane *lane, unsigned int shift, const struct lane_columns *columns)
{
	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_entry *entry = &lane->entries[i];
		double from = since(columns, entry->slot, shift);
		double to = since(columns, entry->slot + 1, shift), next;

		for (size_t k = 0; k < LANE_STATES; k++)
			if (entry->ns[k])
				fill(columns, columns->ns[k], from, to, (double)entry->ns[k]);
		fill_who(columns, from, to, entry->who,
			 ldexp((double)entry->who_part / LANE_WHOLE, (int)shift));
		if (entry->after == LANE_UNKNOWN || i + 1 == lane->count)
			continue;
		next = since(columns, lane->entries[i + 1].slot, shift);
		if (next <= to)
			continue;
		fill(columns, columns->ns[entry->after], to, next, next - to);
		fill_who(columns, to, next, entry->who_after, next - to);
	}
}

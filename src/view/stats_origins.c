// SPDX-License-Identifier: BSD-2-Clause
#include "view/stats_origins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "schema/event.h"
#include "schema/origin.h"
#include "view/amount.h"
#include "view/json_member.h"
#include "view/origin_label.h"
#include "view/stats.h"
#include "view/table.h"
#include "view/view.h"

static int compare_origins(const void *left, const void *right)
{
	const struct origin_count *a = left, *b = right;

	return origin_compare(a->origin, b->origin);
}

/* The most events first; equal ones by name. */
static int compare_counts(const void *left, const void *right)
{
	const struct origin_count *a = left, *b = right;

	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	return origin_compare(a->origin, b->origin);
}

/* Entries of one origin become one, and those without events and losses none. */
static size_t join(struct origin_count *list, size_t count)
{
	size_t joined = 0;

	qsort(list, count, sizeof(*list), compare_origins);
	for (size_t i = 0; i < count; i++) {
		struct origin_count *last = joined ? &list[joined - 1] : NULL;

		if (!list[i].events && !list[i].lost)
			continue;
		if (!last || origin_compare(last->origin, list[i].origin)) {
			list[joined++] = list[i];
			continue;
		}
		last->events += list[i].events;
		last->bytes += list[i].bytes;
		last->lost += list[i].lost;
	}
	return joined;
}

int stats_origins_sum(struct stats *stats)
{
	const struct trace_info *info = stats->view->info;
	struct origin_parts parts = origin_parts_differing(info);
	struct origin_count *list;
	size_t count = 0;

	if (!parts.hosts && !parts.processes)
		return 0;
	list = calloc(stats->class_count + info->stream_count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < stats->class_count; i++)
		list[count++] = (struct origin_count){
			.origin = stats->classes[i].class->origin,
			.events = stats->classes[i].events,
			.bytes = stats->classes[i].bytes,
		};
	for (size_t i = 0; i < info->stream_count; i++)
		list[count++] = (struct origin_count){
			.origin = info->streams[i].origin,
			.lost = stats->stream_losses[i],
		};
	stats->origins = list;
	stats->origin_count = join(list, count);
	qsort(list, stats->origin_count, sizeof(*list), compare_counts);
	return 0;
}

static size_t shown_of(const struct stats *stats, size_t rows)
{
	return rows && stats->origin_count > rows ? rows : stats->origin_count;
}

void stats_origins_text(const struct stats *stats, size_t rows, struct buffer *out)
{
	struct origin_parts parts = origin_parts_differing(stats->view->info);
	const char *const titles[] = {parts.hosts && parts.processes ? "host and process" :
				      parts.hosts		     ? "host" :
								       "process",
				      "events",
				      "share",
				      "bytes",
				      "lost",
				      NULL};
	const size_t shown = shown_of(stats, rows);
	struct table table;

	if (!stats->origin_count)
		return;
	table_init(&table, titles);
	for (size_t i = 0; i < shown; i++) {
		const struct origin_count *count = &stats->origins[i];
		double share =
			stats->events ? 100.0 * (double)count->events / (double)stats->events : 0;
		struct buffer name;
		char *start, *end;

		buffer_init(&name);
		start = buffer_reserve(&name, origin_label_room(count->origin) + 1);
		end = start ? origin_label_text(start, count->origin, parts) : NULL;
		if (end)
			*end = '\0';
		table_add(&table, "%s", start ?: "");
		buffer_fini(&name);
		table_add(&table, "%s", amount_count(count->events).text);
		table_add(&table, "%.1f %%", share);
		table_add(&table, "%s", amount_size(count->bytes).text);
		table_add(&table, "%s", amount_count_or_blank(count->lost).text);
	}
	table_finish(&table, out, shown, stats->origin_count);
}

static void put_origin(const struct origin *origin, struct buffer *out)
{
	if (origin_has(origin, ORIGIN_HOSTNAME))
		json_member_text(out, ",", origin_names[ORIGIN_HOSTNAME], origin->hostname,
				 strlen(origin->hostname));
	if (origin_has(origin, ORIGIN_PROCNAME))
		json_member_text(out, ",", origin_names[ORIGIN_PROCNAME], origin->procname,
				 strlen(origin->procname));
	if (origin_has(origin, ORIGIN_VPID))
		json_member_int(out, ",", origin_names[ORIGIN_VPID], origin->vpid);
}

void stats_origins_json(const struct stats *stats, size_t rows, struct buffer *out)
{
	const size_t shown = shown_of(stats, rows);

	if (!shown)
		return;
	json_member_key(out, ",", "origins");
	buffer_char(out, '[');
	for (size_t i = 0; i < shown; i++) {
		const struct origin_count *count = &stats->origins[i];

		json_member_uint(out, i ? ",{" : "{", "events", count->events);
		json_member_uint(out, ",", "bytes", count->bytes);
		json_member_uint(out, ",", "lost", count->lost);
		put_origin(count->origin, out);
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
}

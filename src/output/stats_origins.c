// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_origins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/origin_label.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/stats.h"
#include "output/table.h"
#include "output/view.h"
#include "schema/event.h"
#include "schema/origin.h"

static size_t shown_of(const struct stats *stats, size_t rows)
{
	return rows && stats->origin_count > rows ? rows : stats->origin_count;
}

void stats_origins_text(const struct stats *stats, size_t rows, struct buffer *out)
{
	struct origin_parts parts = origin_parts_differing(stats->view->analysis.info);
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

static void put_origin(const struct origin *origin, struct json_writer *json)
{
	if (origin_has(origin, ORIGIN_HOSTNAME))
		json_writer_text(json, origin_names[ORIGIN_HOSTNAME], origin->hostname,
				 strlen(origin->hostname));
	if (origin_has(origin, ORIGIN_PROCNAME))
		json_writer_text(json, origin_names[ORIGIN_PROCNAME], origin->procname,
				 strlen(origin->procname));
	if (origin_has(origin, ORIGIN_VPID))
		json_writer_int(json, origin_names[ORIGIN_VPID], origin->vpid);
}

void stats_origins_json(const struct stats *stats, size_t rows, struct json_writer *json)
{
	const size_t shown = shown_of(stats, rows);

	if (!shown)
		return;
	json_writer_array(json, "origins");
	for (size_t i = 0; i < shown; i++) {
		const struct origin_count *count = &stats->origins[i];

		json_writer_object(json, NULL);
		json_writer_uint(json, "events", count->events);
		json_writer_uint(json, "bytes", count->bytes);
		json_writer_uint(json, "lost", count->lost);
		put_origin(count->origin, json);
		json_writer_end(json);
	}
	json_writer_end(json);
}

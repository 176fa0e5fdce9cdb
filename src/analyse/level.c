// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/level.h"

#include "base/json_writer.h"

void level_add(struct level *level, uint64_t value, uint64_t ns)
{
	latency_add_times(&level->spread, value, ns);
	level->area += (double)value * (double)ns;
}

void level_merge(struct level *level, const struct level *other)
{
	latency_merge(&level->spread, &other->spread);
	level->area += other->area;
}

double level_mean(const struct level *level)
{
	return level->spread.count ? level->area / (double)level->spread.count : 0;
}

void level_write_json(const struct level *level, const char *key, struct json_writer *json)
{
	const struct latency *spread = &level->spread;

	json_writer_object(json, key);
	json_writer_uint(json, "time_ns", spread->count);
	if (spread->count) {
		json_writer_uint(json, "min", spread->min_ns);
		json_writer_real(json, "avg", level_mean(level), 1);
		json_writer_uint(json, "p50", latency_percentile(spread, 500));
		json_writer_uint(json, "p90", latency_percentile(spread, 900));
		json_writer_uint(json, "p99", latency_percentile(spread, 990));
		json_writer_uint(json, "max", spread->max_ns);
	}
	json_writer_end(json);
}

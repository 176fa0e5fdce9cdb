// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/level.h"

#include "base/buffer.h"
#include "base/json_member.h"

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

void level_write_json(const struct level *level, const char *key, struct buffer *out)
{
	const struct latency *spread = &level->spread;

	json_member_key(out, ",", key);
	json_member_uint(out, "{", "time_ns", spread->count);
	if (spread->count) {
		json_member_uint(out, ",", "min", spread->min_ns);
		json_member_key(out, ",", "avg");
		buffer_format(out, "%.1f", level_mean(level));
		json_member_uint(out, ",", "p50", latency_percentile(spread, 500));
		json_member_uint(out, ",", "p90", latency_percentile(spread, 900));
		json_member_uint(out, ",", "p99", latency_percentile(spread, 990));
		json_member_uint(out, ",", "max", spread->max_ns);
	}
	buffer_char(out, '}');
}

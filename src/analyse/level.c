// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/level.h"

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

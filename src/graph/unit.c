// SPDX-License-Identifier: BSD-2-Clause
#include "graph/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct unit_step bytes_steps[] = {
	{"B", 1},  {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776},
	{NULL, 0},
};
static const struct unit_step byte_rate_steps[] = {
	{"B/s", 1}, {"KiB/s", 1024}, {"MiB/s", 1048576}, {"GiB/s", 1073741824}, {NULL, 0},
};
static const struct unit_step ns_steps[] = {
	{"ns", 1},     {"\u00b5s", 1e3}, {"ms", 1e6}, {"s", 1e9},
	{"min", 60e9}, {"h", 3600e9},	 {NULL, 0},
};
static const struct unit_step hz_steps[] = {
	{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}, {NULL, 0},
};

struct known_unit {
	const char *name;
	const struct unit_step *steps;
	double factor;
};

/* The names that fields' descriptions use. The kernel keeps round trips in eighths of a microsecond. */
static const struct known_unit known_units[] = {
	{"bytes", bytes_steps, 1},   {"byte", bytes_steps, 1},
	{"B", bytes_steps, 1},	     {"bytes/s", byte_rate_steps, 1},
	{"B/s", byte_rate_steps, 1}, {"ns", ns_steps, 1},
	{"us", ns_steps, 1e3},	     {"\u00b5s", ns_steps, 1e3},
	{"us/8", ns_steps, 125},     {"us/4", ns_steps, 250},
	{"ms", ns_steps, 1e6},	     {"s", ns_steps, 1e9},
	{"Hz", hz_steps, 1},
};

struct unit unit_find(const char *name)
{
	struct unit unit = {.factor = 1};

	if (!name)
		return unit;
	(void)snprintf(unit.name, sizeof(unit.name), "%s", name);
	for (size_t i = 0; i < sizeof(known_units) / sizeof(*known_units); i++) {
		if (!strcmp(name, known_units[i].name)) {
			unit.steps = known_units[i].steps;
			unit.factor = known_units[i].factor;
		}
	}
	return unit;
}

const struct unit_step *unit_step(const struct unit *unit, double amount)
{
	const struct unit_step *step = unit->steps;

	if (!step)
		return NULL;
	amount = fabs(amount);
	while (step[1].name && amount >= step[1].per)
		step++;
	return step;
}

bool unit_same(const struct unit *a, const struct unit *b)
{
	return a->steps ? a->steps == b->steps : !b->steps && !strcmp(a->name, b->name);
}

void unit_format(const struct unit *unit, double value, int digits, char *text, size_t room)
{
	const struct unit_step *step = unit_step(unit, value);

	if (step)
		(void)snprintf(text, room, "%.*g %s", digits, value / step->per, step->name);
	else
		(void)snprintf(text, room, "%.*g%s%s", digits, value, *unit->name ? " " : "",
			       unit->name);
}

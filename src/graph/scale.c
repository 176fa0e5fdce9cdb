// SPDX-License-Identifier: BSD-2-Clause
#include "graph/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ALMOST 1e-9 /* of a step: a value nearer to a tick lies on it */
#define LOG_TICKS 2.0 /* so many more than on a linear one: their labels are short */
#define LOG_SPAN 1000.0 /* of a log scale whose low end is not above 0 */
#define AXIS_AMOUNT 2.0 /* so many of a step at least: 1.5 KiB are better read as 1500 B */
#define COUNT_AMOUNT 10000.0 /* counts below are written out */

static const struct unit_step count_steps[] = {
	{"", 1},     {"k", 1e3},  {"M", 1e6},  {"G", 1e9},
	{"T", 1e12}, {"P", 1e15}, {"E", 1e18}, {NULL, 0},
};

double scale_at(const struct scale *scale, double value)
{
	double part;

	if (scale->kind == SCALE_LOG)
		part = value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : -1;
	else
		part = (value - scale->low) / (scale->high - scale->low);
	return scale->from + part * (scale->to - scale->from);
}

double scale_value(const struct scale *scale, double at)
{
	double part = (at - scale->from) / (scale->to - scale->from);

	if (scale->kind == SCALE_LOG)
		return scale->low * pow(scale->high / scale->low, part);
	return scale->low + part * (scale->high - scale->low);
}

/* 1, 2 or 5 times a power of ten: about @span / @wanted. */
static double nice_step(double span, size_t wanted)
{
	double raw = span / (double)(wanted ? wanted : 1), power = pow(10, floor(log10(raw)));
	double digit = raw / power;

	return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/* Of @scale, whose values are divided by @per. */
static double step_of(const struct scale *scale, double per, size_t wanted)
{
	double step = nice_step((scale->high - scale->low) / per, wanted);

	return scale->whole && step * per < 1 ? 1 / per : step;
}

/* The step of the unit, or of counts, for values up to @most. */
static const struct unit_step *axis_step(const struct unit *unit, double most)
{
	const struct unit_step *step;

	most = fabs(most);
	if (unit->steps)
		return unit_step(unit, most / AXIS_AMOUNT);
	step = count_steps;
	while (most >= COUNT_AMOUNT && step[1].name && most >= step[1].per)
		step++;
	return step;
}

static double farther(double a, double b)
{
	return fmax(fabs(a), fabs(b));
}

static void widen_linear(struct scale *scale, const struct unit *unit, size_t wanted)
{
	double per, step;

	if (!(scale->high > scale->low)) {
		double room = scale->low != 0 ? fabs(scale->low) / 2 : 1;

		scale->low = scale->low > 0 ? 0 : scale->low - room;
		scale->high = scale->high > 0 ? scale->high + room : scale->high < 0 ? 0 : 1;
		if (scale->high == 0 && scale->low == -1)
			scale->low = 0;
	}
	per = axis_step(unit, farther(scale->low, scale->high))->per;
	step = step_of(scale, per, wanted) * per;
	scale->low = floor(scale->low / step + ALMOST) * step;
	scale->high = ceil(scale->high / step - ALMOST) * step;
	scale->step = step;
}

void scale_match(struct scale *scale, const struct scale *other, const struct unit *unit)
{
	double steps = round((other->high - other->low) / other->step);
	double per = axis_step(unit, farther(scale->low, scale->high))->per;
	double low, step;

	if (!(steps >= 1) || !(scale->step > 0))
		return;
	step = nice_step((scale->high - scale->low) / per / 2, (size_t)steps) * per;
	/* Steps are at most 2.5 times as large as the one before: a few are enough. */
	for (;;) {
		low = floor(scale->low / step + ALMOST) * step;
		if (low + steps * step >= scale->high - ALMOST * step)
			break;
		step = nice_step(step / per * 2, 1) * per;
	}
	scale->low = low;
	scale->high = low + steps * step;
	scale->step = step;
}

/* Powers of this are worth a label. */
static double log_base(const struct unit *unit)
{
	return unit->steps && unit->steps[0].name[0] == 'B' ? 2 : 10;
}

/* The greatest 1, 2 or 5 times a power of the base up to @value; or the least from it on. */
static double log_round(double value, double base, bool up)
{
	double power = pow(base, floor(log(value) / log(base) + ALMOST)), digit = value / power;

	if (base < 10)
		return up && digit > 1 + ALMOST ? power * base : power;
	if (up)
		return power * (digit <= 1 + ALMOST ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
	return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static void widen_log(struct scale *scale, const struct unit *unit)
{
	double base = log_base(unit);

	if (!(scale->high > 0))
		scale->high = base;
	if (!(scale->low > 0))
		scale->low = scale->high / LOG_SPAN;
	scale->low = log_round(scale->low, base, false);
	scale->high = log_round(scale->high, base, true);
	if (!(scale->high > scale->low))
		scale->high = scale->low * base;
}

void scale_widen(struct scale *scale, const struct unit *unit, size_t wanted)
{
	if (!isfinite(scale->low) || !isfinite(scale->high))
		scale->low = scale->high = 0;
	if (scale->kind == SCALE_LOG)
		widen_log(scale, unit);
	else
		widen_linear(scale, unit, wanted);
}

static struct tick *add_tick(struct ticks *ticks, double value)
{
	struct tick *tick;

	if (ticks->count == SCALE_TICKS)
		return NULL;
	tick = &ticks->ticks[ticks->count++];
	*tick = (struct tick){.value = value};
	return tick;
}

/* Digits behind the point that tell multiples of @step apart. */
static int decimals_of(double step)
{
	int decimals = (int)ceil(-log10(step) - ALMOST);

	return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

static void linear_ticks(const struct scale *scale, const struct unit *unit, size_t wanted,
			 struct ticks *ret)
{
	const struct unit_step *in = axis_step(unit, farther(scale->low, scale->high));
	double step = scale->step > 0 ? scale->step / in->per : step_of(scale, in->per, wanted);
	double first = ceil(scale->low / in->per / step - ALMOST);
	double last = floor(scale->high / in->per / step + ALMOST);
	const char *behind = unit->steps ? "" : in->name;
	int decimals = decimals_of(step);

	for (double k = first; k <= last && last - first < SCALE_TICKS; k++) {
		struct tick *tick = add_tick(ret, k * step * in->per);

		if (tick)
			(void)snprintf(tick->label, sizeof(tick->label), "%.*f%s",
				       k != 0 ? decimals : 0, k != 0 ? k * step : 0,
				       k != 0 ? behind : "");
	}
	(void)snprintf(ret->unit, sizeof(ret->unit), "%s", unit->steps ? in->name : unit->name);
}

static void log_label(const struct unit *unit, struct tick *tick)
{
	const struct unit_step *step = unit->steps ? unit_step(unit, tick->value * (1 + ALMOST)) :
						     axis_step(unit, tick->value);

	(void)snprintf(tick->label, sizeof(tick->label), unit->steps ? "%.3g %s" : "%.4g%s",
		       tick->value / step->per, step->name);
}

static void add_power(const struct unit *unit, double power, bool minor, struct ticks *ret)
{
	struct tick *tick = add_tick(ret, power);

	tick->minor = minor;
	if (!minor)
		log_label(unit, tick);
}

/* Between two powers of ten: 2 to 9, of which 2 and 5 have labels where there are few. */
static void between_powers(const struct scale *scale, const struct unit *unit, double power,
			   bool few, struct ticks *ret)
{
	for (int digit = 2; digit < 10; digit++) {
		double value = power * digit;
		struct tick *tick;

		if (value < scale->low * (1 - ALMOST) || value > scale->high * (1 + ALMOST))
			continue;
		tick = add_tick(ret, value);
		if (!tick)
			return;
		tick->minor = !few || (digit != 2 && digit != 5);
		if (!tick->minor)
			log_label(unit, tick);
	}
}

static void log_ticks(const struct scale *scale, const struct unit *unit, size_t wanted,
		      struct ticks *ret)
{
	double base = log_base(unit);
	double first = floor(log(scale->low) / log(base) + ALMOST);
	double last = floor(log(scale->high) / log(base) + ALMOST);
	double every = ceil((last - first) / (double)(wanted ? wanted : 1) / LOG_TICKS);
	bool few = last - first < (double)wanted / 2;

	every = every < 1 ? 1 : every;
	for (double k = first; k <= last && ret->count < SCALE_TICKS; k++) {
		double power = pow(base, k);

		if (power >= scale->low * (1 - ALMOST))
			add_power(unit, power, fmod(k, every) != 0, ret);
		if (base == 10 && every == 1)
			between_powers(scale, unit, power, few, ret);
	}
	(void)snprintf(ret->unit, sizeof(ret->unit), "%s", unit->steps ? "" : unit->name);
}

void scale_ticks(const struct scale *scale, const struct unit *unit, size_t wanted,
		 struct ticks *ret)
{
	ret->count = 0;
	if (scale->kind == SCALE_LOG)
		log_ticks(scale, unit, wanted, ret);
	else
		linear_ticks(scale, unit, wanted, ret);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_limits.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"

/* What the users of a server begin to notice: OpenAFS's sites have had these for long. */
#define WAITING_WARNING 2
#define WAITING_CRITICAL 8
/* A few clients that went away in the middle of a call are usual; more are a filter, or no route, between both. */
#define HELD_WARNING 10

const struct rxdebug_measure_form rxdebug_measure_forms[RXDEBUG_MEASURE_COUNT] = {
	[RXDEBUG_WAITING] = {"waiting", "", false, 0, "has ", " calls waiting for a thread"},
	[RXDEBUG_IDLE] = {"idle", "", true, 0, "has ", " idle threads"},
	[RXDEBUG_ANSWER] = {"answer", "ms", false, 1, "answered in ", " ms"},
	[RXDEBUG_FREE] = {"free", "%", true, 1, "has ", " % of its packet buffers free"},
	[RXDEBUG_RESENT] = {"resent", "%", false, 1, "sent ", " % of its packets again"},
	[RXDEBUG_BUSIES] = {"busies", "", false, 0, "turned ", " calls away"},
	[RXDEBUG_BLOCKED] = {"blocked", "", false, 0, "has ", " blocked calls"},
	[RXDEBUG_HELD] = {"held", "", false, 0, "has ",
			  " calls held by clients that do not answer"},
	[RXDEBUG_ERRORS] = {"errors", "", false, 0, "has ", " connections with errors"},
	[RXDEBUG_EXPIRED] = {"expired", "", false, 0, "has ", " connections with expired tickets"},
};

void rxdebug_limits_init(struct rxdebug_limits *limits)
{
	for (size_t i = 0; i < RXDEBUG_MEASURE_COUNT; i++)
		limits->warning[i] = limits->critical[i] = NAN;
	limits->warning[RXDEBUG_WAITING] = WAITING_WARNING;
	limits->critical[RXDEBUG_WAITING] = WAITING_CRITICAL;
	limits->warning[RXDEBUG_HELD] = HELD_WARNING;
}

/* A number, with its unit or without; of times, as 500ms. */
static bool parse_value(enum rxdebug_measure measure, const char *text, double *ret)
{
	const char *unit = rxdebug_measure_forms[measure].unit;
	uint64_t ns;
	char *end;

	if (measure == RXDEBUG_ANSWER && !duration_parse(text, &ns)) {
		*ret = (double)ns / NS_PER_MS;
		return true;
	}
	*ret = strtod(text, &end);
	return *text >= '0' && *text <= '9' && isfinite(*ret) &&
	       (!*end || (*unit == '%' && !strcmp(end, unit)));
}

static int find_measure(const char *name, size_t len, enum rxdebug_measure *ret)
{
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const char *one = rxdebug_measure_forms[i].name;

		if (strlen(one) == len && !memcmp(one, name, len)) {
			*ret = i;
			return 0;
		}
	}
	return -ENOENT;
}

static int parse_one(const char *option, const char *text, double *values, struct diag *diag)
{
	enum rxdebug_measure measure = RXDEBUG_WAITING;
	const char *equals = strchr(text, '=');

	if (equals && find_measure(text, (size_t)(equals - text), &measure))
		return diag_set(diag, -EINVAL,
				"--%s: '%.*s' is not one of waiting, idle, answer, free, resent, "
				"busies, blocked, held, errors and expired",
				option, (int)(equals - text), text);
	if (!parse_value(measure, equals ? equals + 1 : text, &values[measure]))
		return diag_set(diag, -EINVAL, "--%s: '%s' is neither a number nor NAME=NUMBER%s",
				option, text,
				measure == RXDEBUG_ANSWER ? ", the number a time as 500ms" : "");
	return 0;
}

int rxdebug_limits_parse(const char *option, const char *text, double values[RXDEBUG_MEASURE_COUNT],
			 struct diag *diag)
{
	int err = 0;

	do {
		size_t len = strcspn(text, ",");
		char one[64];

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		err = parse_one(option, one, values, diag);
		text += len;
	} while (!err && *text++);
	return err;
}

bool rxdebug_limits_is_beyond(enum rxdebug_measure measure, double value, double limit)
{
	return rxdebug_measure_forms[measure].low ? value < limit : value > limit;
}

int rxdebug_limits_check(const struct rxdebug_limits *limits, struct diag *diag)
{
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const double warning = limits->warning[i], critical = limits->critical[i];

		if (rxdebug_limits_is_beyond(i, warning, critical))
			return diag_set(diag, -EINVAL, "--warning %s=%g is beyond --critical %s=%g",
					rxdebug_measure_forms[i].name, warning,
					rxdebug_measure_forms[i].name, critical);
	}
	return 0;
}

bool rxdebug_limits_has(const struct rxdebug_limits *limits, enum rxdebug_measure measure)
{
	return !isnan(limits->warning[measure]) || !isnan(limits->critical[measure]);
}

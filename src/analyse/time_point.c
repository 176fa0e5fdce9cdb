// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/time_point.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define DAY_SECONDS 86400

/* ".123" into ns; true where it is that, to the end of the text. An empty text is 0. */
static bool parse_fraction(const char *text, int64_t *ret_ns)
{
	int64_t ns = 0, unit = (int64_t)NS_PER_SEC / 10;

	if (*text == '.')
		text++;
	else if (*text)
		return false;
	for (; isdigit((unsigned char)*text); text++, unit /= 10)
		ns += (*text - '0') * unit;
	*ret_ns = ns;
	return !*text;
}

/* Whole seconds and a fraction: the form of `print --time epoch`; without a point, ns. */
static int parse_epoch(const char *text, struct time_point *ret)
{
	int64_t value, fraction;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || !parse_fraction(end, &fraction))
		return -EINVAL;
	if (*end == '.') {
		if (__builtin_mul_overflow(value, (int64_t)NS_PER_SEC, &value) ||
		    __builtin_add_overflow(value, fraction, &value))
			return -EINVAL;
	}
	*ret = (struct time_point){TIME_POINT_EPOCH, value};
	return 0;
}

/* HH:MM or HH:MM:SS, two digits each, into @tm: the rest after it, or NULL. */
static const char *parse_clock(const char *text, struct tm *tm)
{
	const char *format = "%H:%M";

	for (int i = 0; i < 5; i++)
		if (i == 2 ? text[i] != ':' : !isdigit((unsigned char)text[i]))
			return NULL;
	if (text[5] == ':') {
		if (!isdigit((unsigned char)text[6]) || !isdigit((unsigned char)text[7]))
			return NULL;
		format = "%H:%M:%S";
	}
	return strptime(text, format, tm);
}

static int parse_of_day(const char *text, struct time_point *ret)
{
	struct tm tm = {0};
	int64_t fraction;
	const char *end;

	end = parse_clock(text, &tm);
	if (!end || !parse_fraction(end, &fraction))
		return -EINVAL;
	*ret = (struct time_point){
		TIME_POINT_OF_DAY,
		(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * (int64_t)NS_PER_SEC + fraction};
	return 0;
}

/* As `print --time abs` writes it: a fraction and an offset may follow; without one, local. */
static int parse_date(const char *text, struct time_point *ret)
{
	struct tm tm = {.tm_isdst = -1}, zone = {0};
	int64_t fraction, seconds;
	char digits[32] = "";
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	size_t len;

	if (end && (*end == 'T' || *end == ' '))
		end = parse_clock(end + 1, &tm);
	else
		end = NULL;
	if (!end)
		return -EINVAL;
	len = strspn(end, ".0123456789");
	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, end, len);
	if (!parse_fraction(digits, &fraction))
		return -EINVAL;
	if (end[len]) {
		const char *rest = strptime(end + len, "%z", &zone);

		if (!rest || *rest)
			return -EINVAL;
		seconds = timegm(&tm) - zone.tm_gmtoff;
	} else {
		seconds = mktime(&tm);
	}
	*ret = (struct time_point){TIME_POINT_EPOCH, seconds * (int64_t)NS_PER_SEC + fraction};
	return 0;
}

int time_point_parse(const char *text, struct time_point *ret)
{
	if (*text == '+') {
		uint64_t ns;
		int err = duration_parse(text + 1, &ns);

		if (err || ns > INT64_MAX)
			return -EINVAL;
		*ret = (struct time_point){TIME_POINT_SINCE_FIRST, (int64_t)ns};
		return 0;
	}
	if (!strchr(text, ':'))
		return parse_epoch(text, ret);
	if (strchr(text, '-') && strchr(text, '-') < strchr(text, ':'))
		return parse_date(text, ret);
	return parse_of_day(text, ret);
}

static int64_t resolve_of_day(int64_t value_ns, int64_t first_ns)
{
	time_t first = (time_t)(first_ns / (int64_t)NS_PER_SEC);
	struct tm tm;
	int64_t midnight, ns;

	if (!localtime_r(&first, &tm))
		return value_ns;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	midnight = mktime(&tm);
	ns = midnight * (int64_t)NS_PER_SEC + value_ns;
	if (ns < first_ns - DAY_SECONDS / 2 * (int64_t)NS_PER_SEC)
		ns += DAY_SECONDS * (int64_t)NS_PER_SEC;
	return ns;
}

int64_t time_point_resolve(const struct time_point *point, int64_t first_ns)
{
	int64_t ns;

	switch (point->form) {
	case TIME_POINT_EPOCH:
		return point->value_ns;
	case TIME_POINT_SINCE_FIRST:
		return __builtin_add_overflow(first_ns, point->value_ns, &ns) ? INT64_MAX : ns;
	case TIME_POINT_OF_DAY:
		return resolve_of_day(point->value_ns, first_ns);
	case TIME_POINT_NONE:
	default:
		return 0;
	}
}

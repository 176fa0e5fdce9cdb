// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define OFFSET_READINGS 9

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	/* The clocks that are read here exist on every Linux. */
	(void)clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t clock_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t clock_wall_offset_ns(void)
{
	uint64_t best = UINT64_MAX;
	int64_t offset = 0;
	int i;

	for (i = 0; i < OFFSET_READINGS; i++) {
		uint64_t before = clock_monotonic_ns();
		uint64_t wall = clock_realtime_ns();
		uint64_t width = clock_monotonic_ns() - before;

		if (width < best) {
			best = width;
			offset = (int64_t)(wall - (before + width / 2));
		}
	}
	return offset;
}

/*
 * "12", "1.5", ".5" times @scale, exactly, as an integer; the rest after the number is left at
 * @rest. Digits that are finer than one part of @scale are cut off.
 */
static int parse_scaled(const char *text, const char *end, uint64_t scale, uint64_t *ret)
{
	unsigned __int128 whole = 0, part = 0, unit = 1;
	const char *p = text;
	bool digits = false;

	for (; p < end && isdigit((unsigned char)*p); p++) {
		whole = whole * 10 + (unsigned int)(*p - '0');
		digits = true;
		if (whole > UINT64_MAX)
			return -ERANGE;
	}
	if (p < end && *p == '.') {
		for (p++; p < end && isdigit((unsigned char)*p); p++) {
			digits = true;
			if (unit >= 1000000000000000000ull)
				continue;
			part = part * 10 + (unsigned int)(*p - '0');
			unit *= 10;
		}
	}
	if (!digits || p != end)
		return -EINVAL;
	whole = whole * scale + part * scale / unit;
	if (whole > UINT64_MAX)
		return -ERANGE;
	*ret = (uint64_t)whole;
	return 0;
}

/* Where the unit behind the number begins. */
static const char *find_unit(const char *text)
{
	return text + strspn(text, "0123456789.");
}

int duration_parse(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"", NS_PER_SEC},	   {"ns", 1},
		{"us", NS_PER_US},	   {"ms", NS_PER_MS},
		{"s", NS_PER_SEC},	   {"m", 60 * NS_PER_SEC},
		{"min", 60 * NS_PER_SEC},  {"h", 3600 * NS_PER_SEC},
		{"d", 86400 * NS_PER_SEC},
	};
	const char *unit = find_unit(text);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) == 0)
			return parse_scaled(text, unit, units[i].ns, ret_ns);
	}
	return -EINVAL;
}

int size_parse(const char *text, uint64_t *ret_bytes)
{
	static const char letters[] = "KMGTP";
	const char *unit = find_unit(text);
	const char *found;
	uint64_t scale = 1;

	if (*unit && *unit != 'B') {
		found = strchr(letters, toupper((unsigned char)*unit));
		if (!found)
			return -EINVAL;
		scale = 1ull << (10 * (found - letters + 1));
		/* "4M", "4MB" and "4MiB" all mean the same. */
		if (strcmp(unit + 1, "") != 0 && strcmp(unit + 1, "B") != 0 &&
		    strcmp(unit + 1, "iB") != 0)
			return -EINVAL;
	} else if (strlen(unit) > 1) {
		return -EINVAL;
	}
	return parse_scaled(text, unit, scale, ret_bytes);
}

/* Three digits that count: "1.25", "12.5", "125". */
static char *format_scaled(char *text, size_t room, double value, const char *unit)
{
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	(void)snprintf(text, room, "%.*f %s", decimals, value, unit);
	return text;
}

char *duration_format(char *text, size_t room, uint64_t ns)
{
	uint64_t sec = ns / NS_PER_SEC;

	if (ns < NS_PER_US)
		(void)snprintf(text, room, "%" PRIu64 " ns", ns);
	else if (ns < 999500)
		format_scaled(text, room, (double)ns / 1e3, "us");
	else if (ns < 999500000)
		format_scaled(text, room, (double)ns / 1e6, "ms");
	else if (sec < 120)
		format_scaled(text, room, (double)ns / 1e9, "s");
	else if (sec < 7200)
		(void)snprintf(text, room, "%" PRIu64 " min %02" PRIu64 " s", sec / 60, sec % 60);
	else
		(void)snprintf(text, room, "%" PRIu64 " h %02" PRIu64 " min", sec / 3600,
			       sec / 60 % 60);
	return text;
}

char *size_format(char *text, size_t room, uint64_t bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes / 1000;
	size_t i = 0;

	if (bytes < 1000) {
		(void)snprintf(text, room, "%" PRIu64 " B", bytes);
		return text;
	}
	while (value >= 999.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1000;
		i++;
	}
	return format_scaled(text, room, value, units[i]);
}

char *count_format(char *text, size_t room, uint64_t count)
{
	char digits[32], grouped[48];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t i, at = 0;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			grouped[at++] = ',';
		grouped[at++] = digits[i];
	}
	grouped[at] = '\0';
	(void)snprintf(text, room, "%s", grouped);
	return text;
}

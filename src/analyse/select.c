// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/select.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/nearest.h"
#include "schema/calls.h"
#include "schema/lost.h"
#include "schema/source.h"

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

#define PATTERN_BYTES 128u

void select_init(struct select *select)
{
	*select = (struct select){0};
}

void select_fini(struct select *select)
{
	free(select->shown);
	cpu_set_fini(&select->cpus);
	select->shown = NULL;
	select->class_count = 0;
}

int select_copy(struct select *select, const struct select *from)
{
	int32_t cpu = -1;

	*select = *from;
	select->shown = NULL;
	select->class_count = 0;
	select->cpus = (struct cpu_set){0};
	select_rewind(select);
	while ((cpu = cpu_set_next(&from->cpus, cpu)) >= 0)
		cpu_set_add(&select->cpus, cpu);
	return from->cpus.high && !select->cpus.high ? -ENOMEM : 0;
}

void select_rewind(struct select *select)
{
	select->started = false;
	select->done = false;
	select->matched = 0;
	select->lost = 0;
	select->overwritten = 0;
}

int select_add_pattern(struct select *select, const char *pattern, struct diag *diag)
{
	if (select->pattern_count == SELECT_PATTERNS)
		return diag_set(diag, -E2BIG, "more than %u patterns: join them with commas",
				SELECT_PATTERNS);
	select->patterns[select->pattern_count++] = pattern;
	return 0;
}

int select_parse_time(const char *what, const char *text, struct time_point *ret, struct diag *diag)
{
	if (!time_point_parse(text, ret))
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: '%s' is not a time: give +SECONDS after the first event, HH:MM:SS, "
			"YYYY-MM-DDTHH:MM:SS or ns since 1970",
			what, text);
}

int select_parse_cpus(struct select *select, const char *text, struct diag *diag)
{
	int err = cpu_set_parse(&select->cpus, text);

	select->by_cpu = true;
	if (err == -ENOMEM)
		return diag_set(diag, err, "no memory");
	if (err == -ERANGE)
		return diag_set(diag, -EINVAL, "--cpu: '%s': there are CPUs 0 to %u", text,
				CPU_SET_CPUS - 1);
	if (err)
		return diag_set(
			diag, err,
			"--cpu: '%s' is not a list of CPUs: give numbers and spans with commas between them, as in 0,2-5",
			text);
	return 0;
}

int select_parse_limit(const char *what, const char *text, uint64_t *ret, struct diag *diag)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || !*ret)
		return diag_set(diag, -EINVAL, "%s: '%s' is not a number of 1 or more", what, text);
	return 0;
}

/* Marks what one pattern matches; false where that is nothing. */
static bool choose(struct select *select, const struct trace_info *info, const char *pattern)
{
	bool found = false;
	size_t i;

	for (i = 0; i < info->class_count; i++) {
		if (info->classes[i]->quiet ||
		    !calls_pattern_matches(pattern, info->classes[i]->name))
			continue;
		select->shown[i] = true;
		found = true;
	}
	return found;
}

/* The recorder's own tell users nothing. */
static bool is_listed(const struct event_class *class)
{
	return class->role == EVENT_ROLE_PLAIN && !class->quiet &&
	       strncmp(class->name, "sonde.", 6) != 0;
}

/* "sys.*, sched.switch, ...": system calls have hundreds of classes, and stand there once. */
static void list_classes(const struct trace_info *info, char *text, size_t room)
{
	bool calls = false;
	size_t at = 0, i;

	*text = '\0';
	for (i = 0; i < info->class_count; i++) {
		const bool call = calls_is_entry_name(info->classes[i]->name) &&
				  strcmp(info->classes[i]->name, CALLS_ENTRY) != 0;
		struct escaped_name name =
			escape_name(call ? CALLS_PREFIX "*" : info->classes[i]->name);
		int len;

		if (!is_listed(info->classes[i]) || (call && calls))
			continue;
		calls |= call;
		len = snprintf(text + at, room - at, "%s%s", at ? ", " : "", name.text);
		if (len < 0 || (size_t)len >= room - at) {
			snprintf(text + (at + 6 < room ? at : room - 6), 6, ", ...");
			return;
		}
		at += (size_t)len;
	}
}

static int fail_unmatched(const struct trace_info *info, const char *pattern, struct diag *diag)
{
	struct nearest near;
	char there[256];

	nearest_init(&near, pattern);
	for (size_t i = 0; i < info->class_count; i++) {
		if (is_listed(info->classes[i]))
			nearest_offer(&near, info->classes[i]->name);
	}
	if (near.name)
		return diag_set(diag, -ENOENT, "no event in it matches '%s': did you mean '%s'?",
				pattern, escape_name(near.name).text);
	list_classes(info, there, sizeof(there));
	return diag_set(diag, -ENOENT, "no event in it matches '%s'; it has %s", pattern,
			*there ? there : "none");
}

/* Each of the patterns in a list with commas. */
static int choose_list(struct select *select, const struct trace_info *info, const char *list,
		       struct diag *diag)
{
	char pattern[PATTERN_BYTES];
	int err = 0;

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL) {
		size_t len = strcspn(list, ",");

		if (!len)
			continue;
		snprintf(pattern, sizeof(pattern), "%.*s", (int)len, list);
		if (len < sizeof(pattern) && choose(select, info, pattern))
			continue;
		err = fail_unmatched(info, pattern, diag);
	}
	return err;
}

int select_bind(struct select *select, const struct trace_info *info, struct diag *diag)
{
	int err = 0;
	size_t i;

	free(select->shown);
	select->class_count = info->class_count;
	select->shown = calloc(info->class_count ?: 1, sizeof(*select->shown));
	if (!select->shown)
		return diag_set(diag, -ENOMEM, "no memory");
	for (i = 0; i < info->class_count; i++)
		select->shown[i] = (!select->pattern_count && !info->classes[i]->quiet &&
				    !(select->brief && event_class_is_note(info->classes[i]))) ||
				   info->classes[i]->role == EVENT_ROLE_LOST;
	for (i = 0; i < select->pattern_count; i++)
		err = choose_list(select, info, select->patterns[i], diag) ?: err;
	return err;
}

bool select_any(const struct select *select, const struct trace_info *info)
{
	size_t i;

	for (i = 0; i < info->class_count; i++)
		if (info->classes[i]->role != EVENT_ROLE_LOST && select->shown[i])
			return true;
	return false;
}

static void start(struct select *select, int64_t first_ns)
{
	select->started = true;
	select->origin_ns = first_ns;
	select->from_ns = INT64_MIN;
	select->to_ns = INT64_MAX;
	if (select->from.form != TIME_POINT_NONE)
		select->from_ns = time_point_resolve(&select->from, first_ns);
	if (select->to.form != TIME_POINT_NONE)
		select->to_ns = time_point_resolve(&select->to, first_ns);
}

static void count_lost(struct select *select, const struct event *event)
{
	select->lost += event_uint(event, LOST_COUNT);
	select->overwritten += event_uint(event, LOST_PACKETS);
}

void select_cut(struct select *select, const struct event *events, size_t count, size_t *first,
		size_t *end)
{
	size_t i = 0, stop = count;

	while (i < count && !select->started && events[i].class->quiet)
		i++;
	if (i < count && !select->started)
		start(select, events[i].time_ns);
	if (count && events[0].time_ns < select->from_ns)
		while (i < count && events[i].time_ns < select->from_ns)
			i++;
	*first = i;
	if (i < count && events[count - 1].time_ns > select->to_ns) {
		while (stop > i && events[stop - 1].time_ns > select->to_ns)
			stop--;
		select->done = true;
	}
	*end = stop;
}

size_t select_count(struct select *select, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (events[i].class->role == EVENT_ROLE_LOST)
			count_lost(select, &events[i]);
		else
			select->matched += select_shows(select, events[i].class);
		if (select_is_full(select)) {
			select->done = true;
			return i + 1;
		}
	}
	return count;
}

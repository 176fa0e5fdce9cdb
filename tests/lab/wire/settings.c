// SPDX-License-Identifier: BSD-2-Clause
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"

enum value_kind {
	VALUE_TIME,
	VALUE_BYTES,
	VALUE_RATE,
	VALUE_COUNT,
	VALUE_CHANCE,
	VALUE_LENGTH, /* a real number of at least 1 */
	VALUE_SWITCH,
};

static const struct key {
	const char *name;
	enum value_kind kind;
	size_t offset;
} keys[] = {
	{"delay", VALUE_TIME, offsetof(struct settings, delay_ns)},
	{"jitter", VALUE_TIME, offsetof(struct settings, jitter_ns)},
	{"rate", VALUE_RATE, offsetof(struct settings, rate_bits)},
	{"queue", VALUE_BYTES, offsetof(struct settings, queue_bytes)},
	{"mtu", VALUE_BYTES, offsetof(struct settings, mtu)},
	{"tail", VALUE_BYTES, offsetof(struct settings, tail)},
	{"every", VALUE_COUNT, offsetof(struct settings, every)},
	{"syn", VALUE_COUNT, offsetof(struct settings, syn)},
	{"synack", VALUE_COUNT, offsetof(struct settings, synack)},
	{"loss", VALUE_CHANCE, offsetof(struct settings, loss)},
	{"ack_loss", VALUE_CHANCE, offsetof(struct settings, ack_loss)},
	{"burst", VALUE_CHANCE, offsetof(struct settings, burst)},
	{"burst_length", VALUE_LENGTH, offsetof(struct settings, burst_length)},
	{"reorder", VALUE_CHANCE, offsetof(struct settings, reorder)},
	{"reorder_by", VALUE_TIME, offsetof(struct settings, reorder_by_ns)},
	{"duplicate", VALUE_CHANCE, offsetof(struct settings, duplicate)},
	{"corrupt", VALUE_CHANCE, offsetof(struct settings, corrupt)},
	{"ecn", VALUE_CHANCE, offsetof(struct settings, ecn)},
	{"ecn_queue", VALUE_BYTES, offsetof(struct settings, ecn_queue)},
	{"down", VALUE_SWITCH, offsetof(struct settings, down)},
};

/* A number that is not negative, and what is behind it. */
static int parse_number(const char *text, double *ret, char **end)
{
	if (strspn(text, "0123456789.") == 0)
		return -EINVAL;
	*ret = strtod(text, end);
	return *end != text && isfinite(*ret) ? 0 : -EINVAL;
}

/* "20mbit": a number with kbit, mbit, gbit or bit. */
static int parse_rate(const char *text, uint64_t *ret)
{
	static const char *const units[] = {"bit", "kbit", "mbit", "gbit"};
	double number, factor = 1;
	char *end;

	if (parse_number(text, &number, &end))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++, factor *= 1000) {
		if (strcmp(end, units[i]) == 0 && number * factor <= 1e12) {
			*ret = (uint64_t)(number * factor);
			return 0;
		}
	}
	return -EINVAL;
}

/* "1.5%" or "0.015" */
static int parse_chance(const char *text, double *ret)
{
	double number;
	char *end;

	if (parse_number(text, &number, &end))
		return -EINVAL;
	if (strcmp(end, "%") == 0)
		number /= 100;
	else if (*end)
		return -EINVAL;
	if (number > 1)
		return -EINVAL;
	*ret = number;
	return 0;
}

static int parse_count(const char *text, uint64_t most, uint64_t *ret)
{
	double number;
	char *end;

	if (parse_number(text, &number, &end) || *end || number > (double)most ||
	    floor(number) < number)
		return -EINVAL;
	*ret = (uint64_t)number;
	return 0;
}

static int parse_value(const struct key *key, const char *text, void *field)
{
	uint64_t number;
	double real;
	char *end;
	int err;

	switch (key->kind) {
	case VALUE_TIME:
		return duration_parse(text, field);
	case VALUE_BYTES:
		return size_parse(text, field);
	case VALUE_RATE:
		return parse_rate(text, field);
	case VALUE_COUNT:
		return parse_count(text, UINT32_MAX, field);
	case VALUE_CHANCE:
		return parse_chance(text, field);
	case VALUE_LENGTH:
		if (parse_number(text, &real, &end) || *end || real < 1)
			return -EINVAL;
		memcpy(field, &real, sizeof(real));
		return 0;
	case VALUE_SWITCH:
		err = parse_count(text, 1, &number);
		if (!err)
			*(bool *)field = number;
		return err;
	}
	return -EINVAL;
}

static int apply_one(struct settings *settings, const char *word, size_t length, struct diag *diag)
{
	char text[64];
	char *value;

	if (length >= sizeof(text))
		return diag_set(diag, -EINVAL, "%.*s: too long", (int)length, word);
	memcpy(text, word, length);
	text[length] = '\0';
	value = strchr(text, '=');
	if (!value)
		return diag_set(diag, -EINVAL, "%s: not KEY=VALUE", text);
	*value++ = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcmp(keys[i].name, text) == 0) {
			if (!parse_value(&keys[i], value, (char *)settings + keys[i].offset))
				return 0;
			return diag_set(diag, -EINVAL, "%s: bad value %s", text, value);
		}
	}
	return diag_set(diag, -EINVAL, "unknown key %s", text);
}

int settings_apply(struct settings *settings, const char *text, struct diag *diag)
{
	while (*(text += strspn(text, " \t"))) {
		size_t length = strcspn(text, " \t");
		int err = apply_one(settings, text, length, diag);

		if (err)
			return err;
		text += length;
	}
	return 0;
}

static int parse_direction(const char *word, bool *applies)
{
	applies[DIRECTION_FORWARD] = strcmp(word, "back") != 0;
	applies[DIRECTION_BACK] = strcmp(word, "forward") != 0;
	return strcmp(word, "both") == 0 || strcmp(word, "forward") == 0 ||
			       strcmp(word, "back") == 0 ?
		       0 :
		       -EINVAL;
}

/* In order of time already, or to be put into it: there are few. */
static void insert(struct schedule *schedule, const struct settings_change *change)
{
	size_t i = schedule->count++;

	for (; i && schedule->changes[i - 1].at_ns > change->at_ns; i--)
		schedule->changes[i] = schedule->changes[i - 1];
	schedule->changes[i] = *change;
}

/* @line is cut into its words. */
static int parse_line(struct schedule *schedule, char *line, size_t number, struct diag *diag)
{
	struct settings_change change = {.line = number};
	struct settings scratch = {0};
	char *at, *direction;

	line[strcspn(line, "#")] = '\0';
	at = strtok_r(line, " \t", &line);
	if (!at)
		return 0;
	direction = strtok_r(NULL, " \t", &line);
	if (!direction || duration_parse(at, &change.at_ns) ||
	    parse_direction(direction, change.applies))
		return diag_set(diag, -EINVAL, "not TIME forward|back|both KEY=VALUE...");
	change.keys = line;
	if (schedule->count == SCHEDULE_MAX)
		return diag_set(diag, -E2BIG, "more than %u changes", SCHEDULE_MAX);
	insert(schedule, &change);
	return settings_apply(&scratch, line, diag);
}

int schedule_parse(struct schedule *schedule, const char *text, struct diag *diag)
{
	size_t number = 0;
	char *line, *rest;
	int err = 0;

	memset(schedule, 0, sizeof(*schedule));
	schedule->text = strdup(text);
	schedule->changes = calloc(SCHEDULE_MAX, sizeof(*schedule->changes));
	if (!schedule->text || !schedule->changes) {
		schedule_free(schedule);
		return diag_set(diag, -ENOMEM, "out of memory");
	}
	rest = schedule->text;
	while (!err && (line = strsep(&rest, "\n")))
		err = parse_line(schedule, line, ++number, diag);
	if (err) {
		diag_prefix(diag, err, "line %zu", number);
		schedule_free(schedule);
	}
	return err;
}

void schedule_free(struct schedule *schedule)
{
	free(schedule->text);
	free(schedule->changes);
	memset(schedule, 0, sizeof(*schedule));
}

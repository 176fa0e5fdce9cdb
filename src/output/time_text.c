// SPDX-License-Identifier: BSD-2-Clause
#include "output/time_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/emit.h"

#define SECONDS_WIDTH 5u /* of rel and delta: a day has 86,400 */

static const char *const style_names[] = {"clock", "abs", "rel", "delta", "epoch"};

void time_text_init(struct time_text *time, enum time_style style)
{
	*time = (struct time_text){.style = style, .second = INT64_MIN};
}

int time_style_parse(const char *name, enum time_style *ret)
{
	size_t i;

	for (i = 0; i < sizeof(style_names) / sizeof(style_names[0]); i++) {
		if (strcmp(name, style_names[i]))
			continue;
		*ret = (enum time_style)i;
		return 0;
	}
	return -EINVAL;
}

/* Once per second of the trace: what stands in front of the nine digits and behind them. */
static void begin_second(struct time_text *time, int64_t second)
{
	time_t t = (time_t)second;
	struct tm tm;
	int len = 0;

	time->second = second;
	time->tail_len = 0;
	if (time->style == TIME_STYLE_EPOCH || !localtime_r(&t, &tm)) {
		len = snprintf(time->head, sizeof(time->head), "%lld.", (long long)second);
	} else if (time->style == TIME_STYLE_CLOCK) {
		len = snprintf(time->head, sizeof(time->head), "%02d:%02d:%02d.", tm.tm_hour,
			       tm.tm_min, tm.tm_sec);
	} else {
		long minutes = tm.tm_gmtoff / 60, size = minutes < 0 ? -minutes : minutes;

		len = snprintf(time->head, sizeof(time->head), "%04d-%02d-%02dT%02d:%02d:%02d.",
			       tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
			       tm.tm_sec);
		time->tail_len = (size_t)snprintf(time->tail, sizeof(time->tail), "%c%02ld:%02ld",
						  minutes < 0 ? '-' : '+', size / 60 % 100,
						  size % 60);
	}
	time->head_len = len > 0 && (size_t)len < sizeof(time->head) ? (size_t)len : 0;
}

/* Seconds right-aligned, so that the points stand below each other. */
static char *write_distance(char *p, int64_t distance_ns)
{
	uint64_t size = distance_ns < 0 ? -(uint64_t)distance_ns : (uint64_t)distance_ns;
	char digits[EMIT_NUMBER_BYTES + EMIT_SLACK_BYTES];
	char *end = digits;
	size_t len;

	end = emit_char(end, distance_ns < 0 ? '-' : '+');
	end = emit_uint(end, size / NS_PER_SEC);
	len = (size_t)(end - digits);
	if (len < SECONDS_WIDTH + 1) {
		memset(p, ' ', SECONDS_WIDTH + 1);
		p += SECONDS_WIDTH + 1 - len;
	}
	p = emit_bytes(p, digits, len);
	p = emit_char(p, '.');
	return emit_nine(p, (uint32_t)(size % NS_PER_SEC));
}

static char *write_since(struct time_text *time, char *p, int64_t time_ns)
{
	int64_t origin_ns = time->started ? time->origin_ns : time_ns;

	if (!time->started || time->style == TIME_STYLE_DELTA)
		time->origin_ns = time_ns;
	time->started = true;
	return write_distance(p, (int64_t)((uint64_t)time_ns - (uint64_t)origin_ns));
}

char *time_text_write(struct time_text *time, char *p, int64_t time_ns)
{
	int64_t second, rest;

	if (time->style == TIME_STYLE_REL || time->style == TIME_STYLE_DELTA)
		return write_since(time, p, time_ns);
	second = time_ns / (int64_t)NS_PER_SEC;
	rest = time_ns % (int64_t)NS_PER_SEC;
	if (rest < 0) {
		second--;
		rest += (int64_t)NS_PER_SEC;
	}
	if (second != time->second)
		begin_second(time, second);
	memcpy(p, time->head, sizeof(time->head));
	p = emit_nine(p + time->head_len, (uint32_t)rest);
	memcpy(p, time->tail, sizeof(time->tail));
	return p + time->tail_len;
}

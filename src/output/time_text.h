/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time_text: the time column of the text view. Text that does not change within a second is kept, so
 * that a time costs nine digits.
 */
#ifndef SONDE_OUTPUT_TIME_TEXT_H
#define SONDE_OUTPUT_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum time_style {
	TIME_STYLE_CLOCK, /* 12:34:56.123456789, local */
	TIME_STYLE_ABS, /* 2026-01-02T12:34:56.123456789+01:00 */
	TIME_STYLE_REL, /* seconds since the first event */
	TIME_STYLE_DELTA, /* seconds since the event before */
	TIME_STYLE_EPOCH, /* seconds since 1970 UTC */
};

#define TIME_TEXT_BYTES 64u /* no time is longer */

struct time_text {
	enum time_style style;
	bool started;
	int64_t origin_ns; /* what rel and delta count from */
	int64_t second; /* that `head` is for */
	char head[32]; /* "12:34:56." */
	size_t head_len;
	char tail[16]; /* "+01:00" */
	size_t tail_len;
};

void time_text_init(struct time_text *time, enum time_style style);
/* -EINVAL: no style has that name. */
int time_style_parse(const char *name, enum time_style *ret);
/* At @p, where TIME_TEXT_BYTES and EMIT_SLACK_BYTES fit; returns the end. */
char *time_text_write(struct time_text *time, char *p, int64_t time_ns);

#endif /* SONDE_OUTPUT_TIME_TEXT_H */

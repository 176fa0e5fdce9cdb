/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time_point: a moment in a trace as people write it. Some forms mean something only once the
 * time of the first event is known, so it is parsed first and resolved then.
 */
#ifndef SONDE_ANALYSE_TIME_POINT_H
#define SONDE_ANALYSE_TIME_POINT_H

#include <stdint.h>

enum time_point_form {
	TIME_POINT_NONE,
	TIME_POINT_EPOCH, /* value_ns since 1970 */
	TIME_POINT_SINCE_FIRST, /* value_ns after the first event */
	TIME_POINT_OF_DAY, /* value_ns after midnight, local */
};

struct time_point {
	enum time_point_form form;
	int64_t value_ns;
};

/*
 * "+1.5", "+500ms": after the first event; "12:34", "12:34:56.789": that time of day, local;
 * "2026-01-02T12:34:56"; "1700000000.5": seconds since 1970; a whole number: ns since 1970.
 * -EINVAL for anything else.
 */
int time_point_parse(const char *text, struct time_point *ret);
/* ns since 1970. A time of day is the first such moment not half a day before the first event. */
int64_t time_point_resolve(const struct time_point *point, int64_t first_ns);

#endif /* SONDE_ANALYSE_TIME_POINT_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json: events as JSON, one object a line. The shape is a contract with programs and only grows:
 *
 *	{"time":NS,"cpu":N,"tid":N,"comm":"...","event":"sys.enter","fields":{...},"names":{...}}
 *
 * time is in ns since the epoch; what the source does not know is left out. "names" has the
 * readable names of those fields that have one.
 */
#ifndef SONDE_OUTPUT_JSON_H
#define SONDE_OUTPUT_JSON_H

#include "schema/source.h"

struct view;

/* NULL: no memory. Borrows @view. */
struct event_sink *json_new(const struct view *view);

#endif /* SONDE_OUTPUT_JSON_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_field: fields of an event as members of a JSON object. What varies by event may be absent; a
 * list is an array of objects, or of values where its items have but one without a name.
 */
#ifndef SONDE_VIEW_JSON_FIELD_H
#define SONDE_VIEW_JSON_FIELD_H

#include <stdbool.h>
#include <stddef.h>

struct event;
struct event_facts;
struct plan;
struct plan_field;
struct plan_style;

/* Plans for these functions are made with it. */
extern const struct plan_style json_field_style;

/* ,"name": - the comma that every prefix begins with is left out of the first. */
char *json_field_key(char *p, const struct plan_field *pf, bool first);
char *json_field_value(char *p, const struct event *event, const struct plan_field *pf);
/* Fields @from and up, but not @to, of those that the event has. @facts: its derived values; NULL = none. */
char *json_field_write(char *p, const struct plan *plan, const struct event *event,
		       const struct event_facts *facts, size_t from, size_t to);

#endif /* SONDE_VIEW_JSON_FIELD_H */

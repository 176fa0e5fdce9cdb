/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_field: fields of an event as members of a JSON object. What varies by event may be absent; a
 * list is an array of objects, or of values where its items have but one without a name.
 */
#ifndef SONDE_OUTPUT_JSON_FIELD_H
#define SONDE_OUTPUT_JSON_FIELD_H

#include <stdbool.h>
#include <stddef.h>

struct event;
struct event_facts;
struct json_writer;
struct name;
struct plan;
struct plan_field;
struct plan_style;
struct trace_info;

/* Plans for these functions are made with it. */
extern const struct plan_style json_field_style;

/* ,"name": - the comma that every prefix begins with is left out of the first. */
char *json_field_key(char *p, const struct plan_field *pf, bool first);
char *json_field_value(char *p, const struct event *event, const struct plan_field *pf);
/* Fields @from and up, but not @to, of those that the event has. @facts: its derived values; NULL = none. */
char *json_field_write(char *p, const struct plan *plan, const struct event *event,
		       const struct event_facts *facts, size_t from, size_t to);

/* "end_mark", and "missing" if something is (schema/trace_info.h); nothing where the source does not say. */
void json_field_trace_end(struct json_writer *json, const struct trace_info *info);
/* A text that escape_json has written already; nothing where it is NULL. */
void json_field_name(struct json_writer *json, const char *key, const struct name *name);
/* "KEY_name": what the number that is member KEY is called; nothing where it is NULL. */
void json_field_label(struct json_writer *json, const char *key, const char *label);

#endif /* SONDE_OUTPUT_JSON_FIELD_H */

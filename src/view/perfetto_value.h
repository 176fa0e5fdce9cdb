/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_value: values of fields as arguments of records: numbers as numbers, named values by
 * its name, addresses and flags as the text that people expect. For perfetto_out.
 */
#ifndef SONDE_VIEW_PERFETTO_VALUE_H
#define SONDE_VIEW_PERFETTO_VALUE_H

struct event;
struct perfetto_out;
struct plan;
struct plan_field;

/* Writes it at @p, which has plan_room bytes of room; returns its end. */
char *perfetto_value_write(char *p, const struct perfetto_out *po, const struct plan *plan,
			   const struct plan_field *pf, const struct event *event);

#endif /* SONDE_VIEW_PERFETTO_VALUE_H */

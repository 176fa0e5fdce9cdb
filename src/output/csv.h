/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv: events as a table for other programs: comma-separated values (RFC 4180) or tab-separated
 * ones. One header line: time, cpu, tid, comm, event, then the fields of all chosen classes in
 * their order, a name that several have once. What an event does not have is empty.
 */
#ifndef SONDE_OUTPUT_CSV_H
#define SONDE_OUTPUT_CSV_H

#include <stdbool.h>

#include "schema/source.h"

struct view;

enum csv_form {
	CSV_COMMAS,
	CSV_TABS,
};

/* @safe: texts that a spreadsheet might take for formulas are marked (escape_csv_safe). NULL: no memory. Borrows @view. */
struct event_sink *csv_new(const struct view *view, enum csv_form form, bool safe);

#endif /* SONDE_OUTPUT_CSV_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_writer: events as a .pm file: the head, then an entry for each snapshot, numbered one by one;
 * where events were lost, as many numbers are left out.
 *
 * Events of one .pm file become the same file again, through a trace as well: its head, and entries as they
 * were. For other events (our own of TCP, those of several files) entries are made in the order of this host:
 * PSC's columns, then those of ours.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_WRITER_H
#define SONDE_RECORD_FORMAT_PM_PM_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "record_format/pm/pm_sheet.h"

struct buffer;
struct diag;
struct event;
struct event_class;
struct pm_writer;
struct trace_info;

/*
 * Borrows @info until the writer is freed. @note, which may be NULL, is set where the events come from a .pm file
 * and get another head than that. -ENOTSUP with the diag: none of its events is a snapshot.
 */
int pm_writer_new(const struct trace_info *info, const struct pm_sheet_config *config,
		  struct pm_writer **ret, struct diag *note, struct diag *diag);
/* NULL is fine. */
void pm_writer_free(struct pm_writer *writer);

/* Whether events of @class become entries, or numbers that are left out. */
bool pm_writer_takes(const struct pm_writer *writer, const struct event_class *class);
void pm_writer_head(const struct pm_writer *writer, struct buffer *out);
/* An event of a class that it takes. */
void pm_writer_event(struct pm_writer *writer, const struct event *event, struct buffer *out);

#endif /* SONDE_RECORD_FORMAT_PM_PM_WRITER_H */

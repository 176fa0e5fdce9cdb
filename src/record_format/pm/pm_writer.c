// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "record_format/pm/pm_copy.h"
#include "record_format/pm/pm_sheet.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

struct pm_writer {
	struct pm_copy *copy; /* of a source that is a .pm file; else NULL */
	struct pm_sheet *sheet;
};

int pm_writer_new(const struct trace_info *info, const struct pm_sheet_config *config,
		  struct pm_writer **ret, struct diag *note, struct diag *diag)
{
	struct pm_writer *writer = calloc(1, sizeof(*writer));
	int err = -ENOMEM;

	if (writer)
		err = pm_copy_new(info, &writer->copy, note);
	if (writer && !err && !writer->copy)
		err = pm_sheet_new(info, config, &writer->sheet);
	if (!err) {
		*ret = writer;
		return 0;
	}
	pm_writer_free(writer);
	return diag_set(diag, err,
			err == -ENOTSUP ? "none of its events is a snapshot of a TCP connection, "
					  "as tcp.* are" :
			err == -E2BIG	? "its events have more columns than a .pm file can" :
					  "no memory");
}

void pm_writer_free(struct pm_writer *writer)
{
	if (!writer)
		return;
	pm_copy_free(writer->copy);
	pm_sheet_free(writer->sheet);
	free(writer);
}

bool pm_writer_takes(const struct pm_writer *writer, const struct event_class *class)
{
	if (class->role == EVENT_ROLE_LOST)
		return true;
	return writer->copy ? pm_copy_takes(writer->copy, class) :
			      pm_sheet_takes(writer->sheet, class);
}

void pm_writer_head(const struct pm_writer *writer, struct buffer *out)
{
	if (writer->copy)
		pm_copy_head(writer->copy, out);
	else
		pm_sheet_head(writer->sheet, out);
}

/* The events of overwritten packets are not counted: one each, at least. */
static uint64_t count_lost(const struct event *event)
{
	return event_uint(event, LOST_COUNT) + event_uint(event, LOST_PACKETS);
}

void pm_writer_event(struct pm_writer *writer, const struct event *event, struct buffer *out)
{
	bool is_lost = event->class->role == EVENT_ROLE_LOST;

	if (writer->copy && is_lost)
		pm_copy_lost(writer->copy, count_lost(event));
	else if (writer->copy)
		pm_copy_entry(writer->copy, event, out);
	else if (is_lost)
		pm_sheet_lost(writer->sheet, count_lost(event));
	else
		pm_sheet_entry(writer->sheet, event, out);
}

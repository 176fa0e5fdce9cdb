// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_pm: any bytes as a .pm file: every field of every event, and the file written again: by its
 * own head, which gives the same bytes, and by one that describes its events.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"
#include "record_format/pm/pm_head.h"
#include "record_format/pm/pm_reader.h"
#include "record_format/pm/pm_writer.h"
#include "schema/event.h"
#include "schema/source.h"

#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_MAX 2000u

static volatile uint64_t sum;

static struct event_source *open_source(const uint8_t *data, size_t size)
{
	struct event_source *source = NULL;
	struct diag diag = {.text = ""};

	if (pm_reader_open(memory_file(data, size), "input", &source, &diag) && !diag.text[0])
		abort();
	return source;
}

/* All that views ask of a field. */
static void read_fields(const struct event *event)
{
	for (size_t i = 0; i < event->class->field_count; i++) {
		const struct field *field = &event->class->fields[i];
		const char *text;
		size_t len = 0;

		if (field->kind == FIELD_TEXT) {
			text = event_text(event, i, &len);
			sum += len ? (uint64_t)text[len - 1] : 0;
			continue;
		}
		for (uint32_t j = 0; j < event_count(event, i); j++)
			sum += event_element(event, i, j);
	}
}

/* Writes all events; how many entries there were. */
static size_t write_all_events(struct event_source *source, const struct trace_info *info,
			       struct buffer *out)
{
	const struct pm_sheet_config config = {.version = "1", .cluster_bytes = 4096};
	struct pm_writer *writer = NULL;
	const struct event *events;
	struct diag diag = {.text = ""};
	size_t entries = 0;
	int got;

	if (pm_writer_new(info, &config, &writer, NULL, &diag) && !diag.text[0])
		abort();
	if (writer)
		pm_writer_head(writer, out);
	while (entries < EVENTS_MAX && (got = source->ops->next(source, &events)) > 0) {
		for (int i = 0; i < got; i++) {
			read_fields(&events[i]);
			entries += events[i].class->role != EVENT_ROLE_LOST;
			if (writer && pm_writer_takes(writer, events[i].class))
				pm_writer_event(writer, &events[i], out);
		}
	}
	pm_writer_free(writer);
	return entries;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_source *source = open_source(data, size);
	struct trace_info info;
	struct buffer out;

	(void)pm_head_is(data, size);
	if (!source)
		return 0;
	buffer_init(&out);
	(void)write_all_events(source, source->info, &out);
	if (buffer_error(&out) || out.len > size || memcmp(out.data, data, out.len) != 0)
		abort();
	for (size_t i = 0; source->ops->problem(source, i); i++)
		sum += i;
	source->ops->close(source);
	buffer_reset(&out);
	source = open_source(data, size);
	if (!source)
		abort();
	info = *source->info;
	info.head = NULL;
	(void)write_all_events(source, &info, &out);
	source->ops->close(source);
	source = out.len ? open_source((const uint8_t *)out.data, out.len) : NULL;
	if (out.len && !source)
		abort(); /* what is written can be read */
	if (source)
		source->ops->close(source);
	buffer_fini(&out);
	return 0;
}

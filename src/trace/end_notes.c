// SPDX-License-Identifier: BSD-2-Clause
#include "trace/end_notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/trace_class.h"
#include "schema/event.h"
#include "schema/trace_info.h"
#include "trace/packet_sink.h"
#include "wire/frame.h"
#include "wire/note.h"
#include "wire/record.h"

void end_notes_init(struct end_notes *notes, const struct ctf_trace_class *trace)
{
	*notes = (struct end_notes){0};
	end_notes_describe(notes, trace);
}

void end_notes_describe(struct end_notes *notes, const struct ctf_trace_class *trace)
{
	notes->stream_class = notes->end_class = NULL;
	for (size_t i = 0; i < trace->class_count; i++) {
		const struct event_class *class = trace->classes[i];

		/* The recorder's own stream is described behind those of the kernel half. */
		if (class->role == EVENT_ROLE_STREAM)
			notes->stream_class = class;
		if (class->role == EVENT_ROLE_END)
			notes->end_class = class;
	}
	if (!notes->stream_class || !notes->end_class)
		return;
	notes->cpu = event_class_find_number(notes->stream_class, "of_cpu");
	notes->level = event_class_find_number(notes->stream_class, "of_level");
	notes->events = event_class_find_number(notes->stream_class, "events");
	notes->lost = event_class_find_number(notes->stream_class, "lost");
	notes->packets = event_class_find_number(notes->stream_class, "packets");
	notes->last_packet = event_class_find_number(notes->stream_class, "last_packet");
	notes->reason = event_class_find_number(notes->end_class, "reason");
	if (notes->cpu < 0 || notes->level < 0 || notes->events < 0 || notes->lost < 0 ||
	    notes->packets < 0 || notes->last_packet < 0 || notes->reason < 0)
		notes->end_class = NULL;
}

void end_notes_fini(struct end_notes *notes)
{
	free(notes->totals);
	*notes = (struct end_notes){0};
}

bool end_notes_expected(const struct end_notes *notes)
{
	return notes->stream_class && notes->end_class;
}

static int add_total(struct end_notes *notes, const struct event *event)
{
	struct stream_total *total;

	if (notes->count == notes->room) {
		size_t room = notes->room ? 2 * notes->room : 16;
		struct stream_total *larger = realloc(notes->totals, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		notes->totals = larger;
		notes->room = room;
	}
	total = &notes->totals[notes->count++];
	*total = (struct stream_total){
		.cpu = (uint32_t)event_uint(event, (size_t)notes->cpu),
		.level = (uint32_t)event_uint(event, (size_t)notes->level),
		.events = event_uint(event, (size_t)notes->events),
		.lost = event_uint(event, (size_t)notes->lost),
		.packets = event_uint(event, (size_t)notes->packets),
		.last_packet = event_uint(event, (size_t)notes->last_packet),
		.end_ns = event->time_ns,
	};
	return 0;
}

int end_notes_take(struct end_notes *notes, const struct event *event)
{
	if (!end_notes_expected(notes))
		return 0;
	if (event->class->role == EVENT_ROLE_STREAM)
		return add_total(notes, event);
	if (event->class->role == EVENT_ROLE_END) {
		notes->found = true;
		notes->reason_value = (uint32_t)event_uint(event, (size_t)notes->reason);
	}
	return 0;
}

void end_notes_judge(const struct end_notes *notes, struct trace_end *end)
{
	end->kind = notes->found ? TRACE_END_MARKED : TRACE_END_MISSING;
	if (!notes->found)
		problem_list_add(
			&end->missing,
			"incomplete: it has no end mark; the recorder was killed, or this "
			"is a copy made while it was recording. Events may be missing that "
			"are not counted as lost");
	else if (notes->reason_value == END_DISK_FULL)
		problem_list_add(&end->missing, "incomplete: the recording ended early: disk full");
	else if (notes->reason_value == END_WRITE_ERROR)
		problem_list_add(&end->missing,
				 "incomplete: the recording ended early: it could not be written");
}

void end_notes_place(struct end_notes *notes, const struct ctf_trace_class *trace)
{
	for (size_t i = 0; i < notes->count; i++) {
		struct stream_total *total = &notes->totals[i];
		const struct ctf_stream_class *stream = ctf_trace_class_stream(
			trace, total->cpu == STREAM_OF_RECORDER ? STREAM_CLASS_RECORDER :
								  STREAM_CLASS_KERNEL);

		total->stream = stream ? stream->index : 0;
	}
}

void stream_total_name(const struct stream_total *total, char *name, size_t room)
{
	struct packet_head head = {
		.stream_id = total->cpu == STREAM_OF_RECORDER ? STREAM_CLASS_RECORDER :
								STREAM_CLASS_KERNEL,
		.cpu = total->cpu,
		.level = total->level,
	};
	char base[PACKET_STREAM_NAME_BYTES];

	packet_stream_name(&head, base);
	(void)snprintf(name, room, "%s", base);
}

bool stream_total_is_of(const struct stream_total *total, const char *name)
{
	char base[PACKET_STREAM_NAME_BYTES];
	size_t len;

	stream_total_name(total, base, sizeof(base));
	len = strlen(base);
	if (strncmp(name, base, len) != 0)
		return false;
	name += len;
	if (*name == '_')
		name += 1 + strspn(name + 1, "0123456789");
	return !*name || !strcmp(name, FRAME_SUFFIX);
}

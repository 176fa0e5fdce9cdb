/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * end_notes: the end mark of a trace as its reader finds it: sonde.stream and sonde.end in the recorder's
 * stream (sonde-trace(5)). trace/symbol_notes shows it that stream's events; trace/reader compares what it
 * says with the files that are there.
 */
#ifndef SONDE_TRACE_END_NOTES_H
#define SONDE_TRACE_END_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctf_trace_class;
struct event;
struct event_class;
struct trace_end;

/* What the mark says of one stream. */
struct stream_total {
	uint32_t cpu; /* STREAM_OF_RECORDER: the recorder's own stream */
	uint32_t level;
	uint32_t stream; /* among trace_info.streams */
	uint64_t events;
	uint64_t lost;
	uint64_t packets; /* written */
	uint64_t last_packet; /* number of the last of these */
	int64_t end_ns; /* when the mark was made */
};

struct end_notes {
	const struct event_class *stream_class; /* NULL: the trace describes no end mark */
	const struct event_class *end_class;
	int cpu, level, events, lost, packets, last_packet, reason; /* fields of both */
	bool found; /* sonde.end is there */
	uint32_t reason_value;
	struct stream_total *totals;
	size_t count;
	size_t room;
};

void end_notes_init(struct end_notes *notes, const struct ctf_trace_class *trace);
/* The trace is described by @trace from here on; notes found so far stay. */
void end_notes_describe(struct end_notes *notes, const struct ctf_trace_class *trace);
void end_notes_fini(struct end_notes *notes);
/* Whether traces of this kind end with a mark. */
bool end_notes_expected(const struct end_notes *notes);
/* Any event of the recorder's stream. 0 or -ENOMEM. */
int end_notes_take(struct end_notes *notes, const struct event *event);
/* Of a trace that is over: whether the mark is there, and what it says of how the recording ended. */
void end_notes_judge(const struct end_notes *notes, struct trace_end *end);
/* Of kernel half's streams, or the recorder's: their place among trace_info.streams. */
void end_notes_place(struct end_notes *notes, const struct ctf_trace_class *trace);
/* "cpu0_level0", "recorder": what its file is called, but for what stream_total_is_of allows. */
void stream_total_name(const struct stream_total *total, char *name, size_t room);
/* Whether stream file @name holds the stream of @total: "cpu0_level0", "recorder"; as a relay numbers it,
 * "cpu0_level0_2"; compressed. */
bool stream_total_is_of(const struct stream_total *total, const char *name);

#endif /* SONDE_TRACE_END_NOTES_H */

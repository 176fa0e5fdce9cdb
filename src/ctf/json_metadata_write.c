// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_metadata_write.h"

#include "ctf/json_class_write.h"
#include "ctf/json_role.h"
#include "ctf/json_writer.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

/* Of data streams whose times no clock of the trace counts: they are taken for nanoseconds. */
#define NAMELESS_CLOCK "nanoseconds"

static void begin_fragment(struct json_writer *writer, const char *type)
{
	buffer_char(writer->out, CTF_RECORD_SEPARATOR);
	json_writer_begin(writer, type);
}

static void end_fragment(struct json_writer *writer)
{
	buffer_string(writer->out, "}\n");
}

static void write_preamble(struct json_writer *writer)
{
	const struct ctf_trace_class *trace = writer->trace;

	begin_fragment(writer, "preamble");
	json_writer_uint(writer, "version", 2);
	for (size_t i = 0; trace->has_uuid && i < CTF_UUID_BYTES; i++) {
		buffer_string(writer->out, i ? "," : ",\"uuid\":[");
		buffer_uint(writer->out, trace->uuid[i]);
	}
	if (trace->has_uuid)
		buffer_char(writer->out, ']');
	end_fragment(writer);
}

static void write_env(struct json_writer *writer)
{
	const struct ctf_trace_class *trace = writer->trace;

	buffer_string(writer->out, ",\"environment\":{");
	for (size_t i = 0; i < trace->env_count; i++) {
		const struct trace_env *env = &trace->env[i];

		if (i)
			buffer_char(writer->out, ',');
		json_writer_string(writer, env->name);
		buffer_char(writer->out, ':');
		if (env->text)
			json_writer_string(writer, env->text);
		else
			buffer_int(writer->out, env->number);
	}
	buffer_char(writer->out, '}');
}

static int write_trace(struct json_writer *writer)
{
	int err;

	begin_fragment(writer, "trace-class");
	if (writer->trace->env_count)
		write_env(writer);
	err = json_class_write_root(writer, "packet-header-field-class", JSON_PACKET_HEADER,
				    writer->trace->packet_header);
	end_fragment(writer);
	return err;
}

static const char *clock_id(const struct ctf_clock *clock)
{
	return clock->id ? clock->id : clock->name;
}

/* Cycles have to be fewer than a second's (section 5.7.2). */
static void write_offset(struct json_writer *writer, const struct ctf_clock *clock)
{
	__int128 freq = (__int128)clock->freq, cycles = clock->offset % freq;
	__int128 seconds = clock->offset / freq;

	if (cycles < 0) {
		cycles += freq;
		seconds--;
	}
	seconds += clock->offset_s;
	buffer_string(writer->out, ",\"offset-from-origin\":{\"seconds\":");
	buffer_int(writer->out, (int64_t)seconds);
	json_writer_uint(writer, "cycles", (uint64_t)cycles);
	buffer_char(writer->out, '}');
}

static void write_clock(struct json_writer *writer, const struct ctf_clock *clock)
{
	begin_fragment(writer, "clock-class");
	json_writer_text(writer, "id", clock_id(clock));
	json_writer_text(writer, "name", clock->name);
	if (clock->uid)
		json_writer_text(writer, "uid", clock->uid);
	if (clock->text)
		json_writer_text(writer, "description", clock->text);
	json_writer_uint(writer, "frequency", clock->freq);
	if (clock->precision)
		json_writer_uint(writer, "precision", clock->precision);
	json_writer_text(writer, "origin", "unix-epoch");
	write_offset(writer, clock);
	end_fragment(writer);
}

/* Times that no clock counts are times all the same, and in CTF 2 times have a clock. */
static bool needs_clock(const struct ctf_stream_class *stream)
{
	return !stream->clock && (json_role_has_time(stream->packet_context) ||
				  json_role_has_time(stream->event_header));
}

static void write_clocks(struct json_writer *writer)
{
	const struct ctf_trace_class *trace = writer->trace;
	bool nameless = false;

	for (size_t i = 0; i < trace->clock_count; i++)
		write_clock(writer, trace->clocks[i]);
	for (size_t i = 0; i < trace->stream_count && !nameless; i++)
		nameless = needs_clock(trace->streams[i]);
	if (!nameless)
		return;
	begin_fragment(writer, "clock-class");
	json_writer_text(writer, "id", NAMELESS_CLOCK);
	json_writer_uint(writer, "frequency", 1000000000);
	end_fragment(writer);
}

static int write_stream(struct json_writer *writer, const struct ctf_stream_class *stream)
{
	int err;

	writer->has_clock = stream->clock || needs_clock(stream);
	begin_fragment(writer, "data-stream-class");
	json_writer_uint(writer, "id", stream->id);
	if (writer->has_clock)
		json_writer_text(writer, "default-clock-class-id",
				 stream->clock ? clock_id(stream->clock) : NAMELESS_CLOCK);
	err = json_class_write_root(writer, "packet-context-field-class", JSON_PACKET_CONTEXT,
				    stream->packet_context);
	err = err ? err :
		    json_class_write_root(writer, "event-record-header-field-class",
					  JSON_EVENT_HEADER, stream->event_header);
	err = err ? err :
		    json_class_write_root(writer, "event-record-common-context-field-class",
					  JSON_COMMON_CONTEXT, stream->event_context);
	end_fragment(writer);
	return err;
}

static int write_event(struct json_writer *writer, const struct ctf_event_decl *event)
{
	const struct ctf_doc doc = {.text = event->text, .scope = FIELD_SCOPE_OBJECT};
	int err;

	begin_fragment(writer, "event-record-class");
	json_writer_uint(writer, "data-stream-class-id", event->stream_id);
	json_writer_uint(writer, "id", event->id);
	json_writer_text(writer, "name", event->name);
	json_class_write_doc(writer, &doc);
	err = json_class_write_root(writer, "specific-context-field-class", JSON_SPECIFIC_CONTEXT,
				    event->context);
	err = err ? err :
		    json_class_write_root(writer, "payload-field-class", JSON_PAYLOAD,
					  event->fields);
	end_fragment(writer);
	return err;
}

/* In their own order, which is that of columns, and so behind all data stream classes. */
static int write_events(struct json_writer *writer)
{
	const struct ctf_trace_class *trace = writer->trace;
	int err = 0;

	for (size_t i = 0; i < trace->event_count && !err; i++) {
		const struct ctf_event_decl *event = trace->events[i];
		const struct ctf_stream_class *stream =
			ctf_trace_class_stream(trace, event->stream_id);

		writer->roots[JSON_PACKET_CONTEXT] = stream->packet_context;
		writer->roots[JSON_EVENT_HEADER] = stream->event_header;
		writer->roots[JSON_COMMON_CONTEXT] = stream->event_context;
		err = write_event(writer, event);
	}
	return err;
}

int json_metadata_write(const struct ctf_trace_class *trace, struct buffer *out, struct diag *diag)
{
	struct json_writer writer = {.trace = trace, .out = out, .diag = diag};
	int err;

	arena_init(&writer.arena);
	write_preamble(&writer);
	err = write_trace(&writer);
	write_clocks(&writer);
	for (size_t i = 0; i < trace->stream_count && !err; i++)
		err = write_stream(&writer, trace->streams[i]);
	err = err ? err : write_events(&writer);
	if (!err && buffer_error(out))
		err = json_writer_no_memory(&writer);
	arena_fini(&writer.arena);
	return err;
}

int json_metadata_translate(const char *metadata, size_t len, struct buffer *out, struct diag *diag)
{
	struct ctf_trace_class *trace = NULL;
	int err = metadata_read(metadata, len, &trace, diag);

	err = err ? err : json_metadata_write(trace, out, diag);
	ctf_trace_class_free(trace);
	return err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_metadata_write.h"

#include "base/buffer.h"
#include "ctf/json_class_write.h"
#include "ctf/json_role.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

/* Of data streams whose times no clock of the trace counts: they are taken for nanoseconds. */
#define NAMELESS_CLOCK "nanoseconds"

static void begin_fragment(struct json_class_writer *writer, const char *type)
{
	buffer_char(writer->json.out, CTF_RECORD_SEPARATOR);
	json_writer_object(&writer->json, NULL);
	json_writer_string(&writer->json, "type", type);
}

static void end_fragment(struct json_class_writer *writer)
{
	json_writer_finish(&writer->json);
}

static void write_preamble(struct json_class_writer *writer)
{
	const struct ctf_trace_class *trace = writer->trace;

	begin_fragment(writer, "preamble");
	json_writer_uint(&writer->json, "version", 2);
	if (trace->has_uuid) {
		json_writer_array(&writer->json, "uuid");
		for (size_t i = 0; i < CTF_UUID_BYTES; i++)
			json_writer_uint(&writer->json, NULL, trace->uuid[i]);
	}
	end_fragment(writer);
}

static void write_env(struct json_class_writer *writer)
{
	const struct ctf_trace_class *trace = writer->trace;

	json_writer_object(&writer->json, "environment");
	for (size_t i = 0; i < trace->env_count; i++) {
		const struct trace_env *env = &trace->env[i];

		if (env->text)
			json_writer_string(&writer->json, env->name, env->text);
		else
			json_writer_int(&writer->json, env->name, env->number);
	}
	json_writer_end(&writer->json);
}

static int write_trace(struct json_class_writer *writer)
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
static void write_offset(struct json_class_writer *writer, const struct ctf_clock *clock)
{
	__int128 freq = (__int128)clock->freq, cycles = clock->offset % freq;
	__int128 seconds = clock->offset / freq;

	if (cycles < 0) {
		cycles += freq;
		seconds--;
	}
	seconds += clock->offset_s;
	json_writer_object(&writer->json, "offset-from-origin");
	json_writer_int(&writer->json, "seconds", (int64_t)seconds);
	json_writer_uint(&writer->json, "cycles", (uint64_t)cycles);
	json_writer_end(&writer->json);
}

static void write_clock(struct json_class_writer *writer, const struct ctf_clock *clock)
{
	begin_fragment(writer, "clock-class");
	json_writer_string(&writer->json, "id", clock_id(clock));
	json_writer_string(&writer->json, "name", clock->name);
	if (clock->uid)
		json_writer_string(&writer->json, "uid", clock->uid);
	if (clock->text)
		json_writer_string(&writer->json, "description", clock->text);
	json_writer_uint(&writer->json, "frequency", clock->freq);
	if (clock->precision)
		json_writer_uint(&writer->json, "precision", clock->precision);
	json_writer_string(&writer->json, "origin", "unix-epoch");
	write_offset(writer, clock);
	end_fragment(writer);
}

/* Times that no clock counts are times all the same, and in CTF 2 times have a clock. */
static bool needs_clock(const struct ctf_stream_class *stream)
{
	return !stream->clock && (json_role_has_time(stream->packet_context) ||
				  json_role_has_time(stream->event_header));
}

static void write_clocks(struct json_class_writer *writer)
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
	json_writer_string(&writer->json, "id", NAMELESS_CLOCK);
	json_writer_uint(&writer->json, "frequency", 1000000000);
	end_fragment(writer);
}

static int write_stream(struct json_class_writer *writer, const struct ctf_stream_class *stream)
{
	int err;

	writer->has_clock = stream->clock || needs_clock(stream);
	begin_fragment(writer, "data-stream-class");
	json_writer_uint(&writer->json, "id", stream->id);
	if (writer->has_clock)
		json_writer_string(&writer->json, "default-clock-class-id",
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

static int write_event(struct json_class_writer *writer, const struct ctf_event_decl *event)
{
	const struct ctf_doc doc = {.text = event->text, .scope = FIELD_SCOPE_OBJECT};
	int err;

	begin_fragment(writer, "event-record-class");
	json_writer_uint(&writer->json, "data-stream-class-id", event->stream_id);
	json_writer_uint(&writer->json, "id", event->id);
	json_writer_string(&writer->json, "name", event->name);
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
static int write_events(struct json_class_writer *writer)
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
	struct json_class_writer writer = {.trace = trace, .diag = diag};
	int err;

	json_writer_init(&writer.json, out);
	arena_init(&writer.arena);
	write_preamble(&writer);
	err = write_trace(&writer);
	write_clocks(&writer);
	for (size_t i = 0; i < trace->stream_count && !err; i++)
		err = write_stream(&writer, trace->streams[i]);
	err = err ? err : write_events(&writer);
	if (!err && buffer_error(out))
		err = json_class_writer_no_memory(&writer);
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

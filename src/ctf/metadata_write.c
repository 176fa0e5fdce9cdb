// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata_write.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "ctf/metadata_field.h"
#include "wire/record.h"

static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text8;\n"
	"typealias integer { size = 16; align = 16; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 32; signed = false; } := u32;\n"
	"typealias integer { size = 32; align = 32; signed = true; } := s32;\n"
	"typealias integer { size = 64; align = 32; signed = false; } := u64;\n"
	"typealias integer { size = 64; align = 32; signed = true; } := s64;\n"
	"typealias integer { size = 64; align = 32; signed = false; base = 16; } := x64;\n\n";

/* The record head of wire/record.h. */
static const char event_header[] =
	"struct event_header {\n"
	"	enum : integer { size = 10; align = 1; signed = false; }\n"
	"		{ compact = 0 ... 1022, extended = 1023 } id;\n"
	"	variant <id> {\n"
	"		struct { time32 timestamp; } compact;\n"
	"		struct { u32 id; time64 timestamp; } extended;\n"
	"	} v;\n"
	"} align(32);\n\n" /* RECORD_ALIGN: behind a text there may be padding */
	"struct event_context {\n"
	"	integer { size = 22; align = 1; signed = false; } tid;\n"
	"};\n\n";

static void write_uuid(struct buffer *out, const uint8_t *uuid)
{
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			buffer_char(out, '-');
		buffer_hex(out, uuid[i], 2);
	}
}

static void write_trace(struct buffer *out, const struct metadata_spec *spec)
{
	buffer_string(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	write_uuid(out, spec->uuid);
	buffer_string(out, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "\";\n\tbyte_order = le;\n" :
								       "\";\n\tbyte_order = be;\n");
	buffer_string(out, "\tpacket.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; };\n"
			   "};\n\n");
}

/* Here readers do not drop an underscore, so it is written only where nothing else is possible. */
static void write_env_name(struct buffer *out, const char *name)
{
	for (; *name; name++)
		buffer_char(out, isalnum((unsigned char)*name) ? *name : '_');
}

static void write_env(struct buffer *out, const struct metadata_spec *spec)
{
	buffer_string(out, "env {\n");
	for (size_t i = 0; i < spec->env_count; i++) {
		const struct trace_env *env = &spec->env[i];

		buffer_char(out, '\t');
		write_env_name(out, env->name);
		buffer_string(out, " = ");
		if (env->text)
			metadata_string(out, env->text);
		else
			buffer_int(out, env->number);
		buffer_string(out, ";\n");
	}
	buffer_string(out, "};\n\n");
}

static void write_clock(struct buffer *out, const struct metadata_spec *spec)
{
	int64_t seconds = spec->wall_offset_ns / (int64_t)NS_PER_SEC;
	int64_t rest = spec->wall_offset_ns % (int64_t)NS_PER_SEC;

	if (rest < 0) {
		rest += (int64_t)NS_PER_SEC;
		seconds--;
	}
	buffer_string(out, "clock {\n\tname = monotonic;\n");
	if (spec->clock_uuid && (spec->any_uid || metadata_is_uuid(spec->clock_uuid))) {
		buffer_string(out, "\tuuid = ");
		metadata_string(out, spec->clock_uuid);
		buffer_string(out, ";\n");
	}
	buffer_string(out, "\tdescription = ");
	metadata_string(out, spec->clock_text ?: "CLOCK_MONOTONIC");
	buffer_format(out,
		      ";\n\tfreq = 1000000000;\n"
		      "\toffset_s = %lld;\n\toffset = %lld;\n};\n\n",
		      (long long)seconds, (long long)rest);
	buffer_string(out, "typealias integer { size = 32; align = 1; signed = false; "
			   "map = clock.monotonic.value; } := time32;\n"
			   "typealias integer { size = 64; align = 32; signed = false; "
			   "map = clock.monotonic.value; } := time64;\n\n");
}

/* The packet context, up to what only some streams have (struct packet_head). */
static void write_context(struct buffer *out, const char *name, const char *cause)
{
	buffer_format(out,
		      "struct %s {\n"
		      "\ttime64 timestamp_begin;\n"
		      "\ttime64 timestamp_end;\n"
		      "\tu64 content_size;\n"
		      "\tu64 packet_size;\n"
		      "\tu64 events_discarded;\n"
		      "\tu64 discarded_%s;\n"
		      "\tu64 packet_seq_num;\n"
		      "\tu64 name_packets;\n",
		      name, cause);
}

static void write_heads(struct buffer *out)
{
	write_context(out, "packet_context", "nested");
	buffer_string(out, "\tu32 cpu_id;\n\tu32 level;\n};\n\n");
	/* The recorder is on no CPU, and what it knows as lost has another cause. */
	write_context(out, "recorder_context", "recursion");
	buffer_string(out, "\tu64 unused;\n};\n\n");
	buffer_string(out, event_header);
}

/* struct plain_packet_head, from where packet headers end. */
static void write_plain_context(struct buffer *out, enum metadata_form form)
{
	buffer_string(out, "struct {\n\t\ttime64 timestamp_begin;\n\t\ttime64 timestamp_end;\n"
			   "\t\tu64 content_size;\n\t\tu64 packet_size;\n"
			   "\t\tu64 events_discarded;\n\t\tu64 packet_seq_num;\n");
	if (form != METADATA_PLAIN)
		buffer_format(out, "\t\tu32 %s;\n",
			      form == METADATA_PLAIN_CPU ? "cpu_id" : "names_only");
	buffer_string(out, "\t}");
}

void metadata_write_stream(struct buffer *out, unsigned int id, enum metadata_form form,
			   const char *context)
{
	bool plain = form != METADATA_KERNEL && form != METADATA_RECORDER;

	buffer_format(out, "stream {\n\tid = %u;\n\tpacket.context := ", id);
	if (plain)
		write_plain_context(out, form);
	else
		buffer_string(out, form == METADATA_KERNEL ? "struct packet_context" :
							     "struct recorder_context");
	buffer_string(out, plain ? ";\n\tevent.header := struct { u32 id; time64 timestamp; };\n" :
				   ";\n\tevent.header := struct event_header;\n"
				   "\tevent.context := struct event_context;\n");
	if (context) {
		buffer_string(out, "\tevent.context := ");
		buffer_string(out, context);
		buffer_string(out, ";\n");
	}
	buffer_string(out, "};\n\n");
}

/* Fields follow each other as their alignment has it, or a reader would look for them elsewhere. */
static int check_layout(const struct event_class *class)
{
	uint32_t at = 0;

	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];

		if (field_varies(field))
			return 0;
		at += -at & (metadata_field_align(class, i) - 1u);
		if (field->offset_bits != at)
			return -EINVAL;
		at += field->bits * field->count;
	}
	return 0;
}

void metadata_begin_event(struct buffer *out, const struct event_class *class, unsigned int stream)
{
	buffer_string(out, "event {\n\t/** ");
	metadata_comment(out, class->text);
	buffer_format(out, " */\n\tid = %u;\n\tstream_id = %u;\n\tname = ", class->id, stream);
	metadata_string(out, class->name);
}

/* @declared: pointers to the names of those that are. */
static void write_shared_type(struct buffer *out, const struct field *field,
			      struct buffer *declared)
{
	for (size_t at = 0; at < declared->len; at += sizeof(field->shared_type)) {
		if (!memcmp(declared->data + at, &field->shared_type, sizeof(field->shared_type)))
			return;
	}
	buffer_append(declared, &field->shared_type, sizeof(field->shared_type));
	buffer_string(out, "typealias ");
	metadata_type(out, field);
	buffer_format(out, " := %s", field->shared_type);
	metadata_doc(out, field);
}

/* The types that fields of these classes share. */
static int write_shared_types(struct buffer *out, const struct event_class *const *classes,
			      size_t count)
{
	struct buffer declared;
	int err;

	buffer_init(&declared);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < classes[i]->field_count; k++) {
			if (classes[i]->fields[k].shared_type)
				write_shared_type(out, &classes[i]->fields[k], &declared);
		}
	}
	if (declared.len)
		buffer_char(out, '\n');
	err = buffer_error(&declared);
	buffer_fini(&declared);
	return err;
}

int metadata_write_events(struct buffer *out, const struct event_class *const *classes,
			  size_t count, unsigned int stream)
{
	int err = write_shared_types(out, classes, count);

	for (size_t i = 0; !err && i < count; i++)
		err = metadata_write_event(out, classes[i], stream);
	return err;
}

int metadata_write_event(struct buffer *out, const struct event_class *class, unsigned int stream)
{
	int err = check_layout(class);

	if (err)
		return err;
	metadata_begin_event(out, class, stream);
	if (class->context_count) {
		buffer_string(out, ";\n\tcontext := struct {\n");
		metadata_context(out, class);
		buffer_string(out, "\t}");
	}
	buffer_string(out, ";\n\tfields := struct {\n");
	metadata_fields(out, class);
	buffer_string(out, "\t};\n};\n\n");
	return 0;
}

void metadata_write_head(const struct metadata_spec *spec, struct buffer *out)
{
	buffer_string(out, "/* CTF 1.8 */\n\n");
	buffer_string(out, types);
	write_trace(out, spec);
	write_env(out, spec);
	write_clock(out, spec);
	write_heads(out);
}

int metadata_write(const struct metadata_spec *spec, struct buffer *out)
{
	int err;

	metadata_write_head(spec, out);
	metadata_write_stream(out, STREAM_CLASS_KERNEL, METADATA_KERNEL, NULL);
	metadata_write_stream(out, STREAM_CLASS_RECORDER, METADATA_RECORDER, NULL);
	err = metadata_write_events(out, spec->classes, spec->class_count, STREAM_CLASS_KERNEL);
	err = err   ?:
		      metadata_write_events(out, spec->notes, spec->note_count,
					    STREAM_CLASS_RECORDER);
	return err ?: buffer_error(out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata_write: the TSDL that describes our traces (CTF 1.8.3, section 7), from event classes.
 *
 * What TSDL has no words for (description, unit, scope, display of a field) goes into comments of
 * a fixed form, which our reader takes back and every other reader skips: see sonde-trace(5).
 */
#ifndef SONDE_CTF_METADATA_WRITE_H
#define SONDE_CTF_METADATA_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/event.h"
#include "schema/source.h"

struct buffer;

/* What precedes the events of a stream, and each of them. */
enum metadata_form {
	METADATA_KERNEL, /* struct packet_head, and record heads (wire/record.h) */
	METADATA_RECORDER, /* likewise, of no CPU */
	METADATA_PLAIN, /* struct plain_packet_head, and struct plain_head */
	METADATA_PLAIN_CPU, /* likewise, with the CPU behind the packet's head: u32 */
	METADATA_NAMES, /* likewise, of no CPU: its events only teach names */
};

struct metadata_spec {
	uint8_t uuid[16];
	int64_t wall_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	const char *clock_uuid; /* of the boot: clocks of traces of one boot are the same */
	bool any_uid; /* for CTF 2, where an id may be any text; else an id that is not a UUID is omitted */
	const char *clock_text; /* NULL: CLOCK_MONOTONIC */
	const struct trace_env *env;
	size_t env_count;
	const struct event_class *const *classes; /* of stream class STREAM_CLASS_KERNEL */
	size_t class_count;
	const struct event_class *const *notes; /* of stream class STREAM_CLASS_RECORDER */
	size_t note_count;
};

/* Appends the whole metadata file. 0, -ENOMEM, or -EINVAL for a field that TSDL cannot place
 * where the class has it. */
int metadata_write(const struct metadata_spec *spec, struct buffer *out);

/* The same in parts: all but streams and classes, then a stream and its classes after the other.
 * @context: the structure of what each event of a plain stream has in front; NULL = nothing. */
void metadata_write_head(const struct metadata_spec *spec, struct buffer *out);
void metadata_write_stream(struct buffer *out, unsigned int id, enum metadata_form form,
			   const char *context);

/* Appends the descriptions of more classes, and of the types that their fields share, which no class elsewhere in the
 * same metadata has: metadata may grow at its end. -ENOMEM; -EINVAL as above. */
int metadata_write_events(struct buffer *out, const struct event_class *const *classes,
			  size_t count, unsigned int stream);
/* The same of one class, whose fields share no types. */
int metadata_write_event(struct buffer *out, const struct event_class *class, unsigned int stream);

/* What is in front of its contexts and fields. */
void metadata_begin_event(struct buffer *out, const struct event_class *class, unsigned int stream);

#endif /* SONDE_CTF_METADATA_WRITE_H */

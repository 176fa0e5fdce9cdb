/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata_write: the TSDL that describes our traces (CTF 1.8.3, section 7), from event classes.
 *
 * What TSDL has no words for (description, unit, scope, display of a field) goes into comments of
 * a fixed form, which our reader takes back and every other reader skips: see sonde-trace(5).
 */
#ifndef SONDE_CTF_METADATA_WRITE_H
#define SONDE_CTF_METADATA_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "schema/event.h"
#include "schema/source.h"

struct buffer;

struct metadata_spec {
	uint8_t uuid[16];
	int64_t wall_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	const char *clock_uuid; /* of the boot: clocks of traces of one boot are the same */
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

/* Appends the description of one more class: metadata may grow at its end. -EINVAL as above. */
int metadata_write_event(struct buffer *out, const struct event_class *class, unsigned int stream);

#endif /* SONDE_CTF_METADATA_WRITE_H */

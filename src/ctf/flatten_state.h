/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatten_state: the facts about an event while its types are made into fields, for the three files that
 * do so: flatten (goes through the types), flatten_field (adds fields and steps), flatten_find (finds
 * lengths and tags).
 */
#ifndef SONDE_CTF_FLATTEN_STATE_H
#define SONDE_CTF_FLATTEN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ctf.h"

struct ctf_event_decl;
struct ctf_steps;
struct ctf_stream_class;
struct ctf_trace_class;
struct ctf_type;
struct diag;
struct event_variant;
struct field;

/* The fields of an event, or of an item of a list, as far as they are known. */
struct flatten_frame {
	struct field *fields;
	size_t count;
	struct event_variant *variants;
	size_t variant_count;
	uint32_t counts; /* of sequences, kept behind the offsets of the fields */
	bool optional;
};

struct flatten_number;

struct flatten {
	struct ctf_trace_class *trace;
	const struct ctf_stream_class *stream;
	const struct ctf_event_decl *decl;
	struct diag *diag;
	struct flatten_frame frame;
	struct ctf_steps *steps; /* to which the next one is added */
	uint32_t options; /* variants around */
	uint32_t lead; /* alignment of structures that begin where the next field does */
	uint32_t align; /* the largest that was met */
	uint64_t offset; /* bits, as long as the layout is fixed */
	bool fixed;
	bool any_order; /* of a fixed layout, there was a number: */
	bool big_endian; /* its byte order */
	const struct ctf_type *tid; /* the task, as a context has it; NULL = none */
	uint64_t tid_offset; /* of a fixed layout */
	uint16_t tid_slot; /* where steps keep it */
	bool at_tid; /* the next number is it */
	bool task_is_no_field;
	bool renamed; /* fields have "context." in front of their names */
	uint32_t lists; /* around */
	size_t field_count; /* of all frames */
	uint16_t slot_next; /* of this event's values */
	bool refers; /* there are lengths or tags, which name numbers: */
	struct flatten_number *numbers; /* that they may name, so far */
	size_t number_count;
	char path[CTF_NAME_MAX_BYTES]; /* "event.fields.a.list[].b" */
	size_t path_len;
	size_t scope_len; /* of "event.fields." */
	size_t name_at; /* where the name of a field begins in the path */
};

#endif /* SONDE_CTF_FLATTEN_STATE_H */

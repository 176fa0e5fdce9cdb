/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatten_field: single fields, and the steps that find them: what ctf/flatten, the only caller, puts
 * events together of.
 *
 * Functions return 0 or -errno with the diag filled; those that return a step, NULL = no memory.
 */
#ifndef SONDE_CTF_FLATTEN_FIELD_H
#define SONDE_CTF_FLATTEN_FIELD_H

#include <stdint.h>

#include "ctf/steps.h"
#include "schema/field.h"

struct ctf_doc;
struct ctf_type;
struct event_option;
struct flatten;

int flatten_no_memory(struct flatten *flatten);
/* "line N: event 'E': field 'F' @what"; returns @err. */
int flatten_fail(struct flatten *flatten, int err, const struct ctf_type *type, const char *what);

/* Of an array of @element: bytes with an encoding are text. */
enum field_kind flatten_kind_of(const struct ctf_type *element);
/* A field of this frame by the name that the path has, made of @type or of elements of it. It is
 * borrowed until the next one. */
int flatten_add_field(struct flatten *flatten, const struct ctf_type *type, enum field_kind kind,
		      uint32_t count, const struct ctf_doc *doc, struct field **ret);
/* A length that the event has beside its fields; @of: the field further out that is the same. */
void flatten_add_count(struct flatten *flatten, struct field *field, const struct field_ref *of);
/* A variant called as the path has it, of which @options are to be filled in; @step chooses. */
int flatten_add_variant(struct flatten *flatten, const struct ctf_type *type,
			const struct field_ref *tag, const struct ctf_step *step,
			const struct event_option *options);
/* A step for what stands here, aligned as structures that begin here are; borrowed likewise. */
struct ctf_step *flatten_add_step(struct flatten *flatten, enum ctf_step_kind kind, uint32_t align);
/* The same for the field that was added last. */
struct ctf_step *flatten_add_field_step(struct flatten *flatten, enum ctf_step_kind kind,
					const struct ctf_type *type);
/* Alignment behind which nothing comes is alignment all the same. */
int flatten_end_steps(struct flatten *flatten, const struct ctf_type *type);

/* Fields with their steps: @count numbers side by side, one that may be referred to, a text. */
int flatten_add_bits(struct flatten *flatten, const struct ctf_type *type, uint32_t count,
		     enum field_kind kind, const struct ctf_doc *doc);
int flatten_add_number(struct flatten *flatten, const struct ctf_type *type,
		       const struct ctf_doc *doc);
int flatten_add_string(struct flatten *flatten, const struct ctf_type *type,
		       const struct ctf_doc *doc);
/* A step without a field: the task belongs to every event, and hidden values to none. */
int flatten_add_task(struct flatten *flatten, const struct ctf_type *type);

#endif /* SONDE_CTF_FLATTEN_FIELD_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reference: finds the fields of packet and event headers that sequences and variants name (CTF
 * 1.8.3, section 7.3.2) and gives each a slot, in which a walk keeps its value. What stands in
 * contexts and payloads is ctf/flatten's.
 */
#ifndef SONDE_CTF_REFERENCE_H
#define SONDE_CTF_REFERENCE_H

#include <stddef.h>

struct arena;
struct ctf_choice;
struct ctf_member;
struct ctf_stream_class;
struct ctf_trace_class;
struct ctf_type;
struct diag;

/* All of the packet header, packet context and event header of @stream. */
int reference_resolve(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		      struct diag *diag);
/*
 * The integer in one of these three that @path means, seen from the part after them; it has a slot
 * from now on. -ENOENT: not found; -E2BIG: too many have slots.
 */
int reference_find(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		   const char *path, const struct ctf_member **ret);
/* Reports what breaks the standard between @type, a sequence or a variant, and the field that it refers to. */
void reference_check(struct ctf_trace_class *trace, const struct ctf_type *type,
		     const struct ctf_type *target);
/* Which values of @tag choose which member of @variant, as ctf_choices_sort leaves them. 0, -ENOMEM, -E2BIG. */
int reference_choices(struct arena *arena, const struct ctf_type *variant,
		      const struct ctf_type *tag, struct ctf_choice **ret, size_t *ret_count);

#endif /* SONDE_CTF_REFERENCE_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracepoint_field: what a field that the kernel declares is as a field of ours: its kind, width,
 * number of elements, and how it is shown. Where it lies is for tracepoint.h.
 */
#ifndef SONDE_PROBE_TRACEPOINT_FIELD_H
#define SONDE_PROBE_TRACEPOINT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/tracepoint_format.h"
#include "schema/field.h"

/* char with brackets; anything else in brackets is an array of numbers. */
bool tracepoint_field_is_text(const struct format_field *from);
/* Of one element; 1, 2, 4 or 8. Anything but an integer of such a size is bytes. */
uint32_t tracepoint_field_bytes(const struct format_field *from);

/* @print: how the kernel prints the tracepoint. An array that varies has count 0: its length is for
 * the caller too. Names are borrowed from @from. */
struct field tracepoint_field_make(const struct format_field *from, const char *print);

/* Labels, one block, which the caller frees. -ENOMEM. */
int tracepoint_field_name_values(struct field *field, const char *print);

#endif /* SONDE_PROBE_TRACEPOINT_FIELD_H */

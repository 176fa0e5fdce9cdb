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
#include <stddef.h>

/*
 * Facts about a tracepoint's fields from the kernel's print format, as far as
 * that is plain: `"dev=%s flags=%x", __get_str(name), REC->flags`. Hints, nothing more: where an
 * argument is an expression that is not understood, it gives none.
 */

/* How the field @name is printed: as hex, as an IPv6 address, or as a decimal number. */
enum field_show print_show(const char *print, const char *name);

#define PRINT_LABEL_MAX 256

/* The names that __print_symbolic gives to values of the field @name, in one block that the caller
 * frees; *@ret_count 0 and NULL if it has none. -ENOMEM. */
int print_labels(const char *print, const char *name, struct field_label **ret, size_t *ret_count);

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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracepoint_print: facts about a tracepoint's fields from the kernel's print format, as far as
 * that is plain: `"dev=%s flags=%x", __get_str(name), REC->flags`. Hints, nothing more: where an
 * argument is an expression that is not understood, it gives none.
 */
#ifndef SONDE_PROBE_TRACEPOINT_PRINT_H
#define SONDE_PROBE_TRACEPOINT_PRINT_H

#include <stddef.h>

#include "schema/field.h"

/* How the field @name is printed: as hex, as an IPv6 address, or as a decimal number. */
enum field_show print_show(const char *print, const char *name);

#define PRINT_LABEL_MAX 256

/* The names that __print_symbolic gives to values of the field @name, in one block that the caller
 * frees; *@ret_count 0 and NULL if it has none. -ENOMEM. */
int print_labels(const char *print, const char *name, struct field_label **ret, size_t *ret_count);

#endif /* SONDE_PROBE_TRACEPOINT_PRINT_H */

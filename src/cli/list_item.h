/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list_item: what `sonde list` says of one measurement, in whatever form.
 */
#ifndef SONDE_CLI_LIST_ITEM_H
#define SONDE_CLI_LIST_ITEM_H

#include <stdbool.h>
#include <stddef.h>

struct event_class;
struct field;
struct measurement;
struct running;

/* "u32", "s64", "u64[6]", "u64[depth]", "text[16]", "string", "enum u32". */
void list_type(const struct event_class *class, const struct field *field, char *to, size_t room);
#define LIST_TYPE_BYTES 56

/* One of the kernel's own. */
bool list_is_tracepoint(const struct measurement *m);
/* Its preferred hook, or "-". */
const char *list_hook(const struct measurement *m);
/* "on", "off", "forbidden", "unavailable". @running may be NULL. */
const char *list_state(const struct measurement *m, const struct running *running);

/* Whether only --detail full records that field. */
bool list_is_detail(const struct measurement *m, size_t field);

#endif /* SONDE_CLI_LIST_ITEM_H */

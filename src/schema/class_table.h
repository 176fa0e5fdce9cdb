/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * class_table: event classes that a source makes itself, for formats that have no descriptions of
 * their own or other ones. Like every source's, the first is that of lost events (schema/lost.h).
 *
 * Only layouts that are fixed: every field is where its offset_bits says, in every event.
 */
#ifndef SONDE_SCHEMA_CLASS_TABLE_H
#define SONDE_SCHEMA_CLASS_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct event_class;
struct field;
struct trace_info;

struct class_table;

/* What a class is made of. The names and texts, of the fields as well, are borrowed until the table is
 * freed; the fields are copied. */
struct class_plan {
	const char *name;
	const char *text;
	const struct field *fields;
	size_t field_count;
	uint32_t payload_bytes;
};

/* NULL = no memory. */
struct class_table *class_table_new(void);
/* One for events that are made of others (event_class.again): its first classes are those, @count of them, borrowed until it is freed. NULL = no memory. */
struct class_table *class_table_new_behind(const struct event_class *const *classes, size_t count);
/* NULL is fine. */
void class_table_free(struct class_table *table);
/* One more class, its `index` and `id` the next number; borrowed until the table is freed. NULL = no
 * memory. */
const struct event_class *class_table_add(struct class_table *table, const struct class_plan *plan);
/* Its classes, as long as no more are added. */
void class_table_tell(const struct class_table *table, struct trace_info *info);

#endif /* SONDE_SCHEMA_CLASS_TABLE_H */

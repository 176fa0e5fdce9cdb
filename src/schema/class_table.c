// SPDX-License-Identifier: BSD-2-Clause
#include "schema/class_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

/* One class and what it points to, in one piece of memory. */
struct own_class {
	struct event_class class; /* first: it is what is freed */
	struct field *fields;
	uint32_t *offsets;
};

struct class_table {
	const struct event_class **classes;
	size_t count;
	size_t borrowed; /* of these, the first */
	bool again; /* the others are what the source has, again */
};

/* So that the next one has room. */
static int grow(struct class_table *table)
{
	const struct event_class **classes;

	classes = realloc(table->classes, (table->count + 1) * sizeof(*classes));
	if (!classes)
		return -1;
	table->classes = classes;
	return 0;
}

static struct class_table *new_table(const struct event_class *const *classes, size_t count)
{
	struct class_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	while (table->count < count) {
		if (grow(table)) {
			class_table_free(table);
			return NULL;
		}
		table->classes[table->count] = classes[table->count];
		table->borrowed = ++table->count;
	}
	return table;
}

struct class_table *class_table_new(void)
{
	const struct event_class *const first = &lost_class;

	return new_table(&first, 1);
}

struct class_table *class_table_new_behind(const struct event_class *const *classes, size_t count)
{
	struct class_table *table = new_table(classes, count);

	if (table)
		table->again = true;
	return table;
}

static void free_class(struct own_class *own)
{
	if (!own)
		return;
	free(own->fields);
	free(own->offsets);
	free(own);
}

void class_table_free(struct class_table *table)
{
	if (!table)
		return;
	for (size_t i = table->borrowed; i < table->count; i++)
		free_class((struct own_class *)table->classes[i]);
	free(table->classes);
	free(table);
}

static struct own_class *make_class(const struct class_plan *plan, size_t index)
{
	struct own_class *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->fields = calloc(plan->field_count + 1, sizeof(*own->fields));
	own->offsets = calloc(plan->field_count + 1, sizeof(*own->offsets));
	if (!own->fields || !own->offsets) {
		free_class(own);
		return NULL;
	}
	for (size_t i = 0; i < plan->field_count; i++) {
		own->fields[i] = plan->fields[i];
		own->offsets[i] = plan->fields[i].offset_bits;
	}
	own->class = (struct event_class){
		.id = (uint32_t)index,
		.name = plan->name,
		.text = plan->text,
		.fixed = true,
		.payload_bytes = plan->payload_bytes,
		.field_count = plan->field_count,
		.fields = own->fields,
		.offsets = own->offsets,
		.offset_count = plan->field_count,
		.index = index,
	};
	return own;
}

const struct event_class *class_table_add(struct class_table *table, const struct class_plan *plan)
{
	struct own_class *own = make_class(plan, table->count);

	if (!own || grow(table)) {
		free_class(own);
		return NULL;
	}
	own->class.again = table->again;
	table->classes[table->count++] = &own->class;
	return &own->class;
}

void class_table_tell(const struct class_table *table, struct trace_info *info)
{
	info->classes = table->classes;
	info->class_count = table->count;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_class.h"

#include <errno.h>

#include "record_format/magnet/magnet_event.h"
#include "record_format/magnet/magnet_layout.h"
#include "schema/class_table.h"
#include "schema/event.h"

static const struct event_class *make_class(struct class_table *table,
					    const struct magnet_event *event,
					    const struct magnet_layout *layout)
{
	struct field fields[MAGNET_VALUE_COUNT];
	struct class_plan plan = {
		.name = event->class,
		.text = event->text,
		.fields = fields,
		.payload_bytes = (uint32_t)magnet_record_bytes(layout),
	};

	for (unsigned int value = 0; value < MAGNET_VALUE_COUNT; value++) {
		if (magnet_event_has(event, layout, value))
			magnet_value_describe(value, event, layout, &fields[plan.field_count++]);
	}
	return class_table_add(table, &plan);
}

int magnet_classes_init(struct magnet_classes *classes, const struct magnet_layout *layout)
{
	const struct magnet_event *event;

	*classes = (struct magnet_classes){.table = class_table_new()};
	for (size_t i = 0; classes->table && (event = magnet_event_get(i)); i++) {
		if (!event->class)
			continue;
		classes->classes[i] = make_class(classes->table, event, layout);
		if (!classes->classes[i])
			return -ENOMEM;
	}
	return classes->table ? 0 : -ENOMEM;
}

void magnet_classes_fini(struct magnet_classes *classes)
{
	class_table_free(classes->table);
	classes->table = NULL;
}

const struct event_class *magnet_classes_get(const struct magnet_classes *classes, uint32_t number)
{
	const struct magnet_event *event;
	size_t i;

	for (i = 0; (event = magnet_event_get(i)); i++) {
		if (event->number == number || !event->number)
			break;
	}
	return classes->classes[i];
}

/* Sonde's names are unique addresses, and such a class has one layout. */
bool magnet_class_is_own(const struct event_class *class, const struct magnet_layout *layout)
{
	const struct magnet_event *event = magnet_event_of_class(class->name);

	return event && event->class == class->name &&
	       class->payload_bytes == magnet_record_bytes(layout) &&
	       class->fields[0].big_endian == layout->big_endian;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_class: the classes of a source, and what their fields are.
 */
#include <string.h>

#include "lib/handles.h"

size_t sonde_class_count(const struct sonde_source *source)
{
	return source->class_count;
}

const struct sonde_class *sonde_class_get(const struct sonde_source *source, size_t i)
{
	return i < sonde_class_count(source) ? source->classes[i] : NULL;
}

const struct sonde_class *sonde_class_find(const struct sonde_source *source, const char *name)
{
	for (size_t i = 0; i < sonde_class_count(source); i++) {
		if (!strcmp(source->classes[i]->class->name, name))
			return source->classes[i];
	}
	return NULL;
}

size_t sonde_class_index(const struct sonde_class *event_class)
{
	return event_class->is_item ? SIZE_MAX : event_class->index;
}

const char *sonde_class_name(const struct sonde_class *event_class)
{
	return event_class->class->name;
}

const char *sonde_class_text(const struct sonde_class *event_class)
{
	return event_class->class->text;
}

bool sonde_class_is_lost(const struct sonde_class *event_class)
{
	return event_class->class->role == EVENT_ROLE_LOST;
}

size_t sonde_class_field_count(const struct sonde_class *event_class)
{
	return event_class->field_count;
}

const struct sonde_field *sonde_class_field_get(const struct sonde_class *event_class, size_t i)
{
	return i < sonde_class_field_count(event_class) ? &event_class->fields[i] : NULL;
}

const struct sonde_field *sonde_class_field_find(const struct sonde_class *event_class,
						 const char *name)
{
	int found = event_class_find_any(event_class->class, name);

	if (found >= 0)
		return &event_class->fields[found];
	for (size_t i = event_class->class->field_count; i < event_class->field_count; i++) {
		if (!strcmp(event_class->fields[i].field->name, name))
			return &event_class->fields[i];
	}
	return NULL;
}

const char *sonde_field_name(const struct sonde_field *field)
{
	return field->field->name;
}

const char *sonde_field_text(const struct sonde_field *field)
{
	return field->field->text;
}

const char *sonde_field_unit(const struct sonde_field *field)
{
	return field->field->unit;
}

enum sonde_type sonde_field_type(const struct sonde_field *field)
{
	return field->type;
}

bool sonde_field_is_array(const struct sonde_field *field)
{
	return field->type != SONDE_TYPE_TEXT && field_is_many(field->field);
}

unsigned int sonde_field_bits(const struct sonde_field *field)
{
	return field->field->bits;
}

enum sonde_scope sonde_field_scope(const struct sonde_field *field)
{
	switch (field->field->scope) {
	case FIELD_SCOPE_MONITOR:
		return SONDE_SCOPE_MONITOR;
	case FIELD_SCOPE_SYSTEM:
		return SONDE_SCOPE_SYSTEM;
	default:
		return SONDE_SCOPE_OBJECT;
	}
}

bool sonde_field_is_context(const struct sonde_field *field)
{
	return !field->is_derived && field->index < field->owner->class->context_count;
}

const struct sonde_class *sonde_field_items(const struct sonde_field *field)
{
	return field->items;
}

const char *sonde_field_show(const struct sonde_field *field)
{
	return field_show_name(field->field->show);
}

size_t sonde_field_label_count(const struct sonde_field *field)
{
	return field->field->label_count;
}

const char *sonde_field_label_get(const struct sonde_field *field, size_t i, int64_t *first,
				  int64_t *last)
{
	const struct field_label *label;

	if (i >= field->field->label_count)
		return NULL;
	label = &field->field->labels[i];
	*first = label->first;
	*last = label->last;
	return label->name;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_place.h"

#include <string.h>

const char *natural_last_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

bool natural_name_begins(const char *name, const char *wanted, size_t len)
{
	return !strncmp(name, wanted, len) && (!name[len] || name[len] == '.');
}

bool natural_is_renamed(const struct event_class *class, size_t i)
{
	const char *name = class->fields[i].name;
	size_t skip = strlen(NATURAL_RENAMED), len;

	if (strncmp(name, NATURAL_RENAMED, skip) != 0)
		return false;
	name += skip;
	len = strcspn(name, ".");
	for (size_t j = class->context_count; j < class->field_count; j++) {
		if (natural_name_begins(class->fields[j].name, name, len))
			return true;
	}
	return false;
}

size_t natural_place_scope(const struct natural_place *place, uint32_t i)
{
	const struct natural_frame *frame = place->frame;

	if (place->scope || frame->list || i >= frame->class->context_count || !frame->renamed[i])
		return place->scope;
	return strlen(NATURAL_RENAMED);
}

/* -1: there is none. */
static int64_t find_here(const struct natural_place *place, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = place->first; i < place->end; i++) {
		const char *full = place->frame->class->fields[i].name;

		if (natural_name_begins(full + natural_place_scope(place, i), name, len))
			return i;
	}
	return -1;
}

/* Names of what was added have neither dots nor what would have to be told apart. */
static bool was_added(const struct natural_place *place, const char *name)
{
	for (const struct natural_node *node = place->node->inner; node; node = node->next) {
		if ((node->kind == NATURAL_LENGTH || node->kind == NATURAL_TAG ||
		     node->kind == NATURAL_TASK) &&
		    !strcmp(node->name, name))
			return true;
	}
	return false;
}

bool natural_place_has(const struct natural_place *place, const char *name)
{
	return find_here(place, name) >= 0 || was_added(place, name);
}

const struct field *natural_frame_find(const struct natural_frame **frame,
				       const struct field_ref *at)
{
	const struct natural_frame *found = *frame;

	for (uint32_t i = 0; i < at->lists && found; i++)
		found = found->outer;
	if (!found || !at->index)
		return NULL;
	*frame = found;
	return &found->class->fields[at->index - 1];
}

bool natural_place_sees(const struct natural_place *place, const struct natural_frame *frame,
			const struct field *field)
{
	const char *name = natural_last_name(field->name);

	for (; place; place = place->outer) {
		int64_t i = find_here(place, name);

		if (was_added(place, name))
			return false;
		if (i >= 0)
			return place->frame == frame && &frame->class->fields[i] == field;
	}
	return false;
}

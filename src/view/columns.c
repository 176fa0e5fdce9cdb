// SPDX-License-Identifier: BSD-2-Clause
#include "view/columns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/derived.h"
#include "view/origin_label.h"
#include "view/view.h"

/* Where in the index the column is, or would be. */
static uint32_t *find_place(const struct columns *columns, const char *name, int common)
{
	uint32_t hash = 2166136261u + (uint32_t)common; /* FNV-1a */
	size_t at;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	for (at = hash ^ hash >> 15;; at++) {
		uint32_t *place = &columns->index[at & (columns->index_room - 1)];
		const struct column *column = *place ? &columns->list[*place - 1] : NULL;

		if (!column || (column->common == common && !strcmp(column->name, name)))
			return place;
	}
}

int columns_find(const struct columns *columns, const char *name, int common)
{
	return (int)*find_place(columns, name, common) - 1;
}

/* There is room for it. */
static int add_column(struct columns *columns, const char *name, int common)
{
	uint32_t *place = find_place(columns, name, common);
	char *copy;

	if (*place)
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	columns->list[columns->count++] = (struct column){copy, common};
	*place = (uint32_t)columns->count;
	return 0;
}

static int add_derived(struct columns *columns, uint32_t derived, const char *name)
{
	int err = 0;

	for (int d = 0; d < DERIVED_COUNT && !err; d++)
		if (derived >> d & 1 && (!name || field_choice_fits(name, derived_fields[d].name)))
			err = add_column(columns, derived_fields[d].name, -1);
	return err;
}

/* A column for each field that @name fits; NULL fits all. */
static int add_fields_of(struct columns *columns, const struct view *view, const char *name,
			 bool lost)
{
	int err = 0;

	for (size_t i = 0; i < view->info->class_count; i++) {
		const struct event_class *class = view->info->classes[i];

		if (!select_shows(view->select, class) || (class->role == EVENT_ROLE_LOST) != lost)
			continue;
		for (size_t j = 0; j < class->field_count && !err; j++)
			if (!name || field_choice_fits(name, class->fields[j].name))
				err = add_column(columns, class->fields[j].name, -1);
		err = err ?: add_derived(columns, derived_of(class, view->derived), name);
	}
	return err;
}

/* Losses come last: they are rare, but a table without a column for them would hide them. */
static int add_fields(struct columns *columns, const struct view *view, const char *name)
{
	return add_fields_of(columns, view, name, false) ?:
							   add_fields_of(columns, view, name, true);
}

static int add_chosen(struct columns *columns, const struct view *view)
{
	const struct field_choice *choice = &view->fields;
	int err = 0;

	for (size_t i = 0; i < choice->count && !err; i++) {
		int common = field_choice_find_common(view->info, choice->names[i]);

		if (common >= 0)
			err = add_column(columns, field_choice_common[common], common);
		else
			err = add_fields(columns, view, choice->names[i]);
	}
	return err;
}

/* Without being asked for, host and process are columns only where they may tell events apart. */
static int add_common(struct columns *columns, const struct view *view)
{
	const struct origin_parts parts = origin_parts_known(view->info);
	enum origin_part part;
	int err = 0;

	for (int common = 0; common < COMMON_COUNT && !err; common++) {
		if (!field_choice_is_origin(common, &part) ||
		    (part == ORIGIN_HOSTNAME ? parts.hosts : parts.processes))
			err = add_column(columns, field_choice_common[common], common);
	}
	return err;
}

int columns_make(struct columns *columns, const struct view *view)
{
	size_t total = COMMON_COUNT + DERIVED_COUNT;
	int err = 0;

	for (size_t i = 0; i < view->info->class_count; i++)
		total += view->info->classes[i]->field_count;
	*columns =
		(struct columns){.list = calloc(total, sizeof(*columns->list)), .index_room = 32};
	while (columns->index_room < 2 * total)
		columns->index_room *= 2;
	columns->index = calloc(columns->index_room, sizeof(*columns->index));
	if (!columns->list || !columns->index) {
		columns_fini(columns);
		return -ENOMEM;
	}
	if (view->fields.count) {
		err = add_chosen(columns, view);
	} else {
		err = add_common(columns, view) ?: add_fields(columns, view, NULL);
	}
	if (err)
		columns_fini(columns);
	return err;
}

void columns_fini(struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		free(columns->list[i].name);
	free(columns->list);
	free(columns->index);
	*columns = (struct columns){0};
}

size_t columns_missing(const struct columns *columns, const struct view *view, char *text,
		       size_t room)
{
	struct columns all;
	size_t missing = 0, len = 0;

	*text = '\0';
	if (columns_make(&all, view))
		return 0;
	for (size_t i = 0; i < all.count; i++) {
		if (columns_find(columns, all.list[i].name, all.list[i].common) >= 0)
			continue;
		if (len < room)
			len += (size_t)snprintf(text + len, room - len, "%s%s", missing ? ", " : "",
						all.list[i].name);
		missing++;
	}
	columns_fini(&all);
	return missing;
}

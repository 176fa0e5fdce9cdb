// SPDX-License-Identifier: BSD-2-Clause
#include "output/columns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/origin_label.h"
#include "analyse/select.h"
#include "base/diag.h"
#include "base/nearest.h"
#include "output/view.h"
#include "schema/derived.h"
#include "schema/event.h"
#include "schema/trace_info.h"

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

	for (size_t i = 0; i < view->analysis.info->class_count; i++) {
		const struct event_class *class = view->analysis.info->classes[i];

		if (!select_shows(view->analysis.select, class) ||
		    (class->role == EVENT_ROLE_LOST) != lost)
			continue;
		for (size_t j = 0; j < class->field_count && !err; j++)
			if (!name || field_choice_fits(name, class->fields[j].name))
				err = add_column(columns, class->fields[j].name, -1);
		err = err ?: add_derived(columns, derived_of(class, view->analysis.derived), name);
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
		int common = field_choice_find_common(view->analysis.info, choice->names[i]);

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
	const struct origin_parts parts = origin_parts_known(view->analysis.info);
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

	for (size_t i = 0; i < view->analysis.info->class_count; i++)
		total += view->analysis.info->classes[i]->field_count;
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

/* @known: values that are derived from this source. */
static bool has_field(const struct event_class *class, uint32_t known, const char *name)
{
	const uint32_t derived = derived_of(class, known);

	for (size_t f = 0; f < class->field_count; f++) {
		if (field_choice_fits(name, class->fields[f].name))
			return true;
	}
	for (int d = 0; d < DERIVED_COUNT; d++) {
		if (derived >> d & 1 && field_choice_fits(name, derived_fields[d].name))
			return true;
	}
	return false;
}

static bool is_there(const struct trace_info *info, const struct select *select, uint32_t known,
		     const char *name)
{
	if (field_choice_find_common(info, name) >= 0)
		return true;
	for (size_t i = 0; i < info->class_count; i++) {
		if (select_shows(select, info->classes[i]) &&
		    has_field(info->classes[i], known, name))
			return true;
	}
	return false;
}

/* "sys.enter, sys.exit": classes that have it, and are not shown. */
static void list_owners(const struct trace_info *info, uint32_t known, const char *name, char *text,
			size_t room)
{
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; i < info->class_count && len < room; i++) {
		if (has_field(info->classes[i], known, name))
			len += (size_t)snprintf(text + len, room - len, "%s%s", len ? ", " : "",
						info->classes[i]->name);
	}
}

/* "time, cpu, ...": the fields to choose from, as far as they fit. */
static void list_fields(const struct trace_info *info, const struct select *select, uint32_t known,
			char *text, size_t room)
{
	const struct view view = {
		.analysis.info = info, .analysis.select = select, .analysis.derived = known};
	struct columns columns;
	size_t len = 0;

	*text = '\0';
	if (columns_make(&columns, &view))
		return;
	for (size_t i = 0; i < columns.count; i++) {
		const struct column *column = &columns.list[i];
		bool hidden = column->common < 0 &&
			      field_choice_find_common(info, column->name) >= 0;
		const char *before = hidden ? FIELD_CHOICE_PREFIX : "";

		if (len + strlen(before) + strlen(column->name) + sizeof(", , ...") > room) {
			(void)snprintf(text + len, room - len, ", ...");
			break;
		}
		len += (size_t)snprintf(text + len, room - len, "%s%s%s", len ? ", " : "", before,
					column->name);
	}
	columns_fini(&columns);
}

/* The name of a field that is shown and near to @name, or NULL. */
static const char *find_near(const struct trace_info *info, const struct select *select,
			     uint32_t known, const char *name)
{
	struct nearest near;

	nearest_init(&near, name);
	for (size_t i = 0; i < info->class_count; i++) {
		const struct event_class *class = info->classes[i];

		const uint32_t derived = derived_of(class, known);

		for (size_t f = 0; select_shows(select, class) && f < class->field_count; f++)
			nearest_offer(&near, class->fields[f].name);
		for (int d = 0; select_shows(select, class) && d < DERIVED_COUNT; d++)
			if (derived >> d & 1)
				nearest_offer(&near, derived_fields[d].name);
	}
	for (int i = 0; i < COMMON_COUNT; i++)
		if (field_choice_find_common(info, field_choice_common[i]) == i)
			nearest_offer(&near, field_choice_common[i]);
	return near.name;
}

/* A name of a derived value that this source cannot have: an event is missing. */
static int fail_underived(const struct trace_info *info, uint32_t known, const char *name,
			  struct diag *diag)
{
	for (int d = 0; d < DERIVED_COUNT; d++) {
		const struct derived_field *derived = &derived_fields[d];

		if (known >> d & 1 || strcmp(derived->name, name) != 0)
			continue;
		for (size_t i = 0; i < info->class_count; i++) {
			const char *event = info->classes[i]->name;
			const char *source = derived_source((enum derived)d, event, 0);

			if (source && derived_has((enum derived)d, event))
				return diag_set(
					diag, -ENOENT,
					"'%s' of %s follows from %s, which this source does "
					"not have: record that too",
					name, event, source);
		}
	}
	return 0;
}

static int fail_unknown(const struct trace_info *info, const struct select *select, uint32_t known,
			const char *name, struct diag *diag)
{
	const char *near = find_near(info, select, known, name);
	char list[256];

	if (fail_underived(info, known, name, diag))
		return -ENOENT;
	list_owners(info, known, name, list, sizeof(list));
	if (*list)
		return diag_set(diag, -ENOENT,
				"no event that is chosen has a field '%s', which is one of %s: "
				"choose that too, or leave the field out",
				name, list);
	if (near)
		return diag_set(diag, -ENOENT,
				"no event that is chosen has a field '%s': did you mean '%s'?",
				name, near);
	list_fields(info, select, known, list, sizeof(list));
	return diag_set(diag, -ENOENT, "no event has a field '%s'; those that are chosen have %s",
			name, list);
}

int columns_check(const struct field_choice *choice, const struct trace_info *info,
		  const struct select *select, struct diag *diag)
{
	const uint32_t known = choice->count ? derived_known(info) : 0;

	for (size_t i = 0; i < choice->count; i++) {
		if (!is_there(info, select, known, choice->names[i]))
			return fail_unknown(info, select, known, choice->names[i], diag);
	}
	return 0;
}

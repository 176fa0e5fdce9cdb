// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/field_choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/glob.h"
#include "schema/derived.h"
#include "schema/event.h"
#include "schema/trace_info.h"

const char *const field_choice_common[COMMON_COUNT] = {
	[COMMON_TIME] = "time",		[COMMON_CPU] = "cpu",	  [COMMON_HOSTNAME] = "hostname",
	[COMMON_PROCNAME] = "procname", [COMMON_VPID] = "vpid",	  [COMMON_TID] = "tid",
	[COMMON_COMM] = "comm",		[COMMON_EVENT] = "event",
};

void field_choice_fini(struct field_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		free(choice->names[i]);
	free(choice->names);
	*choice = (struct field_choice){0};
}

static int add_name(struct field_choice *choice, const char *name, size_t len, struct diag *diag)
{
	char **names;

	if (!len)
		return diag_set(diag, -EINVAL,
				"--fields: a name is missing: give names or globs with commas "
				"between them");
	if (choice->count == FIELD_CHOICE_MAX)
		return diag_set(diag, -E2BIG, "--fields: more than %u names", FIELD_CHOICE_MAX);
	names = reallocarray(choice->names, choice->count + 1, sizeof(*names));
	if (names) {
		choice->names = names;
		names[choice->count] = strndup(name, len);
	}
	if (!names || !names[choice->count])
		return diag_set(diag, -ENOMEM, "no memory");
	choice->count++;
	return 0;
}

int field_choice_add(struct field_choice *choice, const char *list, struct diag *diag)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		int err = add_name(choice, list, len, diag);

		if (err || !list[len])
			return err;
		list += len + 1;
	}
}

bool field_choice_is_origin(int common, enum origin_part *ret)
{
	switch (common) {
	case COMMON_HOSTNAME:
		*ret = ORIGIN_HOSTNAME;
		return true;
	case COMMON_PROCNAME:
		*ret = ORIGIN_PROCNAME;
		return true;
	case COMMON_VPID:
		*ret = ORIGIN_VPID;
		return true;
	default:
		return false;
	}
}

/* Whether any event has it. */
static bool is_known(const struct trace_info *info, int common)
{
	enum origin_part part;

	if (!field_choice_is_origin(common, &part))
		return true;
	for (size_t i = 0; i < info->class_count; i++) {
		if (origin_has(info->classes[i]->origin, part))
			return true;
	}
	return false;
}

int field_choice_find_common(const struct trace_info *info, const char *name)
{
	for (int i = 0; i < COMMON_COUNT; i++) {
		if (!strcmp(field_choice_common[i], name))
			return is_known(info, i) ? i : -1;
	}
	return -1;
}

bool field_choice_fits(const char *name, const char *field)
{
	const size_t len = strlen(FIELD_CHOICE_PREFIX);

	if (!strcmp(name, field) || pattern_matches(name, field))
		return true;
	return !strncmp(name, FIELD_CHOICE_PREFIX, len) && pattern_matches(name + len, field);
}

/* Whether one of the names before @name means the field, too. */
static bool is_taken(const struct field_choice *choice, size_t name, const char *field)
{
	for (size_t i = 0; i < name; i++) {
		if (field_choice_fits(choice->names[i], field))
			return true;
	}
	return false;
}

/* The name of the field at @f, behind the last one those of what is derived; NULL: @derived has it not. */
static const char *name_at(const struct event_class *class, uint32_t derived, size_t f)
{
	const size_t what = f - class->field_count;

	if (f < class->field_count)
		return class->fields[f].name;
	return derived >> what & 1 ? derived_fields[what].name : NULL;
}

size_t field_choice_list(const struct field_choice *choice, const struct event_class *class,
			 uint32_t derived, uint32_t *ret)
{
	const size_t total = class->field_count + (derived ? DERIVED_COUNT : 0);
	size_t names = choice ? choice->count : 0, count = 0;

	for (size_t f = 0; !names && f < total; f++) {
		if (name_at(class, derived, f))
			ret[count++] = (uint32_t)f;
	}
	for (size_t i = 0; i < names; i++) {
		for (size_t f = 0; f < total; f++) {
			const char *field = name_at(class, derived, f);

			if (field && field_choice_fits(choice->names[i], field) &&
			    !is_taken(choice, i, field))
				ret[count++] = (uint32_t)f;
		}
	}
	return count;
}

uint32_t field_choice_derived(const struct field_choice *choice, uint32_t known)
{
	uint32_t chosen = choice->count ? 0 : known;

	for (int d = 0; d < DERIVED_COUNT; d++) {
		for (size_t i = 0; known >> d & 1 && i < choice->count; i++)
			if (field_choice_fits(choice->names[i], derived_fields[d].name))
				chosen |= 1u << d;
	}
	return chosen;
}

bool field_choice_names_derived(const struct field_choice *choice)
{
	const size_t len = strlen(FIELD_CHOICE_PREFIX);

	for (size_t i = 0; i < choice->count; i++) {
		const char *name = choice->names[i];

		if (derived_is(strncmp(name, FIELD_CHOICE_PREFIX, len) ? name : name + len))
			return true;
	}
	return false;
}

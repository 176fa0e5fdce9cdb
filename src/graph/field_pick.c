// SPDX-License-Identifier: BSD-2-Clause
#include "graph/field_pick.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyse/select.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/nearest.h"
#include "schema/calls.h"
#include "schema/trace_info.h"

#define SSTHRESH_NONE 0x7fffffffu /* TCP_INFINITE_SSTHRESH, include/net/tcp.h */

static const char *const derived_texts[DERIVED_COUNT] = {
	[DERIVED_DUR] = "time in the system call", [DERIVED_QUEUE] = "time in the disk's queue",
	[DERIVED_SERVICE] = "time at the disk",	   [DERIVED_TOTAL] = "time of the disk request",
	[DERIVED_WAIT] = "time waiting for a CPU", [DERIVED_OWNER] = "task that it belongs to",
};

int field_pick_parse(struct field_pick *pick, const char *text, struct diag *diag)
{
	/* Names of the kernel's own tracepoints have colons, those of fields have none. */
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;

	*pick = (struct field_pick){.name = colon ? colon + 1 : text, .factor = 1};
	if (!*pick->name || (colon && !len))
		return diag_set(diag, -EINVAL, "'%s' names no field: give FIELD or EVENT:FIELD",
				text);
	if (len >= sizeof(pick->event))
		return diag_set(diag, -EINVAL, "'%s': no event has so long a name", text);
	memcpy(pick->event, text, len);
	return 0;
}

static bool is_wanted(const struct field_pick *pick, const struct select *select,
		      const struct event_class *class)
{
	return select_shows(select, class) && class->role != EVENT_ROLE_LOST &&
	       (!*pick->event || calls_pattern_matches(pick->event, class->name));
}

static bool is_number(const struct field *field)
{
	return (field->kind == FIELD_INT || field->kind == FIELD_FLOAT) && !field_is_many(field);
}

/* What is near by its letters, or has the name within it: "cwnd" means "snd_cwnd". */
static void offer_names(struct nearest *near, const char **within, const struct event_class *class)
{
	for (size_t f = 0; f < class->field_count; f++) {
		const char *name = class->fields[f].name;

		if (!is_number(&class->fields[f]))
			continue;
		nearest_offer(near, name);
		if (!*within && strstr(name, near->wanted))
			*within = name;
	}
	for (int i = 0; i < DERIVED_COUNT; i++)
		if (derived_has((enum derived)i, class->name) && !derived_is_text((enum derived)i))
			nearest_offer(near, derived_fields[i].name);
}

static int fail_unknown(const struct field_pick *pick, const struct trace_info *info,
			const struct select *select, struct diag *diag)
{
	const char *of = *pick->event ? pick->event : "it";
	const char *within = NULL;
	struct nearest near;
	bool any = false;

	nearest_init(&near, pick->name);
	for (size_t i = 0; i < info->class_count; i++) {
		if (!is_wanted(pick, select, info->classes[i]))
			continue;
		any = true;
		offer_names(&near, &within, info->classes[i]);
	}
	if (!any && *pick->event)
		return diag_set(diag, -ENOENT, "no event that is chosen matches '%s'", pick->event);
	if (near.name || within)
		return diag_set(diag, -ENOENT,
				"no event of %s has a field '%s': did you mean '%s'?", of,
				pick->name, escape_name(within ? within : near.name).text);
	return diag_set(diag, -ENOENT,
			"no event of %s has a field '%s': sonde stats lists the events, "
			"sonde list -v their fields",
			of, pick->name);
}

/* The first is what axis and legend are named after; others have to fit. */
static int take_field(struct field_pick *pick, const struct event_class **first,
		      const struct event_class *class, const struct field *field, struct diag *diag)
{
	const char *unit = field->unit ? field->unit : "";

	if (!is_number(field))
		return diag_set(diag, -EINVAL, "'%s' of %s is not a number and cannot be drawn",
				pick->name, escape_name(class->name).text);
	if (!pick->field) {
		pick->field = field;
		*first = class;
	} else if (strcmp(unit, pick->field->unit ? pick->field->unit : "")) {
		return diag_set(
			diag, -EINVAL,
			"'%s' is measured in different units: name the event, as in %s:%s or "
			"%s:%s",
			pick->name, escape_name((*first)->name).text, pick->name,
			escape_name(class->name).text, pick->name);
	}
	return 0;
}

int field_pick_bind(struct field_pick *pick, const struct trace_info *info,
		    const struct select *select, struct diag *diag)
{
	const struct event_class *first = NULL;
	bool derived = false;
	int err = 0;

	pick->field = NULL;
	for (size_t i = 0; i < info->class_count && !err; i++) {
		const struct event_class *class = info->classes[i];
		int index;

		if (!is_wanted(pick, select, class))
			continue;
		index = event_class_find_any(class, pick->name);
		if (index >= 0) {
			err = take_field(pick, &first, class, &class->fields[index], diag);
			continue;
		}
		index = derived_find(class->name, pick->name);
		if (index < 0)
			continue;
		if (derived_is_text((enum derived)index)) {
			err = take_field(pick, &first, class,
					 derived_described((enum derived)index), diag);
			continue;
		}
		derived = true;
		pick->derived = (enum derived)index;
	}
	if (!err && !pick->field && !derived)
		err = fail_unknown(pick, info, select, diag);
	return err;
}

/* Numbers so large that they mean "no limit" would flatten all the rest. */
static uint64_t none_of(const struct field *field)
{
	if (field->is_signed)
		return 0;
	if (field->bits == 64)
		return UINT64_MAX;
	return strcmp(field->name, "snd_ssthresh") ? 0 : SSTHRESH_NONE;
}

struct field_place field_pick_place(const struct field_pick *pick, const struct event_class *class)
{
	struct field_place place = {.kind = PLACE_NONE};
	const struct field *field;
	int index;

	if (*pick->event && !calls_pattern_matches(pick->event, class->name))
		return place;
	index = pick->field ? event_class_find_any(class, pick->name) :
			      derived_find(class->name, pick->name);
	if (index < 0 || class->role == EVENT_ROLE_LOST)
		return place;
	place.index = (uint32_t)index;
	if (!pick->field) {
		place.kind = PLACE_DERIVED;
		return place;
	}
	field = &class->fields[index];
	if (!is_number(field))
		return place;
	place.kind = field->kind == FIELD_FLOAT ? PLACE_FLOAT : PLACE_INT;
	place.is_signed = field->is_signed;
	place.optional = field->optional;
	place.none = none_of(field);
	return place;
}

const char *field_pick_unit(const struct field_pick *pick)
{
	return pick->field ? pick->field->unit : "ns";
}

const char *field_pick_text(const struct field_pick *pick)
{
	if (!pick->field)
		return derived_texts[pick->derived];
	return pick->field->text ? pick->field->text : pick->name;
}

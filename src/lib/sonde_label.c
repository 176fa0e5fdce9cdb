// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_label: what numbers in an event stand for.
 *
 * It is the views' plans and names that know. They cost some memory for each class, so they are made
 * when the first label is asked for.
 */
#include <string.h>

#include "base/emit.h"
#include "lib/handles.h"
#include "output/names.h"

/* For callers, which escape the text as they need it. */
static char *write_plain(char *p, const char *text, size_t len)
{
	return mempcpy(p, text, len);
}

/* Items of lists are written by plans inside those of their lists. */
static void set_plan(struct sonde_class *of, const struct plan *plan)
{
	of->plan = plan;
	for (size_t i = 0; i < of->class->field_count; i++) {
		if (of->fields[i].items)
			set_plan(of->fields[i].items, plan->fields[i].items);
	}
}

static void forget_plan(struct sonde_class *of)
{
	of->plan = NULL;
	for (size_t i = 0; i < of->class->field_count; i++)
		if (of->fields[i].items)
			forget_plan(of->fields[i].items);
}

void source_drop_plans(struct sonde_source *source)
{
	if (source->plans)
		plans_free(source->plans, read_session_info(source->session)->class_count);
	names_free(source->names);
	source->plans = NULL;
	source->names = NULL;
	for (size_t i = 0; i < source->class_count; i++)
		forget_plan(source->classes[i]);
}

static bool make_plans(struct sonde_source *source)
{
	static const struct plan_style style = {.before = "", .after = "", .escape = write_plain};
	const struct trace_info *info = read_session_info(source->session);

	if (!source->names)
		source->names = names_new(info, write_plain);
	if (source->names && !source->plans) {
		source->plans = plans_new(info->classes, info->class_count, NULL, &style);
		for (size_t i = 0; source->plans && i < info->class_count; i++)
			set_plan(source->by_index[i], &source->plans[i]);
	}
	return source->names && source->plans;
}

static const char *name_of_code(struct sonde_source *source, const struct plan *plan,
				const struct plan_field *pf, const struct event *event, uint32_t i)
{
	char *end = code_name_write(source->label, read_session_analysis(source->session), event,
				    pf->index, plan->pid, i, write_plain);

	*end = 0;
	return end > source->label ? source->label : NULL;
}

static const char *name_of_flags(struct sonde_source *source, const struct plan_field *pf,
				 const struct event *event)
{
	if (!plan_has_flags(pf, event) ||
	    pf->labels.every_bytes + EMIT_BINARY_BYTES > sizeof(source->label))
		return NULL;
	*plan_emit_flags(source->label, pf, event) = 0;
	return source->label;
}

static const char *name_of_address(struct sonde_source *source, const struct sonde_event *event,
				   const struct sonde_field *field)
{
	*emit_address(source->label, event_bytes(event->event, field->index), 0) = 0;
	return source->label;
}

static const char *name_of_sockaddr(struct sonde_source *source, const struct plan_field *pf,
				    const struct event *event)
{
	*plan_emit_sockaddr(source->label, pf, event) = 0;
	return source->label;
}

/* Items that are one value each have the label of that; others are asked for those of their own fields. */
static const char *label_of_item(const struct sonde_event *event, const struct sonde_field *field,
				 size_t i)
{
	const struct sonde_field *only = sonde_class_field_find(field->items, "");
	struct sonde_item room;

	if (!only)
		return NULL;
	return sonde_value_label(sonde_value_item(event, field, i, &room), only);
}

const char *sonde_value_label_at(const struct sonde_event *event, const struct sonde_field *field,
				 size_t i)
{
	const struct plan_field *pf;
	struct sonde_source *source;
	const struct plan *plan;
	const struct name *name;

	if (i >= sonde_value_count(event, field) || field->is_derived)
		return NULL;
	if (field->items)
		return label_of_item(event, field, i);
	if (field->field->label_count && field->field->show != FIELD_SHOW_FLAGS)
		return field_label(field->field, sonde_value_int_at(event, field, i));
	source = event->source;
	if (!make_plans(source))
		return NULL;
	plan = field->owner->plan;
	pf = &plan->fields[field->index];
	if (pf->number == PLAN_SYMBOL)
		return name_of_code(source, plan, pf, event->event, (uint32_t)i);
	if (i)
		return NULL; /* the other names are those of single numbers */
	if (pf->form == PLAN_FLAGS)
		return name_of_flags(source, pf, event->event);
	if (pf->form == PLAN_ADDRESS)
		return name_of_address(source, event, field);
	if (pf->form == PLAN_SOCKADDR)
		return name_of_sockaddr(source, pf, event->event);
	if (pf->form == PLAN_KNOWN)
		return plan_known(plan, pf, read_session_analysis(source->session)->known,
				  event->event);
	name = plan_name(plan, pf, source->names, event->event);
	return name ? name->text : NULL;
}

const char *sonde_value_label(const struct sonde_event *event, const struct sonde_field *field)
{
	return sonde_value_label_at(event, field, 0);
}

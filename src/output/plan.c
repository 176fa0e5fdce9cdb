// SPDX-License-Identifier: BSD-2-Clause
#include "output/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/code_names.h"
#include "base/emit.h"
#include "output/call_arg.h"
#include "schema/call_meaning.h"
#include "schema/calls.h"
#include "schema/sockaddr.h"

#define ELEMENT_BYTES (EMIT_BINARY_BYTES + 2u) /* of an array, with what separates it */
#define PUNCTUATION_BYTES 16u /* quotes, brackets, " (", ")" and the like around a value */

/* Escaped once more, for JSON. */
#define PLAN_SOCKADDR_BYTES (SOCKADDR_TEXT_BYTES * ESCAPE_FACTOR)

#define PLAN_TEXTS_BETWEEN 4u /* quotes, and what separates them */

static bool is_address(const struct field *field)
{
	return field->kind == FIELD_INT && field->show == FIELD_SHOW_ADDRESS &&
	       field->count == 16 && !field->length && field->bits == 8;
}

static enum plan_form number_form(const struct field *field)
{
	if (field->kind == FIELD_FLOAT)
		return PLAN_FLOAT;
	/* Its labels say more of a number than its base does. */
	if (field->label_count && field->show <= FIELD_SHOW_BINARY)
		return PLAN_LABELS;
	switch (field->show) {
	case FIELD_SHOW_FLAGS:
		return PLAN_FLAGS;
	case FIELD_SHOW_HEX:
		return PLAN_HEX;
	case FIELD_SHOW_SYMBOL:
		return PLAN_SYMBOL;
	case FIELD_SHOW_OCTAL:
		return PLAN_OCTAL;
	case FIELD_SHOW_BINARY:
		return PLAN_BINARY;
	case FIELD_SHOW_SYSCALL:
		return PLAN_SYSCALL;
	case FIELD_SHOW_RESULT:
		return PLAN_RESULT;
	case FIELD_SHOW_NETNS:
	case FIELD_SHOW_CGROUP:
	case FIELD_SHOW_FILE:
		return PLAN_KNOWN;
	default:
		return field->is_signed ? PLAN_SIGNED : PLAN_UNSIGNED;
	}
}

static enum plan_form field_form(const struct field *field)
{
	if (field->kind == FIELD_TEXT || field->kind == FIELD_STRING)
		return PLAN_TEXT;
	if (field->kind == FIELD_LIST)
		return PLAN_LIST;
	if (is_address(field))
		return PLAN_ADDRESS;
	if (field_is_sockaddr(field))
		return PLAN_SOCKADDR;
	if (field_is_texts(field))
		return PLAN_TEXTS;
	return field_is_many(field) ? PLAN_ARRAY : number_form(field);
}

static bool has_name(enum plan_form form)
{
	return form == PLAN_SYSCALL || form == PLAN_RESULT || form == PLAN_LABELS ||
	       form == PLAN_KNOWN;
}

static size_t element_bytes(const struct plan_field *pf)
{
	return ELEMENT_BYTES + (pf->number == PLAN_SYMBOL ? CODE_NAME_BYTES : 0) +
	       (pf->labels.count ? NAME_MAX_BYTES + PUNCTUATION_BYTES : 0);
}

static size_t value_bytes(const struct plan_field *pf)
{
	if (field_varies(pf->field))
		return 0;
	if (pf->form == PLAN_SOCKADDR)
		return PLAN_SOCKADDR_BYTES;
	switch (pf->form) {
	case PLAN_DERIVED:
		return derived_is_text((enum derived)pf->index) ?
			       FACTS_FILES_MAX * FACTS_FILE_BYTES * ESCAPE_FACTOR :
			       EMIT_BINARY_BYTES;
	case PLAN_TEXT:
		return (size_t)pf->field->count * ESCAPE_FACTOR;
	case PLAN_TEXTS:
		return (size_t)pf->field->count * (ESCAPE_FACTOR + PLAN_TEXTS_BETWEEN);
	case PLAN_ARRAY:
		return (size_t)pf->field->count * element_bytes(pf);
	case PLAN_ADDRESS:
		return EMIT_ADDRESS_BYTES;
	case PLAN_KNOWN:
		return EMIT_BINARY_BYTES + KNOWN_TEXT_MAX * ESCAPE_FACTOR;
	case PLAN_SYMBOL:
		return element_bytes(pf);
	default:
		/* A name may come twice: JSON has the field's name before it once more. */
		return EMIT_BINARY_BYTES + (has_name(pf->form) ? NAME_MAX_BYTES : 0) +
		       pf->labels.every_bytes + (pf->labels.every_bytes ? pf->prefix_len : 0);
	}
}

static int make_prefix(struct plan_field *pf, const struct plan_style *style)
{
	size_t len = strlen(pf->field->name);
	size_t before = strlen(style->before), after = strlen(style->after);
	char *text = calloc(1, len * ESCAPE_FACTOR + before + after + 2 + EMIT_PADDING);
	char *p = text;

	if (!text)
		return -ENOMEM;
	pf->prefix = text;
	p = emit_bytes(p, style->before, before);
	p = style->escape(p, pf->field->name, len);
	p = emit_bytes(p, style->after, after);
	pf->prefix_len = (size_t)(p - text);
	return 0;
}

static int derived_field_init(struct plan_field *pf, enum derived what,
			      const struct plan_style *style)
{
	pf->field = derived_described(what);
	pf->index = what;
	pf->form = PLAN_DERIVED;
	pf->number = PLAN_UNSIGNED;
	return make_prefix(pf, style);
}

static bool is_labelled_array(const struct plan_field *pf)
{
	return pf->form == PLAN_ARRAY && pf->field->kind == FIELD_INT && pf->field->label_count &&
	       pf->field->show <= FIELD_SHOW_BINARY;
}

bool plan_items_labelled(const struct plan_field *pf)
{
	const struct plan *items = pf->items;

	for (size_t i = 0; items && i < items->count; i++)
		if (items->fields[i].labels.count || plan_items_labelled(&items->fields[i]))
			return true;
	return false;
}

static int plan_field_init(struct plan_field *pf, const struct field *field, uint32_t index,
			   const struct plan_style *style)
{
	pf->field = field;
	pf->index = index;
	pf->form = field_form(field);
	pf->number = number_form(field);
	if (has_name(pf->number) || pf->number == PLAN_FLAGS)
		pf->number = field->is_signed ? PLAN_SIGNED : PLAN_UNSIGNED;
	pf->known = field->show == FIELD_SHOW_NETNS  ? NAME_NETNS :
		    field->show == FIELD_SHOW_CGROUP ? NAME_CGROUP :
						       NAME_FILE;
	if (pf->form == PLAN_LIST) {
		pf->items = plans_new(&field->items, 1, NULL, style->items ?: style);
		if (!pf->items)
			return -ENOMEM;
	}
	if ((pf->form == PLAN_LABELS || pf->form == PLAN_FLAGS || is_labelled_array(pf)) &&
	    label_names_init(&pf->labels, field, style->escape))
		return -ENOMEM;
	return make_prefix(pf, style);
}

/* Whether @class has the four fields of a connection, by these names. */
static bool find_ends(struct plan_ends *ends, const struct event_class *class, const char *lport,
		      const char *rport)
{
	int saddr = event_class_find(class, "saddr"), daddr = event_class_find(class, "daddr");
	int local = event_class_find(class, lport), remote = event_class_find(class, rport);

	if (saddr < 0 || daddr < 0 || local < 0 || remote < 0)
		return false;
	if (!is_address(&class->fields[saddr]) || !is_address(&class->fields[daddr]))
		return false;
	if (field_is_many(&class->fields[local]) || field_is_many(&class->fields[remote]) ||
	    class->fields[local].kind != FIELD_INT || class->fields[remote].kind != FIELD_INT)
		return false;
	*ends = (struct plan_ends){(size_t)saddr, (size_t)local, (size_t)daddr, (size_t)remote};
	return true;
}

/* Whether all of them are shown. */
static bool shows_ends(const struct plan *plan)
{
	int found = 0;

	for (size_t i = 0; i < plan->count; i++)
		found += plan_is_end(plan, &plan->fields[i]);
	return found == 4;
}

static void find_partners(struct plan *plan)
{
	const struct event_class *class = plan->class;

	plan->compat = event_class_find(class, "compat");
	if (plan->compat >= 0 && field_form(&class->fields[plan->compat]) >= PLAN_ADDRESS)
		plan->compat = -1;
	plan->pid = code_name_process(class);
	plan->major = event_class_find_number(class, "major");
	plan->minor = event_class_find_number(class, "minor");
}

/* Without the argument that decides, the meaning is not known. */
static void find_meaning(struct plan_field *pf, const struct event_class *class)
{
	pf->meaning_by = -1;
	if (pf->index < class->context_count || !calls_is_entry(class))
		return;
	pf->meaning = call_meaning_find(class->name + strlen(CALLS_PREFIX), pf->field->name);
	if (!pf->meaning || !pf->meaning->by)
		return;
	pf->meaning_by = event_class_find_number(class, pf->meaning->by);
	if (pf->meaning_by < 0)
		pf->meaning = NULL;
}

/* @index: as of field_choice_list. */
static int add_field(struct plan *plan, uint32_t index, const struct plan_style *style)
{
	struct plan_field *pf = &plan->fields[plan->count++];
	const size_t own = plan->class->field_count;
	int err;

	if (index < own)
		err = plan_field_init(pf, &plan->class->fields[index], index, style);
	else
		err = derived_field_init(pf, (enum derived)(index - own), style);
	if (err)
		return err;
	if (pf->form != PLAN_DERIVED)
		find_meaning(pf, plan->class);
	plan->max_bytes += 2 * pf->prefix_len + value_bytes(pf) + PUNCTUATION_BYTES +
			   (pf->meaning ? CALL_ARG_TEXT_BYTES : 0);
	plan->varying |= field_varies(pf->field);
	if (has_name(pf->form) || pf->form == PLAN_FLAGS || pf->number == PLAN_SYMBOL ||
	    pf->labels.count || pf->meaning || plan_items_labelled(pf))
		plan->named[plan->named_count++] = (uint32_t)(plan->count - 1);
	return 0;
}

/* Of the fields at @shown those that are contexts, or those that are not. */
static int add_fields(struct plan *plan, const uint32_t *shown, size_t count, bool contexts,
		      const struct plan_style *style)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		if ((shown[i] < plan->class->context_count) != contexts)
			continue;
		plan->fields[plan->count].rank = i;
		plan->context_count += contexts;
		err = add_field(plan, shown[i], style);
	}
	return err;
}

int plan_init(struct plan *plan, const struct event_class *class, const struct plan_choice *choice,
	      const struct plan_style *style)
{
	const uint32_t derived = choice ? derived_of(class, choice->derived) : 0;
	const struct field_choice *fields = choice ? choice->fields : NULL;
	const size_t room = class->field_count + (derived ? DERIVED_COUNT : 0) ?: 1;
	uint32_t *shown = calloc(room, sizeof(*shown));
	int err = 0;

	*plan = (struct plan){.class = class};
	plan->fields = calloc(room, sizeof(*plan->fields));
	plan->named = calloc(room, sizeof(*plan->named));
	if (!shown || !plan->fields || !plan->named) {
		free(shown);
		return -ENOMEM;
	}
	for (size_t pass = 0; !err && pass < 2; pass++)
		err = add_fields(plan, shown, field_choice_list(fields, class, derived, shown),
				 !pass, style);
	free(shown);
	find_partners(plan);
	plan->bare = plan->count == 1 && !*plan->fields[0].field->name;
	plan->has_ends = find_ends(&plan->ends, class, "lport", "rport") ||
			 find_ends(&plan->ends, class, "sport", "dport");
	plan->has_ends = plan->has_ends && shows_ends(plan);
	return err;
}

void plan_fini(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->count; i++) {
		free((char *)plan->fields[i].prefix);
		plans_free(plan->fields[i].items, 1);
		label_names_fini(&plan->fields[i].labels);
	}
	free(plan->fields);
	free(plan->named);
	*plan = (struct plan){0};
}

struct plan *plans_new(const struct event_class *const *classes, size_t count,
		       const struct plan_choice *choice, const struct plan_style *style)
{
	struct plan *plans = calloc(count ?: 1, sizeof(*plans));
	size_t i;

	if (!plans)
		return NULL;
	for (i = 0; i < count; i++) {
		if (plan_init(&plans[i], classes[i], choice, style)) {
			plans_free(plans, count);
			return NULL;
		}
	}
	return plans;
}

void plans_free(struct plan *plans, size_t count)
{
	size_t i;

	if (!plans)
		return;
	for (i = 0; i < count; i++)
		plan_fini(&plans[i]);
	free(plans);
}

static size_t items_bytes(const struct plan_field *pf, const struct event *event)
{
	uint32_t count = event_count(event, pf->index);
	size_t room = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct event item = event_item(event, pf->index, i);

		room += PUNCTUATION_BYTES + plan_room(pf->items, &item);
	}
	return room;
}

size_t plan_room_field(const struct plan_field *pf, const struct event *event)
{
	size_t len;

	if (pf->form == PLAN_LIST)
		return items_bytes(pf, event);
	if (pf->form == PLAN_SOCKADDR)
		return PLAN_SOCKADDR_BYTES;
	if (pf->form == PLAN_TEXTS)
		return (size_t)event_count(event, pf->index) * (ESCAPE_FACTOR + PLAN_TEXTS_BETWEEN);
	if (pf->form == PLAN_ARRAY)
		return (size_t)event_count(event, pf->index) * element_bytes(pf);
	(void)event_text(event, pf->index, &len);
	return len * ESCAPE_FACTOR;
}

size_t plan_room_varying(const struct plan *plan, const struct event *event)
{
	size_t i, room = 0;

	for (i = 0; i < plan->count; i++) {
		const struct plan_field *pf = &plan->fields[i];

		if (field_varies(pf->field) && event_has(event, pf->index))
			room += plan_room_field(pf, event);
	}
	return room;
}

const struct name *plan_label(const struct plan_field *pf, const struct event *event, uint32_t i)
{
	if (!pf->labels.count)
		return NULL;
	return label_names_get(&pf->labels, (int64_t)event_element_fast(event, pf->index, i));
}

const struct call_case *plan_case(const struct plan_field *pf, const struct event *event)
{
	if (!pf->meaning)
		return NULL;
	return call_meaning_case(
		pf->meaning, pf->meaning_by < 0 ? 0 : event_uint(event, (size_t)pf->meaning_by));
}

bool plan_has_flags(const struct plan_field *pf, const struct event *event)
{
	uint64_t rest = event_uint(event, pf->index);
	size_t at = 0;

	return field_flags_next(pf->field, &rest, &at) >= 0;
}

char *plan_emit_flags(char *p, const struct plan_field *pf, const struct event *event)
{
	return label_names_flags(p, &pf->labels, pf->field, event_uint(event, pf->index));
}

bool plan_has_labels(const struct plan_field *pf, const struct event *event)
{
	int64_t value;
	size_t at = 0;

	if (!pf->labels.every_count || pf->form != PLAN_LABELS)
		return false;
	value = (int64_t)event_uint(event, pf->index);
	return label_names_next(&pf->labels, pf->field, value, &at) &&
	       label_names_next(&pf->labels, pf->field, value, &at);
}

const struct name *plan_name(const struct plan *plan, const struct plan_field *pf,
			     const struct names *names, const struct event *event)
{
	int64_t value;
	bool compat;

	if (!has_name(pf->form) || pf->form == PLAN_KNOWN || !event_has(event, pf->index))
		return NULL;
	value = (int64_t)event_uint(event, pf->index);
	if (pf->form == PLAN_LABELS)
		return label_names_get(&pf->labels, value);
	if (pf->form == PLAN_RESULT)
		return names_error(names, value);
	compat = plan->compat >= 0 && event_uint(event, (size_t)plan->compat);
	return names_call(names, compat, value);
}

const char *plan_known(const struct plan *plan, const struct plan_field *pf, struct known *known,
		       const struct event *event)
{
	uint64_t major = 0, minor = 0;

	if (pf->known == NAME_FILE && plan->major >= 0 && plan->minor >= 0) {
		major = event_uint(event, (size_t)plan->major);
		minor = event_uint(event, (size_t)plan->minor);
	}
	return known_get(known, event->class, pf->known, event_uint(event, pf->index),
			 (uint16_t)major, (uint16_t)minor);
}

char *plan_emit_sockaddr(char *p, const struct plan_field *pf, const struct event *event)
{
	return sockaddr_write(p, event_bytes(event, pf->index), event_count(event, pf->index),
			      pf->field->big_endian);
}

char *plan_emit_texts(char *p, const struct plan_field *pf, const struct event *event,
		      const char *between, escape_write escape)
{
	const char *text = (const char *)event_bytes(event, pf->index);
	size_t left = event_count(event, pf->index), len;

	for (bool first = true; left; first = false) {
		len = strnlen(text, left);
		if (!first)
			p = emit_bytes(p, between, strlen(between));
		p = emit_char(p, '"');
		p = escape(p, text, len);
		p = emit_char(p, '"');
		len += len < left; /* its NUL */
		text += len;
		left -= len;
	}
	return p;
}

char *plan_emit_number(char *p, enum plan_form form, uint64_t value)
{
	switch (form) {
	case PLAN_HEX:
	case PLAN_SYMBOL:
		return emit_hex(p, value);
	case PLAN_OCTAL:
		return emit_octal(p, value);
	case PLAN_BINARY:
		return emit_binary(p, value);
	case PLAN_UNSIGNED:
		return emit_uint(p, value);
	default:
		return emit_int(p, (int64_t)value);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
#include "output/text_value.h"

#include <string.h>

#include "analyse/code_names.h"
#include "base/emit.h"
#include "output/plan.h"
#include "output/view.h"

static char *write_name(char *p, const struct name *name)
{
	p = emit_bytes(p, " (", 2);
	p = emit_short(p, name->text, name->len);
	return emit_char(p, ')');
}

static char *write_float(char *p, const struct event *event, const struct plan_field *pf,
			 uint32_t i)
{
	return emit_float(p, event_float(event, pf->index, i), pf->field->bits);
}

char *text_value_frame(char *p, const struct text_values *values, const struct plan *plan,
		       const struct plan_field *pf, const struct event *event, uint32_t i)
{
	char *end = code_name_write(p, &values->view->analysis, event, pf->index, plan->pid, i,
				    escape_terminal);

	return end > p ? end : emit_hex(p, event_element_fast(event, pf->index, i));
}

/* An address with its name behind it. */
static char *write_code(char *p, const struct text_values *values, const struct plan *plan,
			const struct plan_field *pf, const struct event *event)
{
	char *name, *end;

	p = emit_hex(p, event_uint(event, pf->index));
	name = emit_bytes(p, " (", 2);
	end = code_name_write(name, &values->view->analysis, event, pf->index, plan->pid, 0,
			      escape_terminal);
	return end > name ? emit_char(end, ')') : p;
}

static char *write_array(char *p, const struct text_values *values, const struct plan *plan,
			 const struct event *event, const struct plan_field *pf)
{
	uint32_t i, count = event_count(event, pf->index);
	const struct name *name;

	p = emit_char(p, '[');
	for (i = 0; i < count; i++) {
		if (i)
			p = emit_bytes(p, ", ", 2);
		if (pf->number == PLAN_FLOAT)
			p = write_float(p, event, pf, i);
		else if (pf->number == PLAN_SYMBOL)
			p = text_value_frame(p, values, plan, pf, event, i);
		else if ((name = plan_label(pf, event, i)))
			p = emit_short(p, name->text, name->len);
		else
			p = plan_emit_number(p, pf->number,
					     event_element_fast(event, pf->index, i));
	}
	return emit_char(p, ']');
}

static char *write_quoted(char *p, const struct event *event, const struct plan_field *pf)
{
	size_t len;
	const char *text = event_text(event, pf->index, &len);

	p = emit_char(p, '"');
	p = escape_terminal(p, text, len);
	return emit_char(p, '"');
}

/* All of them: "a|b". */
static char *write_labels(char *p, const struct plan_field *pf, const struct event *event)
{
	const int64_t value = (int64_t)event_uint(event, pf->index);
	const struct name *name;
	size_t at = 0, count = 0;

	while ((name = label_names_next(&pf->labels, pf->field, value, &at))) {
		if (count++)
			p = emit_char(p, '|');
		p = emit_short(p, name->text, name->len);
	}
	return p;
}

/* A number with its name behind it, or, for an enumeration, the name in its place. */
static char *write_named(char *p, const struct text_values *values, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	const struct name *name = plan_name(plan, pf, values->names, event);

	if (name && plan_has_labels(pf, event))
		return write_labels(p, pf, event);
	if (name && pf->form == PLAN_LABELS)
		return emit_short(p, name->text, name->len);
	p = plan_emit_number(p, pf->number, event_uint(event, pf->index));
	return name ? write_name(p, name) : p;
}

/* A number with what the trace has called it behind. */
static char *write_known(char *p, const struct text_values *values, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	const char *name = plan_known(plan, pf, values->view->analysis.known, event);

	p = plan_emit_number(p, pf->number, event_uint(event, pf->index));
	if (!name)
		return p;
	p = emit_bytes(p, " (", 2);
	p = escape_terminal(p, name, strlen(name));
	return emit_char(p, ')');
}

static char *write_list(char *p, const struct text_values *values, const struct event *event,
			const struct plan_field *pf);

char *text_value_write(char *p, const struct text_values *values, const struct plan *plan,
		       const struct plan_field *pf, const struct event *event)
{
	switch (pf->form) {
	case PLAN_UNSIGNED:
		return emit_uint(p, event_uint(event, pf->index));
	case PLAN_HEX:
		return emit_hex(p, event_uint(event, pf->index));
	case PLAN_SYSCALL:
	case PLAN_RESULT:
	case PLAN_LABELS:
		return write_named(p, values, plan, pf, event);
	case PLAN_FLAGS:
		return plan_emit_flags(p, pf, event);
	case PLAN_KNOWN:
		return write_known(p, values, plan, pf, event);
	case PLAN_SYMBOL:
		return write_code(p, values, plan, pf, event);
	case PLAN_ADDRESS:
		return emit_address(p, event_bytes(event, pf->index), 0);
	case PLAN_SOCKADDR:
		return plan_emit_sockaddr(p, pf, event);
	case PLAN_TEXTS:
		p = plan_emit_texts(emit_char(p, '['), pf, event, ", ", escape_terminal);
		return emit_char(p, ']');
	case PLAN_FLOAT:
		return write_float(p, event, pf, 0);
	case PLAN_TEXT:
		return write_quoted(p, event, pf);
	case PLAN_ARRAY:
		return write_array(p, values, plan, event, pf);
	case PLAN_LIST:
		return write_list(p, values, event, pf);
	default:
		return plan_emit_number(p, pf->form, event_uint(event, pf->index));
	}
}

/* "{a=1 b=2}": a prefix begins with a space, which the first one goes without. */
static char *write_item(char *p, const struct text_values *values, const struct plan *plan,
			const struct event *item)
{
	size_t i, skip = 1;

	p = emit_char(p, '{');
	for (i = 0; i < plan->count; i++) {
		const struct plan_field *pf = &plan->fields[i];

		if (!event_has(item, pf->index))
			continue;
		p = emit_short(p, pf->prefix + skip, pf->prefix_len - skip);
		p = text_value_write(p, values, plan, pf, item);
		skip = 0;
	}
	return emit_char(p, '}');
}

static char *write_list(char *p, const struct text_values *values, const struct event *event,
			const struct plan_field *pf)
{
	uint32_t i, count = event_count(event, pf->index);
	const struct plan *items = pf->items;

	p = emit_char(p, '[');
	for (i = 0; i < count; i++) {
		struct event item = event_item(event, pf->index, i);

		if (i)
			p = emit_bytes(p, ", ", 2);
		p = items->bare ? text_value_write(p, values, items, &items->fields[0], &item) :
				  write_item(p, values, items, &item);
	}
	return emit_char(p, ']');
}

// SPDX-License-Identifier: BSD-2-Clause
#include "view/perfetto_value.h"

#include <string.h>

#include "view/code_names.h"
#include "view/emit.h"
#include "view/json_field.h"
#include "view/perfetto_out.h"
#include "view/plan.h"
#include "view/view.h"

/* What is not decimal is text. */
static char *write_number(char *p, enum plan_form form, uint64_t value)
{
	bool text = form == PLAN_HEX || form == PLAN_SYMBOL || form == PLAN_OCTAL ||
		    form == PLAN_BINARY;

	if (!text)
		return plan_emit_number(p, form, value);
	p = emit_char(p, '"');
	p = plan_emit_number(p, form, value);
	return emit_char(p, '"');
}

static char *write_code(char *p, const struct perfetto_out *po, const struct plan *plan,
			const struct plan_field *pf, const struct event *event, uint32_t i)
{
	char *name = emit_char(p, '"');
	char *end = code_name_write(name, po->view->info->symbols, event, pf->index, plan->pid, i,
				    escape_json);

	if (end > name)
		return emit_char(end, '"');
	return write_number(p, PLAN_HEX, event_element_fast(event, pf->index, i));
}

static char *write_array(char *p, const struct perfetto_out *po, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	uint32_t i, count = event_count(event, pf->index);

	if (pf->number == PLAN_FLOAT)
		return json_field_value(p, event, pf);
	p = emit_char(p, '[');
	for (i = 0; i < count; i++) {
		if (i)
			p = emit_char(p, ',');
		if (pf->number == PLAN_SYMBOL)
			p = write_code(p, po, plan, pf, event, i);
		else
			p = write_number(p, pf->number, event_element_fast(event, pf->index, i));
	}
	return emit_char(p, ']');
}

/* "ESTABLISHED", "openat"; of an error the number, too, as of what the trace names. */
static char *write_named(char *p, const struct perfetto_out *po, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	const struct name *name = plan_name(plan, pf, po->names, event);
	const char *known = pf->form == PLAN_KNOWN ? plan_known(plan, pf, po->view->known, event) :
						     NULL;

	if (!name && !known)
		return plan_emit_number(p, pf->number, event_uint(event, pf->index));
	p = emit_char(p, '"');
	if (pf->form == PLAN_RESULT || known) {
		p = plan_emit_number(p, pf->number, event_uint(event, pf->index));
		p = emit_bytes(p, " (", 2);
	}
	p = name ? emit_short(p, name->text, name->len) : escape_json(p, known, strlen(known));
	if (pf->form == PLAN_RESULT || known)
		p = emit_char(p, ')');
	return emit_char(p, '"');
}

char *perfetto_value_write(char *p, const struct perfetto_out *po, const struct plan *plan,
			   const struct plan_field *pf, const struct event *event)
{
	switch (pf->form) {
	case PLAN_SYSCALL:
	case PLAN_RESULT:
	case PLAN_LABELS:
	case PLAN_KNOWN:
		return write_named(p, po, plan, pf, event);
	case PLAN_SYMBOL:
		return write_code(p, po, plan, pf, event, 0);
	case PLAN_ARRAY:
		return write_array(p, po, plan, pf, event);
	case PLAN_HEX:
	case PLAN_OCTAL:
	case PLAN_BINARY:
		return write_number(p, pf->form, event_uint(event, pf->index));
	default:
		return json_field_value(p, event, pf);
	}
}

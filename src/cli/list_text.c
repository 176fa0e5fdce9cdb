// SPDX-License-Identifier: BSD-2-Clause
#include "cli/list_text.h"

#include <stdio.h>

#include "base/buffer.h"
#include "cli/list_item.h"
#include "cli/running.h"
#include "probe/catalogue.h"
#include "probe/costs.h"
#include "record/control_client.h"

/* A tracepoint's name is longer, and its hook says nothing more. */
void list_text_head(const struct measurement *m, struct buffer *out)
{
	if (list_is_tracepoint(m))
		buffer_format(out, "%-46s %-11s %s\n", "NAME", "STATE", "FIELDS");
	else
		buffer_format(out, "%-17s %-6s %-11s %-29s %7s  %s\n", "NAME", "GROUP", "STATE",
			      "HOOK", "COST", "WHAT");
}

/* Its description, or why it is unavailable. */
static const char *what_of(const struct measurement *m)
{
	return measurement_usable(m) || measurement_forbidden(m) ? m->text : measurement_reason(m);
}

static void text_tracepoint(struct buffer *out, const struct measurement *m,
			    const struct running *running)
{
	buffer_format(out, "%-46s %-11s %s\n", m->name, list_state(m, running), what_of(m));
}

static void text_measurement(struct buffer *out, const struct measurement *m,
			     const struct running *running)
{
	char cost[16] = "-";

	if (m->cost_ns)
		snprintf(cost, sizeof(cost), "%d ns", m->cost_ns);
	buffer_format(out, "%-17s %-6s %-11s %-29s %7s  %s\n", m->name, m->group,
		      list_state(m, running), list_hook(m), cost, what_of(m));
}

/* "on in web (pid 4711)" */
static void text_recorders(struct buffer *out, const struct measurement *m,
			   const struct running *running)
{
	const struct recorder *r;

	for (size_t n = 0; (r = running_recorder(running, m->name, n)); n++)
		buffer_format(out, "%s%s (pid %d)", n ? ", " : "    on in ", r->name, (int)r->pid);
	if (running_recorder(running, m->name, 0))
		buffer_char(out, '\n');
}

static void text_fields(struct buffer *out, const struct measurement *m)
{
	char machine[128];

	if (m->cost_ns)
		buffer_format(out, "    typical cost: %d ns of CPU time a record, measured on %s\n",
			      m->cost_ns, cost_machine(machine, sizeof(machine)));
	else
		buffer_string(out, "    typical cost: not measured\n");
	if (list_is_tracepoint(m))
		buffer_string(out, "    number of its own in each trace");
	else
		buffer_format(out, "    location %u", m->class.id);
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		buffer_format(out, "%s%s", i ? ", " : "; hooks: ", hook->section);
		if (hook->misses)
			buffer_format(out, " (misses %s)", hook->misses);
		buffer_format(out, "%s%s", hook->usable ? "" : ": ",
			      hook->usable ? "" : hook->reason);
	}
	buffer_char(out, '\n');
	if (m->context)
		buffer_format(out, "    a filter by task misses %s (context: %s)\n", m->misses,
			      m->context);
	for (size_t i = 0; i < m->class.field_count; i++) {
		const struct field *field = &m->class.fields[i];
		char type[LIST_TYPE_BYTES];

		list_type(&m->class, field, type, sizeof(type));
		buffer_format(out, "    %-18s %-10s %-9s %-8s %s%s\n", field->name, type,
			      field->unit ? field->unit : "-", field_scope_name(field->scope),
			      list_is_detail(m, i) ? "(detail full) " : "",
			      field->text ? field->text : "");
	}
	buffer_char(out, '\n');
}

void list_text_item(const struct measurement *m, const struct running *running, bool verbose,
		    struct buffer *out)
{
	if (list_is_tracepoint(m))
		text_tracepoint(out, m, running);
	else
		text_measurement(out, m, running);
	if (!verbose)
		return;
	text_recorders(out, m, running);
	text_fields(out, m);
}

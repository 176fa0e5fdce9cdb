// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/glob.h"
#include "cli/list_item.h"
#include "cli/list_json.h"
#include "cli/list_presets.h"
#include "cli/running.h"
#include "cli/verb.h"
#include "probe/call_classes.h"
#include "probe/catalogue.h"
#include "probe/permit.h"
#include "probe/run_stats.h"
#include "probe/tracefs.h"
#include "probe/tracepoints.h"
#include "record/control_client.h"
#include "record/tcp_poll.h"
#include "schema/derived.h"
#include "schema/event.h"
#include "wire/filter.h"

/* The measurements of `sonde list` as a table for people. */

/* A tracepoint's name is longer, and its hook says nothing more. */
static void list_text_head(const struct measurement *m, struct buffer *out)
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

/* What a reader derives from several events stands behind the recorded fields. */
static void text_derived(struct buffer *out, const struct measurement *m)
{
	for (int d = 0; d < DERIVED_COUNT; d++) {
		const struct field *field = derived_described((enum derived)d);

		if (derived_has((enum derived)d, m->name) &&
		    event_class_find_any(&m->class, field->name) < 0)
			buffer_format(out, "    %-18s %-10s %-9s %-8s %s\n", field->name,
				      derived_is_text((enum derived)d) ? "text" : "u64",
				      field->unit ? field->unit : "-", "derived",
				      derived_fields[d].text);
	}
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
	text_derived(out, m);
	buffer_char(out, '\n');
}

/* A line; with @verbose its hooks, cost and fields too. @running may be NULL. */
static void list_text_item(const struct measurement *m, const struct running *running, bool verbose,
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

enum { OPT_NAMES = 256, OPT_PRESETS };

static const struct option_spec options[] = {
	{'v', "verbose", NULL, "each measurement's fields too: type, unit, scope, text", NULL},
	{VERB_OPTION_JSON, "json", NULL, "the same for programs: an array of objects", NULL},
	{OPT_NAMES, "names", NULL, "only names and groups, a line each", NULL},
	{OPT_PRESETS, "presets", NULL,
	 "the presets of 'sonde record -p' instead; with -v what is in them", NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-j", "json"},
	{0},
};

static const struct verb_spec spec = {
	.old = old_options,
	.name = "list",
	.synopsis = "[OPTIONS] [PATTERN...]",
	.summary = "Show what can be measured here, by which hook, or why not.",
	.notes =
		"A PATTERN is a glob over names ('tcp.*') or the name of a group ('tcp'). Each system call\n"
		"has a name below sys.enter ('sys.openat'): 'sys.*' shows them. The kernel's\n"
		"own tracepoints are kernel:GROUP:EVENT, shown where a PATTERN begins with 'kernel:'.\n\n"
		"Exit status: 0; 1 error; 2 usage; 4 nothing matches; 5 tracepoints cannot be\n"
		"listed here.",
	.examples = "sonde list\nsonde list -v tcp.retransmit\nsonde list 'kernel:sched:*'\n"
		    "sonde list --json | jq -r '.[].name'\nsonde list --presets -v drops",
	.options = options,
	.operand = "@measurements",
};

struct request {
	bool verbose;
	bool json;
	bool names;
	bool presets;
	char **patterns;
	int pattern_count;
};

/* The list while it is written. */
struct listing {
	const struct request *req;
	const struct running *running; /* NULL: none, or not wanted */
	struct buffer out;
	char group[16]; /* of the item before */
	int count;
};

static bool matches(const struct measurement *m, const struct request *req)
{
	for (int i = 0; i < req->pattern_count; i++) {
		if (measurement_matches(m, req->patterns[i]) ||
		    (m->never && pattern_matches(req->patterns[i], m->name)))
			return true;
	}
	return !req->pattern_count && !measurement_internal(m);
}

static void put_text(struct listing *l, const struct measurement *m)
{
	if (strcmp(l->group, m->group) && (!l->count || list_is_tracepoint(m)))
		list_text_head(m, &l->out);
	list_text_item(m, l->running, l->req->verbose, &l->out);
}

static void put_json(struct listing *l, const struct measurement *m)
{
	buffer_string(&l->out, l->count ? ",\n" : "\n");
	list_json_item(m, l->running, &l->out);
}

static void put_name(struct listing *l, const struct measurement *m)
{
	if (strcmp(l->group, m->group))
		buffer_format(&l->out, "%s\n", m->group);
	buffer_format(&l->out, "%s\n", m->name);
}

/* A visitor: never ends the visit. */
static int put_item(void *ctx, const struct measurement *m)
{
	struct listing *l = ctx;

	if (l->req->json)
		put_json(l, m);
	else if (l->req->names)
		put_name(l, m);
	else
		put_text(l, m);
	memcpy(l->group, m->group, sizeof(l->group));
	l->count++;
	return 0;
}

/* Single calls are named by patterns of names, not by their group: there are hundreds. */
static bool names_call(const struct request *req, const struct measurement *m, const char *call)
{
	for (int i = 0; i < req->pattern_count; i++) {
		if (strcmp(req->patterns[i], m->group) && strcmp(req->patterns[i], m->name) &&
		    pattern_matches(req->patterns[i], call))
			return true;
	}
	return false;
}

/* Each call as a measurement of its own: what it is made by, and costs, is that of @m. */
static void put_calls(struct listing *l, const struct measurement *m)
{
	for (size_t i = 0; m->calls && i < call_classes_count(m->calls); i++) {
		const struct event_class *class = call_classes_get(m->calls, i);
		struct measurement call = *m;

		if (!names_call(l->req, m, class->name))
			continue;
		call.name = class->name;
		call.text = class->text;
		call.class = *class;
		call.calls = NULL;
		put_item(l, &call);
	}
}

static bool asks_for_tracepoints(const struct request *req)
{
	for (int i = 0; i < req->pattern_count; i++) {
		if (tracepoints_are_asked_for(req->patterns[i]))
			return true;
	}
	return false;
}

static int write_list(struct listing *l, const struct catalogue *cat, struct diag *diag)
{
	const struct request *req = l->req;
	int err = 0;

	if (req->json)
		buffer_char(&l->out, '[');
	for (size_t i = 0; i < cat->count; i++) {
		if (matches(&cat->items[i], req))
			put_item(l, &cat->items[i]);
		put_calls(l, &cat->items[i]);
	}
	if (asks_for_tracepoints(req))
		err = tracepoints_visit(cat, req->patterns, (size_t)req->pattern_count, put_item, l,
					diag);
	if (req->json)
		buffer_string(&l->out, "\n]\n");
	return err;
}

/* They are too many to be listed unasked. */
static void hint_at_tracepoints(struct listing *l)
{
	struct diag diag = {0};
	int count = tracefs_look(&diag);

	if (l->req->pattern_count || l->req->names || l->req->json)
		return;
	if (count < 0)
		buffer_format(&l->out, "\nThe kernel's own tracepoints (kernel:GROUP:EVENT): %s\n",
			      diag.text);
	else
		buffer_format(&l->out,
			      "\nand %d tracepoints of the kernel's own: sonde list 'kernel:*'\n",
			      count);
}

static int parse(struct options *opts, struct request *req)
{
	struct diag diag = {0};
	const char *arg;
	int id, err;

	while ((err = verb_next(&spec, opts, &id, &arg, &diag)) > 0) {
		req->verbose |= id == 'v';
		req->json |= id == VERB_OPTION_JSON;
		req->names |= id == OPT_NAMES;
		req->presets |= id == OPT_PRESETS;
	}
	req->patterns = options_rest(opts, &req->pattern_count);
	return err ? verb_usage(&spec, err, &diag) : -1;
}

static int show_presets(struct catalogue *cat, const struct request *req, struct buffer *out)
{
	const struct preset_request presets = {
		.verbose = req->verbose,
		.json = req->json,
		.names = req->names,
		.patterns = req->patterns,
		.pattern_count = req->pattern_count,
	};

	return list_presets(&spec, cat, &presets, out);
}

static int show_measurements(struct listing *l, const struct catalogue *cat)
{
	struct diag diag = {0};
	int status = STATUS_COMPLETE;

	if (write_list(l, cat, &diag)) {
		status = verb_fail(&spec, STATUS_NOT_PERMITTED, &diag);
	} else if (!l->count) {
		diag_set(&diag, 0, "no measurement matches: see 'sonde list'");
		status = verb_fail(&spec, STATUS_NO_MATCH, &diag);
	} else {
		hint_at_tracepoints(l);
		return STATUS_COMPLETE;
	}
	buffer_reset(&l->out);
	return status;
}

static int show(const struct request *req)
{
	static const struct filter_config filter; /* none */
	struct listing l = {.req = req};
	struct running *running = NULL;
	struct catalogue *cat = NULL;
	struct diag diag = {0};
	int status = STATUS_COMPLETE;

	if (catalogue_open(&cat, &diag))
		return verb_fail(&spec, STATUS_ERROR, &diag);
	if (!req->names && permit_require(cat->kernel, &diag))
		catalogue_forbid(cat);
	tcp_poll_limit(cat, &filter, false);
	buffer_init(&l.out);
	if (!req->presets && !req->names)
		l.running = running = running_new();
	status = req->presets ? show_presets(cat, req, &l.out) : show_measurements(&l, cat);
	status = verb_put(&spec, &l.out, status);
	buffer_fini(&l.out);
	running_free(running);
	catalogue_close(cat);
	return status;
}

static int run_list(int argc, char **argv)
{
	struct options *opts = verb_options(&spec, argc, argv);
	struct request req = {0};
	int status;

	if (!opts)
		return STATUS_ERROR;
	status = parse(opts, &req);
	if (status < 0)
		status = show(&req);
	options_free(opts);
	return status;
}

const struct verb verb_list = {&spec, run_list};

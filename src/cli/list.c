// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"
#include "cli/list_presets.h"
#include "cli/verb.h"
#include "probe/catalogue.h"
#include "probe/permit.h"
#include "probe/tracepoints.h"

enum { OPT_NAMES = 256, OPT_PRESETS };

static const struct option_spec options[] = {
	{'v', "verbose", NULL, "each measurement's fields too: type, unit, scope, text", NULL},
	{'j', "json", NULL, "the same for programs: an array of objects", NULL},
	{OPT_NAMES, "names", NULL, "only names and groups, a line each", NULL},
	{OPT_PRESETS, "presets", NULL,
	 "the presets of 'sonde record -p' instead; with -v what is in them", NULL},
	{0},
};

static const struct verb_spec spec = {
	.name = "list",
	.synopsis = "[OPTIONS] [PATTERN...]",
	.summary = "Show what can be measured here, by which hook, or why not.",
	.notes =
		"A PATTERN is a glob over names ('tcp.*') or the name of a group ('tcp'). The kernel's\n"
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
	struct buffer out;
	char group[16]; /* of the item before */
	int count;
};

static bool matches(const struct measurement *m, const struct request *req)
{
	for (int i = 0; i < req->pattern_count; i++) {
		if (measurement_matches(m, req->patterns[i]))
			return true;
	}
	return !req->pattern_count && !measurement_internal(m);
}

/* "u32", "s64", "u64[6]", "u64[depth]", "text[16]", "string", "enum u32". */
static void format_type(const struct event_class *class, const struct field *field, char *to,
			size_t room)
{
	char base[24];

	if (field->kind == FIELD_STRING)
		snprintf(base, sizeof(base), "string");
	else if (field->kind == FIELD_TEXT)
		snprintf(base, sizeof(base), "text");
	else
		snprintf(base, sizeof(base), "%s%c%u", field->label_count ? "enum " : "",
			 field->is_signed ? 's' : 'u', field->bits);
	if (field->length)
		snprintf(to, room, "%s[%.24s]", base, class->fields[field->length - 1].name);
	else if (field->count > 1)
		snprintf(to, room, "%s[%u]", base, field->count);
	else
		snprintf(to, room, "%s", base);
}

static bool is_tracepoint(const struct measurement *m)
{
	return m->hook_count && m->hooks[0].tracepoint;
}

static const char *hook_text(const struct measurement *m)
{
	const struct hook *hook = m->hook_count ? measurement_hook(m, m->hooks[0].part) : NULL;

	return hook ? hook->section : "-";
}

static void text_fields(struct buffer *out, const struct measurement *m)
{
	if (is_tracepoint(m))
		buffer_string(out, "    number of its own in each trace");
	else
		buffer_format(out, "    location %u", m->class.id);
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		buffer_format(out, "%s%s%s%s", i ? ", " : "; hooks: ", hook->section,
			      hook->usable ? "" : ": ", hook->usable ? "" : hook->reason);
	}
	buffer_char(out, '\n');
	for (size_t i = 0; i < m->class.field_count; i++) {
		const struct field *field = &m->class.fields[i];
		char type[56];

		format_type(&m->class, field, type, sizeof(type));
		buffer_format(out, "    %-18s %-10s %-9s %-8s %s\n", field->name, type,
			      field->unit ? field->unit : "-", field_scope_name(field->scope),
			      field->text ? field->text : "");
	}
	buffer_char(out, '\n');
}

static const char *state_of(const struct measurement *m)
{
	if (measurement_usable(m))
		return "off";
	return measurement_forbidden(m) ? "forbidden" : "unavailable";
}

/* What it tells, or why it cannot. */
static const char *what_of(const struct measurement *m)
{
	return measurement_usable(m) || measurement_forbidden(m) ? m->text : measurement_reason(m);
}

/* A tracepoint's name is longer, and its hook says nothing more. */
static void text_head(struct listing *l, const struct measurement *m)
{
	if (is_tracepoint(m))
		buffer_format(&l->out, "%-46s %-11s %s\n", "NAME", "STATE", "FIELDS");
	else
		buffer_format(&l->out, "%-17s %-6s %-11s %-29s %7s  %s\n", "NAME", "GROUP", "STATE",
			      "HOOK", "COST", "WHAT");
}

static void text_tracepoint(struct buffer *out, const struct measurement *m)
{
	buffer_format(out, "%-46s %-11s %s\n", m->name, state_of(m), what_of(m));
}

static void text_measurement(struct buffer *out, const struct measurement *m)
{
	char cost[16] = "-";

	if (m->cost_ns)
		snprintf(cost, sizeof(cost), "%d ns", m->cost_ns);
	buffer_format(out, "%-17s %-6s %-11s %-29s %7s  %s\n", m->name, m->group, state_of(m),
		      hook_text(m), cost, what_of(m));
}

static void text_item(struct listing *l, const struct measurement *m)
{
	if (strcmp(l->group, m->group) && (!l->count || is_tracepoint(m)))
		text_head(l, m);
	if (is_tracepoint(m))
		text_tracepoint(&l->out, m);
	else
		text_measurement(&l->out, m);
	if (l->req->verbose)
		text_fields(&l->out, m);
}

static void json_text(struct buffer *out, const char *name, const char *text)
{
	buffer_format(out, "\"%s\":", name);
	if (!text) {
		buffer_string(out, "null");
		return;
	}
	buffer_char(out, '"');
	buffer_json_text(out, text, strlen(text));
	buffer_char(out, '"');
}

static void json_hooks(struct buffer *out, const struct measurement *m)
{
	buffer_string(out, ",\"hooks\":[");
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		buffer_string(out, i ? ",{" : "{");
		json_text(out, "hook", hook->section);
		buffer_format(out, ",\"part\":%d,\"usable\":%s,", hook->part,
			      hook->usable ? "true" : "false");
		json_text(out, "reason", hook->usable ? NULL : hook->reason);
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
}

static void json_fields(struct buffer *out, const struct measurement *m)
{
	buffer_string(out, ",\"fields\":[");
	for (size_t i = 0; i < m->class.field_count; i++) {
		const struct field *field = &m->class.fields[i];
		char type[56];

		format_type(&m->class, field, type, sizeof(type));
		buffer_string(out, i ? ",{" : "{");
		json_text(out, "name", field->name);
		buffer_char(out, ',');
		json_text(out, "type", type);
		buffer_char(out, ',');
		json_text(out, "unit", field->unit);
		buffer_char(out, ',');
		json_text(out, "scope", field_scope_name(field->scope));
		buffer_char(out, ',');
		json_text(out, "text", field->text);
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
}

static void json_item(struct buffer *out, const struct measurement *m, bool first)
{
	bool usable = measurement_usable(m);

	buffer_string(out, first ? "\n{" : ",\n{");
	json_text(out, "name", m->name);
	buffer_char(out, ',');
	json_text(out, "group", m->group);
	buffer_char(out, ',');
	json_text(out, "state", state_of(m));
	buffer_char(out, ',');
	json_text(out, "hook", usable ? hook_text(m) : NULL);
	buffer_char(out, ',');
	json_text(out, "reason", usable ? NULL : measurement_reason(m));
	buffer_string(out, ",\"location\":");
	if (is_tracepoint(m)) /* another one in each trace */
		buffer_string(out, "null");
	else
		buffer_uint(out, m->class.id);
	buffer_string(out, ",\"cost_ns\":");
	if (m->cost_ns)
		buffer_int(out, m->cost_ns);
	else
		buffer_string(out, "null");
	buffer_char(out, ',');
	json_text(out, "text", m->text);
	json_hooks(out, m);
	json_fields(out, m);
	buffer_char(out, '}');
}

/* A visitor: never ends the visit. */
static int put_item(void *ctx, const struct measurement *m)
{
	struct listing *l = ctx;

	if (l->req->json)
		json_item(&l->out, m, !l->count);
	else if (!l->req->names)
		text_item(l, m);
	else if (strcmp(l->group, m->group))
		buffer_format(&l->out, "%s\n%s\n", m->group, m->name);
	else
		buffer_format(&l->out, "%s\n", m->name);
	memcpy(l->group, m->group, sizeof(l->group));
	l->count++;
	return 0;
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
	int count = tracepoints_count(&diag);

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

	while ((err = options_next(opts, &id, &arg, &diag)) > 0) {
		req->verbose |= id == 'v';
		req->json |= id == 'j';
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
	struct listing l = {.req = req};
	struct catalogue *cat = NULL;
	struct diag diag = {0};
	int status = STATUS_COMPLETE;

	if (catalogue_open(&cat, &diag))
		return verb_fail(&spec, STATUS_ERROR, &diag);
	if (!req->names && permit_require(cat->kernel, &diag))
		catalogue_forbid(cat);
	buffer_init(&l.out);
	status = req->presets ? show_presets(cat, req, &l.out) : show_measurements(&l, cat);
	if (buffer_error(&l.out) || write_all(STDOUT_FILENO, l.out.data, l.out.len))
		status = STATUS_ERROR;
	buffer_fini(&l.out);
	catalogue_close(cat);
	return status;
}

static int run_list(int argc, char **argv)
{
	struct options *opts = options_new(&spec, argc, argv);
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

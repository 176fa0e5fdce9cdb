// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "cli/verb.h"
#include "probe/catalogue.h"
#include "probe/permit.h"
#include "record/tcp_poll.h"
#include "wire/filter.h"

static const struct option_spec options[] = {
	{VERB_OPTION_JSON, "json", NULL, "one object: checks, and the measurements that cannot run",
	 NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-j", "json"},
	{0},
};

static const struct verb_spec spec = {
	.old = old_options,
	.name = "doctor",
	.synopsis = "[OPTIONS]",
	.summary = "Tell what this machine permits, what it does not, and what would change that.",
	.notes = "Exit status: 0 everything can be recorded; 1 error; 2 usage; 5 nothing can, or "
		 "only tcp.poll; 6 some measurements cannot run here, or "
		 "only in part.",
	.examples = "sonde doctor",
	.options = options,
};

static const char *const state_names[] = {"ok", "limited", "missing"};

static void print_lesser(struct buffer *out, const struct measurement *m)
{
	const char *reason = "";
	const struct hook *hook = measurement_lesser(m, &reason);

	if (!hook)
		return;
	buffer_format(out, "%-9s%-16s%s misses %s\n", "limited", m->name, hook->section,
		      hook->misses);
	buffer_format(out, "%-25s-> %s\n", "", reason);
}

static void print_text(struct buffer *out, const struct permit *checks, size_t count,
		       const struct catalogue *cat)
{
	for (size_t i = 0; i < count; i++) {
		buffer_format(out, "%-9s%-16s%s\n", state_names[checks[i].state], checks[i].name,
			      checks[i].found);
		if (*checks[i].remedy)
			buffer_format(out, "%-25s-> %s\n", "", checks[i].remedy);
	}
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (!measurement_internal(m) && !measurement_usable(m))
			buffer_format(out, "%-9s%-16s%s\n", m->never ? "never" : "missing", m->name,
				      measurement_reason(m));
		else
			print_lesser(out, m);
	}
}

static void print_member(struct buffer *out, const char *name, const char *text, bool last)
{
	buffer_format(out, "\"%s\":\"", name);
	buffer_json_text(out, text, strlen(text));
	buffer_string(out, last ? "\"" : "\",");
}

/* An array of those that cannot run on this kernel, or on any. */
static void print_unusable(struct buffer *out, const struct catalogue *cat, const char *name,
			   bool never)
{
	bool first = true;

	buffer_format(out, "\"%s\":[", name);
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (measurement_internal(m) || measurement_usable(m) || m->never != never)
			continue;
		buffer_string(out, first ? "{" : ",{");
		print_member(out, "name", m->name, false);
		print_member(out, "reason", measurement_reason(m), true);
		buffer_char(out, '}');
		first = false;
	}
	buffer_string(out, "],");
}

static void print_json(struct buffer *out, const struct permit *checks, size_t count,
		       const struct catalogue *cat)
{
	bool first = true;

	buffer_string(out, "{\"checks\":[");
	for (size_t i = 0; i < count; i++) {
		buffer_string(out, i ? ",{" : "{");
		print_member(out, "name", checks[i].name, false);
		print_member(out, "state", state_names[checks[i].state], false);
		print_member(out, "found", checks[i].found, false);
		print_member(out, "remedy", checks[i].remedy, true);
		buffer_char(out, '}');
	}
	buffer_string(out, "],");
	print_unusable(out, cat, "unavailable", false);
	print_unusable(out, cat, "never", true);
	buffer_string(out, "\"limited\":[");
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		const char *reason = "";
		const struct hook *hook = measurement_usable(m) ? measurement_lesser(m, &reason) :
								  NULL;

		if (!hook)
			continue;
		buffer_string(out, first ? "{" : ",{");
		print_member(out, "name", m->name, false);
		print_member(out, "hook", hook->section, false);
		print_member(out, "misses", hook->misses, false);
		print_member(out, "reason", reason, true);
		buffer_char(out, '}');
		first = false;
	}
	buffer_string(out, "]}\n");
}

static int parse(int argc, char **argv, bool *json)
{
	struct options *opts = verb_options(&spec, argc, argv);
	struct diag diag = {0};
	const char *arg;
	int id, err, status = -1;

	if (!opts)
		return STATUS_ERROR;
	while ((err = verb_next(&spec, opts, &id, &arg, &diag)) > 0)
		*json = true;
	if (err < 0)
		status = verb_usage(&spec, err, &diag);
	options_free(opts);
	return status;
}

/* The exit status. What no kernel has is not missing on this one. */
static int judge(const struct permit *checks, size_t count, const struct catalogue *cat)
{
	int status = STATUS_COMPLETE;
	const char *reason;

	for (size_t i = 0; i < count; i++) {
		if (checks[i].state == PERMIT_MISSING)
			return STATUS_NOT_PERMITTED;
		if (checks[i].partial)
			status = STATUS_PARTIAL;
	}
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (!measurement_internal(m) && !m->never &&
		    (!measurement_usable(m) || measurement_lesser(m, &reason)))
			status = STATUS_PARTIAL;
	}
	return status;
}

static int run_doctor(int argc, char **argv)
{
	static const struct filter_config filter; /* none */
	struct permit checks[PERMIT_MAX];
	struct catalogue *cat = NULL;
	struct diag diag = {0};
	struct buffer out;
	bool json = false;
	int status = parse(argc, argv, &json);
	size_t count;

	if (status >= 0)
		return status;
	if (catalogue_open(&cat, &diag))
		return verb_fail(&spec, STATUS_ERROR, &diag);
	tcp_poll_limit(cat, &filter, false);
	count = permit_check(cat->kernel, checks);
	status = judge(checks, count, cat);
	buffer_init(&out);
	if (json)
		print_json(&out, checks, count, cat);
	else
		print_text(&out, checks, count, cat);
	status = verb_put(&spec, &out, status);
	buffer_fini(&out);
	catalogue_close(cat);
	return status;
}

const struct verb verb_doctor = {&spec, run_doctor};

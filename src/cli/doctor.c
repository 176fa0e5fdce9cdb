// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/json_writer.h"
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

/* An array of those that cannot run on this kernel, or on any. */
static void print_unusable(struct json_writer *json, const struct catalogue *cat, const char *name,
			   bool never)
{
	json_writer_array(json, name);
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (measurement_internal(m) || measurement_usable(m) || m->never != never)
			continue;
		json_writer_object(json, NULL);
		json_writer_string(json, "name", m->name);
		json_writer_string(json, "reason", measurement_reason(m));
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void print_limited(struct json_writer *json, const struct catalogue *cat)
{
	json_writer_array(json, "limited");
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		const char *reason = "";
		const struct hook *hook = measurement_usable(m) ? measurement_lesser(m, &reason) :
								  NULL;

		if (!hook)
			continue;
		json_writer_object(json, NULL);
		json_writer_string(json, "name", m->name);
		json_writer_string(json, "hook", hook->section);
		json_writer_string(json, "misses", hook->misses);
		json_writer_string(json, "reason", reason);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void print_json(struct buffer *out, const struct permit *checks, size_t count,
		       const struct catalogue *cat)
{
	struct json_writer writer, *json = &writer;

	json_writer_init(json, out);
	json_writer_object(json, NULL);
	json_writer_array(json, "checks");
	for (size_t i = 0; i < count; i++) {
		json_writer_object(json, NULL);
		json_writer_string(json, "name", checks[i].name);
		json_writer_string(json, "state", state_names[checks[i].state]);
		json_writer_string(json, "found", checks[i].found);
		json_writer_string(json, "remedy", checks[i].remedy);
		json_writer_end(json);
	}
	json_writer_end(json);
	print_unusable(json, cat, "unavailable", false);
	print_unusable(json, cat, "never", true);
	print_limited(json, cat);
	json_writer_finish(json);
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

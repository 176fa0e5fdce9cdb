// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_triggers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/record_options.h"
#include "probe/tracepoints.h"
#include "record/recording.h"

static const char *const option_names[] = {"--snapshot-on", "--stop-on"};

static int fail(const struct record_request *req, size_t which, int err, struct diag *diag)
{
	int status = err == -ENOENT ? STATUS_NO_MATCH : STATUS_USAGE;

	if (err == -ENOMEM)
		return verb_fail(&record_spec, STATUS_ERROR, diag);
	/* The prefix takes no offset along. */
	(void)diag_prefix(diag, err, "%s", option_names[req->triggers[which].action]);
	return verb_fail_in(&record_spec, status, diag, req->triggers[which].text);
}

static int parse(const struct record_request *req, struct triggers *triggers)
{
	struct diag diag = {0};

	for (size_t i = 0; i < req->trigger_count; i++) {
		int err = triggers_add(triggers, req->triggers[i].action, req->triggers[i].text,
				       &diag);

		if (err)
			return fail(req, i, err, &diag);
	}
	return -1;
}

/* Whoever waits for an event wants it recorded, and what its values follow from. */
static int choose(const struct record_request *req, struct triggers *triggers,
		  struct catalogue *cat, bool *wanted)
{
	bool *added = calloc(cat->room, sizeof(*added));
	const char *name;
	struct diag diag = {0};
	size_t which = 0;
	int err;

	if (!added)
		return STATUS_ERROR;
	/* A name that is not a tracepoint is reported as an unknown event below. */
	for (size_t n = 0; (name = triggers_name(triggers, n)); n++)
		(void)tracepoints_add(cat, name, NULL);
	triggers_choose(triggers, cat, wanted, added);
	for (size_t i = 0; i < cat->count; i++) {
		if (added[i] && !req->quiet && !req->dry_run)
			fprintf(stderr, "sonde record: %s is recorded too: a trigger asks for it\n",
				cat->items[i].name);
		wanted[i] |= added[i];
	}
	free(added);
	err = triggers_check(triggers, cat, wanted, &which, &diag);
	return err ? fail(req, which, err, &diag) : -1;
}

int record_triggers_open(const struct record_request *req, struct catalogue *cat, bool *wanted,
			 struct triggers **ret)
{
	struct triggers *triggers;
	int status;

	if (!req->trigger_count)
		return -1;
	triggers = triggers_new(req->gap_ns);
	if (!triggers)
		return STATUS_ERROR;
	status = parse(req, triggers);
	if (status < 0)
		status = choose(req, triggers, cat, wanted);
	if (status >= 0)
		triggers_free(triggers);
	else
		*ret = triggers;
	return status;
}

int record_triggers_usable(const struct triggers *triggers, const struct catalogue *cat,
			   const bool *wanted)
{
	bool *asked = calloc(cat->count, sizeof(*asked)), *none = calloc(cat->count, sizeof(*none));
	struct diag diag = {0};
	int status = -1;

	if (triggers && asked && none)
		triggers_choose(triggers, cat, none, asked);
	for (size_t i = 0; asked && i < cat->count && status < 0; i++) {
		const struct measurement *m = &cat->items[i];

		if (!asked[i] || !wanted[i] || measurement_usable(m))
			continue;
		(void)diag_set(&diag, 0, "a trigger needs %s, which is unavailable: %s", m->name,
			       measurement_reason(m));
		status = verb_fail(&record_spec, STATUS_NOT_PERMITTED, &diag);
	}
	free(asked);
	free(none);
	return status;
}

void record_triggers_summary(const struct triggers *triggers, const struct recording_totals *totals)
{
	struct trigger_state state;
	char count[32];

	for (size_t i = 0; triggers && triggers_get(triggers, i, &state); i++)
		fprintf(stderr, "%s %s: %s event%s, done %llu time%s\n", option_names[state.action],
			state.text, count_format(count, sizeof(count), state.matched),
			state.matched == 1 ? "" : "s", (unsigned long long)state.fired,
			state.fired == 1 ? "" : "s");
	if (totals->unseen)
		fprintf(stderr, "%s records passed the triggers unseen\n",
			count_format(count, sizeof(count), totals->unseen));
}

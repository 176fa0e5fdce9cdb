// SPDX-License-Identifier: BSD-2-Clause
#include "cli/msmod_switch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "cli/asking.h"
#include "record/control.h"
#include "record/control_dir.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_switch.h"

#define ISCAN_NAME "iscan"

/* "enable sched.switch sched.trap"; false where there is nothing to ask for. */
static bool format_request(const char *verb, const char *const *needs, size_t count,
			   char line[CONTROL_LINE_MAX])
{
	size_t len = (size_t)snprintf(line, CONTROL_LINE_MAX, "%s", verb);

	for (size_t i = 0; i < count && len < CONTROL_LINE_MAX; i++)
		len += (size_t)snprintf(line + len, CONTROL_LINE_MAX - len, " %s", needs[i]);
	return count && len < CONTROL_LINE_MAX;
}

static int ask(struct asking *ask, int i, const char *verb, const char *const *needs, size_t count)
{
	char line[CONTROL_LINE_MAX], text[400];
	struct diag diag = {0};
	int status;

	if (!format_request(verb, needs, count, line))
		return STATUS_COMPLETE;
	status = asking_ask(ask, i, line, ASKING_PATIENCE_MS);
	if (status >= 0)
		return status;
	for (size_t n = 0; asking_text(ask, "unavailable", n, text, sizeof(text)); n++) {
		(void)diag_set(&diag, 0, "unavailable: %s", text);
		(void)verb_fail(ask->spec, 0, &diag);
	}
	return STATUS_COMPLETE;
}

/* Of @all those that are not among @kept. */
static size_t without(const char **all, size_t count, const char *const *kept, size_t kept_count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_kept = false;

		for (size_t k = 0; k < kept_count; k++)
			is_kept |= !strcmp(all[i], kept[k]);
		if (!is_kept)
			all[left++] = all[i];
	}
	return left;
}

/* Each iscan that runs has on what is needed, and nothing else that msmod could have turned on. */
static int tell_scanners(const struct verb_spec *spec, int dir, const bool *on)
{
	const char *needs[MEAS_NEEDS_MAX], *others[MEAS_NEEDS_MAX];
	size_t count = meas_switch_needs(on, needs), other_count;
	bool all[MEAS_SWITCHES];
	struct asking *asking = calloc(1, sizeof(*asking));
	int status = STATUS_COMPLETE;

	if (!asking)
		return STATUS_ERROR;
	memset(all, true, sizeof(all));
	other_count = without(others, meas_switch_needs(all, others), needs, count);
	asking->spec = spec;
	asking->dir = dir;
	buffer_init(&asking->answer);
	asking->count = recorder_list(dir, RECORDER_LIST_RECORDERS, asking->list);
	for (int i = 0; i < asking->count && !status; i++) {
		if (strcmp(asking->list[i].name, ISCAN_NAME) != 0)
			continue;
		status = ask(asking, i, "enable", needs, count) ?:
				 ask(asking, i, "disable", others, other_count);
	}
	buffer_fini(&asking->answer);
	free(asking);
	return status;
}

static void say_changes(const bool *before, const bool *after, const bool *which)
{
	const struct meas_entry *entry;

	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		if (which[entry->id])
			printf("%-17s %s%s\n", entry->name, after[entry->id] ? "on" : "off",
			       before[entry->id] == after[entry->id] ? " already" : "");
	}
}

int msmod_switch(const struct verb_spec *spec, const bool *which, bool on)
{
	struct meas_change after = {0};
	bool before[MEAS_SWITCHES];
	struct diag diag = {0};
	int dir = -1, status;
	int err = control_dir_open(&dir, &diag);

	if (err)
		return verb_fail(
			spec, err == -EPERM || err == -EACCES ? STATUS_NOT_PERMITTED : STATUS_ERROR,
			&diag);
	err = meas_switch_load(dir, before);
	for (size_t i = 0; i < MEAS_SWITCHES; i++)
		after.on[i] = which[i] ? on : before[i];
	after.time_ns = (int64_t)clock_realtime_ns();
	err = err ?: meas_switch_store(dir, &after);
	if (err) {
		(void)diag_set(&diag, err, MEAS_SWITCH_FILE ": %s", strerror(-err));
		status = verb_fail(spec, STATUS_ERROR, &diag);
	} else {
		say_changes(before, after.on, which);
		status = tell_scanners(spec, dir, after.on);
	}
	fd_close(dir);
	return status;
}

int msmod_tell_recorder(const struct verb_spec *spec, const char *who, const bool *which, bool on)
{
	const char *needs[MEAS_NEEDS_MAX];
	size_t count = meas_switch_needs(which, needs);
	struct asking *asking = malloc(sizeof(*asking));
	char text[400];
	int status;

	if (!asking)
		return STATUS_ERROR;
	status = asking_open(asking, spec, RECORDER_LIST_RECORDERS, who);
	if (status < 0)
		status = asking_one(asking);
	if (status < 0)
		status = ask(asking, 0, on ? "enable" : "disable", needs, count);
	for (size_t i = 0; !status && asking_text(asking, "changed", i, text, sizeof(text)); i++)
		printf("%-17s %s\n", text, on ? "on" : "off");
	asking_close(asking);
	free(asking);
	return status;
}

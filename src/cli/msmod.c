// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/options.h"
#include "cli/asking.h"
#include "cli/verb.h"
#include "probe/catalogue.h"
#include "record/control.h"
#include "record/control_dir.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_switch.h"

/*
 * msmod: which measurements there are, and turning them on and off: HP-UX's msmod.
 */

/* Turns measurements of the measurement system on and off, and notifies the collecting iscan. */

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

/* Those of @which (meas_switch.h), for every iscan from now on. An enum exit_status; changes are
 * printed, and errors reported under the name of @spec. */
static int msmod_switch(const struct verb_spec *spec, const bool *which, bool on)
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

/* The same for the measurements that make up the chosen ones, in the recorder @who alone. */
static int msmod_tell_recorder(const struct verb_spec *spec, const char *who, const bool *which,
			       bool on)
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

enum msmod_option { MSMOD_LIST = 'l', MSMOD_OFF = 'd', MSMOD_RECORDER = 'r', MSMOD_RELEASE = 256 };

static const struct option_spec msmod_options[] = {
	{MSMOD_LIST, "list", NULL, "list the measurements, and which of them are on", NULL},
	{MSMOD_OFF, "disable", NULL, "turn the IDs off, not on", NULL},
	ASKING_RECORDER_OPTION,
	{MSMOD_RELEASE, "release", "RELEASE", "list those of 1.0, 1.1, 2.0 or 3.0 (the default)",
	 "1.0 1.1 2.0 3.0"},
	{0},
};

static const struct verb_spec msmod_spec = {
	.name = "msmod",
	.classic = true,
	.synopsis = "-l | [-d] [-r RECORDER] ID...",
	.summary = "List the measurements of HP-UX's measurement system; turn them on and off.",
	.notes =
		"An ID is a name, a number, or a pattern ('disc*'). It stays on until it is turned off, "
		"or the machine is booted again: an iscan that runs obeys at once, and the next one as "
		"well. With -r a recorder of 'sonde record' enables and disables the measurements that these "
		"are made of.\n\n"
		"Exit status: 0; 1 error; 2 usage; 4 no such measurement, or no recorder; 5 not "
		"permitted, or it cannot be measured here.",
	.examples =
		"msmod -l\nmsmod swtch setrq remrq sleep\nmsmod -d '*'\niscan -d 10s | translate",
	.options = msmod_options,
};

struct msmod {
	bool list;
	bool off;
	const char *recorder;
	uint16_t release;
	bool which[MEAS_SWITCHES];
};

/* Why @entry cannot be measured here; NULL: it can, or that is not known. */
static const char *reason_of(const struct catalogue *cat, const struct meas_entry *entry)
{
	if (entry->never)
		return entry->never;
	for (size_t n = 0; cat && entry->needs[n]; n++) {
		for (size_t i = 0; i < cat->count; i++) {
			if (!strcmp(cat->items[i].name, entry->needs[n]) &&
			    !measurement_usable(&cat->items[i]))
				return measurement_reason(&cat->items[i]);
		}
	}
	return NULL;
}

static void list_entry(const struct meas_entry *entry, bool on, const char *reason)
{
	printf("%-3s %3u  %s: %s",
	       reason ? "-" :
	       on     ? "on" :
			"off",
	       entry->id, entry->name, entry->holds);
	if (reason)
		printf(" (unavailable: %s)", reason);
	putchar('\n');
}

static int list(const struct msmod *msmod)
{
	bool on[MEAS_SWITCHES] = {false};
	const struct meas_entry *entry;
	struct catalogue *cat = NULL;
	struct diag diag = {0};
	int dir = -1, err = 0;

	if (!control_dir_find(&dir, &diag))
		err = meas_switch_load(dir, on);
	fd_close(dir);
	if (err) {
		(void)diag_set(&diag, err, "cannot read which measurements are on: %s",
			       strerror(-err));
		return verb_fail(&msmod_spec, STATUS_ERROR, &diag);
	}
	(void)catalogue_open(&cat, NULL);
	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		if (meas_entry_in(entry, msmod->release))
			list_entry(entry, on[entry->id], reason_of(cat, entry));
	}
	catalogue_close(cat);
	return STATUS_COMPLETE;
}

/* What Linux has none of is refused; a pattern may pass over it. */
static int drop_unavailable(struct msmod *msmod)
{
	const struct meas_entry *entry;
	struct diag diag = {0};
	bool any = false;

	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		if (!msmod->which[entry->id])
			continue;
		any |= !entry->never;
		if (!entry->never || msmod->off)
			continue;
		msmod->which[entry->id] = false;
		(void)diag_set(&diag, 0, "%s is unavailable: %s", entry->name, entry->never);
		(void)verb_fail(&msmod_spec, 0, &diag);
	}
	return any || msmod->off ? STATUS_COMPLETE : STATUS_NOT_PERMITTED;
}

static int act(struct msmod *msmod, char **ids)
{
	struct diag diag = {0};
	int status;

	for (; *ids; ids++) {
		if (!meas_switch_mark(*ids, msmod->which))
			continue;
		(void)diag_set(&diag, 0, "no measurement is called '%s': see msmod -l", *ids);
		return verb_fail(&msmod_spec, STATUS_NO_MATCH, &diag);
	}
	status = drop_unavailable(msmod);
	if (status)
		return status;
	if (msmod->recorder)
		return msmod_tell_recorder(&msmod_spec, msmod->recorder, msmod->which, !msmod->off);
	return msmod_switch(&msmod_spec, msmod->which, !msmod->off);
}

static int take_option(struct msmod *msmod, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case MSMOD_LIST:
		msmod->list = true;
		return 0;
	case MSMOD_OFF:
		msmod->off = true;
		return 0;
	case MSMOD_RECORDER:
		msmod->recorder = arg;
		return 0;
	default: /* MSMOD_RELEASE */
		msmod->release = meas_release_parse(arg);
		return msmod->release ?
			       0 :
			       diag_set(diag, -EINVAL,
					"--release: '%s' is not one of 1.0, 1.1, 2.0, 3.0", arg);
	}
}

static int parse(struct msmod *msmod, struct options *opts, char ***ids, struct diag *diag)
{
	const char *arg;
	int id, err, count;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if (take_option(msmod, id, arg, diag))
			return -EINVAL;
	}
	if (err)
		return err;
	*ids = options_rest(opts, &count);
	if (msmod->list && count)
		return diag_set(diag, -EINVAL, "unexpected operand '%s': -l lists them all",
				(*ids)[0]);
	if (!msmod->list && !count)
		return diag_set(diag, -EINVAL, "name measurements to turn on, or give -l");
	return 0;
}

static int run_msmod(int argc, char **argv)
{
	struct options *opts = options_new(&msmod_spec, argc, argv);
	struct msmod msmod = {.release = MEAS_RELEASE_3_0};
	struct diag diag = {0};
	char **ids = NULL;
	int err, status;

	err = opts ? parse(&msmod, opts, &ids, &diag) : diag_set(&diag, -EINVAL, "no memory");
	if (err)
		status = verb_usage(&msmod_spec, err, &diag);
	else
		status = msmod.list ? list(&msmod) : act(&msmod, ids);
	options_free(opts);
	return status;
}

const struct verb verb_msmod = {&msmod_spec, run_msmod};

// SPDX-License-Identifier: BSD-2-Clause
/*
 * msmod: which measurements there are, and turning them on and off: HP-UX's msmod.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/options.h"
#include "cli/asking.h"
#include "cli/msmod_switch.h"
#include "cli/verb.h"
#include "probe/catalogue.h"
#include "record/control_dir.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_switch.h"

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

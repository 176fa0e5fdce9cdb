// SPDX-License-Identifier: BSD-2-Clause
/*
 * translate: the records of a measurement-system file, as integers: HP-UX's translate.
 */
#include <stdio.h>

#include "base/diag.h"
#include "base/options.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "record_format/meas/meas_head.h"
#include "record_format/meas/meas_text.h"

enum translate_option { TRANSLATE_WIDE = 'w' };

static const struct option_spec translate_options[] = {
	{TRANSLATE_WIDE, "wide", NULL,
	 "values whole, however many bits they have: process and priority apart, addresses in full",
	 NULL},
	{0},
};

static const struct verb_spec translate_spec = {
	.name = "translate",
	.classic = true,
	.synopsis = "[--wide] [FILE]",
	.summary = "Print the records that iscan has collected, as integers.",
	.notes =
		"FILE is what iscan or 'sonde convert --to meas' has written; without one, or with -, "
		"it is standard input. A record is a line: the name of the measurement, then its "
		"words of 32 bits as 'msmod -l' describes them. A time is two: seconds since 1970, and "
		"microseconds. 'pid pri' is one: 16 bits, 8 bits, and 8 that mean nothing.\n\n"
		"Exit status: 0 all printed; 1 an error, or parts could not be read (what could be is "
		"printed); 2 usage; 3 all printed, but records were lost while they were collected.",
	.examples = "iscan -d 10s | translate\ntranslate --wide x.meas",
	.options = translate_options,
	.operand = "@file",
};

struct translate {
	bool wide;
	const char *name; /* of the SOURCE */
	struct event_sink *sink;
};

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	(void)reading;
	(void)id; /* there is but one */
	(void)arg;
	(void)diag;
	((struct translate *)ctx)->wide = true;
	return 0;
}

static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	(void)diag;
	((struct translate *)ctx)->name = reading->request.name;
	return 0;
}

static struct event_sink *make_sink(void *ctx, struct read_session *session, struct diag *diag)
{
	struct translate *translate = ctx;
	const struct view *view = read_session_view(session);
	const struct trace_info *info = view->analysis.info;
	const struct trace_env *version = trace_info_env(info, "meas_version");
	struct diag mismatch;

	if (!version || !version->text) {
		(void)diag_set(diag, 0,
			       "%s: no file of the measurement system: iscan makes them, and "
			       "'sonde convert %s -o x.meas'",
			       translate->name, translate->name);
		return NULL;
	}
	if (meas_head_fit(version->text, &mismatch) != MEAS_FIT_SAME)
		(void)verb_fail(&translate_spec, 0, &mismatch);
	view->out->eager |= !info->bytes; /* a pipe: its reader waits for each record */
	translate->sink = meas_text_new(&view->analysis, view->out, translate->wide);
	return translate->sink;
}

static int conclude(void *ctx, const struct reading *reading)
{
	const struct translate *translate = ctx;
	uint64_t cut = meas_text_cut(translate->sink);
	struct diag diag = {0};

	(void)reading;
	if (!cut)
		return STATUS_COMPLETE;
	(void)diag_set(
		&diag, 0,
		"%llu record%s of processes whose numbers have more than 16 bits: of these the "
		"lower 16 are printed; --wide prints them whole",
		(unsigned long long)cut, cut == 1 ? " is" : "s are");
	return verb_fail(&translate_spec, STATUS_COMPLETE, &diag);
}

static const struct reading_verb translate_verb = {
	.spec = &translate_spec,
	.reads_input = true,
	.take_option = take_option,
	.settle = settle,
	.make_sink = make_sink,
	.conclude = conclude,
};

static int run_translate(int argc, char **argv)
{
	struct translate translate = {0};

	return reading_main(&translate_verb, &translate, argc, argv);
}

const struct verb verb_translate = {&translate_spec, run_translate};

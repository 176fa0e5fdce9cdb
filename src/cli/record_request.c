// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_request.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "cli/record_options.h"
#include "live/push.h"
#include "probe/catalogue.h"
#include "probe/choice.h"
#include "probe/sampler.h"
#include "record/preset_files.h"
#include "record/recording.h"
#include "record/tcp_poll.h"

int record_request_add_pattern(struct record_request *req, struct record_pattern pattern,
			       struct diag *diag)
{
	if (req->pattern_count == RECORD_PATTERN_MAX)
		return diag_set(diag, -E2BIG, "at most %d patterns", RECORD_PATTERN_MAX);
	req->patterns[req->pattern_count++] = pattern;
	return 0;
}

/* What says where to record, or which preset, is not a preset's business. */
static bool is_setting(const struct option_spec *opt)
{
	static const char *const others[] = {"event", "preset",	  "output",
					     "name",  "duration", "push"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (!strcmp(opt->name, others[i]))
			return false;
	}
	return opt->arg && opt->arg[0] != '[';
}

void record_settings(const char *settings[RECORD_SETTING_MAX])
{
	size_t count = 0;

	for (const struct option_spec *opt = record_options; opt->name; opt++) {
		if (is_setting(opt) && count < RECORD_SETTING_MAX - 1)
			settings[count++] = opt->name;
	}
	settings[count] = NULL;
}

static int apply_setting(struct record_request *req, const struct preset_line *line,
			 struct diag *diag)
{
	const struct option_spec *opt = record_options;

	while (strcmp(opt->name, line->key)) /* the parser took it from this table */
		opt++;
	return record_option_take(req, opt->id, line->text, diag);
}

int record_request_add_preset(struct record_request *req, const struct preset *preset,
			      struct diag *diag)
{
	for (size_t i = 0; i < preset->line_count; i++) {
		const struct preset_line *line = &preset->lines[i];
		struct record_pattern pattern = {line->text, preset, line};
		int err = line->key ? apply_setting(req, line, diag) :
				      record_request_add_pattern(req, pattern, diag);

		if (err)
			return preset_blame(preset, line, err, diag);
	}
	return 0;
}

static int add_presets(struct record_request *req, char *list, struct diag *diag)
{
	const char *settings[RECORD_SETTING_MAX];
	char *save = NULL;

	record_settings(settings);
	for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		struct preset **preset = &req->presets[req->preset_count];
		int err;

		if (req->preset_count == RECORD_PRESET_MAX)
			return diag_set(diag, -E2BIG, "-p: at most %d presets", RECORD_PRESET_MAX);
		err = preset_open(name, settings, preset, diag);
		if (err)
			return err;
		req->preset_count++;
		err = record_request_add_preset(req, *preset, diag);
		if (err)
			return err;
	}
	return 0;
}

int record_request_choose(const struct record_request *req, struct catalogue *cat, bool *wanted,
			  struct diag *diag)
{
	for (int i = 0; i < req->pattern_count; i++) {
		const struct record_pattern *pattern = &req->patterns[i];
		int err = choice_mark(cat, pattern->text, wanted, diag);

		if (err == -ENOENT && pattern->preset)
			preset_blame(pattern->preset, pattern->line, err, diag);
		if (err)
			return err;
	}
	return 0;
}

static void default_path(char *path, size_t room)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(path, room, "sonde-%Y%m%d-%H%M%S", &tm);
}

static void fill_defaults(struct record_request *req)
{
	if (!req->period_ns)
		req->period_ns = TCP_POLL_PERIOD_NS;
	if (!req->flush_ns)
		req->flush_ns = RECORDING_FLUSH_NS;
	if (!req->pattern_count && req->rx.config.count) {
		req->patterns[req->pattern_count++].text = "rx";
	} else if (!req->pattern_count) {
		req->by_default = true;
		req->patterns[req->pattern_count++].text = "sched";
		req->patterns[req->pattern_count++].text = "tcp";
	}
	if (!req->sample_hz)
		req->sample_hz = sampler_hz_default();
	if (!*req->path && (!req->push || req->serve))
		default_path(req->path, sizeof(req->path));
	if (!*req->name)
		recorder_name_make(*req->path ? req->path : "sonde", req->name);
	if (!req->push_bytes)
		req->push_bytes = PUSH_BUFFER_BYTES;
	if (!req->push_patience_ns)
		req->push_patience_ns = PUSH_STALL_NS;
	if (req->command && !req->everybody) {
		req->filter.config.tasks = 1;
		req->filter.config.by_pid = 1;
		req->filter.config.follow = 1;
	}
}

/* One pass over the options: the presets, or everything else. What the command line says itself
 * counts more than a preset, wherever it stands. */
static int apply_all(struct options *opts, struct record_request *req, bool presets,
		     struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if ((id == 'p') != presets)
			continue;
		err = presets ? add_presets(req, (char *)arg, diag) :
				record_option_take(req, id, arg, diag);
		if (err)
			return err;
	}
	return err;
}

/* Elsewhere there is nothing left to write when the event comes. */
static int check_triggers(const struct record_request *req, struct diag *diag)
{
	for (size_t i = 0; i < req->trigger_count; i++) {
		if (req->triggers[i].action == TRIGGER_SNAPSHOT && !req->overwrite)
			return diag_set(
				diag, -EINVAL,
				"--snapshot-on needs --mode overwrite: without it everything "
				"is written as it comes, what leads to the event too");
	}
	return 0;
}

static int check_rights(const struct record_request *req, struct diag *diag)
{
	if (credential_files_any(&req->rights.files) && !req->serve && !req->push)
		return diag_set(
			diag, -EINVAL,
			"certificates and tokens are for --serve and --push: nobody connects");
	return rights_settle(&req->rights, diag);
}

/* Whoever names measurements of servers has servers in mind. */
static int check_servers(const struct record_request *req, struct diag *diag)
{
	for (int i = 0; i < req->pattern_count && !req->rx.config.count; i++) {
		if (record_rx_is_named(req->patterns[i].text))
			return diag_set(diag, -EINVAL,
					"%s: no server is named that could be asked: --rx "
					"HOST[:PORT]",
					req->patterns[i].text);
	}
	return 0;
}

int record_request_parse(struct options *opts, struct record_request *req)
{
	struct diag diag = {0};
	int count, err;
	char **rest;

	memset(req, 0, sizeof(*req));
	filter_init(&req->filter);
	record_rx_init(&req->rx);
	req->gap_ns = TRIGGER_GAP_NS;
	err = apply_all(opts, req, true, &diag);
	if (!err) {
		options_rewind(opts);
		err = apply_all(opts, req, false, &diag);
	}
	err = err ?: check_triggers(req, &diag) ?: check_servers(req, &diag);
	err = err ?: check_rights(req, &diag);
	if (err)
		return verb_usage(&record_spec, err, &diag);
	rest = options_rest(opts, &count);
	req->command = count ? rest : NULL;
	fill_defaults(req);
	return -1;
}

void record_request_fini(struct record_request *req)
{
	for (int i = 0; i < req->preset_count; i++)
		preset_free(req->presets[i]);
	rights_request_fini(&req->rights);
	record_rx_fini(&req->rx);
}

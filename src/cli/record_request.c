// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_request.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "live/push/push.h"
#include "probe/catalogue.h"
#include "probe/choice.h"
#include "probe/sampler.h"
#include "record/preset.h"
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

/* What was not asked for. */
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
			"certificates and tokens need --serve or --push: without these no client connects");
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

void record_request_init(struct record_request *req)
{
	memset(req, 0, sizeof(*req));
	filter_init(&req->filter);
	record_rx_init(&req->rx);
	req->gap_ns = TRIGGER_GAP_NS;
}

int record_request_settle(struct record_request *req, struct diag *diag)
{
	int err = check_triggers(req, diag) ?: check_servers(req, diag);

	err = err ?: check_rights(req, diag);
	if (!err)
		fill_defaults(req);
	return err;
}

void record_request_fini(struct record_request *req)
{
	for (int i = 0; i < req->preset_count; i++)
		preset_free(req->presets[i]);
	rights_request_fini(&req->rights);
	record_rx_fini(&req->rx);
}

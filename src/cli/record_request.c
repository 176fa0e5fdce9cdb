// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/map.h"
#include "live/push/push.h"
#include "probe/catalogue.h"
#include "probe/choice.h"
#include "probe/sampler.h"
#include "probe/stacks.h"
#include "record/preset.h"
#include "record/recording.h"
#include "record/tcp_poll.h"
#include "wire/rx_event.h"
#include "wire/stack.h"

#define GROUP "rx"

void record_rx_init(struct record_rx *rx)
{
	*rx = (struct record_rx){
		.config = {.period_ns = RX_POLL_PERIOD_NS,
			   .rate = RX_POLL_RATE,
			   .tid = (uint32_t)getpid()},
	};
}

void record_rx_fini(struct record_rx *rx)
{
	rx_targets_fini(&rx->targets);
	free(rx->servers);
}

/* Most addresses of a network have no server, and an absent server has no history. */
static int check_target(const struct rx_target *target, const char *arg, struct diag *diag)
{
	if (target->sought)
		return diag_set(diag, -EINVAL,
				"--rx: '%s' is a network: name its servers ('sonde rxdebug %s' "
				"lists them)",
				arg, arg);
	if (strlen(target->name) >= RX_SERVER_BYTES)
		return diag_set(diag, -EINVAL, "--rx: '%s' has more than %u bytes", target->name,
				RX_SERVER_BYTES - 1);
	return 0;
}

/* Each server once, however often it is named: one that is asked twice a round has no time for both. */
static int fill_servers(struct record_rx *rx, struct diag *diag)
{
	struct rx_poll_server *servers = calloc(rx->targets.count ?: 1, sizeof(*servers));
	struct map seen;
	int err = 0;

	free(rx->servers);
	rx->servers = servers;
	rx->config.servers = servers;
	rx->config.count = 0;
	map_init(&seen, sizeof(rx->targets.list->address.in), sizeof(bool), 0);
	for (size_t i = 0; servers && !err && i < rx->targets.count; i++) {
		const struct rx_target *target = &rx->targets.list[i];
		bool *known = map_at(&seen, &target->address.in);

		if (!known)
			err = -ENOMEM;
		else if (!*known)
			servers[rx->config.count++] =
				(struct rx_poll_server){target->name, target->address};
		if (known)
			*known = true;
	}
	map_fini(&seen);
	return servers && !err ? 0 : diag_set(diag, -ENOMEM, "no memory");
}

int record_rx_add(struct record_rx *rx, const char *arg, struct diag *diag)
{
	size_t before = rx->targets.count;
	int err = rx_targets_add(&rx->targets, arg, diag);

	if (err) {
		(void)diag_prefix(diag, err, "--rx");
		return -EINVAL;
	}
	for (size_t i = before; !err && i < rx->targets.count; i++)
		err = check_target(&rx->targets.list[i], arg, diag);
	return err ?: fill_servers(rx, diag);
}

int record_rx_parse_period(struct record_rx *rx, const char *arg, struct diag *diag)
{
	uint64_t period_ns;

	if (duration_parse(arg, &period_ns) || period_ns < RX_POLL_PERIOD_MIN ||
	    period_ns > RX_POLL_PERIOD_MAX)
		return diag_set(diag, -EINVAL, "--rx-period: '%s' is not a time from 100ms to 24h",
				arg);
	rx->config.period_ns = period_ns;
	return 0;
}

int record_rx_parse_rate(struct record_rx *rx, const char *arg, struct diag *diag)
{
	char *end;
	double rate = strtod(arg, &end);

	if (end == arg || *end || !(rate >= RX_POLL_RATE_MIN && rate <= RX_POLL_RATE_MAX))
		return diag_set(
			diag, -EINVAL,
			"--rx-rate: '%s' is not a number of questions a second from %g to %g", arg,
			RX_POLL_RATE_MIN, RX_POLL_RATE_MAX);
	rx->config.rate = rate;
	return 0;
}

bool record_rx_is_named(const char *pattern)
{
	size_t len = strlen(GROUP);

	return !strncmp(pattern, GROUP, len) && strchr(".*", pattern[len]);
}

int record_rx_check(const struct record_rx *rx, const struct catalogue *cat, const bool *wanted,
		    struct diag *diag)
{
	for (size_t i = 0; i < cat->count; i++) {
		if (wanted[i] && !strcmp(cat->items[i].group, GROUP))
			return 0;
	}
	if (!rx->config.count)
		return 0;
	return diag_set(diag, -EINVAL,
			"--rx names servers, and nothing is recorded of them: -e rx, or some of "
			"'sonde list rx'");
}

const struct rx_poll_config *record_rx_config(const struct record_rx *rx)
{
	return rx->config.count ? &rx->config : NULL;
}

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

int record_request_choose_stacks(const struct record_request *req, struct catalogue *cat,
				 const bool *wanted, struct diag *diag)
{
	int err = 0;

	for (int i = 0; !err && i < req->stack_count; i++) {
		const struct record_stack *stack = &req->stacks[i];

		err = stacks_choose(cat, wanted, stack->pattern, stack->sides, diag);
		if (err)
			(void)diag_prefix(diag, err, "--stack %s", stack->pattern);
	}
	return err;
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
	if (!req->stack_frames)
		req->stack_frames = STACK_FRAMES_DEFAULT;
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

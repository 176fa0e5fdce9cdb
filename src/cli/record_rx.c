// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_rx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/map.h"
#include "probe/catalogue.h"
#include "wire/rx_event.h"

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

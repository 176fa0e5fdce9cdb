// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_watch.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cli/rx_target.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"

enum rate {
	RATE_CALLS,
	RATE_WAITED,
	RATE_IN,
	RATE_OUT,
	RATE_AGAIN,
	RATE_BUSY,
	RATE_COUNT,
};

static const char *const rate_names[RATE_COUNT] = {
	"calls", "waited", "data_packets_in", "data_packets_out", "data_packets_resent", "busies",
};

/* Counters wrap at 32 bits, and start again when the server does, which looks like a jump by
 * nearly all of them. */
static bool grew(uint32_t before, uint32_t now, uint64_t ns, double *ret)
{
	uint32_t more = now - before;

	*ret = (double)more * 1e9 / (double)ns;
	return more <= INT32_MAX;
}

static bool rate_of(enum rate which, const struct rx_report *before, const struct rx_report *now,
		    uint64_t ns, double *ret)
{
	static const enum sonde_rx_stat words[RATE_COUNT] = {
		[RATE_IN] = SONDE_RX_STAT_DATA_READ,
		[RATE_OUT] = SONDE_RX_STAT_DATA_SENT,
		[RATE_AGAIN] = SONDE_RX_STAT_DATA_RESENT,
		[RATE_BUSY] = SONDE_RX_STAT_BUSIES,
	};

	if (!ns || !before->has_basic || !now->has_basic)
		return false;
	if (which == RATE_CALLS)
		return grew((uint32_t)before->basic.calls_executed,
			    (uint32_t)now->basic.calls_executed, ns, ret);
	if (which == RATE_WAITED)
		return rx_basic_has(&now->basic, RX_VERSION_WAITED) &&
		       grew((uint32_t)before->basic.waited, (uint32_t)now->basic.waited, ns, ret);
	if (which == RATE_BUSY && !rx_basic_has(&now->basic, RX_VERSION_WAITED))
		return false;
	return before->has_stats && now->has_stats &&
	       grew(before->stats.words[words[which]], now->stats.words[words[which]], ns, ret);
}

void rxdebug_watch_head(struct buffer *out)
{
	buffer_string(out,
		      "TIME      SERVER                          WAIT   IDLE   CALLS/s  WAITED/s  "
		      "DATA IN/s  DATA OUT/s  AGAIN/s  BUSY/s\n");
}

static void put_now(bool known, int32_t value, struct buffer *out)
{
	if (known)
		buffer_format(out, "%5d  ", value);
	else
		buffer_format(out, "%5s  ", "-");
}

void rxdebug_watch_line(const struct rx_target *target, const struct rx_report *before,
			const struct rx_report *now, uint64_t ns, uint64_t wall_ns,
			struct buffer *out)
{
	static const int widths[RATE_COUNT] = {8, 8, 9, 10, 7, 6};
	time_t seconds = (time_t)(wall_ns / NS_PER_SEC);
	struct tm tm;
	double rate;

	(void)localtime_r(&seconds, &tm);
	buffer_format(out, "%02d:%02d:%02d  %-29s  ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		      target->name);
	if (!now->has_basic) {
		buffer_string(out, "no answer\n");
		return;
	}
	put_now(rx_basic_has(&now->basic, RX_VERSION_WAITING), now->basic.waiting, out);
	put_now(rx_basic_has(&now->basic, RX_VERSION_IDLE), now->basic.idle_threads, out);
	for (enum rate i = 0; i < RATE_COUNT; i++) {
		const char *behind = i + 1 < RATE_COUNT ? "  " : "\n";

		if (rate_of(i, before, now, ns, &rate))
			buffer_format(out, "%*.1f%s", widths[i], rate, behind);
		else
			buffer_format(out, "%*s%s", widths[i], "-", behind);
	}
}

void rxdebug_watch_json(const struct rx_report *before, const struct rx_report *now, uint64_t ns,
			struct buffer *out)
{
	double rate;

	buffer_format(out, "{\"seconds\":%.3f", (double)ns / 1e9);
	for (enum rate i = 0; i < RATE_COUNT; i++) {
		buffer_format(out, ",\"%s_per_s\":", rate_names[i]);
		if (rate_of(i, before, now, ns, &rate))
			buffer_format(out, "%.3f", rate);
		else
			buffer_string(out, "null");
	}
	buffer_char(out, '}');
}

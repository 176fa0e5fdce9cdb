// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_push.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/record_request.h"
#include "live/push.h"

static void say(void *ctx, const char *text)
{
	const struct record_request *req = ctx;

	fprintf(stderr, "sonde record: --push %s: %s\n", req->push, text);
}

int record_push_open(const struct record_request *req, struct push **ret, struct diag *diag)
{
	static char host[65];
	struct push_config config = {
		.url = req->push_url,
		.host = host,
		.name = req->name,
		.period_ns = req->flush_ns / 2,
		.buffer_bytes = req->push_bytes,
		.stall_ns = req->push_patience_ns,
		.say = say,
		.ctx = (void *)(uintptr_t)req,
	};

	if (!req->push)
		return 0;
	if (gethostname(host, sizeof(host) - 1) || !*host)
		strcpy(host, "localhost");
	return push_open(&config, ret, diag);
}

bool record_push_finish(const struct record_request *req, struct push *push)
{
	struct push_totals totals;
	char size[32], count[32];

	if (!push)
		return false;
	push_finish(push);
	push_totals(push, &totals);
	if (!req->quiet)
		fprintf(stderr, "%s packets, %s pushed to %s\n",
			count_format(count, sizeof(count), totals.packets),
			size_format(size, sizeof(size), totals.bytes), req->push);
	if (totals.lost_packets)
		fprintf(stderr,
			"sonde record: %s packets, %s LOST on the way to %s: the relay was not "
			"there, or too slow: more --push-buffer\n",
			count_format(count, sizeof(count), totals.lost_packets),
			size_format(size, sizeof(size), totals.lost_bytes), req->push);
	return totals.lost_packets;
}

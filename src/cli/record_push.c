// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_push.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/record_request.h"
#include "cli/verb.h"
#include "live/access/credentials.h"
#include "live/push/push.h"

struct record_push {
	const struct record_request *req;
	struct credentials credentials;
	struct push *push;
	char host[65]; /* this one's name */
};

static void say(void *ctx, const char *text)
{
	const struct record_request *req = ctx;

	verb_note("sonde record: --push %s: %s", req->push, text);
}

static int open_push(struct record_push *rp, struct diag *diag)
{
	const struct record_request *req = rp->req;
	struct push_config config = {
		.url = req->push_url,
		.credentials = &rp->credentials,
		.host = rp->host,
		.name = req->name,
		.period_ns = req->flush_ns / 2,
		.buffer_bytes = req->push_bytes,
		.stall_ns = req->push_patience_ns,
		.say = say,
		.ctx = (void *)(uintptr_t)req,
	};

	return credentials_load(TLS_CLIENT, &req->rights.files, &rp->credentials, diag) ?:
		       push_open(&config, &rp->push, diag);
}

int record_push_open(const struct record_request *req, struct record_push **ret, struct diag *diag)
{
	struct record_push *rp;
	int err;

	if (!req->push)
		return 0;
	rp = calloc(1, sizeof(*rp));
	if (!rp)
		return diag_set(diag, -ENOMEM, "no memory");
	rp->req = req;
	if (gethostname(rp->host, sizeof(rp->host) - 1) || !*rp->host)
		strcpy(rp->host, "localhost");
	err = open_push(rp, diag);
	if (err) {
		record_push_close(rp);
		return err;
	}
	*ret = rp;
	return 0;
}

struct packet_sink *record_push_sink(struct record_push *rp)
{
	return push_sink(rp->push);
}

bool record_push_finish(struct record_push *rp)
{
	const struct record_request *req;
	struct push_totals totals;
	char size[32], count[32];

	if (!rp)
		return false;
	req = rp->req;
	push_finish(rp->push);
	push_totals(rp->push, &totals);
	if (!req->quiet)
		verb_note("%s packets, %s pushed to %s",
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

void record_push_close(struct record_push *rp)
{
	if (!rp)
		return;
	push_close(rp->push);
	credentials_fini(&rp->credentials);
	free(rp);
}

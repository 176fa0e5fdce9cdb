// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_warden: any bytes as a request to the recorder's privileged process. The first byte is the number of
 * file descriptors that come with it.
 */
#include <linux/netfilter.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/warden_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int holds)
{
	if (!holds)
		abort();
}

/* Written from wire/warden.h, not from the parser: what each kind may hold. */
static void check(const struct warden_request *req, size_t fds)
{
	int is_process = req->kind == WARDEN_MAPS || req->kind == WARDEN_MAPPED_FILE ||
			 req->kind == WARDEN_SOCKETS;
	int is_there = req->kind == WARDEN_NETNS_DIAG || req->kind == WARDEN_NETNS_ITER ||
		       req->kind == WARDEN_NETNS_HOOK;

	expect(req->kind >= WARDEN_RUN_STATS && req->kind < WARDEN_KIND_END && !req->reserved);
	expect(is_process == (req->pid != 0) && req->pid < WARDEN_PID_END);
	expect(is_there == (req->netns != 0));
	expect(fds == (req->kind == WARDEN_NETNS_ITER || req->kind == WARDEN_NETNS_HOOK));
	if (req->kind == WARDEN_NETNS_HOOK)
		expect((req->family == NFPROTO_IPV4 || req->family == NFPROTO_IPV6) &&
		       req->hook < NF_INET_NUMHOOKS && req->last <= 1);
	else
		expect(!req->family && !req->hook && !req->last);
	if (req->kind == WARDEN_END_COMMAND)
		expect(req->signal == SIGTERM || req->signal == SIGKILL);
	else
		expect(!req->signal);
	if (req->kind == WARDEN_MAPPED_FILE)
		expect(req->end > req->start && !((req->start | req->end) % WARDEN_PAGE));
	else
		expect(!req->start && !req->end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct warden_request req;

	if (!size)
		return 0;
	if (!warden_request_parse(data + 1, size - 1, data[0], &req)) {
		expect(size - 1 == sizeof(req) && !memcmp(&req, data + 1, sizeof(req)));
		check(&req, data[0]);
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record/tcp_poll.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/map.h"
#include "probe/catalogue.h"
#include "probe/inet_diag.h"
#include "probe/loader.h"
#include "probe/netns.h"
#include "probe/permit.h"
#include "probe/sockstat.h"
#include "probe/warden.h"
#include "record/notes.h"
#include "record/poll_record.h"
#include "record/socket_filter.h"
#include "record/socket_owners.h"
#include "wire/measure.h"

#define FLUSH_BYTES (256u << 10)
#define OWNED_MAX (1u << 20) /* sockets of wanted processes */

static bool other_netns(const struct filter_config *filter)
{
	uint32_t own = netns_current();

	for (int i = 0; i < filter->netns_count; i++) {
		if (filter->netns[i] != own)
			return true;
	}
	return false;
}

static void limit_hook(struct hook *hook, const struct filter_config *filter, bool overwrite)
{
	const char *why = NULL;

	if (other_netns(filter) && !permit_to_enter())
		why = "to enter the network namespace of --netns takes CAP_SYS_ADMIN";
	else if (!hook_is_program(hook) && overwrite)
		why = "what the kernel answers is not kept in memory, as --mode overwrite would have it";
	else if (!hook_is_program(hook) && filter->cgroup_count)
		why = "the kernel does not answer whose cgroup it is, as --cgroup would have it";
	if (!filter->netns_count && !permit_to_enter()) {
		hook->misses = "connections in other network namespaces";
		hook->because =
			"to enter them takes CAP_SYS_ADMIN; --netns self asks for this one only";
	}
	if (!why || !hook->usable)
		return;
	hook->usable = false;
	snprintf(hook->reason, sizeof(hook->reason), "%s", why);
}

void tcp_poll_limit(struct catalogue *cat, const struct filter_config *filter, bool overwrite)
{
	struct measurement *poll = catalogue_get(cat, TCP_POLL);

	for (size_t i = 0; i < poll->hook_count; i++)
		limit_hook(&poll->hooks[i], filter, overwrite);
}

/* Takes the result of a visit of a namespace. One that has gone by now has no connections. */
static void take_result(struct tcp_poll_result *result, int err)
{
	if (!err) {
		result->namespaces++;
	} else if (err == -EPERM || err == -EACCES) {
		result->forbidden++;
	} else if (err != -ENOENT) {
		result->failed++;
		result->err = result->err ?: err;
	}
}

struct run {
	const struct loader *loader;
	struct tcp_poll_result *result;
};

/* All namespaces share one table, which is walked for each, empty or not: half a millisecond. */
static int run_in(void *ctx, uint32_t netns, int err)
{
	struct run *run = ctx;
	bool here = netns == netns_current();

	if (!err && (!here || sockstat_has_tcp()))
		err = loader_run(run->loader, here ? 0 : netns);
	take_result(run->result, err);
	return 0;
}

/* Without a warden only the own namespace was looked at: how many others there are is not known. */
static int take_walk(struct tcp_poll_result *result, int err)
{
	if (err != -EPIPE)
		return err;
	result->forbidden++;
	return 0;
}

int tcp_poll_run(const struct loader *loader, struct warden *warden,
		 const struct filter_config *filter, struct tcp_poll_result *ret)
{
	struct run run = {.loader = loader, .result = ret};

	return take_walk(ret, warden_netns_walk(warden, filter->netns, filter->netns_count, run_in,
						&run));
}

struct asking {
	const struct tcp_poll_question *question;
	struct tcp_poll_result *result;
	struct poll_seen seen;
	struct map owned; /* inodes of sockets */
	bool by_owner;
};

static int record_socket(void *ctx, const struct inet_socket *socket)
{
	struct asking *asking = ctx;
	const struct tcp_poll_question *q = asking->question;
	uint8_t payload[POLL_PAYLOAD_MAX];
	int err;

	if (!socket_filter_wants(q->filter, asking->by_owner ? &asking->owned : NULL, socket))
		return 0;
	asking->seen.socket = *socket;
	poll_record_pack(q->record, &asking->seen, payload);
	err = notes_add_record(q->notes, clock_monotonic_ns(), TCP_POLL, q->filter->self, payload,
			       q->record->class.payload_bytes);
	if (!err && notes_bytes(q->notes) >= FLUSH_BYTES)
		q->flush(q->ctx);
	return err;
}

/* A socket for the questions; -1 = there is nothing to ask for. */
static int open_diag(struct warden *warden, uint32_t netns, int *fd)
{
	if (netns != netns_current())
		return warden_netns_diag(warden, netns, fd);
	return sockstat_has_tcp() ? inet_diag_open(fd) : 0;
}

static int ask_in(void *ctx, uint32_t netns, int err)
{
	struct asking *asking = ctx;
	bool interrupted = false;
	int fd = -1;

	asking->seen.netns = netns;
	err = err ?: open_diag(asking->question->warden, netns, &fd);
	if (!err && fd >= 0)
		err = inet_diag_dump(fd, record_socket, asking, &interrupted);
	fd_close(fd);
	take_result(asking->result, err ?: interrupted ? -EAGAIN : 0);
	return err == -ENOMEM ? err : 0;
}

static int find_owned(struct asking *asking)
{
	const struct tcp_poll_question *q = asking->question;
	int err = 0;

	asking->by_owner = q->filter->by_pid || q->filter->comm_count;
	if (asking->by_owner && q->find_children && q->pids)
		err = socket_owners_follow(q->pids);
	if (!err && asking->by_owner)
		err = socket_owners_find(q->warden, q->filter, q->pids, &asking->owned);
	return err;
}

int tcp_poll_ask(const struct tcp_poll_question *question, uint64_t round,
		 struct tcp_poll_result *ret)
{
	struct asking asking = {
		.question = question,
		.result = ret,
		.seen = {.callvalue = round, .location = TCP_POLL},
	};
	int err;

	map_init(&asking.owned, sizeof(uint32_t), sizeof(uint8_t), OWNED_MAX);
	err = sockstat_get("TCP", "mem", &asking.seen.tcp_mem_pages); /* of all namespaces */
	err = err ?: find_owned(&asking);
	if (!err)
		err = take_walk(ret,
				warden_netns_walk(question->warden, question->filter->netns,
						  question->filter->netns_count, ask_in, &asking));
	map_fini(&asking.owned);
	return err;
}

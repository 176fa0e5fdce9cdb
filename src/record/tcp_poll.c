// SPDX-License-Identifier: BSD-2-Clause
#include "record/tcp_poll.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
#include "wire/filter.h"
#include "wire/measure.h"

/* The next process of @proc, or 0 at the end. */
static uint32_t next_process(DIR *proc)
{
	struct dirent *entry;

	while ((entry = readdir(proc))) {
		unsigned long pid = strtoul(entry->d_name, NULL, 10);

		if (pid && pid / 64 < FILTER_PID_WORDS)
			return (uint32_t)pid;
	}
	return 0;
}

static bool has_bit(const uint64_t *pids, uint32_t pid)
{
	return pids[pid / 64] >> pid % 64 & 1;
}

/* A file of a process, NUL behind it; false where it is gone. */
static bool read_file(int proc, uint32_t pid, const char *name, char *text, size_t room)
{
	char path[32];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%u/%s", pid, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read_at(fd, text, room - 1, 0);
	fd_close(fd);
	text[len > 0 ? len : 0] = 0;
	return len > 0;
}

static bool comm_wanted(const struct filter_config *filter, int proc, uint32_t pid)
{
	uint64_t comm[2] = {0};
	char text[32];

	if (!read_file(proc, pid, "comm", text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = 0;
	memcpy(comm, text, strnlen(text, sizeof(comm) - 1));
	for (int i = 0; i < filter->comm_count; i++) {
		if ((comm[0] & filter->comm_mask[i][0]) == filter->comm[i][0] &&
		    (comm[1] & filter->comm_mask[i][1]) == filter->comm[i][1])
			return true;
	}
	return false;
}

static int add_socket(void *ctx, uint32_t inode)
{
	return map_at(ctx, &inode) ? 0 : -ENOMEM;
}

int socket_owners_find(struct warden *warden, const struct filter_config *filter,
		       const uint64_t *pids, struct map *inodes)
{
	DIR *proc = opendir("/proc");
	uint32_t pid;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (pid = next_process(proc))) {
		if (filter->by_pid && (!pids || !has_bit(pids, pid)))
			continue;
		if (filter->comm_count && !comm_wanted(filter, dirfd(proc), pid))
			continue;
		err = warden_sockets(warden, pid, add_socket, inodes);
		if (err != -ENOMEM) /* a process that has gone has no sockets */
			err = 0;
	}
	closedir(proc);
	return err;
}

/* proc_pid_stat(5): "PID (NAME) STATE PPID ...", and the name may have anything in it. */
static uint32_t parent_of(int proc, uint32_t pid)
{
	char text[512];
	const char *end;
	uint32_t parent = 0;

	if (!read_file(proc, pid, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

struct family {
	uint32_t (*pairs)[2]; /* process, parent */
	size_t count;
	size_t room;
};

static int family_add(struct family *family, uint32_t pid, uint32_t parent)
{
	if (family->count == family->room) {
		size_t room = family->room ? 2 * family->room : 256;
		void *pairs = realloc(family->pairs, room * sizeof(*family->pairs));

		if (!pairs)
			return -ENOMEM;
		family->pairs = pairs;
		family->room = room;
	}
	family->pairs[family->count][0] = pid;
	family->pairs[family->count][1] = parent;
	family->count++;
	return 0;
}

static int family_find(struct family *family)
{
	DIR *proc = opendir("/proc");
	uint32_t pid;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (pid = next_process(proc)))
		err = family_add(family, pid, parent_of(dirfd(proc), pid));
	closedir(proc);
	return err;
}

/* Those of @pids that are in the family, and their descendants. */
static void family_mark(const struct family *family, const uint64_t *pids, uint64_t *marked)
{
	bool more = true;

	for (size_t i = 0; i < family->count; i++) {
		uint32_t pid = family->pairs[i][0];

		if (has_bit(pids, pid))
			marked[pid / 64] |= 1ull << pid % 64;
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < family->count; i++) {
			uint32_t pid = family->pairs[i][0], parent = family->pairs[i][1];

			if (parent / 64 >= FILTER_PID_WORDS || !has_bit(marked, parent) ||
			    has_bit(marked, pid))
				continue;
			marked[pid / 64] |= 1ull << pid % 64;
			more = true;
		}
	}
}

int socket_owners_follow(uint64_t *pids)
{
	uint64_t *marked = calloc(FILTER_PID_WORDS, sizeof(*marked));
	struct family family = {0};
	int err = marked ? family_find(&family) : -ENOMEM;

	if (!err) {
		family_mark(&family, pids, marked);
		memcpy(pids, marked, FILTER_PID_WORDS * sizeof(*pids));
	}
	free(family.pairs);
	free(marked);
	return err;
}

static bool port_wanted(const struct filter_config *filter, const struct inet_socket *socket)
{
	for (int i = 0; i < filter->port_count; i++) {
		if (filter->port[i] == socket->lport || filter->port[i] == socket->rport)
			return true;
	}
	return !filter->port_count;
}

static bool address_matches(const struct filter_config *filter, int i, const uint8_t address[16])
{
	uint64_t words[2];

	memcpy(words, address, sizeof(words));
	return (words[0] & filter->address_mask[i][0]) == filter->address[i][0] &&
	       (words[1] & filter->address_mask[i][1]) == filter->address[i][1];
}

static bool address_wanted(const struct filter_config *filter, const struct inet_socket *socket)
{
	for (int i = 0; i < filter->address_count; i++) {
		if (address_matches(filter, i, socket->saddr) ||
		    address_matches(filter, i, socket->daddr))
			return true;
	}
	return !filter->address_count;
}

static bool uid_wanted(const struct filter_config *filter, uint32_t uid)
{
	for (int i = 0; i < filter->uid_count; i++) {
		if (filter->uid[i] == uid)
			return true;
	}
	return !filter->uid_count;
}

bool socket_filter_wants(const struct filter_config *filter, const struct map *owned,
			 const struct inet_socket *socket)
{
	return port_wanted(filter, socket) && address_wanted(filter, socket) &&
	       uid_wanted(filter, socket->uid) &&
	       (!owned || (socket->inode && map_get(owned, &socket->inode)));
}

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

// SPDX-License-Identifier: BSD-2-Clause
#include "probe/netfilter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "probe/warden.h"
#include "wire/filter.h"

struct netns_holders {
	struct bpf_link *link;
};

int netns_holders_open(struct bpf_program *prog, struct netns_holders **ret)
{
	struct netns_holders *holders = calloc(1, sizeof(*holders));
	int err;

	if (!holders)
		return -ENOMEM;
	holders->link = bpf_program__attach_iter(prog, NULL);
	if (!holders->link) {
		err = -errno;
		free(holders);
		return err;
	}
	*ret = holders;
	return 0;
}

void netns_holders_close(struct netns_holders *holders)
{
	if (!holders)
		return;
	bpf_link__destroy(holders->link);
	free(holders);
}

/* The first link of a namespace counts for all of them. */
static bool is_lonely(const struct netns_held *held, size_t count, size_t i)
{
	uint32_t links = 0;

	for (size_t j = 0; j < count; j++) {
		if (held[j].inode != held[i].inode)
			continue;
		if (j < i)
			return false;
		links++;
	}
	return links == held[i].holders;
}

size_t netns_held_lonely(const struct netns_held *held, size_t count, uint32_t *inodes, size_t room)
{
	size_t lonely = 0;

	for (size_t i = 0; i < count && lonely < room; i++) {
		if (is_lonely(held, count, i))
			inodes[lonely++] = held[i].inode;
	}
	return lonely;
}

/* All that the iterator says; the caller frees it. */
static int read_all(int fd, struct netns_held **ret, size_t *count)
{
	size_t len = 0, room = 0;
	char *all = NULL;

	for (;;) {
		ssize_t got;

		if (room - len < sizeof(struct netns_held)) {
			char *more = realloc(all, room += 4096);

			if (!more) {
				free(all);
				return -ENOMEM;
			}
			all = more;
		}
		got = read(fd, all + len, room - len);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0) {
			got = -errno;
			free(all);
			return (int)got;
		}
		if (!got)
			break;
		len += (size_t)got;
	}
	*ret = (struct netns_held *)all;
	*count = len / sizeof(**ret);
	return 0;
}

int netns_holders_lonely(struct netns_holders *holders, uint32_t *inodes, size_t room)
{
	int fd = bpf_iter_create(bpf_link__fd(holders->link));
	struct netns_held *held = NULL;
	size_t count = 0;
	int err;

	if (fd < 0)
		return -errno;
	err = read_all(fd, &held, &count);
	fd_close(fd);
	if (err)
		return err;
	count = netns_held_lonely(held, count, inodes, room);
	free(held);
	return (int)count;
}

#define LEAVE_AT_ONCE 64 /* namespaces; more are left the next time */
/* File descriptors that links leave to the rest of the recorder: its timers, clients, and what it reads. */
#define SPARE_FILES 64

/* A packet is recorded where it enters a layer: on its way out before anything else has seen it,
 * on its way in first of all, and before transport when all other hooks have accepted it. */
static const struct place {
	const char *name;
	uint32_t hook;
	bool last; /* behind the others at this hook */
} places[] = {
	{"local_out", NF_INET_LOCAL_OUT, false},
	{"pre_routing", NF_INET_PRE_ROUTING, false},
	{"local_in", NF_INET_LOCAL_IN, true},
};

struct member {
	uint32_t inode;
	bool seen; /* on the last walk */
	int err; /* why its hooks cannot be had; 0 = they are */
};

struct netfilter_hook {
	struct netfilter *nf;
	struct netfilter_hook *next;
	const struct place *place;
	uint32_t family;
	int prog_fd;
	int *links; /* by member; -1: none */
};

struct netfilter {
	const struct filter_config *filter;
	struct warden *warden;
	struct member *members;
	size_t member_count;
	struct netfilter_hook *hooks;
	struct netns_holders *holders;
	int walk_err; /* of the last look for new ones */
	bool full; /* in this look, no descriptor is left for one more link */
};

struct netfilter *netfilter_new(const struct filter_config *filter, struct warden *warden)
{
	struct netfilter *nf = calloc(1, sizeof(*nf));

	if (!nf)
		return NULL;
	nf->filter = filter;
	nf->warden = warden;
	return nf;
}

void netfilter_free(struct netfilter *nf)
{
	if (!nf)
		return;
	free(nf->members);
	free(nf);
}

/* "ipv4/local_out" */
static int parse_target(const char *target, uint32_t *family, const struct place **ret)
{
	if (!strncmp(target, "ipv4/", 5))
		*family = NFPROTO_IPV4;
	else if (!strncmp(target, "ipv6/", 5))
		*family = NFPROTO_IPV6;
	else
		return -EINVAL;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!strcmp(places[i].name, target + 5)) {
			*ret = &places[i];
			return 0;
		}
	}
	return -EINVAL;
}

/* Whether one more link leaves enough. A new descriptor gets the lowest free number. */
static bool has_room(int any_fd)
{
	struct rlimit limit;
	int fd = fcntl(any_fd, F_DUPFD_CLOEXEC, 0);

	fd_close(fd);
	return fd >= 0 && !getrlimit(RLIMIT_NOFILE, &limit) &&
	       (rlim_t)fd + SPARE_FILES < limit.rlim_cur;
}

/* True if one had links. */
static bool close_links(struct netfilter *nf, size_t member)
{
	struct netfilter_hook *hook;
	bool any = false;

	for (hook = nf->hooks; hook; hook = hook->next) {
		any |= hook->links[member] >= 0;
		fd_close(hook->links[member]);
		hook->links[member] = -1;
	}
	return any;
}

/* A namespace with all hooks is worth more than two with half of them, and the first, which is our own,
 * is worth most: where descriptors are short, those at the end of the list go without. */
static bool make_room(struct netfilter *nf, size_t member, int any_fd)
{
	size_t i = nf->member_count;

	while (!nf->full && !has_room(any_fd)) {
		do
			i--;
		while (i > member && !close_links(nf, i));
		if (i > member)
			nf->members[i].err = -EMFILE;
		else
			nf->full = true;
	}
	return !nf->full;
}

/* All hooks that this namespace lacks. */
static int join(struct netfilter *nf, size_t member)
{
	struct netfilter_hook *hook;
	int err = 0;

	for (hook = nf->hooks; !err && hook; hook = hook->next) {
		const struct warden_hook place = {hook->prog_fd, hook->family, hook->place->hook,
						  hook->place->last};

		if (hook->links[member] >= 0)
			continue;
		if (!make_room(nf, member, hook->prog_fd))
			return -EMFILE;
		/* a later try may do better */
		err = warden_netns_hook(nf->warden, nf->members[member].inode, &place,
					&hook->links[member]);
	}
	return err;
}

static bool is_complete(const struct netfilter *nf, size_t member)
{
	const struct netfilter_hook *hook;

	for (hook = nf->hooks; hook; hook = hook->next) {
		if (hook->links[member] < 0)
			return false;
	}
	return true;
}

static void forget_member(struct netfilter *nf, size_t member)
{
	size_t last = --nf->member_count;
	struct netfilter_hook *hook;

	nf->members[member] = nf->members[last];
	for (hook = nf->hooks; hook; hook = hook->next) {
		fd_close(hook->links[member]);
		hook->links[member] = hook->links[last];
		hook->links[last] = -1;
	}
}

static int hook_grow(struct netfilter_hook *hook, size_t count)
{
	int *links = realloc(hook->links, (count ?: 1) * sizeof(*links));

	if (!links)
		return -ENOMEM;
	hook->links = links;
	return 0;
}

/* The place of a namespace among the members, where it is added if need be; or -ENOMEM. */
static int member_get(struct netfilter *nf, uint32_t inode)
{
	size_t count = nf->member_count + 1;
	struct netfilter_hook *hook;
	struct member *members;

	for (size_t i = 0; i < nf->member_count; i++) {
		if (nf->members[i].inode == inode)
			return (int)i;
	}
	members = realloc(nf->members, count * sizeof(*members));
	if (!members)
		return -ENOMEM;
	nf->members = members;
	for (hook = nf->hooks; hook; hook = hook->next) {
		if (hook_grow(hook, count))
			return -ENOMEM;
		hook->links[count - 1] = -1;
	}
	members[nf->member_count++] = (struct member){.inode = inode};
	return (int)count - 1;
}

static int visit(void *ctx, uint32_t inode, int err)
{
	struct netfilter *nf = ctx;
	int member = member_get(nf, inode);

	if (member < 0)
		return member;
	nf->members[member].seen = true;
	if (is_complete(nf, (size_t)member))
		return 0;
	err = err ?: join(nf, (size_t)member);
	nf->members[member].err = err;
	if (err == -ENOENT) /* it has gone since the list was made */
		forget_member(nf, (size_t)member);
	return 0;
}

int netfilter_join_new(struct netfilter *nf)
{
	for (size_t i = 0; i < nf->member_count; i++)
		nf->members[i].seen = false;
	nf->full = false;
	nf->walk_err = warden_netns_walk(nf->warden, nf->filter->netns, nf->filter->netns_count,
					 visit, nf);
	return nf->walk_err;
}

static bool is_among(const uint32_t *inodes, int count, uint32_t inode)
{
	for (int i = 0; i < count; i++) {
		if (inodes[i] == inode)
			return true;
	}
	return false;
}

/* Without the iterator: those that cannot be found any more. */
static int leave_missing(struct netfilter *nf)
{
	int err = netfilter_join_new(nf);

	for (size_t i = nf->member_count; !err && i-- > 0;) {
		if (!nf->members[i].seen)
			forget_member(nf, i);
	}
	return err;
}

int netfilter_leave_lonely(struct netfilter *nf)
{
	uint32_t inodes[LEAVE_AT_ONCE];
	int count;

	if (!nf->holders)
		return leave_missing(nf);
	count = netns_holders_lonely(nf->holders, inodes, LEAVE_AT_ONCE);
	for (size_t i = nf->member_count; i-- > 0;) {
		if (is_among(inodes, count, nf->members[i].inode))
			forget_member(nf, i);
	}
	return count < 0 ? count : 0;
}

int netfilter_holders_open(struct netfilter *nf, struct bpf_program *prog)
{
	return netns_holders_open(prog, &nf->holders);
}

void netfilter_holders_close(struct netfilter *nf)
{
	netns_holders_close(nf->holders);
	nf->holders = NULL;
}

bool netfilter_is_active(const struct netfilter *nf)
{
	return nf->hooks;
}

void netfilter_refused(const struct netfilter *nf, struct netfilter_refusals *ret)
{
	*ret = (struct netfilter_refusals){.err = nf->walk_err, .namespaces = nf->member_count};
	if (nf->walk_err) /* some may not have been seen */
		ret->count++;
	for (size_t i = 0; i < nf->member_count; i++) {
		ret->count += nf->members[i].err != 0;
		ret->err = ret->err ?: nf->members[i].err;
	}
}

static int hook_new(struct netfilter *nf, const struct bpf_program *prog, const char *target,
		    struct netfilter_hook **ret)
{
	struct netfilter_hook *hook = calloc(1, sizeof(*hook));
	int err;

	if (!hook)
		return -ENOMEM;
	hook->nf = nf;
	hook->prog_fd = bpf_program__fd(prog);
	err = parse_target(target, &hook->family, &hook->place);
	err = err ?: hook_grow(hook, nf->member_count);
	if (err) {
		free(hook);
		return err;
	}
	for (size_t i = 0; i < nf->member_count; i++)
		hook->links[i] = -1;
	hook->next = nf->hooks;
	nf->hooks = hook;
	*ret = hook;
	return 0;
}

int netfilter_hook_open(struct netfilter *nf, const struct bpf_program *prog, const char *target,
			struct netfilter_hook **ret)
{
	struct netfilter_hook *hook;
	int err = hook_new(nf, prog, target, &hook);

	if (err)
		return err;
	err = netfilter_join_new(nf);
	if (!err && nf->member_count)
		err = nf->members[0].err;
	if (err) {
		netfilter_hook_close(hook);
		return err;
	}
	*ret = hook;
	return 0;
}

void netfilter_hook_close(struct netfilter_hook *hook)
{
	struct netfilter_hook **at;

	if (!hook)
		return;
	for (size_t i = 0; i < hook->nf->member_count; i++)
		fd_close(hook->links[i]);
	for (at = &hook->nf->hooks; *at != hook; at = &(*at)->next)
		;
	*at = hook->next;
	free(hook->links);
	free(hook);
}

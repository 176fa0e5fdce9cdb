/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netfilter: BPF programs on netfilter's hooks, in all network namespaces or in the chosen ones.
 *
 * A kind of hook for probe/attach.c: section "netfilter/ipv4/local_out". The kernel has a hook in
 * each namespace, and a link there keeps the namespace alive: so the loader has the links follow
 * the namespaces, as they come and go.
 */
#ifndef SONDE_PROBE_NETFILTER_H
#define SONDE_PROBE_NETFILTER_H

#include "wire/netns.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which network namespaces are held by nothing but netfilter links.
 *
 * A kind of hook for probe/attach.c: an iterator over all BPF links (probe/netns.bpf.h), which
 * costs nothing until it is read.
 */

struct bpf_program;
struct netns_holders;

int netns_holders_open(struct bpf_program *prog, struct netns_holders **ret);
void netns_holders_close(struct netns_holders *holders);

/* Reads; the number of lonely namespaces, at most @room of them in @inodes, or -errno. */
int netns_holders_lonely(struct netns_holders *holders, uint32_t *inodes, size_t room);

/* The same from what was read, @count links: the part that needs no kernel. */
size_t netns_held_lonely(const struct netns_held *held, size_t count, uint32_t *inodes,
			 size_t room);

struct filter_config;
struct netfilter;
struct netfilter_hook;
struct warden;

/* Both are borrowed: @filter chooses the namespaces, @warden enters them. NULL: no memory. */
struct netfilter *netfilter_new(const struct filter_config *filter, struct warden *warden);
/* All hooks must be closed. NULL is fine. */
void netfilter_free(struct netfilter *nf);

/* Puts a loaded program onto @target ("ipv4/local_out") of every namespace. -errno where that
 * fails in the first one; in others it counts (netfilter_refused). */
int netfilter_hook_open(struct netfilter *nf, const struct bpf_program *prog, const char *target,
			struct netfilter_hook **ret);
void netfilter_hook_close(struct netfilter_hook *hook);

/* By what the program knows which namespaces are held by links alone. */
int netfilter_holders_open(struct netfilter *nf, struct bpf_program *prog);
void netfilter_holders_close(struct netfilter *nf);

/* Whether hooks are open. */
bool netfilter_is_active(const struct netfilter *nf);
/* Looks for new namespaces, and puts the open hooks there. */
int netfilter_join_new(struct netfilter *nf);
/* Detaches the hooks from namespaces that have no other holder. */
int netfilter_leave_lonely(struct netfilter *nf);

struct netfilter_refusals {
	size_t count; /* namespaces that could not be entered, or where a hook was refused */
	size_t namespaces; /* all that are known */
	int err; /* why, of the first; 0 = none was */
};

void netfilter_refused(const struct netfilter *nf, struct netfilter_refusals *ret);

#endif /* SONDE_PROBE_NETFILTER_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netns_holders: which network namespaces are held by nothing but netfilter links.
 *
 * A kind of hook for probe/attach.c: an iterator over all BPF links (probe/netns.bpf.h), which
 * costs nothing until it is read.
 */
#ifndef SONDE_PROBE_NETNS_HOLDERS_H
#define SONDE_PROBE_NETNS_HOLDERS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/netns.h"

struct bpf_program;
struct netns_holders;

int netns_holders_open(struct bpf_program *prog, struct netns_holders **ret);
void netns_holders_close(struct netns_holders *holders);

/* Reads; the number of lonely namespaces, at most @room of them in @inodes, or -errno. */
int netns_holders_lonely(struct netns_holders *holders, uint32_t *inodes, size_t room);

/* The same from what was read, @count links: the part that needs no kernel. */
size_t netns_held_lonely(const struct netns_held *held, size_t count, uint32_t *inodes,
			 size_t room);

#endif /* SONDE_PROBE_NETNS_HOLDERS_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netfilter_link: one program on one netfilter hook of the calling thread's network namespace. Called where
 * the privilege for that is: by the warden.
 */
#ifndef SONDE_PROBE_NETFILTER_LINK_H
#define SONDE_PROBE_NETFILTER_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* include/uapi/linux/bpf.h of 6.4, which Debian 12's libbpf and headers do not know. */
#define NETFILTER_PROG_TYPE 32
#define NETFILTER_ATTACH_TYPE 45

/* @last: behind the others at this hook. The link's fd, or -errno. */
int netfilter_link_create(int prog_fd, uint32_t family, uint32_t hook, bool last);

#endif /* SONDE_PROBE_NETFILTER_LINK_H */

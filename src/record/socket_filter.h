/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket_filter: whether a socket that the kernel has listed is wanted, as probe/socket.bpf.h
 * decides for programs.
 */
#ifndef SONDE_RECORD_SOCKET_FILTER_H
#define SONDE_RECORD_SOCKET_FILTER_H

#include <stdbool.h>

struct filter_config;
struct inet_socket;
struct map;

/* By its ports, addresses and user. @owned: inodes of the sockets that wanted processes have
 * (socket_owners.h); NULL = no filter asks whose it is. */
bool socket_filter_wants(const struct filter_config *filter, const struct map *owned,
			 const struct inet_socket *socket);

#endif /* SONDE_RECORD_SOCKET_FILTER_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_poll: one round of tcp.poll through the network namespaces: a program in the kernel is shown
 * each connection, or, where there may be none, the kernel is asked and its answers become notes.
 */
#ifndef SONDE_RECORD_TCP_POLL_H
#define SONDE_RECORD_TCP_POLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which sockets the wanted processes have open, found in /proc: for when no program
 * in the kernel sees their users. It does not find sockets of processes whose descriptors this user may not list.
 */

struct filter_config;
struct map;
struct warden;

/* An entry of @inodes for each socket: keys of 4 bytes. @pids: a bit for each process, where
 * filter->by_pid. A process has the name of its first thread. 0 or -errno. */
int socket_owners_find(struct warden *warden, const struct filter_config *filter,
		       const uint64_t *pids, struct map *inodes);
/* Children of wanted processes become wanted, and what has ended is no longer. One whose parent has
 * ended between two calls is missed. 0 or -errno. */
int socket_owners_follow(uint64_t *pids);

/*
 * Whether a socket that the kernel has listed is wanted, as probe/socket.bpf.h
 * decides for programs.
 */

struct inet_socket;

/* By its ports, addresses and user. @owned: inodes of the sockets that wanted processes have
 * (socket_owners.h); NULL = no filter asks whose it is. */
bool socket_filter_wants(const struct filter_config *filter, const struct map *owned,
			 const struct inet_socket *socket);

struct catalogue;
struct loader;
struct notes;
struct poll_record;

/* Between rounds. */
#define TCP_POLL_PERIOD_NS 1000000000ull
#define TCP_POLL_PERIOD_MIN 10000000ull
#define TCP_POLL_PERIOD_MAX 86400000000000ull

struct tcp_poll_result {
	unsigned int namespaces; /* that were looked at */
	unsigned int forbidden; /* that may not be entered */
	unsigned int failed; /* of which connections are missing, or may be */
	int err; /* why, of the first of these */
};

/* For the hooks of tcp.poll, why these do not go with what is wanted: they become unusable, or miss a part of it. */
void tcp_poll_limit(struct catalogue *cat, const struct filter_config *filter, bool overwrite);

/* By the program. */
int tcp_poll_run(const struct loader *loader, struct warden *warden,
		 const struct filter_config *filter, struct tcp_poll_result *ret);

struct tcp_poll_question {
	const struct filter_config *filter;
	struct warden *warden;
	uint64_t *pids; /* a bit for each wanted process, where filter->by_pid */
	bool find_children; /* of these: no program does, and filter->follow */
	const struct poll_record *record;
	struct notes *notes;
	void (*flush)(void *ctx); /* the notes should be written: there are many */
	void *ctx;
};

/* By asking. 0, or -errno where the round as a whole cannot be. */
int tcp_poll_ask(const struct tcp_poll_question *question, uint64_t round,
		 struct tcp_poll_result *ret);

#endif /* SONDE_RECORD_TCP_POLL_H */

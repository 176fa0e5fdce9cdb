/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest: takes the place of lttng-relayd for its clients: session and consumer daemons of LTTng
 * 2.4 and later, and our own recorders. Listens for their control and data connections, in the event loop of
 * a relay, in whose list of sessions it shows its live ones. One that is silent, also within a
 * message, does not delay others. A client first authenticates as `rights` requires, and streams
 * only sessions that it may see.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_H
#define SONDE_LIVE_INGEST_INGEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/access/relay_address.h"
#include "live/ingest/ingest_folder.h"
#include "live/ingest/ingest_quota.h"
#include "live/session/relay_log.h"

struct diag;
struct event_base;
struct file_pool;
struct ingest;
struct ingest_session;
struct rights;
struct session_list;

#define INGEST_CONNECTIONS 1024u

enum ingest_port { INGEST_CONTROL, INGEST_DATA, INGEST_PORTS };

/* Of the sockets of peers; 0 = as the system has it. */
struct ingest_keep_alive {
	int idle_s; /* without data before the first probe */
	int interval_s; /* between probes */
	int probes; /* without an answer, after which the connection is closed */
};

struct ingest_config {
	const char *output; /* directory; created if it does not exist */
	gid_t group; /* may use it as the umask allows; 0 = as the file system has it */
	struct file_pool
		*files; /* what is stored gives way to connections; borrowed; NULL = it does not */
	struct session_list *list; /* NULL = live sessions are shown nowhere */
	const struct rights *rights; /* asked of clients; borrowed; NULL = nothing */
	unsigned int connections; /* at most; 0 = INGEST_CONNECTIONS */
	unsigned int sessions; /* likewise; 0 = INGEST_SESSIONS */
	bool group_by_session; /* SESSION/HOST-TIME in place of HOST/SESSION-TIME */
	bool disallow_clear; /* nothing that is stored is removed when a peer asks */
	struct ingest_keep_alive keep_alive;
	uint64_t quota; /* bytes that all that is stored may have; 0 = as many as the disk has */
	void (*log)(void *ctx, const char *text); /* a sentence for the operator; may be NULL */
	void *ctx;
	struct relay_log clients; /* what peers do */
};

/* Connections, now and ever. */
struct ingest_totals {
	unsigned int connections;
	unsigned int connections_most;
	unsigned int sessions;
	unsigned int sessions_most;
	uint64_t refused; /* there were as many already */
	uint64_t turned_away; /* they did what they should not */
	struct ingest_losses losses;
	struct ingest_quota_totals quota;
};

int ingest_new(struct event_base *base, const struct ingest_config *config, struct ingest **ret,
	       struct diag *diag);
/* One more address for connections of @port: as relay_listen. */
int ingest_listen(struct ingest *ingest, enum ingest_port port, const char *address, bool insecure,
		  struct diag *diag);
/* The same for a socket that listens already; takes it. */
int ingest_listen_fd(struct ingest *ingest, enum ingest_port port, int fd, struct diag *diag);
/* As relay_start. */
int ingest_start(struct ingest *ingest, struct diag *diag);
/* What is stored ends with what has come. NULL is fine. */
void ingest_free(struct ingest *ingest);

/* Of the first of these for @port; 0 = it has none. */
uint16_t ingest_port(const struct ingest *ingest, enum ingest_port port);
/* Address @i of those for @port: false = no more. */
bool ingest_address(const struct ingest *ingest, enum ingest_port port, unsigned int i,
		    char text[RELAY_ADDRESS_BYTES]);
/* Peers wait to be accepted: no file descriptor is left, or no memory. */
bool ingest_is_paused(const struct ingest *ingest);
/* Why the last that came could not be stored, -errno; 0 = it could. */
int ingest_store_error(const struct ingest *ingest);
void ingest_totals(const struct ingest *ingest, struct ingest_totals *ret);
/* Session @i of those that are being received, borrowed; NULL behind the last. */
const struct ingest_session *ingest_session_at(const struct ingest *ingest, unsigned int i);

#endif /* SONDE_LIVE_INGEST_INGEST_H */

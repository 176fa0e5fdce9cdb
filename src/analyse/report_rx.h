/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_rx: the report "rx": the state of the Rx servers (AFS) that a recorder asked: how many
 * calls waited for a thread, and how often; and their busiest peers.
 */
#ifndef SONDE_ANALYSE_REPORT_RX_H
#define SONDE_ANALYSE_REPORT_RX_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/report_model.h"
#include "base/map.h"

#define REPORT_RX_SERVER_BYTES 64u
/* The most servers and peers with rows of their own; further ones are skipped, and counted. */
#define REPORT_RX_SERVERS 65536u
#define REPORT_RX_PEERS 1048576u

/* A counter that only grows, except when its server restarts. */
struct rx_growth {
	uint64_t grown;
	uint64_t last;
	bool known;
};

struct rx_server_row {
	char name[REPORT_RX_SERVER_BYTES];
	uint64_t rounds; /* that it answered */
	uint64_t missed;
	uint64_t silent; /* rounds since its last answer */
	uint64_t silent_round; /* the last of these */
	int64_t first_ns; /* of the rounds */
	int64_t last_ns;
	uint64_t waiting_total; /* calls, of all rounds */
	uint64_t waiting_rounds; /* in which some waited */
	int64_t waiting_most;
	int64_t waiting_most_ns; /* when */
	int64_t idle_least;
	uint64_t begun;
	struct rx_growth calls;
	struct rx_growth sent;
	struct rx_growth resent;
};

struct rx_peer_key {
	char server[REPORT_RX_SERVER_BYTES];
	uint8_t address[16];
	uint32_t port;
};

struct rx_peer_row {
	struct rx_peer_key key;
	uint64_t seen; /* times, by rx.peer */
	struct rx_growth bytes_sent;
	struct rx_growth bytes_received;
	struct rx_growth sent;
	struct rx_growth resent;
	uint64_t rtt_us; /* the last */
	uint64_t blocked; /* calls of it, each time that one was seen */
};

struct rx_report {
	struct report report;
	struct rx_report_class *classes; /* by event_class.index */
	struct map servers; /* index in server_rows by name */
	struct rx_server_row *server_rows;
	size_t server_room;
	struct map peers; /* the same by rx_peer_key */
	struct rx_peer_row *peer_rows;
	size_t peer_room;
	uint64_t left_out; /* events, of servers and peers beyond the limits */
};

/* NULL: no memory. Borrows @analysis. */
report_new_fn report_rx_new;

/* Pointers to rows: the servers on which the most calls waited, and the peers with the most bytes, first; the caller
 * frees them. NULL = no memory. */
const void **report_rx_rank_servers(const struct rx_report *rr, size_t *count);
const void **report_rx_rank_peers(const struct rx_report *rr, size_t *count);

#endif /* SONDE_ANALYSE_REPORT_RX_H */

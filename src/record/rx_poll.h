/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_poll: asks Rx servers (AFS) how they are, again and again, and makes records of what they tell (wire/rx_event.h).
 *
 * Each server is by itself: every period it is asked for its statistics, and after that for a record of its lists
 * at a time, `rate` a second, until they end; lists that take longer than a period continue in the
 * next one, in between. So there is one question at most on its way to a server, and those for
 * lists, each of which holds up its real work for up to 14 ms, are few. Whoever does not answer is
 * asked again in its next period, and each round that it misses is noted as lost.
 *
 * It never waits: rx_poll_fd is readable when there is something to do.
 */
#ifndef SONDE_RECORD_RX_POLL_H
#define SONDE_RECORD_RX_POLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rx/rx_client.h"

struct catalogue;
struct diag;
struct notes;
struct rx_place_account;
struct rx_poll;

/* Between rounds. */
#define RX_POLL_PERIOD_NS 1000000000ull
#define RX_POLL_PERIOD_MIN 100000000ull
#define RX_POLL_PERIOD_MAX 86400000000000ull
/* Records of lists, a second and server. */
#define RX_POLL_RATE 20.0
#define RX_POLL_RATE_MIN 0.01
#define RX_POLL_RATE_MAX 1000.0
struct rx_poll_server {
	const char *name; /* less than RX_SERVER_BYTES */
	union rx_address address;
};

struct rx_poll_config {
	const struct rx_poll_server *servers; /* borrowed */
	size_t count;
	uint64_t period_ns;
	double rate;
	bool all_conns; /* not only those on which something is under way */
	bool any_address; /* see rx_client_config */
	uint32_t tid; /* whose records they are */
};

/* Where no server is named, or the records would have no place to go to: nothing of rx is usable. Without servers
 * only measurements requested by their own names are reported. */
void rx_poll_limit(struct catalogue *cat, size_t servers, bool overwrite);

/* Records and losses go to @notes, borrowed. -errno with the diag. */
int rx_poll_open(const struct rx_poll_config *config, struct notes *notes, struct rx_poll **ret,
		 struct diag *diag);
/* NULL is fine. */
void rx_poll_close(struct rx_poll *poll);

int rx_poll_fd(const struct rx_poll *poll);
/* Which measurements are on, a bit 1 << (id - RX_STATS) for each; at first none is. */
void rx_poll_want(struct rx_poll *poll, uint32_t wanted);
/* Takes what has come, asks what is to be asked. 0, or -errno: of the socket, or -ENOMEM. */
int rx_poll_run(struct rx_poll *poll);
/* The end: servers that have not answered for long are noted as silent. */
int rx_poll_finish(struct rx_poll *poll);

/* NULL past the last server. */
const struct rx_place_account *rx_poll_account(const struct rx_poll *poll, size_t i,
					       const char **name);
/* All that is noted as lost. */
uint64_t rx_poll_lost(const struct rx_poll *poll);

#endif /* SONDE_RECORD_RX_POLL_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_list: the connections or peers of one endpoint, which are read one by one, by index.
 *
 * Nothing holds such a list still while it is read: a new record in front moves the others, so
 * that one is read twice, or missed. A record that is read twice is kept once, by its identity;
 * another pass finds the missed ones.
 */
#ifndef SONDE_RX_RX_LIST_H
#define SONDE_RX_RX_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

#include "base/map.h"

struct rx_list {
	int32_t what; /* RX_DEBUG_CONN, RX_DEBUG_ALL_CONN or RX_DEBUG_PEER */
	uint32_t limit; /* records at most */
	unsigned int passes; /* still to come, this one among them */
	void *records; /* struct sonde_rx_conn or sonde_rx_peer */
	size_t count;
	size_t room;
	uint64_t twice; /* records that were met again in one pass */
	int32_t next; /* index to be asked for */
	int32_t end; /* the first beyond the end; INT32_MAX: not met yet */
	unsigned int asked; /* and not answered */
	int err; /* why it is not complete; -E2BIG: it is longer than the limit */
	struct map seen;
};

/* @passes: 1 and more. */
void rx_list_init(struct rx_list *list, int32_t what, uint32_t limit, unsigned int passes);
void rx_list_fini(struct rx_list *list);

/* The index to ask for; -1: none, or none until an answer has come. */
int32_t rx_list_ask(struct rx_list *list);
/* What came of it: @err of the asking, or the payload. */
void rx_list_take(struct rx_list *list, int32_t index, int err, const void *payload, size_t len);
/* Nothing is to be asked or awaited. */
bool rx_list_is_done(const struct rx_list *list);

const struct sonde_rx_conn *rx_list_conns(const struct rx_list *list);
const struct sonde_rx_peer *rx_list_peers(const struct rx_list *list);

#endif /* SONDE_RX_RX_LIST_H */

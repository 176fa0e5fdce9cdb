/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_record: the records by which an Rx endpoint reports about itself. Each is unpacked from the payload of a
 * reply, and packed into one; include/sonde/rx.h has the structures.
 *
 * Unpacking takes what is longer than it knows, and leaves the rest alone: later versions may tell
 * more. -EBADMSG: shorter than the version has it. Numbers wrap at 32 bits where they are 32 bits wide;
 * addresses and ports are in host order here.
 */
#ifndef SONDE_RX_RX_RECORD_H
#define SONDE_RX_RX_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

#include "wire/rx_debug.h"

/* Whether the server reports members that came with @version ('L' to 'S'). A version of 128 and
 * more has none. */
bool rx_basic_has(const struct sonde_rx_basic *basic, char version);

int rx_basic_unpack(const void *payload, size_t len, struct sonde_rx_basic *ret);
/* Of 172 bytes in the layout of version 'L', which has that length alone; of any other in today's. */
int rx_conn_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret);
/* The layout of version 'L' alone; no OpenAFS ever sent it. */
int rx_conn_l_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret);
/* What is not there is 0: the statistics have grown, and servers that lack some of it are as old. */
int rx_stats_unpack(const void *payload, size_t len, struct sonde_rx_stats *ret);
int rx_peer_unpack(const void *payload, size_t len, struct sonde_rx_peer *ret);

/* Whether the list ends here: the record's id or address is -1. OpenAFS sends the end of connections with the id -1,
 * and unpacking makes that of the other form as well. */
bool rx_conn_is_end(const struct sonde_rx_conn *conn);
bool rx_peer_is_end(const struct sonde_rx_peer *peer);

/* Whether the payload of a record's reply is the end as the protocol's description has it: the first word is -1, and
 * the rest, if any, does not matter. */
bool rx_payload_is_end(const void *payload, size_t len);

/* With which version a word of the counters came. */
char rx_stat_version(enum sonde_rx_stat which);
/* What a server of @version does not tell yet becomes 0. */
void rx_basic_limit(struct sonde_rx_basic *basic, char version);
void rx_stats_limit(struct sonde_rx_stats *stats, char version);

/* Whether the payload is the answer to a request that the server does not understand. To be asked first: else
 * it looks like a record. */
bool rx_payload_is_refusal(const void *payload, size_t len);

/* Each writes all of its RX_*_BYTES, spare bytes as zeros. */
void rx_basic_pack(const struct sonde_rx_basic *basic, uint8_t payload[RX_BASIC_BYTES]);
void rx_conn_pack(const struct sonde_rx_conn *conn, uint8_t payload[RX_CONN_BYTES]);
void rx_conn_l_pack(const struct sonde_rx_conn *conn, uint8_t payload[RX_CONN_L_BYTES]);
void rx_stats_pack(const struct sonde_rx_stats *stats, uint8_t payload[RX_STATS_BYTES]);
void rx_peer_pack(const struct sonde_rx_peer *peer, uint8_t payload[RX_PEER_BYTES]);
void rx_refusal_pack(uint8_t payload[RX_REFUSAL_BYTES]);

#endif /* SONDE_RX_RX_RECORD_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_classic: the records of an Rx endpoint as OpenAFS's rxdebug 1.8.9 writes them, byte for byte, for
 * the many scripts that read that.
 */
#ifndef SONDE_RX_RX_CLASSIC_H
#define SONDE_RX_RX_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct sonde_rx_basic;
struct sonde_rx_conn;
struct sonde_rx_peer;
struct sonde_rx_stats;

/* The lines below "Trying". */
void rx_classic_basic(const struct sonde_rx_basic *basic, struct buffer *out);
/* @bytes: of the payload that it came in. */
void rx_classic_stats(const struct sonde_rx_stats *stats, size_t bytes,
		      const struct sonde_rx_basic *basic, struct buffer *out);
/* @now_s: since 1970, for tickets that expire. */
void rx_classic_conn(const struct sonde_rx_conn *conn, const struct sonde_rx_basic *basic,
		     int64_t now_s, struct buffer *out);
void rx_classic_peer(const struct sonde_rx_peer *peer, bool all, struct buffer *out);

/* Of a connection: no call of it is under way, or begins. */
bool rx_classic_is_dallying(const struct sonde_rx_conn *conn);

#endif /* SONDE_RX_RX_CLASSIC_H */

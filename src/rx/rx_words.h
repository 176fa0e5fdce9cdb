/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_words: names for people of what the records of an Rx endpoint have as numbers. None is NULL.
 */
#ifndef SONDE_RX_RX_WORDS_H
#define SONDE_RX_RX_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

struct buffer;

const char *rx_words_call_state(uint8_t state); /* "active" */
const char *rx_words_call_mode(uint8_t mode); /* "receiving" */
/* "rxkad crypt", "none" */
void rx_words_security(const struct sonde_rx_conn *conn, struct buffer *out);
/* Of the flags of a connection, or of a call, the names with commas; nothing where none is set. */
void rx_words_conn_flags(uint8_t flags, struct buffer *out);
void rx_words_call_flags(uint8_t flags, struct buffer *out);
/* "packets_read_debug", of a word of the counters; NULL: it is spare, or part of a time. */
const char *rx_words_stat(size_t word);
/* Whether its round-trip time was ever measured; before, it is a guess. */
bool rx_words_has_rtt(const struct sonde_rx_peer *peer);
bool rx_words_stat_is_gauge(size_t word); /* a current value, not a counter */
/* A sentence about it; NULL: it has no name either. */
const char *rx_words_stat_help(size_t word);
void rx_words_host(uint32_t host, struct buffer *out); /* "192.0.2.1" */

#endif /* SONDE_RX_RX_WORDS_H */

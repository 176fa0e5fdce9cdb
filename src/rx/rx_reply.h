/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_reply: a reply as a whole, whatever it holds; include/sonde/rx.h has the structure.
 */
#ifndef SONDE_RX_RX_REPLY_H
#define SONDE_RX_RX_REPLY_H

#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

/* The least length of the payload of an answer to @what: shorter ones are rejected. */
size_t rx_reply_least_bytes(int32_t what);

/* As include/sonde/rx.h says of sonde_rx_reply_unpack and sonde_rx_reply_pack. */
int rx_reply_unpack(const void *packet, size_t len, int32_t what, struct sonde_rx_reply *ret);
size_t rx_reply_pack(const struct sonde_rx_reply *reply, char version, uint8_t *packet);

#endif /* SONDE_RX_RX_REPLY_H */

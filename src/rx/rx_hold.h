/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_hold: what keeps a call from going on. What shows calls, counts them or records them asks here.
 */
#ifndef SONDE_RX_RX_HOLD_H
#define SONDE_RX_RX_HOLD_H

#include <stddef.h>

#include <sonde/rx.h>

#include "wire/rx_event.h"

/* Of call @i of the connection. A reader that waits for what a client still sends is not held. */
enum rx_wait rx_hold_find(const struct sonde_rx_conn *conn, size_t i);
/* "waits for a thread"; NULL of RX_WAIT_NOTHING. */
const char *rx_hold_text(enum rx_wait wait);

#endif /* SONDE_RX_RX_HOLD_H */

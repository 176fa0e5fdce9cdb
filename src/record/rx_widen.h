/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_widen: counters of 32 bits that wrap, as an Rx server tells them, go on in 64 bits, from where they
 * are when they are first seen. When the server has begun anew, so do they.
 *
 * One that went back has begun anew: that it grew by more than 2^31 from one look to the next, instead, would
 * take 2 Gi packets or calls in between.
 */
#ifndef SONDE_RECORD_RX_WIDEN_H
#define SONDE_RECORD_RX_WIDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rx_widened {
	uint64_t value;
	uint32_t raw; /* as it was told last */
};

/* Whether one of @raw has less than before: all have begun anew. */
bool rx_widen_went_back(const struct rx_widened *counters, const uint32_t *raw, size_t count);
/* @anew: they are what is told, as the first time. */
void rx_widen(struct rx_widened *counters, const uint32_t *raw, size_t count, bool anew);

#endif /* SONDE_RECORD_RX_WIDEN_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_widen: counters of 32 bits that wrap, as an Rx server reports them, are continued in 64 bits,
 * from where they are when they are first seen. After a restart of the server, they start again.
 *
 * A counter that went back has started again: that it grew by more than 2^31 from one look to the
 * next, instead, would take 2 Gi packets or calls in between.
 */
#ifndef SONDE_RECORD_RX_WIDEN_H
#define SONDE_RECORD_RX_WIDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rx_widened {
	uint64_t value;
	uint32_t raw; /* as last reported */
};

/* Whether one of @raw has less than before: all have started again. */
bool rx_widen_went_back(const struct rx_widened *counters, const uint32_t *raw, size_t count);
/* @anew: they begin again with the reported values. */
void rx_widen(struct rx_widened *counters, const uint32_t *raw, size_t count, bool anew);

#endif /* SONDE_RECORD_RX_WIDEN_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_limit: how many bytes a responder sends: a rate for each source, and one for all together. Whoever has been
 * quiet may have one second's worth at once.
 *
 * Source addresses can be forged, so no entry is kept for each that could be made again, or
 * pushed out: all there can be share a fixed number of places, by a secret hash. Two that fall on one place
 * share its rate; none ever gets more than that.
 */
#ifndef SONDE_RX_RX_LIMIT_H
#define SONDE_RX_RX_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RX_LIMIT_PLACES 16384u /* a power of two */
#define RX_LIMIT_NONE UINT32_MAX

struct rx_limit {
	uint32_t source_rate; /* bytes a second; RX_LIMIT_NONE: any */
	uint32_t total_rate;
	uint64_t secret;
	/* When what was sent so far is paid for, at the rate. */
	uint64_t total_paid_ns;
	uint64_t paid_ns[RX_LIMIT_PLACES];
};

void rx_limit_init(struct rx_limit *limit, uint32_t source_rate, uint32_t total_rate,
		   uint64_t secret);
/* Whether @bytes may go to @source, an address in any form, at @now_ns (which does not go back). If so they
 * are taken as sent. */
bool rx_limit_take(struct rx_limit *limit, uint64_t source, size_t bytes, uint64_t now_ns);

#endif /* SONDE_RX_RX_LIMIT_H */

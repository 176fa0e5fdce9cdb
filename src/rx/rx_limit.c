// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_limit.h"

#include "base/clock.h"

#define BURST_NS NS_PER_SEC

void rx_limit_init(struct rx_limit *limit, uint32_t source_rate, uint32_t total_rate,
		   uint64_t secret)
{
	*limit = (struct rx_limit){
		.source_rate = source_rate,
		.total_rate = total_rate,
		.secret = secret,
	};
}

static uint64_t *place_of(struct rx_limit *limit, uint64_t source)
{
	/* The finaliser of MurmurHash3: every bit of the source, and of the secret, moves every other. */
	uint64_t hash = source ^ limit->secret;

	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdull;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ull;
	return &limit->paid_ns[(hash ^ hash >> 33) % RX_LIMIT_PLACES];
}

/* When @bytes more are paid for, if they are sent now; 0: they may not be. */
static uint64_t pay(uint64_t paid_ns, uint32_t rate, size_t bytes, uint64_t now_ns)
{
	uint64_t from_ns = paid_ns > now_ns ? paid_ns : now_ns;
	uint64_t until_ns;

	if (rate == RX_LIMIT_NONE)
		return now_ns;
	until_ns = from_ns + bytes * NS_PER_SEC / rate;
	return until_ns <= now_ns + BURST_NS ? until_ns : 0;
}

bool rx_limit_take(struct rx_limit *limit, uint64_t source, size_t bytes, uint64_t now_ns)
{
	uint64_t *place = place_of(limit, source);
	uint64_t own_ns = pay(*place, limit->source_rate, bytes, now_ns);
	uint64_t total_ns = pay(limit->total_paid_ns, limit->total_rate, bytes, now_ns);

	if (!own_ns || !total_ns)
		return false;
	*place = own_ns;
	limit->total_paid_ns = total_ns;
	return true;
}

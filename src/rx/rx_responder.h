/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_responder: answers DEBUG and VERSION packets, one at a time, without a socket: rx/rx_service.h has one.
 *
 * It is stricter than OpenAFS: incomplete requests are not answered, nor clients that are not on
 * the list, nor requests that would be more than the rate allows. Nothing is allocated for a packet.
 */
#ifndef SONDE_RX_RX_RESPONDER_H
#define SONDE_RX_RX_RESPONDER_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>
#include <stdbool.h>

/*
 * How many bytes a responder sends: a rate for each source, and one for all together. Whoever has been
 * quiet may have one second's worth at once.
 *
 * Source addresses can be forged, so no entry is kept for each that could be made again, or
 * pushed out: all there can be share a fixed number of places, by a secret hash. Two that fall on one place
 * share its rate; none ever gets more than that.
 */

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

struct diag;
struct rx_responder;

#define RX_REPLY_MAX_BYTES 312u /* the header and the counters */

/* Copies @config and @callbacks. -EINVAL with the diag: @config is not valid. */
int rx_responder_new(const struct sonde_rx_config *config,
		     const struct sonde_rx_callbacks *callbacks, void *ctx,
		     struct rx_responder **ret, struct diag *diag);
/* NULL is fine. */
void rx_responder_free(struct rx_responder *responder);

/* The answer to a packet that came from @from, at most RX_REPLY_MAX_BYTES of it: its length, 0 = there is
 * none. @now_ns: of the monotonic clock. */
size_t rx_responder_answer(struct rx_responder *responder, const struct sockaddr_in *from,
			   const void *packet, size_t len, uint64_t now_ns, uint8_t *reply);

/* For the sender, to add packets that could not be sent. */
struct sonde_rx_counts *rx_responder_counts(struct rx_responder *responder);

#endif /* SONDE_RX_RX_RESPONDER_H */

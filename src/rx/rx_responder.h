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

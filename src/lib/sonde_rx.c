// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_rx: the responder of rx/, with its socket, as programs have it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <sonde/rx.h>

#include "base/clock.h"
#include "base/diag.h"
#include "lib/handles.h"
#include "rx/rx_responder.h"
#include "rx/rx_service.h"

_Static_assert(SONDE_RX_REPLY_BYTES == RX_REPLY_MAX_BYTES, "the largest answer");

struct sonde_rx_responder {
	struct rx_responder *responder;
	struct rx_service *service;
};

int sonde_rx_responder_open(const struct sonde_rx_config *config,
			    const struct sonde_rx_callbacks *callbacks, void *ctx,
			    struct sonde_rx_responder **ret, struct sonde_error *error)
{
	struct sonde_rx_responder *rx = calloc(1, sizeof(*rx));
	struct diag diag = {0};
	int err = -ENOMEM;

	if (rx)
		err = rx_responder_new(config, callbacks, ctx, &rx->responder, &diag);
	err = err   ?:
		      rx_service_open(rx->responder, config->address, config->port, &rx->service,
				      &diag);
	if (err) {
		sonde_rx_responder_close(rx);
		return sonde_error_take(error, err, &diag);
	}
	*ret = rx;
	return 0;
}

void sonde_rx_responder_close(struct sonde_rx_responder *rx)
{
	if (!rx)
		return;
	rx_service_close(rx->service);
	rx_responder_free(rx->responder);
	free(rx);
}

int sonde_rx_responder_fd(const struct sonde_rx_responder *rx)
{
	return rx_service_fd(rx->service);
}

uint16_t sonde_rx_responder_port(const struct sonde_rx_responder *rx)
{
	return rx_service_port(rx->service);
}

int sonde_rx_responder_serve(struct sonde_rx_responder *rx)
{
	return rx_service_serve(rx->service);
}

size_t sonde_rx_responder_answer(struct sonde_rx_responder *rx, const struct sockaddr *from,
				 const void *packet, size_t len, void *reply)
{
	struct sockaddr_in in;

	if (from->sa_family != AF_INET)
		return 0;
	memcpy(&in, from, sizeof(in));
	return rx_responder_answer(rx->responder, &in, packet, len, clock_monotonic_ns(), reply);
}

void sonde_rx_responder_counts(const struct sonde_rx_responder *rx, struct sonde_rx_counts *ret)
{
	*ret = *rx_responder_counts(rx->responder);
}

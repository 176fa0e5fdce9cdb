/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve_rx: answers rxdebug for this host, until it is interrupted.
 */
#ifndef SONDE_CLI_SERVE_RX_H
#define SONDE_CLI_SERVE_RX_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

struct diag;
struct verb_spec;

#define SERVE_RX_NETWORKS 64u

/* What of the command line is about it. */
struct serve_rx_request {
	struct sockaddr_in at;
	char version; /* 0 = the latest */
	uint32_t rate; /* bytes a second to one address; 0 = the usual */
	struct sonde_rx_network networks[SERVE_RX_NETWORKS];
	size_t network_count;
	bool insecure; /* every host that reaches it may ask */
};

/* Each -EINVAL with the diag. As base/listen_address.h has it. */
int serve_rx_parse_address(const char *text, struct serve_rx_request *request, struct diag *diag);
/* A letter. */
int serve_rx_parse_version(const char *text, struct serve_rx_request *request, struct diag *diag);
/* "10.0.0.0/8,192.0.2.7", which adds up. */
int serve_rx_parse_allow(const char *text, struct serve_rx_request *request, struct diag *diag);
/* Bytes, as size_parse has them. */
int serve_rx_parse_rate(const char *text, struct serve_rx_request *request, struct diag *diag);

/* An enum exit_status. */
int serve_rx(const struct verb_spec *spec, const struct serve_rx_request *request);

#endif /* SONDE_CLI_SERVE_RX_H */

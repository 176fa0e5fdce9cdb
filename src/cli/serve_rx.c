// SPDX-License-Identifier: BSD-2-Clause
#include "cli/serve_rx.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/listen_address.h"
#include "cli/confinement.h"
#include "cli/interrupt.h"
#include "cli/verb.h"
#include "record/rx_host.h"
#include "rx/rx_responder.h"
#include "rx/rx_service.h"

#define LOOK_UP_MS 500 /* how soon an interruption is seen that fell between two waits */

int serve_rx_parse_address(const char *text, struct serve_rx_request *request, struct diag *diag)
{
	struct listen_address address;
	int err = listen_address_parse(text, AF_INET, LISTEN_PORT_NEEDED, &address, diag);

	if (!err)
		memcpy(&request->at, &address.at, sizeof(request->at));
	return err;
}

int serve_rx_parse_version(const char *text, struct serve_rx_request *request, struct diag *diag)
{
	if (text[0] < 'L' || text[0] > 'S' || text[1])
		return diag_set(diag, -EINVAL, "--rx-version: '%s' is not a version from L to S",
				text);
	request->version = text[0];
	return 0;
}

static int parse_network(char *text, struct sonde_rx_network *ret)
{
	char *slash = strchr(text, '/'), *end = NULL;
	unsigned long bits = 32;
	struct in_addr in;

	if (slash) {
		*slash = '\0';
		bits = strtoul(slash + 1, &end, 10);
		if (slash[1] < '0' || slash[1] > '9' || *end || bits > 32)
			return -EINVAL;
	}
	if (inet_pton(AF_INET, text, &in) != 1)
		return -EINVAL;
	*ret = (struct sonde_rx_network){ntohl(in.s_addr), (uint32_t)bits};
	return 0;
}

int serve_rx_parse_allow(const char *text, struct serve_rx_request *request, struct diag *diag)
{
	while (*text) {
		size_t len = strcspn(text, ",");
		char one[32];

		if (request->network_count == SERVE_RX_NETWORKS)
			return diag_set(diag, -E2BIG, "--rx-allow: more than %u networks",
					SERVE_RX_NETWORKS);
		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		if (parse_network(one, &request->networks[request->network_count]))
			return diag_set(
				diag, -EINVAL,
				"--rx-allow: '%.*s' is not a network: give it as 10.0.0.0/8 or "
				"192.0.2.7",
				(int)len, text);
		request->network_count++;
		text += len + (text[len] == ',');
	}
	return 0;
}

int serve_rx_parse_rate(const char *text, struct serve_rx_request *request, struct diag *diag)
{
	uint64_t bytes;

	if (size_parse(text, &bytes) || bytes < RX_REPLY_MAX_BYTES || bytes >= UINT32_MAX)
		return diag_set(diag, -EINVAL,
				"--rx-rate: '%s' is not a number of bytes a second; the least is "
				"%u",
				text, RX_REPLY_MAX_BYTES);
	request->rate = (uint32_t)bytes;
	return 0;
}

static int wait_and_serve(struct rx_service *service)
{
	struct pollfd fd = {rx_service_fd(service), POLLIN, 0};
	int got = 0;

	/* Also answers requests from before it was interrupted. */
	for (bool last = false; !last && got >= 0;) {
		last = interrupt_seen() || (poll(&fd, 1, LOOK_UP_MS) < 0 && interrupt_seen());
		got = rx_service_serve(service);
	}
	return got < 0 ? got : 0;
}

static void say_counts(const struct sonde_rx_counts *counts, size_t over_ipv6)
{
	char text[4][32];

	fprintf(stderr, "%s requests, %s answered; not answered: %s malformed, %s not allowed, ",
		count_format(text[0], sizeof(text[0]), counts->received),
		count_format(text[1], sizeof(text[1]), counts->answered),
		count_format(text[2], sizeof(text[2]), counts->malformed),
		count_format(text[3], sizeof(text[3]), counts->forbidden));
	fprintf(stderr, "%s above the rate\n",
		count_format(text[0], sizeof(text[0]), counts->limited));
	if (over_ipv6)
		fprintf(stderr,
			"not shown: %s TCP connections over IPv6, as Rx has room for IPv4 addresses "
			"alone\n",
			count_format(text[0], sizeof(text[0]), over_ipv6));
}

static int open_all(const struct serve_rx_request *request, struct rx_host **host,
		    struct rx_responder **responder, struct rx_service **service, struct diag *diag)
{
	const struct sockaddr_in *at = &request->at;
	struct utsname system = {0};
	char where[INET_ADDRSTRLEN];
	char text[65];
	struct sonde_rx_config config = {
		.version = request->version,
		.text = text,
		.source_rate = request->rate,
		.total_rate = request->rate > SONDE_RX_TOTAL_RATE / 10 ?
				      (request->rate < SONDE_RX_NO_LIMIT / 10 ? 10 * request->rate :
										SONDE_RX_NO_LIMIT) :
				      0,
		.allow = request->networks,
		.allow_count = request->network_count,
	};
	int err;

	if (!request->insecure && !request->network_count &&
	    !listen_address_is_loopback((const struct sockaddr *)at))
		return diag_set(diag, -EACCES,
				"every host that reaches %s:%u could read the peers of this host: "
				"name networks that may (--rx-allow), or permit it to all "
				"(--insecure)",
				inet_ntop(AF_INET, &at->sin_addr, where, sizeof(where)),
				ntohs(at->sin_port));
	(void)uname(&system);
	snprintf(text, sizeof(text), "sonde %s, Linux %s", SONDE_VERSION, system.release);
	err = rx_host_open(host, diag);
	err = err ?: rx_responder_new(&config, &rx_host_callbacks, *host, responder, diag);
	if (err)
		return err;
	rx_host_set_counts(*host, rx_responder_counts(*responder));
	return rx_service_open(*responder, inet_ntop(AF_INET, &at->sin_addr, text, sizeof(text)),
			       ntohs(at->sin_port), service, diag);
}

int serve_rx(const struct verb_spec *spec, const struct serve_rx_request *request)
{
	struct rx_responder *responder = NULL;
	struct rx_service *service = NULL;
	struct rx_host *host = NULL;
	char address[INET_ADDRSTRLEN];
	const struct confinement confinement = {.network = true};
	struct diag diag = {0};
	int err, status = STATUS_COMPLETE;

	interrupt_catch();
	err = open_all(request, &host, &responder, &service, &diag);
	if (!err) {
		printf("rx: %s:%u\n",
		       inet_ntop(AF_INET, &request->at.sin_addr, address, sizeof(address)),
		       rx_service_port(service));
		(void)fflush(stdout);
		status = confinement_enter(spec, &confinement);
		err = status ? 0 : wait_and_serve(service);
		if (err)
			(void)diag_set(&diag, err, "receiving: %s", strerror(-err));
		say_counts(rx_responder_counts(responder), rx_host_over_ipv6(host));
	}
	rx_service_close(service);
	rx_responder_free(responder);
	rx_host_close(host);
	if (!err)
		return status;
	return verb_fail(spec, err == -EACCES ? STATUS_NOT_PERMITTED : STATUS_ERROR, &diag);
}

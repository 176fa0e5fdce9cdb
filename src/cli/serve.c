// SPDX-License-Identifier: BSD-2-Clause

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sonde/rx.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/listen_address.h"
#include "cli/confinement.h"
#include "cli/interrupt.h"
#include "cli/serve_live.h"
#include "cli/verb.h"
#include "record/rx_host.h"
#include "rx/rx_responder.h"
#include "rx/rx_service.h"

/* Answers rxdebug for this host, until it is interrupted. */

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

#define LOOK_UP_MS 500 /* how soon an interruption is seen that fell between two waits */

/* Each -EINVAL with the diag. As base/listen_address.h has it. */
static int serve_rx_parse_address(const char *text, struct serve_rx_request *request,
				  struct diag *diag)
{
	struct listen_address address;
	int err = listen_address_parse(text, AF_INET, LISTEN_PORT_NEEDED, &address, diag);

	if (!err)
		memcpy(&request->at, &address.at, sizeof(request->at));
	return err;
}

/* A letter. */
static int serve_rx_parse_version(const char *text, struct serve_rx_request *request,
				  struct diag *diag)
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

/* "10.0.0.0/8,192.0.2.7", which adds up. */
static int serve_rx_parse_allow(const char *text, struct serve_rx_request *request,
				struct diag *diag)
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

/* Bytes, as size_parse has them. */
static int serve_rx_parse_rate(const char *text, struct serve_rx_request *request,
			       struct diag *diag)
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

/* An enum exit_status. */
static int serve_rx(const struct verb_spec *spec, const struct serve_rx_request *request)
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

enum {
	OPTION_LIVE = 256,
	OPTION_CONTROL,
	OPTION_DATA,
	OPTION_REPLAY,
	OPTION_NAME,
	OPTION_CONNECTIONS,
	OPTION_SESSIONS,
	OPTION_QUOTA,
	OPTION_PERMISSIONS,
	OPTION_GROUP,
	OPTION_PATIENCE,
	OPTION_RX,
	OPTION_RX_VERSION,
	OPTION_RX_ALLOW,
	OPTION_RX_RATE,
};

static const struct option_spec options[] = {
	{OPTION_LIVE, "live", "ADDR:PORT",
	 "where viewers connect: an address, :PORT, or both; repeatable. Port 0: one that is free. "
	 "Default: 127.0.0.1:5344",
	 NULL},
	{'o', "output", "DIR",
	 "take the place of lttng-relayd: store what LTTng's daemons and 'sonde record --push' stream, as "
	 "DIR/HOST/SESSION-TIME, and show live sessions while they come",
	 "@dir"},
	{OPTION_CONTROL, "control", "ADDR:PORT", "where those connect; default 127.0.0.1:5342",
	 NULL},
	{OPTION_DATA, "data", "ADDR:PORT", "and send their data; default 127.0.0.1:5343", NULL},
	{OPTION_REPLAY, "replay", NULL,
	 "a trace that is still being written is shown from its beginning, also to viewers that ask for "
	 "new packets only (babeltrace2 does)",
	 NULL},
	{OPTION_NAME, "name", "NAME", "what 'sonde status' and 'sonde stop' call it, default relay",
	 NULL},
	{OPTION_CONNECTIONS, "connections", "COUNT",
	 "viewers at a time at most, and likewise connections that stream to -o. Default: 1024 "
	 "each",
	 NULL},
	{OPTION_QUOTA, "quota", "SIZE",
	 "what all that -o has stored may take on disk (20G): when it is more, the oldest packets are "
	 "dropped, and readers see how many",
	 NULL},
	{OPTION_PERMISSIONS, "permissions", "OCTAL", PERMISSIONS_TEXT, NULL},
	{OPTION_GROUP, "group", "NAME", PERMISSIONS_GROUP_TEXT, NULL},
	{OPTION_SESSIONS, "sessions", "COUNT", "streamed to -o at a time at most, default 1024",
	 NULL},
	{OPTION_PATIENCE, "patience", "TIME",
	 "how long a viewer may take for the rest of a request, or to read what it asked for; default "
	 "30s",
	 NULL},
	{'v', "verbose", NULL, SERVE_INGEST_VERBOSE_TEXT, NULL},
	{OPTION_RX, "rx", "ADDR:PORT",
	 "answer rxdebug at that UDP port with this host's TCP connections and their peers.\n"
	 "A PORT alone: at 127.0.0.1; '*' = at all addresses. Port 0: one that is free",
	 NULL},
	{OPTION_RX_ALLOW, "rx-allow", "NET[,NET...]",
	 "answer these networks alone; needed, or --insecure, where other machines reach ADDR",
	 NULL},
	{OPTION_RX_RATE, "rx-rate", "BYTES",
	 "to one address a second, and ten times that to all. Default: 20000", NULL},
	{OPTION_RX_VERSION, "rx-version", "L..S", "report no more than servers of that version do",
	 "L M N O P Q R S"},
	{0},
};

static const struct verb_spec spec = {
	.name = "serve",
	.synopsis = "[OPTIONS] [-o DIR] [DIR...] | --rx ADDR:PORT [OPTIONS]",
	.summary = "Publish traces to live viewers, or answer others about this host.",
	.common = "live output control data name quota rx allow insecure verbose",
	.notes =
		"Each DIR is a trace, or has traces in it, which are one session then; its name is that of "
		"the directory. Traces that a recorder still writes are shown as they grow. Viewers are "
		"babeltrace2, and all that speak LTTng's live protocol:\n\n"
		"  babeltrace2 -i lttng-live net://localhost/host/HOST/NAME\n\n"
		"On Ctrl-C it ends when all requested data is sent to viewers, and on a second one at once; "
		"with --rx it says then how many clients asked.\n\n"
		"Exit status: 0; 1 error; 2 usage; 5 an address may not be used.",
	.examples = "sonde serve T\n"
		    "sonde serve -o TRACES\n"
		    "sonde serve --live 0.0.0.0:5344 --insecure T1 T2\n"
		    "sonde serve --rx 7009 &\nrxdebug 127.0.0.1 7009 -peers -long",
	.options = options,
	.shared = rights_server_options,
	.operand = "@dir",
};

struct request {
	struct serve_live_request live;
	struct serve_rx_request rx;
	bool wants_rx;
};

static int apply(struct request *req, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case OPTION_LIVE:
		return serve_live_parse_address(arg, &req->live, diag);
	case 'o':
		req->live.ingest.output = arg;
		return 0;
	case 'v':
		serve_ingest_say_more(&req->live.ingest);
		return 0;
	case OPTION_CONTROL:
		req->live.ingest.ports[INGEST_CONTROL] = arg;
		return 0;
	case OPTION_DATA:
		req->live.ingest.ports[INGEST_DATA] = arg;
		return 0;
	case OPTION_REPLAY:
		req->live.replay = true;
		return 0;
	case OPTION_NAME:
		return serve_live_parse_name(arg, &req->live, diag);
	case OPTION_QUOTA:
		return serve_live_parse_quota(arg, &req->live, diag);
	case OPTION_PERMISSIONS:
		return permissions_parse(arg, &req->live.ingest.permissions, diag);
	case OPTION_GROUP:
		return permissions_parse_group(arg, &req->live.ingest.permissions, diag);
	case OPTION_SESSIONS:
		return serve_live_parse_sessions(arg, &req->live, diag);
	case OPTION_CONNECTIONS:
		return serve_live_parse_connections(arg, &req->live, diag);
	case OPTION_PATIENCE:
		return serve_live_parse_patience(arg, &req->live, diag);
	case OPTION_RX:
		req->wants_rx = true;
		return serve_rx_parse_address(arg, &req->rx, diag);
	case OPTION_RX_VERSION:
		return serve_rx_parse_version(arg, &req->rx, diag);
	case OPTION_RX_ALLOW:
		return serve_rx_parse_allow(arg, &req->rx, diag);
	default:
		return serve_rx_parse_rate(arg, &req->rx, diag);
	}
}

static int parse(struct options *opts, struct request *req, struct diag *diag)
{
	const char *arg;
	int id, got, err;

	while ((got = options_next(opts, &id, &arg, diag)) == 1) {
		err = rights_option_is(id) ? rights_take_option(&req->live.rights, id, arg, diag) :
					     apply(req, id, arg, diag);
		if (err)
			return err;
	}
	if (got)
		return got;
	req->live.ingest.insecure = req->rx.insecure = req->live.rights.insecure;
	req->live.dirs = options_rest(opts, &req->live.dir_count);
	if (!req->live.ingest.output && serve_ingest_is_asked(&req->live.ingest))
		return diag_set(
			diag, -EINVAL,
			"--control, --data, --sessions, --quota, --permissions and --group need -o: where to store what comes");
	if (req->wants_rx && req->live.ingest.output)
		return diag_set(diag, -EINVAL, "--rx and -o are served by two of 'sonde serve'");
	if (req->wants_rx && req->live.dir_count)
		return diag_set(diag, -EINVAL,
				"--rx and traces (%s) are served by two of 'sonde serve'",
				req->live.dirs[0]);
	if (req->wants_rx && credential_files_any(&req->live.rights.files))
		return diag_set(
			diag, -EINVAL,
			"--rx answers every client: rxdebug has no certificates and tokens");
	if (!req->wants_rx && !req->live.dir_count && !req->live.ingest.output)
		return diag_set(
			diag, -EINVAL,
			"nothing to serve: name a DIR with a trace in it, or give -o or --rx");
	return rights_settle(&req->live.rights, diag);
}

static int run_serve(int argc, char **argv)
{
	struct request req = {0};
	struct options *opts = verb_options(&spec, argc, argv);
	struct diag diag = {0};
	int err, status;

	if (!opts)
		return STATUS_ERROR;
	err = parse(opts, &req, &diag);
	if (err)
		status = verb_usage(&spec, err, &diag);
	else
		status = req.wants_rx ? serve_rx(&spec, &req.rx) : serve_live(&spec, &req.live);
	rights_request_fini(&req.live.rights);
	options_free(opts);
	return status;
}

const struct verb verb_serve = {&spec, run_serve};

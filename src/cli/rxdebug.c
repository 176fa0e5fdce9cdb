// SPDX-License-Identifier: BSD-2-Clause

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/io.h"
#include "cli/confinement.h"
#include "cli/verb.h"
#include "rx/rx_classic.h"
#include "rx/rx_client.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"

/*
 * rxdebug: what an Rx endpoint (AFS) reports about itself, with the options, the text and the exit status of
 * OpenAFS's rxdebug 1.8.9.
 *
 * Unlike that one it takes replies of that server only, and ends a list that would not end: at a
 * refusal, and at RX_SURVEY_LIST_MAX records.
 */

/*
 * The command line of rxdebug, as OpenAFS's programs take theirs: switches may be shortened as
 * long as they are unique, and the first values need none.
 */

/* In the order of the usage. Options that take a value come, in the order in which they may stand without
 * a switch. */
enum rxdebug_switch {
	RXDEBUG_SERVERS,
	RXDEBUG_PORT,
	RXDEBUG_NODALLY,
	RXDEBUG_ALLCONNECTIONS,
	RXDEBUG_RXSTATS,
	RXDEBUG_ONLYSERVER,
	RXDEBUG_ONLYCLIENT,
	RXDEBUG_ONLYPORT,
	RXDEBUG_ONLYHOST,
	RXDEBUG_ONLYAUTH,
	RXDEBUG_VERSION,
	RXDEBUG_NOCONNS,
	RXDEBUG_PEERS,
	RXDEBUG_LONG,
	RXDEBUG_HELP,
	RXDEBUG_SWITCH_COUNT,
};

struct rxdebug_args {
	const char *
		values[RXDEBUG_SWITCH_COUNT]; /* "" of a switch that takes none; NULL = not given */
};

static const struct {
	const char *name;
	bool takes_value;
} switches[RXDEBUG_SWITCH_COUNT] = {
	[RXDEBUG_SERVERS] = {"servers", true},
	[RXDEBUG_PORT] = {"port", true},
	[RXDEBUG_NODALLY] = {"nodally", false},
	[RXDEBUG_ALLCONNECTIONS] = {"allconnections", false},
	[RXDEBUG_RXSTATS] = {"rxstats", false},
	[RXDEBUG_ONLYSERVER] = {"onlyserver", false},
	[RXDEBUG_ONLYCLIENT] = {"onlyclient", false},
	[RXDEBUG_ONLYPORT] = {"onlyport", true},
	[RXDEBUG_ONLYHOST] = {"onlyhost", true},
	[RXDEBUG_ONLYAUTH] = {"onlyauth", true},
	[RXDEBUG_VERSION] = {"version", false},
	[RXDEBUG_NOCONNS] = {"noconns", false},
	[RXDEBUG_PEERS] = {"peers", false},
	[RXDEBUG_LONG] = {"long", false},
	[RXDEBUG_HELP] = {"help", false},
};

static const char usage[] =
	"Usage: rxdebug -servers <server machine> [-port <IP port>] [-nodally]\n"
	"         [-allconnections] [-rxstats] [-onlyserver] [-onlyclient]\n"
	"         [-onlyport <show only <port>>] [-onlyhost <show only <host>>]\n"
	"         [-onlyauth <show only <auth level>>] [-version] [-noconns] [-peers]\n"
	"         [-long] [-help]\n"
	"Where: -nodally         don't show dallying conns\n"
	"       -allconnections  don't filter out uninteresting connections on server\n"
	"       -rxstats         show Rx statistics\n"
	"       -onlyserver      only show server conns\n"
	"       -onlyclient      only show client conns\n"
	"       -version         show AFS version id\n"
	"       -noconns         show no connections\n"
	"       -peers           show peers\n"
	"       -long            detailed output\n";

struct parse {
	char **rest; /* what is still to be looked at, NULL at the end */
	struct rxdebug_args *args;
	bool positional; /* no switch with a value has come yet */
	int last; /* the switch that had the last value, or should have it; -1 = none */
	bool incomplete[RXDEBUG_SWITCH_COUNT]; /* its value has not come */
};

/* A number is a value, even a negative one. */
static bool is_switch(const char *arg)
{
	return arg[0] == '-' && !isdigit((unsigned char)arg[1]);
}

/* The one of that name, or the only one that begins so; -1. @len: of the name. */
static int find(const char *name, size_t len)
{
	int found = -1;

	for (int i = 0; len && i < RXDEBUG_SWITCH_COUNT; i++) {
		if (strncmp(switches[i].name, name, len) != 0)
			continue;
		if (!switches[i].name[len])
			return i;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

static bool set_value(struct parse *parse, int which, const char *value)
{
	parse->last = which;
	parse->incomplete[which] = false;
	if (parse->args->values[which]) {
		fprintf(stderr, "rxdebug: Too many values after switch -%s\n",
			switches[which].name);
		return false;
	}
	parse->args->values[which] = value;
	return true;
}

static bool take_switch(struct parse *parse, const char *arg)
{
	const char *name = arg + (arg[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
	int which = find(name, equals ? (size_t)(equals - name) : strlen(name));

	if (which < 0) {
		fprintf(stderr,
			"rxdebug: Unrecognized or ambiguous switch '%s'; type 'rxdebug -help' for "
			"detailed help\n",
			arg);
		return false;
	}
	if (!switches[which].takes_value) {
		parse->args->values[which] = "";
		return true;
	}
	parse->positional = false;
	parse->last = which;
	parse->incomplete[which] = !parse->args->values[which];
	if (equals)
		return set_value(parse, which, equals + 1);
	if (*parse->rest && !is_switch(*parse->rest))
		return set_value(parse, which, *parse->rest++);
	return true;
}

/* The next that takes a value; behind the last, it would be that once more. */
static bool take_value(struct parse *parse, const char *arg)
{
	int which = parse->last;

	if (parse->positional) {
		for (int i = parse->last + 1; i < RXDEBUG_SWITCH_COUNT; i++) {
			if (!switches[i].takes_value)
				continue;
			which = i;
			break;
		}
	}
	return set_value(parse, which, arg);
}

/* In the order of the switches, all of which have been seen. */
static bool is_complete(const struct parse *parse)
{
	for (int i = 0; i < RXDEBUG_SWITCH_COUNT; i++) {
		if (parse->incomplete[i]) {
			fprintf(stderr, "rxdebug:  The field '-%s' isn't completed properly\n",
				switches[i].name);
			return false;
		}
		if (i == RXDEBUG_SERVERS && !parse->args->values[i]) {
			fputs("rxdebug: Missing required parameter '-servers'\n", stderr);
			return false;
		}
	}
	return true;
}

/* False: there is nothing to do, or something is wrong; it was said. */
static bool rxdebug_args_parse(int argc, char **argv, struct rxdebug_args *ret)
{
	struct parse parse = {.rest = argv + 1, .args = ret, .positional = true, .last = -1};

	*ret = (struct rxdebug_args){0};
	if (argc < 2) {
		puts("rxdebug: Type 'rxdebug -help' for help");
		return false;
	}
	while (*parse.rest) {
		const char *arg = *parse.rest++;

		if (!(is_switch(arg) ? take_switch(&parse, arg) : take_value(&parse, arg)))
			return false;
	}
	if (ret->values[RXDEBUG_HELP]) {
		fputs(usage, stdout);
		return false;
	}
	return is_complete(&parse);
}

#define DEFAULT_PORT 7000
#define NO_HOST UINT32_MAX /* 255.255.255.255: of a filter, none */

/* What of the lists is shown. */
struct filter {
	uint32_t host; /* NO_HOST: any */
	int port; /* -1: any */
	bool nodally;
	bool only_server;
	bool only_client;
	int security; /* index; -1: any */
	int level; /* of index 2; -1: any */
};

struct rxdebug {
	const struct rxdebug_args *args;
	struct rx_client *client;
	union rx_address server;
	struct sonde_rx_basic basic;
	struct filter filter;
	uint64_t skipped; /* connections that dally */
	bool cut; /* a list at its limit */
	struct buffer out;
};

static const struct verb_spec rxdebug_spec = {
	.name = "rxdebug",
	.classic = true,
	.summary = "Show the Rx calls, connections and peers of an AFS server or client.",
};

/* -1: unknown host. */
static int find_host(const char *name, uint32_t *ret)
{
	const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
	struct addrinfo *found = NULL;

	if (!*name || getaddrinfo(name, NULL, &hints, &found) || !found) {
		printf("rxdebug: host %s not found in host table\n", name);
		return -1;
	}
	*ret = ntohl(((const struct sockaddr_in *)found->ai_addr)->sin_addr.s_addr);
	freeaddrinfo(found);
	return 0;
}

static bool is_number(const char *text)
{
	for (; *text; text++) {
		if (!isdigit((unsigned char)*text))
			return false;
	}
	return true;
}

/* Only 16 bits of a number count, as ever; 65535 has always meant "no port". */
static int find_port(const char *name, int *ret)
{
	const struct servent *service = is_number(name) ? NULL : getservbyname(name, "udp");
	int port = service	   ? ntohs((uint16_t)service->s_port) :
		   is_number(name) ? (int)(strtoul(name, NULL, 10) & 0xffff) :
				     -1;

	if (port < 0 || port == 0xffff) {
		printf("rxdebug: can't resolve port name %s\n", name);
		return -1;
	}
	*ret = port;
	return 0;
}

static int parse_auth(const char *name, struct filter *filter)
{
	static const char *const levels[] = {"clear", "auth", "crypt"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(name, levels[i]) != 0)
			continue;
		filter->security = 2;
		filter->level = i;
		return 0;
	}
	if (!strcmp(name, "none") || !strcmp(name, "null") || !strncmp(name, "noauth", 6) ||
	    !strncmp(name, "unauth", 6)) {
		filter->security = 0;
		return 0;
	}
	fprintf(stderr, "Unknown authentication level: %s\n", name);
	return -1;
}

/* In the order in which rxdebug complains. */
static int resolve(struct rxdebug *rx)
{
	const char *const *values = rx->args->values;
	struct filter *filter = &rx->filter;
	int port = DEFAULT_PORT;
	uint32_t host;

	*filter = (struct filter){
		.host = NO_HOST,
		.port = -1,
		.security = -1,
		.level = -1,
		.nodally = values[RXDEBUG_NODALLY],
		.only_server = values[RXDEBUG_ONLYSERVER],
		.only_client = values[RXDEBUG_ONLYCLIENT],
	};
	if (values[RXDEBUG_ONLYPORT] && find_port(values[RXDEBUG_ONLYPORT], &filter->port))
		return -1;
	if (values[RXDEBUG_ONLYHOST] && find_host(values[RXDEBUG_ONLYHOST], &filter->host))
		return -1;
	if (values[RXDEBUG_ONLYAUTH] && parse_auth(values[RXDEBUG_ONLYAUTH], filter))
		return -1;
	if (find_host(values[RXDEBUG_SERVERS], &host) ||
	    (values[RXDEBUG_PORT] && find_port(values[RXDEBUG_PORT], &port)))
		return -1;
	rx->server.in = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(host),
		.sin_port = htons((uint16_t)port),
	};
	return 0;
}

/* What is written may be read long before the end: a list can take minutes. */
static int flush(struct rxdebug *rx)
{
	int err = buffer_error(&rx->out) ?: write_all(STDOUT_FILENO, rx->out.data, rx->out.len);

	buffer_reset(&rx->out);
	return err;
}

/* 0, or why no answer came. */
static int ask(struct rxdebug *rx, int32_t what, int32_t index, struct rx_answer *ret)
{
	const struct rx_query query = {.type = RX_TYPE_DEBUG, .what = what, .index = index};
	int err = flush(rx) ?: rx_client_ask_one(rx->client, &rx->server, &query, ret);

	return err ?: ret->err;
}

static void put_host(uint32_t host, struct buffer *out)
{
	buffer_format(out, "%u.%u.%u.%u", host >> 24, host >> 16 & 0xff, host >> 8 & 0xff,
		      host & 0xff);
}

/* Names come from the network: no control bytes to a terminal. */
static void put_version(const char *text, size_t len, struct buffer *out)
{
	char shown[RX_VERSION_BYTES];

	snprintf(shown, sizeof(shown), "%.*s",
		 (int)(len < RX_VERSION_BYTES - 2 ? len : RX_VERSION_BYTES - 2), text);
	escape_blank(shown);
	buffer_format(out, "AFS version: %s\n", shown);
}

static int show_version(struct rxdebug *rx)
{
	const struct rx_query query = {.type = RX_TYPE_VERSION};
	struct rx_answer answer;
	int err = flush(rx) ?: rx_client_ask_one(rx->client, &rx->server, &query, &answer);

	err = err ?: answer.err;
	if (err) {
		buffer_string(&rx->out, "get version call failed with code -1, errno 0\n");
		return STATUS_ERROR;
	}
	put_version((const char *)answer.payload, answer.len, &rx->out);
	return STATUS_COMPLETE;
}

/* 0 also where the server has none. */
static int show_stats(struct rxdebug *rx)
{
	struct rx_answer answer;
	struct sonde_rx_stats stats;
	int err = -ENOTSUP;

	if (rx_basic_has(&rx->basic, RX_VERSION_ALL_CONN))
		err = ask(rx, RX_DEBUG_STATS, 0, &answer);
	if (err == -ENOTSUP) {
		(void)flush(rx);
		fputs("WARNING: Server doesn't support retrieval of Rx statistics\n", stderr);
		return 0;
	}
	err = err ?: rx_stats_unpack(answer.payload, answer.len, &stats);
	if (err)
		buffer_string(&rx->out, "rxstats call failed with code -1\n");
	else
		rx_classic_stats(&stats, answer.len, &rx->basic, &rx->out);
	return err;
}

static void put_banners(struct rxdebug *rx)
{
	const struct filter *filter = &rx->filter;
	static const char *const levels[] = {"rxkad_clear", "rxkad_auth", "rxkad_crypt"};

	if (filter->only_server)
		buffer_string(&rx->out, "Showing only server connections\n");
	if (filter->only_client)
		buffer_string(&rx->out, "Showing only client connections\n");
	if (filter->security >= 0)
		buffer_format(&rx->out, "Showing only %s connections\n",
			      filter->level >= 0 ? levels[filter->level] : "unauthenticated");
	if (filter->host != NO_HOST) {
		buffer_string(&rx->out, "Showing only connections from host ");
		put_host(filter->host, &rx->out);
		buffer_char(&rx->out, '\n');
	}
	if (filter->port >= 0)
		buffer_format(&rx->out, "Showing only connections on port %d\n", filter->port);
}

/* Without statistics of it, any level will do. */
static bool passes_security(const struct rxdebug *rx, const struct sonde_rx_conn *conn)
{
	const struct filter *filter = &rx->filter;

	if (filter->security < 0)
		return true;
	if (conn->security_index != filter->security)
		return false;
	return filter->level < 0 || !rx_basic_has(&rx->basic, RX_VERSION_SECURITY) ||
	       conn->security.type != SONDE_RX_SECURITY_KAD ||
	       conn->security.level == filter->level;
}

static bool passes(struct rxdebug *rx, const struct sonde_rx_conn *conn)
{
	const struct filter *filter = &rx->filter;

	if (filter->nodally && rx_classic_is_dallying(conn)) {
		rx->skipped++;
		return false;
	}
	return (filter->host == NO_HOST || conn->host == filter->host) &&
	       (filter->port < 0 || conn->port == filter->port) &&
	       (!filter->only_server || conn->type == 1) &&
	       (!filter->only_client || conn->type == 0) && passes_security(rx, conn);
}

/* Whether @index is within the limit; if not, says so. A server that never sends the end would be asked for ever. */
static bool goes_on(struct rxdebug *rx, int32_t index, const char *what)
{
	if (index < (int32_t)RX_SURVEY_LIST_MAX)
		return true;
	(void)flush(rx);
	fprintf(stderr,
		"rxdebug: the server's list of %s has not ended after %u records: stopped "
		"('sonde rxdebug --force' reads more)\n",
		what, RX_SURVEY_LIST_MAX);
	rx->cut = true;
	return false;
}

/* False: the list is incomplete, and that was said. */
static bool show_conns(struct rxdebug *rx)
{
	bool all = rx->args->values[RXDEBUG_ALLCONNECTIONS];
	struct rx_answer answer;
	struct sonde_rx_conn conn;

	if (all && !rx_basic_has(&rx->basic, RX_VERSION_ALL_CONN)) {
		(void)flush(rx);
		fputs("WARNING: Server doesn't support retrieval of all connections,\n"
		      "         getting only interesting instead.\n",
		      stderr);
		all = false;
	}
	put_banners(rx);
	for (int32_t i = 0;; i++) {
		int err;

		if (!goes_on(rx, i, "connections"))
			return false;
		err = ask(rx, all ? RX_DEBUG_ALL_CONN : RX_DEBUG_CONN, i, &answer);
		err = err ?: rx_conn_unpack(answer.payload, answer.len, &conn);
		if (err) {
			buffer_string(&rx->out, "getconn call failed with code -1\n");
			return false;
		}
		if (rx_conn_is_end(&conn))
			break;
		if (passes(rx, &conn))
			rx_classic_conn(&conn, &rx->basic, time(NULL), &rx->out);
	}
	buffer_string(&rx->out, "Done.\n");
	if (rx->filter.nodally)
		buffer_format(&rx->out, "Skipped %llu dallying connections.\n",
			      (unsigned long long)rx->skipped);
	return true;
}

/* rxdebug compares a peer's port with one that it takes for signed, in network byte order: those whose lower byte
 * has the highest bit are never the same. */
static bool passes_peer(const struct filter *filter, const struct sonde_rx_peer *peer)
{
	return (filter->host == NO_HOST || peer->host == filter->host) &&
	       (filter->port < 0 || (peer->port == filter->port && !(filter->port & 0x80)));
}

static void show_peers(struct rxdebug *rx)
{
	struct rx_answer answer;
	struct sonde_rx_peer peer;

	for (int32_t i = 0;; i++) {
		int err;

		if (!goes_on(rx, i, "peers"))
			return;
		err = ask(rx, RX_DEBUG_PEER, i, &answer);
		err = err ?: rx_peer_unpack(answer.payload, answer.len, &peer);
		if (err) {
			buffer_string(&rx->out, "getpeer call failed with code -1\n");
			return;
		}
		if (rx_peer_is_end(&peer))
			break;
		if (passes_peer(&rx->filter, &peer))
			rx_classic_peer(&peer, rx->args->values[RXDEBUG_LONG], &rx->out);
	}
	buffer_string(&rx->out, "Done.\n");
}

static int show_all(struct rxdebug *rx)
{
	const char *const *values = rx->args->values;
	struct rx_answer answer;
	int err = ask(rx, RX_DEBUG_BASIC, 0, &answer);

	err = err ?: rx_basic_unpack(answer.payload, answer.len, &rx->basic);
	if (err) {
		buffer_string(&rx->out, "getstats call failed with code -1\n");
		return STATUS_ERROR;
	}
	rx_classic_basic(&rx->basic, &rx->out);
	if (values[RXDEBUG_RXSTATS] && show_stats(rx))
		return STATUS_ERROR;
	if (!values[RXDEBUG_NOCONNS] && !show_conns(rx) && !rx->cut)
		return STATUS_COMPLETE; /* it has always been so */
	if (values[RXDEBUG_PEERS] && rx_basic_has(&rx->basic, RX_VERSION_PEER))
		show_peers(rx);
	return rx->cut ? STATUS_ERROR : STATUS_COMPLETE;
}

static int run_on(struct rxdebug *rx)
{
	const struct rx_client_config config = {0};
	struct diag diag = {0};
	int status;

	if (rx_client_open(&config, &rx->client, &diag))
		return verb_fail(&rxdebug_spec, STATUS_ERROR, &diag);
	buffer_string(&rx->out, "Trying ");
	put_host(ntohl(rx->server.in.sin_addr.s_addr), &rx->out);
	buffer_format(&rx->out, " (port %u):\n", ntohs(rx->server.in.sin_port));
	status = rx->args->values[RXDEBUG_VERSION] ? show_version(rx) : show_all(rx);
	if (flush(rx))
		status = STATUS_ERROR;
	rx_client_close(rx->client);
	return status;
}

static int run_rxdebug(int argc, char **argv)
{
	struct rxdebug_args args;
	struct rxdebug rx = {.args = &args};
	const struct confinement confinement = {.network = true};
	int status;

	if (!rxdebug_args_parse(argc, argv, &args))
		return STATUS_COMPLETE; /* it has always been so */
	buffer_init(&rx.out);
	status = resolve(&rx) ? STATUS_ERROR :
				(confinement_enter(&rxdebug_spec, &confinement) ?: run_on(&rx));
	buffer_fini(&rx.out);
	return status;
}

const struct verb verb_rxdebug = {&rxdebug_spec, run_rxdebug};

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_request.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"

/* What the users of a server begin to notice: OpenAFS's sites have had these for long. */
#define WAITING_WARNING 2
#define WAITING_CRITICAL 8
/* A few clients that went away in the middle of a call are usual; more are a filter, or no route, between both. */
#define HELD_WARNING 10

const struct rxdebug_measure_form rxdebug_measure_forms[RXDEBUG_MEASURE_COUNT] = {
	[RXDEBUG_WAITING] = {"waiting", "", false, 0, "has ", " calls waiting for a thread"},
	[RXDEBUG_IDLE] = {"idle", "", true, 0, "has ", " idle threads"},
	[RXDEBUG_ANSWER] = {"answer", "ms", false, 1, "answered in ", " ms"},
	[RXDEBUG_FREE] = {"free", "%", true, 1, "has ", " % of its packet buffers free"},
	[RXDEBUG_RESENT] = {"resent", "%", false, 1, "sent ", " % of its packets again"},
	[RXDEBUG_BUSIES] = {"busies", "", false, 0, "turned ", " calls away"},
	[RXDEBUG_BLOCKED] = {"blocked", "", false, 0, "has ", " blocked calls"},
	[RXDEBUG_HELD] = {"held", "", false, 0, "has ",
			  " calls held by clients that do not answer"},
	[RXDEBUG_ERRORS] = {"errors", "", false, 0, "has ", " connections with errors"},
	[RXDEBUG_EXPIRED] = {"expired", "", false, 0, "has ", " connections with expired tickets"},
};

void rxdebug_limits_init(struct rxdebug_limits *limits)
{
	for (size_t i = 0; i < RXDEBUG_MEASURE_COUNT; i++)
		limits->warning[i] = limits->critical[i] = NAN;
	limits->warning[RXDEBUG_WAITING] = WAITING_WARNING;
	limits->critical[RXDEBUG_WAITING] = WAITING_CRITICAL;
	limits->warning[RXDEBUG_HELD] = HELD_WARNING;
}

/* A number, with its unit or without; of times, as 500ms. */
static bool parse_value(enum rxdebug_measure measure, const char *text, double *ret)
{
	const char *unit = rxdebug_measure_forms[measure].unit;
	uint64_t ns;
	char *end;

	if (measure == RXDEBUG_ANSWER && !duration_parse(text, &ns)) {
		*ret = (double)ns / NS_PER_MS;
		return true;
	}
	*ret = strtod(text, &end);
	return *text >= '0' && *text <= '9' && isfinite(*ret) &&
	       (!*end || (*unit == '%' && !strcmp(end, unit)));
}

static int find_measure(const char *name, size_t len, enum rxdebug_measure *ret)
{
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const char *one = rxdebug_measure_forms[i].name;

		if (strlen(one) == len && !memcmp(one, name, len)) {
			*ret = i;
			return 0;
		}
	}
	return -ENOENT;
}

static int parse_one(const char *option, const char *text, double *values, struct diag *diag)
{
	enum rxdebug_measure measure = RXDEBUG_WAITING;
	const char *equals = strchr(text, '=');

	if (equals && find_measure(text, (size_t)(equals - text), &measure))
		return diag_set(diag, -EINVAL,
				"--%s: '%.*s' is not one of waiting, idle, answer, free, resent, "
				"busies, blocked, held, errors and expired",
				option, (int)(equals - text), text);
	if (!parse_value(measure, equals ? equals + 1 : text, &values[measure]))
		return diag_set(diag, -EINVAL, "--%s: '%s' is neither a number nor NAME=NUMBER%s",
				option, text,
				measure == RXDEBUG_ANSWER ? ", the number a time as 500ms" : "");
	return 0;
}

int rxdebug_limits_parse(const char *option, const char *text, double values[RXDEBUG_MEASURE_COUNT],
			 struct diag *diag)
{
	int err = 0;

	do {
		size_t len = strcspn(text, ",");
		char one[64];

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		err = parse_one(option, one, values, diag);
		text += len;
	} while (!err && *text++);
	return err;
}

bool rxdebug_limits_is_beyond(enum rxdebug_measure measure, double value, double limit)
{
	return rxdebug_measure_forms[measure].low ? value < limit : value > limit;
}

int rxdebug_limits_check(const struct rxdebug_limits *limits, struct diag *diag)
{
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const double warning = limits->warning[i], critical = limits->critical[i];

		if (rxdebug_limits_is_beyond(i, warning, critical))
			return diag_set(diag, -EINVAL, "--warning %s=%g is beyond --critical %s=%g",
					rxdebug_measure_forms[i].name, warning,
					rxdebug_measure_forms[i].name, critical);
	}
	return 0;
}

bool rxdebug_limits_has(const struct rxdebug_limits *limits, enum rxdebug_measure measure)
{
	return !isnan(limits->warning[measure]) || !isnan(limits->critical[measure]);
}

#define TRIES 3u
#define WATCH_RATE 20.0 /* records a second: what real clients of a server do not notice */
#define FORCED_MAX (1u << 20)

enum {
	OPTION_JSON = 256,
	OPTION_CHECK,
	OPTION_NAGIOS,
	OPTION_WATCH,
	OPTION_COUNT,
	OPTION_INVENTORY,
	OPTION_PROMETHEUS,
	OPTION_TOKEN,
	OPTION_INSECURE,
	OPTION_WINDOW,
	OPTION_RATE,
	OPTION_TWICE,
	OPTION_FORCE,
	OPTION_WAIT,
	OPTION_TRIES,
	OPTION_ANY_ADDRESS,
	OPTION_CLASSIC,
};

static const struct option_spec options[] = {
	{'a', "all", NULL, "all connections, not only those with something under way", NULL},
	{'p', "peers", NULL, "its peers: round-trip times, packets sent again, bytes", NULL},
	{'n', "no-conns", NULL, "no connections", NULL},
	{OPTION_JSON, "json", NULL, "for programs: an object on one line", NULL},
	{OPTION_CHECK, "check", NULL, "one line, and an exit status, for monitors", NULL},
	{'w', "warning", "N|NAME=N,...",
	 "with --check: when more calls wait for a thread than N (default: 2); or for NAME: "
	 "waiting, answer, resent, busies, blocked, errors, expired; idle, free: when fewer",
	 NULL},
	{'c', "critical", "N|NAME=N,...", "with --check: the same; 8", NULL},
	{OPTION_NAGIOS, "nagios", NULL,
	 "with --check: exit as Nagios has it, 1 warning, 2 critical, 3 unknown", NULL},
	{OPTION_WATCH, "watch", "TIME",
	 "again and again, each TIME, with rates; with --check: what counters grew in TIME", NULL},
	{OPTION_COUNT, "count", "N", "with --watch: so many times", NULL},
	{OPTION_INVENTORY, "inventory", NULL,
	 "the version of what answers at port 7001 of each host that they deal with", NULL},
	{OPTION_PROMETHEUS, "prometheus", "ADDR:PORT",
	 "serve the same as metrics, at /metrics there; a PORT alone: at 127.0.0.1", NULL},
	{OPTION_TOKEN, "token", "FILE",
	 "with --prometheus: clients send the first line of FILE, as \"Authorization: Bearer TOKEN\"",
	 "@file"},
	{OPTION_INSECURE, "insecure", NULL,
	 "with --prometheus: listen where other machines reach it, and ask for nothing", NULL},
	{OPTION_WINDOW, "window", "N|auto",
	 "requests for records of one server at once; auto: as many as its answer times "
	 "permit. Default: 1; more make its clients wait",
	 NULL},
	{OPTION_RATE, "rate", "N", "records a second of one server, at most; with --watch 20",
	 NULL},
	{OPTION_TWICE, "twice", NULL, "read lists twice: they move while they are read", NULL},
	{OPTION_FORCE, "force", NULL, "read lists of more than 20000", NULL},
	{OPTION_WAIT, "wait", "TIME",
	 "for an answer, before it is asked again after twice as long; 1s", NULL},
	{OPTION_TRIES, "tries", "N", "ask so often; 3", NULL},
	{OPTION_ANY_ADDRESS, "any-address", NULL,
	 "take answers from another address than was asked, with that port", NULL},
	{OPTION_CLASSIC, "classic", NULL,
	 "the first word: all that follows is for, and as from, OpenAFS's rxdebug", NULL},
	{0},
};

const struct verb_spec rxdebug_modern_spec = {
	.name = "rxdebug",
	.synopsis = "[OPTIONS] HOST[:PORT]|NETWORK/BITS[:PORT]|@FILE...",
	.summary = "What AFS servers and clients tell of their calls, connections and peers.",
	.common = "all peers no-conns json check watch count inventory prometheus classic",
	.notes =
		"Default port: 7000. @FILE has one of these on each line.\n\n"
		"Exit status: 0; 1 one did not answer, or an error; 2 usage; with --check also 3 warning,\n"
		"4 critical, unless --nagios is given; 5 an address or a token's file may not be used.",
	.examples =
		"sonde rxdebug afs1.example.org:7003\n"
		"sonde rxdebug -a -p --json afs1 afs2 | jq .\n"
		"sonde rxdebug --check -w waiting=5,resent=2% -c waiting=20,resent=10% @servers\n"
		"sonde rxdebug --watch 5s afs1 afs2",
	.options = options,
};

static int parse_number(const char *name, const char *arg, uint64_t most, uint64_t *ret,
			struct diag *diag)
{
	char *end;

	*ret = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || *ret > most)
		return diag_set(diag, -EINVAL, "--%s: '%s' is not a number from 0 to %llu", name,
				arg, (unsigned long long)most);
	return 0;
}

static int parse_time(const char *name, const char *arg, uint64_t *ret, struct diag *diag)
{
	if (duration_parse(arg, ret) || !*ret)
		return diag_set(diag, -EINVAL, "--%s: '%s' is not a time: give one as 500ms or 5s",
				name, arg);
	return 0;
}

static int take_window(struct rx_survey_config *survey, const char *arg, struct diag *diag)
{
	uint64_t number;

	survey->adaptive = !strcmp(arg, "auto");
	if (survey->adaptive)
		return 0;
	if (parse_number("window", arg, RX_SURVEY_WINDOW_MAX, &number, diag) || !number)
		return diag_set(diag, -EINVAL, "--window: '%s' is neither auto nor one of 1 to %u",
				arg, RX_SURVEY_WINDOW_MAX);
	survey->window = (unsigned int)number;
	return 0;
}

static int take_number(struct rxdebug_request *request, int id, const char *arg, struct diag *diag)
{
	uint64_t number = 0;
	int err;

	switch (id) {
	case OPTION_COUNT:
		return parse_number("count", arg, UINT32_MAX, &request->rounds, diag);
	case OPTION_RATE:
		err = parse_number("rate", arg, 1000000, &number, diag);
		request->survey.rate = (double)number;
		return err;
	default:
		err = parse_number("tries", arg, RX_CLIENT_TRIES_MAX, &number, diag);
		request->survey.client.tries = (unsigned int)number;
		return err;
	}
}

static int take_option(struct rxdebug_request *request, int id, const char *arg, struct diag *diag)
{
	struct rx_survey_config *survey = &request->survey;

	switch (id) {
	case 'a':
		survey->all_conns = true;
		return 0;
	case 'p':
		survey->peers = true;
		return 0;
	case 'n':
		survey->conns = false;
		return 0;
	case OPTION_JSON:
		request->json = true;
		return 0;
	case OPTION_CHECK:
		request->check = true;
		return 0;
	case OPTION_NAGIOS:
		request->nagios = true;
		return 0;
	case 'w':
		return rxdebug_limits_parse("warning", arg, request->limits.warning, diag);
	case 'c':
		return rxdebug_limits_parse("critical", arg, request->limits.critical, diag);
	case OPTION_INVENTORY:
		request->inventory = true;
		return 0;
	case OPTION_PROMETHEUS:
		request->prometheus = arg;
		return 0;
	case OPTION_TOKEN:
		request->token = arg;
		return 0;
	case OPTION_INSECURE:
		request->insecure = true;
		return 0;
	case OPTION_TWICE:
		survey->passes = 2;
		return 0;
	case OPTION_FORCE:
		survey->list_max = FORCED_MAX;
		return 0;
	case OPTION_ANY_ADDRESS:
		survey->client.any_address = true;
		return 0;
	case OPTION_CLASSIC:
		return diag_set(diag, -EINVAL, "--classic has to be the first word");
	case OPTION_WATCH:
		return parse_time("watch", arg, &request->period_ns, diag);
	case OPTION_WAIT:
		return parse_time("wait", arg, &survey->client.wait_ns, diag);
	case OPTION_WINDOW:
		return take_window(survey, arg, diag);
	default:
		return take_number(request, id, arg, diag);
	}
}

static int check(struct rxdebug_request *request, struct diag *diag)
{
	bool watches = request->period_ns && !request->check;

	if (!request->targets.count)
		return diag_set(diag, -EINVAL, "no server named: give HOST[:PORT]");
	if (request->check + request->inventory + watches + !!request->prometheus > 1)
		return diag_set(diag, -EINVAL,
				"--check, --inventory, --watch and --prometheus exclude each "
				"other, but for --check with --watch");
	if (!request->prometheus && (request->token || request->insecure))
		return diag_set(diag, -EINVAL, "--token and --insecure belong to --prometheus");
	if (request->token && request->insecure)
		return diag_set(diag, -EINVAL,
				"--insecure asks for nothing, and --token for a token: give one");
	if (request->rounds && !watches)
		return diag_set(diag, -EINVAL, "--count belongs to --watch");
	if (request->nagios && !request->check)
		return diag_set(diag, -EINVAL, "--nagios belongs to --check");
	if (watches && !(request->survey.rate > 0))
		request->survey.rate = WATCH_RATE;
	return rxdebug_limits_check(&request->limits, diag);
}

int rxdebug_request_parse(int argc, char **argv, struct rxdebug_request *request, struct diag *diag)
{
	struct options *opts = options_new(&rxdebug_modern_spec, argc, argv);
	const char *arg;
	char **rest;
	int id, got, count;

	*request = (struct rxdebug_request){
		.survey = {.version = true,
			   .basic = true,
			   .stats = true,
			   .conns = true,
			   .client.tries = TRIES},
	};
	rxdebug_limits_init(&request->limits);
	if (!opts)
		return diag_set(diag, -ENOMEM, "no memory");
	while ((got = options_next(opts, &id, &arg, diag)) == 1) {
		got = take_option(request, id, arg, diag);
		if (got)
			break;
	}
	rest = got ? NULL : options_rest(opts, &count);
	for (int i = 0; !got && i < count; i++)
		got = rx_targets_add(&request->targets, rest[i], diag);
	options_free(opts);
	return got ?: check(request, diag);
}

void rxdebug_request_fini(struct rxdebug_request *request)
{
	rx_targets_fini(&request->targets);
}

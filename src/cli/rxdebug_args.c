// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_args.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

bool rxdebug_args_parse(int argc, char **argv, struct rxdebug_args *ret)
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

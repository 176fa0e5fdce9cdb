/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_args: the command line of rxdebug, as OpenAFS's programs take theirs: switches may be shortened as
 * long as they are unique, and the first values need none.
 */
#ifndef SONDE_CLI_RXDEBUG_ARGS_H
#define SONDE_CLI_RXDEBUG_ARGS_H

#include <stdbool.h>

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

/* False: there is nothing to do, or something is wrong; it was said. */
bool rxdebug_args_parse(int argc, char **argv, struct rxdebug_args *ret);

#endif /* SONDE_CLI_RXDEBUG_ARGS_H */

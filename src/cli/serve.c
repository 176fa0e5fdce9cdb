// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "base/diag.h"
#include "cli/serve_rx.h"
#include "cli/verb.h"

enum {
	OPTION_RX = 256,
	OPTION_RX_VERSION,
	OPTION_RX_ALLOW,
	OPTION_RX_RATE,
};

static const struct option_spec options[] = {
	{OPTION_RX, "rx", "ADDR:PORT",
	 "answer rxdebug at that UDP port: what TCP connections this host has, and with whom.\n"
	 "A PORT alone: at 127.0.0.1; '*' = at all addresses. Port 0: one that is free",
	 NULL},
	{OPTION_RX_ALLOW, "rx-allow", "NET[,NET...]", "answer these networks alone", NULL},
	{OPTION_RX_RATE, "rx-rate", "BYTES",
	 "to one address a second, and ten times that to all; 20000 unless given", NULL},
	{OPTION_RX_VERSION, "rx-version", "L..S", "tell no more than servers of that version do",
	 "L M N O P Q R S"},
	{0},
};

static const struct verb_spec spec = {
	.name = "serve",
	.synopsis = "--rx ADDR:PORT [OPTIONS]",
	.summary = "Answer others about this host.",
	.notes = "It ends on Ctrl-C, and tells then how many asked.\n\n"
		 "Exit status: 0; 1 error; 2 usage.",
	.examples = "sonde serve --rx 7009 &\nrxdebug 127.0.0.1 7009 -peers -long",
	.options = options,
};

static int parse(struct options *opts, struct serve_rx_request *rx, bool *wants_rx,
		 struct diag *diag)
{
	const char *arg;
	int id, got, count;

	while ((got = options_next(opts, &id, &arg, diag)) == 1) {
		int err = id == OPTION_RX	  ? serve_rx_parse_address(arg, rx, diag) :
			  id == OPTION_RX_VERSION ? serve_rx_parse_version(arg, rx, diag) :
			  id == OPTION_RX_ALLOW	  ? serve_rx_parse_allow(arg, rx, diag) :
						    serve_rx_parse_rate(arg, rx, diag);

		if (err)
			return err;
		*wants_rx |= id == OPTION_RX;
	}
	if (got)
		return got;
	if (*options_rest(opts, &count))
		return diag_set(diag, -EINVAL, "unexpected operand '%s'",
				*options_rest(opts, &count));
	if (!*wants_rx)
		return diag_set(diag, -EINVAL, "nothing to serve: give --rx ADDR:PORT");
	return 0;
}

static int run_serve(int argc, char **argv)
{
	struct serve_rx_request rx = {0};
	struct options *opts = options_new(&spec, argc, argv);
	struct diag diag = {0};
	bool wants_rx = false;
	int err;

	if (!opts) {
		(void)diag_set(&diag, -ENOMEM, "no memory");
		return verb_fail(&spec, STATUS_ERROR, &diag);
	}
	err = parse(opts, &rx, &wants_rx, &diag);
	options_free(opts);
	return err ? verb_usage(&spec, err, &diag) : serve_rx(&spec, &rx);
}

const struct verb verb_serve = {&spec, run_serve};

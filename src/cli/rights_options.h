/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights_options: certificates and tokens on the command line, of clients that connect to relays,
 * and of servers, which use the same files; and the sessions that servers let others see. One
 * table of each, for all verbs.
 */
#ifndef SONDE_CLI_RIGHTS_OPTIONS_H
#define SONDE_CLI_RIGHTS_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"
#include "live/access/rights.h"

struct diag;

/* Behind all ids that verbs have of their own. */
enum rights_option {
	RIGHTS_TLS_CERT = 0x1000,
	RIGHTS_TLS_KEY,
	RIGHTS_TLS_CA,
	RIGHTS_TOKEN,
	RIGHTS_ALLOW, /* this and what follows: of listeners alone */
	RIGHTS_PLAIN_LOCAL,
	RIGHTS_INSECURE,
	RIGHTS_OPTION_END,
};

/* Rows of a table: for clients. */
#define RIGHTS_CLIENT_ROWS                                                                         \
	{RIGHTS_TLS_CERT, "tls-cert", "FILE",                                                      \
	 "a certificate to show to relays, which are to show one as well: TLS; PEM", "@file"},     \
		{RIGHTS_TLS_KEY, "tls-key", "FILE", "its private key", "@file"},                   \
		{RIGHTS_TLS_CA, "tls-ca", "FILE", "the authority whose certificates are believed", \
		 "@file"},                                                                         \
	{                                                                                          \
		RIGHTS_TOKEN, "token", "FILE",                                                     \
			"a secret that relays ask for: the first line of FILE", "@file"            \
	}

/* For verb_spec.shared: for clients, and for servers (which may connect as well). */
extern const struct option_spec rights_client_options[];
extern const struct option_spec rights_server_options[];

/* What was said. Borrows it, but for the rules. */
struct rights_request {
	struct credential_files files;
	struct allow allow;
	bool plain_local;
	bool insecure;
};

bool rights_option_is(int id);
/* One of these: 0 or -EINVAL. */
int rights_take_option(struct rights_request *request, int id, const char *arg, struct diag *diag);
/* Once all are taken: -EINVAL where they do not fit together. */
int rights_settle(const struct rights_request *request, struct diag *diag);
void rights_request_fini(struct rights_request *request);

/* What a listener asks, which borrows @request: as credentials_load. The caller finishes *@ret, in either
 * case. */
int rights_open(const struct rights_request *request, struct rights *ret, struct diag *diag);

#endif /* SONDE_CLI_RIGHTS_OPTIONS_H */

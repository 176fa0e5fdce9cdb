// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rights_options.h"

#include <errno.h>

#include "base/diag.h"

const struct option_spec rights_client_options[] = {
	RIGHTS_CLIENT_ROWS,
	{0},
};

const struct option_spec rights_server_options[] = {
	{RIGHTS_TLS_CERT, "tls-cert", "FILE",
	 "use TLS with this certificate, and require one of peers; PEM", "@file"},
	{RIGHTS_TLS_KEY, "tls-key", "FILE", "its private key", "@file"},
	{RIGHTS_TLS_CA, "tls-ca", "FILE", "the authority whose certificates are believed", "@file"},
	{RIGHTS_TOKEN, "token", "FILE",
	 "a secret that clients must send, and that relays get: the first line of FILE", "@file"},
	{RIGHTS_ALLOW, "allow", "PEER=SESSION",
	 "clients with a certificate of the name PEER may see SESSION, both globs; repeatable. "
	 "Default: all clients see all",
	 NULL},
	{RIGHTS_PLAIN_LOCAL, "plain-local", NULL,
	 "clients on this machine need no certificate and no token, as LTTng's own programs "
	 "know neither",
	 NULL},
	{RIGHTS_INSECURE, "insecure", NULL,
	 "listen where other machines connect, without authentication: every client may "
	 "read everything, and stream anything to us",
	 NULL},
	{0},
};

bool rights_option_is(int id)
{
	return id >= RIGHTS_TLS_CERT && id < RIGHTS_OPTION_END;
}

int rights_take_option(struct rights_request *request, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case RIGHTS_TLS_CERT:
		request->files.tls.cert = arg;
		return 0;
	case RIGHTS_TLS_KEY:
		request->files.tls.key = arg;
		return 0;
	case RIGHTS_TLS_CA:
		request->files.tls.ca = arg;
		return 0;
	case RIGHTS_TOKEN:
		request->files.token = arg;
		return 0;
	case RIGHTS_ALLOW:
		return allow_add(&request->allow, arg, diag) ?
			       diag_prefix(diag, -EINVAL, "--allow") :
			       0;
	case RIGHTS_PLAIN_LOCAL:
		request->plain_local = true;
		return 0;
	default: /* RIGHTS_INSECURE */
		request->insecure = true;
		return 0;
	}
}

int rights_settle(const struct rights_request *request, struct diag *diag)
{
	const bool asks = credential_files_any(&request->files);
	int err = credential_files_check(&request->files, diag);

	if (err)
		return err;
	if (request->insecure && asks)
		return diag_set(
			diag, -EINVAL,
			"--insecure asks nothing of anybody, but certificates and tokens are "
			"to be asked for: leave one of them out");
	if (request->plain_local && !asks)
		return diag_set(diag, -EINVAL,
				"--plain-local: nothing is asked of others either: that takes "
				"--tls-cert or --token");
	if (request->allow.count && !request->files.tls.cert)
		return diag_set(diag, -EINVAL,
				"--allow knows others by the names in their certificates: it takes "
				"--tls-cert, --tls-key and --tls-ca");
	return 0;
}

void rights_request_fini(struct rights_request *request)
{
	allow_fini(&request->allow);
}

int rights_open(const struct rights_request *request, struct rights *ret, struct diag *diag)
{
	*ret = (struct rights){.allow = &request->allow, .plain_local = request->plain_local};
	return credentials_load(TLS_SERVER, &request->files, &ret->credentials, diag);
}

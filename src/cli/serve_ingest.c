// SPDX-License-Identifier: BSD-2-Clause
#include "cli/serve_ingest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/serve_sockets.h"
#include "cli/verb.h"
#include "live/ingest/ingest.h"
#include "live/relay/relay.h"

static void say(void *ctx, const char *text)
{
	struct diag diag;

	(void)diag_set(&diag, 0, "%s", text);
	(void)verb_fail(ctx, 0, &diag);
}

void serve_ingest_say_more(struct serve_ingest_request *request)
{
	if (request->log < RELAY_LOG_PACKETS)
		request->log++;
}

bool serve_ingest_is_asked(const struct serve_ingest_request *request)
{
	return request->ports[INGEST_CONTROL] || request->ports[INGEST_DATA] || request->sessions ||
	       request->quota || request->permissions.mode || request->permissions.group;
}

/* Those that a service manager has opened, and the address that was given; else the default. */
static int listen_all(struct ingest *ingest, enum ingest_port port,
		      const struct serve_ingest_request *request, struct inherited *inherited,
		      struct diag *diag)
{
	static const char *const names[INGEST_PORTS] = {
		[INGEST_CONTROL] = SERVE_SOCKET_CONTROL, [INGEST_DATA] = SERVE_SOCKET_DATA};
	int fd, err = 0;
	bool any = false;

	while (!err && (fd = serve_sockets_take(inherited, names[port])) >= 0) {
		any = true;
		err = ingest_listen_fd(ingest, port, fd, diag);
	}
	if (!err && (request->ports[port] || !any))
		err = ingest_listen(ingest, port, request->ports[port], request->insecure, diag);
	return err;
}

int serve_ingest_open(const struct serve_ingest_request *request, const struct verb_spec *spec,
		      struct relay *relay, const struct rights *rights, struct inherited *inherited,
		      struct ingest **ret, struct diag *diag)
{
	const struct ingest_config config = {
		.output = request->output,
		.group = request->permissions.group,
		.files = relay_files(relay),
		.list = relay_sessions(relay),
		.rights = rights,
		.connections = request->connections,
		.sessions = request->sessions,
		.quota = request->quota,
		.group_by_session = request->group_by_session,
		.disallow_clear = request->disallow_clear,
		.keep_alive = request->keep_alive,
		.log = say,
		.ctx = (void *)spec,
		.clients = {request->log, verb_say, (void *)spec},
	};

	if (!request->output)
		return 0;
	permissions_apply(&request->permissions);
	return ingest_new(relay_base(relay), &config, ret, diag)		  ?:
		       listen_all(*ret, INGEST_CONTROL, request, inherited, diag) ?:
		       listen_all(*ret, INGEST_DATA, request, inherited, diag);
}

int serve_ingest_start(const struct serve_ingest_request *request, const struct relay *relay,
		       struct ingest *ingest, struct diag *diag)
{
	int err = ingest ? ingest_start(ingest, diag) : 0;

	if (ingest && !err)
		verb_note("%snet://localhost:%u:%u stores in %s, net://localhost:%u shows it",
			  journal_prefix(STDERR_FILENO, JOURNAL_INFO),
			  ingest_port(ingest, INGEST_CONTROL), ingest_port(ingest, INGEST_DATA),
			  request->output, relay_port(relay));
	return err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "base/diag.h"
#include "cli/serve_live.h"
#include "cli/serve_rx.h"
#include "cli/verb.h"

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

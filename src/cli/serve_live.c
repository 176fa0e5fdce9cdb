// SPDX-License-Identifier: BSD-2-Clause
#include "cli/serve_live.h"

#include <errno.h>
#include <event2/event.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "cli/confinement.h"
#include "cli/rights_reload.h"
#include "cli/serve_control.h"
#include "cli/serve_sockets.h"
#include "cli/verb.h"
#include "live/access/inherited.h"
#include "live/ingest/ingest.h"
#include "live/relay/relay.h"
#include "live/relay/relay_health.h"
#include "live/session/session.h"
#include "live/session/session_directory.h"
#include "record/control_dir.h"
#include "wire/lttng_health.h"

#define SIGNALS 2
#define COUNT_MAX 60000u /* of connections or sessions */

int serve_live_parse_address(const char *text, struct serve_live_request *request,
			     struct diag *diag)
{
	if (request->address_count == SERVE_LIVE_ADDRESSES)
		return diag_set(diag, -EINVAL, "at most %d of --live", SERVE_LIVE_ADDRESSES);
	request->addresses[request->address_count++] = text;
	return 0;
}

int serve_live_parse_name(const char *text, struct serve_live_request *request, struct diag *diag)
{
	if (!recorder_name_is_good(text))
		return diag_set(diag, -EINVAL,
				"--name: '%s': letters, digits, '-', '_' and '.', at most %d", text,
				RECORDER_NAME_BYTES - 1);
	request->name = text;
	return 0;
}

static int parse_count(const char *option, const char *text, unsigned int *ret, struct diag *diag)
{
	char *end;
	unsigned long count = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !count || count > COUNT_MAX)
		return diag_set(diag, -EINVAL, "%s: '%s' is not a number from 1 to %u", option,
				text, COUNT_MAX);
	*ret = (unsigned int)count;
	return 0;
}

int serve_live_parse_connections(const char *text, struct serve_live_request *request,
				 struct diag *diag)
{
	int err = parse_count("--connections", text, &request->connections, diag);

	request->ingest.connections = request->connections;
	return err;
}

int serve_live_parse_quota(const char *text, struct serve_live_request *request, struct diag *diag)
{
	if (size_parse(text, &request->ingest.quota) || request->ingest.quota < INGEST_QUOTA_LEAST)
		return diag_set(
			diag, -EINVAL,
			"--quota: '%s' is not a size of at least 1M: give one as 500M or 20G",
			text);
	return 0;
}

int serve_live_parse_sessions(const char *text, struct serve_live_request *request,
			      struct diag *diag)
{
	return parse_count("--sessions", text, &request->ingest.sessions, diag);
}

int serve_live_parse_patience(const char *text, struct serve_live_request *request,
			      struct diag *diag)
{
	if (duration_parse(text, &request->patience_ns) || !request->patience_ns)
		return diag_set(diag, -EINVAL,
				"--patience: '%s' is not a time: give one as 500ms or 10s", text);
	return 0;
}

static void say(void *ctx, const char *text)
{
	struct diag diag;

	(void)diag_set(&diag, 0, "%s", text);
	(void)verb_fail(ctx, 0, &diag);
}

/* Sockets that a service manager has opened, else --live, else the default. They listen from start_listening on. */
static int bind_all(struct relay *relay, const struct serve_live_request *req,
		    struct inherited *inherited, struct diag *diag)
{
	int fd, err = serve_sockets_name(inherited, diag);
	bool any = req->address_count;

	while (!err && (fd = serve_sockets_take(inherited, SERVE_SOCKET_LIVE)) >= 0) {
		any = true;
		err = relay_listen_fd(relay, fd, diag);
	}
	for (unsigned int i = 0; !err && i < req->address_count; i++)
		err = relay_listen(relay, req->addresses[i], req->rights.insecure, diag);
	if (!err && !any)
		err = relay_listen(relay, NULL, req->rights.insecure, diag);
	return err;
}

static void say_session(const struct relay *relay, const struct session *session)
{
	verb_note("%snet://localhost:%u/host/%s/%s", journal_prefix(STDERR_FILENO, JOURNAL_INFO),
		  relay_port(relay), session->host, session->name);
}

static void asked_to_stop(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	relay_stop(ctx);
}

/* Nothing was made yet that it would have to remove. */
static void leave(int signal)
{
	(void)signal;
	_exit(STATUS_COMPLETE);
}

/* For what may block, as the look-up of an address does; heed_signals ends that. */
static void leave_at_signals(void)
{
	const struct sigaction action = {.sa_handler = leave};

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

/* Before there is anything by which other programs know that it runs. */
static int heed_signals(struct relay *relay, struct event *heeded[SIGNALS], struct diag *diag)
{
	static const int signals[SIGNALS] = {SIGINT, SIGTERM};

	for (int i = 0; i < SIGNALS; i++) {
		heeded[i] = evsignal_new(relay_base(relay), signals[i], asked_to_stop, relay);
		if (!heeded[i] || evsignal_add(heeded[i], NULL))
			return diag_set(diag, -ENOMEM, "no memory");
	}
	return 0;
}

/* All that serves, from when it listens to its end. */
struct serving {
	const struct verb_spec *spec;
	const struct serve_live_request *req;
	struct rights rights;
	struct rights_reload *reload;
	struct session_directory **dirs;
	struct event *heeded[SIGNALS];
	struct serve_control *control;
	struct ingest *ingest;
	struct relay_health *health;
	struct relay *relay;
	struct inherited inherited;
	int status; /* of what it could not give up, an enum exit_status */
	int err; /* of a directory that cannot be served, and why */
	struct diag diag;
};

static int make_relay(struct serving *serving, struct diag *diag)
{
	const struct serve_live_request *req = serving->req;
	const struct relay_config config = {.connections = req->connections,
					    .patience_ns = req->patience_ns,
					    .rights = &serving->rights,
					    .log = say,
					    .ctx = (void *)serving->spec,
					    .clients = {req->ingest.log, verb_say,
							(void *)serving->spec}};

	serving->dirs = calloc((size_t)req->dir_count + 1, sizeof(struct session_directory *));
	if (!serving->dirs)
		return diag_set(diag, -ENOMEM, "no memory");
	return relay_new(&config, &serving->relay, diag);
}

static uint32_t find_faults(void *ctx)
{
	const struct serving *serving = ctx;
	uint32_t faults = 0;

	if (relay_is_paused(serving->relay))
		faults |= 1u << LTTNG_HEALTH_LIVE_LISTENER;
	if (ingest_is_paused(serving->ingest))
		faults |= 1u << LTTNG_HEALTH_LISTENER;
	if (ingest_store_error(serving->ingest))
		faults |= 1u << LTTNG_HEALTH_WORKER;
	return faults;
}

static int open_health(struct serving *serving, struct diag *diag)
{
	const struct serve_live_request *req = serving->req;
	const struct relay_health_config config = {
		.path = req->health,
		.group = req->health_group,
		.shared = req->health_shared,
		.find_faults = find_faults,
		.ctx = serving,
	};
	struct diag why = {0}, note;
	int err;

	if (!req->health)
		return 0;
	err = relay_health_open(relay_base(serving->relay), &config, &serving->health, &why);
	if (!err)
		return 0;
	(void)diag_set(req->health_needed ? diag : &note, err,
		       "cannot make the health check socket: %s", why.text);
	if (req->health_needed)
		return err;
	(void)verb_fail(serving->spec, 0, &note);
	return 0;
}

static int open_serving(struct serving *serving, struct diag *diag)
{
	const struct serve_live_request *req = serving->req;
	const struct verb_spec *spec = serving->spec;
	int err = make_relay(serving, diag);
	struct relay *relay = serving->relay;

	err = err   ?:
		      rights_reload_open(relay_base(relay), &req->rights, &serving->rights, spec,
					 &serving->reload, diag);
	err = err ?: bind_all(relay, req, &serving->inherited, diag);
	err = err   ?:
		      serve_ingest_open(&req->ingest, spec, relay, &serving->rights,
					&serving->inherited, &serving->ingest, diag);
	err = err ?: serve_sockets_all_taken(&serving->inherited, diag);
	err = err ?: heed_signals(relay, serving->heeded, diag);
	return err ?: open_health(serving, diag);
}

/* The socket goes at the end. */
static void find_folder(const char *path, char folder[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		(void)snprintf(folder, PATH_MAX, ".");
	else
		(void)snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path) + (slash == path),
			       path);
}

static int run(struct serving *serving, struct diag *diag)
{
	int err = relay_run(serving->relay);

	if (err)
		return diag_set(diag, err, "the event loop fails: %s", strerror(-err));
	if (serving->err)
		*diag = serving->diag;
	return serving->err;
}

static int start_health(struct serving *serving)
{
	struct diag diag;
	int err = relay_health_start(serving->health);

	if (!err)
		return 0;
	(void)diag_set(&diag, err, "no thread for the health check: %s", strerror(-err));
	return verb_fail(serving->spec, STATUS_ERROR, &diag);
}

static void say_of_directory(void *ctx, const char *text)
{
	const struct serving *serving = ctx;

	say((void *)serving->spec, text);
}

/* Of two that have one name, the first keeps it. */
static bool waits_for_earlier(const struct serving *serving, int i)
{
	const char *name = session_directory_session(serving->dirs[i])->name;

	for (int j = 0; j < i; j++) {
		if (!session_directory_is_published(serving->dirs[j]) &&
		    !strcmp(session_directory_session(serving->dirs[j])->name, name))
			return true;
	}
	return false;
}

static int publish_ready(struct serving *serving, struct diag *diag)
{
	int err = 0;

	for (int i = 0; !err && i < serving->req->dir_count; i++) {
		struct session_directory *dir = serving->dirs[i];

		if (!session_directory_is_ready(dir) || waits_for_earlier(serving, i))
			continue;
		err = session_directory_publish(dir, diag);
		if (!err)
			say_session(serving->relay, session_directory_session(dir));
	}
	return err;
}

/* A directory that cannot be served ends it. */
static void directory_opened(void *ctx, int err, const struct diag *diag)
{
	struct serving *serving = ctx;
	struct diag why = *diag;

	err = err ?: publish_ready(serving, &why);
	if (!err || serving->err)
		return;
	serving->err = err;
	serving->diag = why;
	relay_stop(serving->relay);
}

/* Each by itself: one that takes long, or cannot be read, delays no other. */
static int begin_directories(struct serving *serving, struct diag *diag)
{
	const struct serve_live_request *req = serving->req;
	struct relay *relay = serving->relay;
	int err = 0;

	for (int i = 0; !err && i < req->dir_count; i++) {
		const struct session_directory_config config = {.path = req->dirs[i],
								.from_beginning = req->replay,
								.files = relay_files(relay),
								.log = say_of_directory,
								.opened = directory_opened,
								.ctx = serving};

		err = session_directory_begin(relay_base(relay), relay_sessions(relay), &config,
					      &serving->dirs[i], diag);
	}
	return err;
}

/* The last thing before the event loop: a client that can connect finds all the rest. */
static int start_listening(struct serving *serving, struct diag *diag)
{
	const struct serve_live_request *req = serving->req;
	struct relay *relay = serving->relay;
	int err = relay_start(relay, diag);

	err = err ?: serve_ingest_start(&req->ingest, relay, serving->ingest, diag);
	if (!err && req->ready)
		req->ready(req->ctx);
	return err;
}

static int run_serving(struct serving *serving, struct diag *diag)
{
	const struct serve_control_config config = {
		.spec = serving->spec,
		.name = serving->req->name,
		.relay = serving->relay,
		.ingest = serving->ingest,
		.output = serving->req->ingest.output,
	};
	char sockets[CONTROL_PATH_BYTES], health[PATH_MAX];
	const struct confinement confinement = {
		.sources = serving->req->dirs,
		.source_count = serving->req->dir_count,
		.network = true,
		.below = {sockets, serving->req->ingest.output, serving->health ? health : NULL},
	};
	int err = 0;

	serving->control = serve_control_open(&config);
	control_dir_path(sockets, sizeof(sockets)); /* its own goes at the end */
	if (serving->health)
		find_folder(serving->req->health, health);
	serving->status = confinement_enter(serving->spec, &confinement);
	if (!serving->status && serving->health)
		serving->status = start_health(serving);
	if (!serving->status)
		err = start_listening(serving, diag)	       ?:
			      begin_directories(serving, diag) ?:
								 run(serving, diag);
	serve_control_end(serving->control);
	return err;
}

/* STATUS_LOST, which is said, if some of what came could not be stored; else 0. */
static int find_losses(const struct serving *serving)
{
	char packets[32], bytes[32];
	struct ingest_totals totals;
	struct diag diag;

	if (!serving->ingest)
		return 0;
	ingest_totals(serving->ingest, &totals);
	if (!totals.losses.streams)
		return 0;
	(void)diag_set(&diag, 0,
		       "packets that were not stored: %s (%s), in streams: %llu; their files were "
		       "removed, replaced or shortened by another program",
		       count_format(packets, sizeof(packets), totals.losses.packets),
		       size_format(bytes, sizeof(bytes), totals.losses.bytes),
		       (unsigned long long)totals.losses.streams);
	return verb_fail(serving->spec, STATUS_LOST, &diag);
}

/* From the end of the event loop on: what it says at the end, and its status, come whole. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* The process ends now, and takes their memory along, and the threads that read a large trace or make its index. Leak checks
 * want all of it freed but what such a thread still has. */
static void close_directories(const struct serving *serving)
{
	bool checks_leaks = false;

#ifdef __SANITIZE_ADDRESS__
	checks_leaks = true;
#endif
	for (int i = 0; checks_leaks && serving->dirs && i < serving->req->dir_count; i++) {
		if (serving->dirs[i] && !session_directory_is_reading(serving->dirs[i]))
			session_directory_close(serving->dirs[i]);
	}
}

static void close_serving(struct serving *serving)
{
	block_signals();
	close_directories(serving);
	relay_health_close(serving->health);
	rights_reload_close(serving->reload);
	ingest_free(serving->ingest);
	for (int i = 0; i < SIGNALS; i++) {
		if (serving->heeded[i])
			event_free(serving->heeded[i]);
	}
	serve_control_close(serving->control); /* what was asked to end has done so */
	relay_free(serving->relay);
	rights_fini(&serving->rights);
	free(serving->dirs);
}

int serve_live(const struct verb_spec *spec, const struct serve_live_request *req)
{
	struct serving serving = {.spec = spec, .req = req};
	struct diag diag = {0};
	int err;

	file_limit_raise();
	inherited_take(&serving.inherited);
	leave_at_signals();
	err = rights_open(&req->rights, &serving.rights, &diag) ?: open_serving(&serving, &diag);
	err = err ?: run_serving(&serving, &diag);
	if (!err && !serving.status)
		serving.status = find_losses(&serving);
	close_serving(&serving);
	if (!err)
		return serving.status;
	return verb_fail(spec, err == -EACCES ? STATUS_NOT_PERMITTED : STATUS_ERROR, &diag);
}

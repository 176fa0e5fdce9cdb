// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_serve.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "cli/confinement.h"
#include "cli/record_options.h"
#include "cli/record_request.h"
#include "cli/verb.h"
#include "live/relay/relay.h"
#include "live/session/session.h"
#include "live/session/session_directory.h"
#include "trace/packet_sink.h"

struct record_serve {
	struct packet_sink sink; /* first */
	struct rights rights;
	struct relay *relay;
	struct session_directory *dir;
	pthread_t thread;
	bool runs;
	int err;
};

static void say(void *ctx, const char *text)
{
	struct diag diag;

	(void)ctx;
	(void)diag_set(&diag, 0, "%s", text);
	(void)verb_fail(&record_spec, 0, &diag);
}

static int take_complete(struct packet_sink *sink, uint64_t time_ns)
{
	struct record_serve *serve = (struct record_serve *)sink;

	if (serve->dir)
		session_directory_complete(serve->dir, time_ns);
	return 0;
}

static const struct packet_sink_ops sink_ops = {.complete = take_complete};
/* What threads still compress is in no file yet. */
static const struct packet_sink_ops compressed_ops = {0};

struct packet_sink *record_serve_sink(struct record_serve *serve)
{
	return &serve->sink;
}

int record_serve_open(const struct record_request *req, struct record_serve **ret,
		      struct diag *diag)
{
	struct relay_config config = {.log = say};
	struct record_serve *serve;
	int err;

	if (!req->serve)
		return 0;
	serve = calloc(1, sizeof(*serve));
	if (!serve)
		return diag_set(diag, -ENOMEM, "no memory");
	serve->sink.ops = req->compress ? &compressed_ops : &sink_ops;
	config.rights = &serve->rights;
	err = rights_open(&req->rights, &serve->rights, diag)				    ?:
		      relay_new(&config, &serve->relay, diag)				    ?:
		      relay_listen(serve->relay, req->serve_at, req->rights.insecure, diag) ?:
		      relay_start(serve->relay, diag);
	if (err) {
		record_serve_close(serve);
		return err;
	}
	*ret = serve;
	return 0;
}

static void *run(void *ctx)
{
	struct record_serve *serve = ctx;

	serve->err = confinement_enter_thread();
	if (serve->err) {
		say(NULL, "viewers are not served: privileges cannot be dropped");
		return NULL;
	}
	serve->err = relay_run(serve->relay);
	if (serve->err)
		say(NULL, "viewers are served no more: the event loop fails");
	return NULL;
}

int record_serve_start(struct record_serve *serve, const struct record_request *req,
		       struct diag *diag)
{
	struct session_directory_config config = {
		.path = req->path, .name = req->name, .period_ns = req->flush_ns, .log = say};
	const struct session *session;
	int err;

	if (!serve)
		return 0;
	err = session_directory_open(relay_base(serve->relay), relay_sessions(serve->relay),
				     &config, &serve->dir, diag);
	if (err)
		return err;
	err = -pthread_create(&serve->thread, NULL, run, serve);
	if (err)
		return diag_set(diag, err, "a thread for viewers: %s", strerror(-err));
	serve->runs = true;
	session = session_directory_session(serve->dir);
	if (!req->quiet)
		verb_note("net://localhost:%u/host/%s/%s", relay_port(serve->relay), session->host,
			  session->name);
	return 0;
}

/* Ctrl-C is taken no more: from here on it ends the process, whose trace is whole. */
static void allow_interrupts(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void record_serve_close(struct record_serve *serve)
{
	if (!serve)
		return;
	if (serve->runs) {
		allow_interrupts();
		relay_finish(serve->relay);
		pthread_join(serve->thread, NULL);
	}
	session_directory_close(serve->dir);
	relay_free(serve->relay);
	rights_fini(&serve->rights);
	free(serve);
}

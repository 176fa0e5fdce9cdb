// SPDX-License-Identifier: BSD-2-Clause
/*
 * sessions: what a relay has to be read live.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "base/options.h"
#include "cli/confinement.h"
#include "cli/rights_options.h"
#include "cli/verb.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer_list.h"
#include "output/table.h"

static const struct option_spec options[] = {
	{VERB_OPTION_JSON, "json", NULL, "for programs: an object for each session, a line each",
	 NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-j", "json"},
	{0},
};

static const struct verb_spec spec = {
	.old = old_options,
	.name = "sessions",
	.synopsis = "[OPTIONS] net://RELAY[:PORT]",
	.summary = "Show the live sessions that a relay has.",
	.notes = "The relay is one of ours or lttng-relayd, default port: 5344. The text in the "
		 "first column is a SOURCE for sonde print and the other verbs. HOST in it is the "
		 "machine that is traced, not the relay.\n\n"
		 "Exit status: 0; 1 error; 2 usage; 4 it has none.",
	.examples = "sonde sessions net://relay\n"
		    "sonde print net://relay/host/web1/demo\n"
		    "sonde sessions --json net://[::1]:15344 | jq -r .url",
	.options = options,
	.shared = rights_client_options,
};

struct request {
	struct live_url url;
	struct rights_request rights;
	bool json;
};

static const char *const titles[] = {"SESSION", "TIMER", "STREAMS", "VIEWERS", "FORMAT", NULL};

static const char *format_of(const struct viewer_session *session)
{
	return session->format == LIVE_CTF_2 ? "CTF 2" : "CTF 1.8";
}

/* What names @session at the relay of @relay. */
static void name_session(const struct live_url *relay, const struct viewer_session *session,
			 char text[LIVE_URL_BYTES])
{
	struct live_url url = *relay;

	memcpy(url.host, session->host, sizeof(url.host));
	memcpy(url.session, session->name, sizeof(url.session));
	live_url_format(&url, text);
}

static void write_table(const struct live_url *url, const struct viewer_list *list,
			struct buffer *out)
{
	struct table table;

	table_init(&table, titles);
	for (size_t i = 0; i < list->count; i++) {
		const struct viewer_session *session = &list->sessions[i];
		char name[LIVE_URL_BYTES], timer[32] = "not live";

		name_session(url, session, name);
		escape_blank(name);
		if (session->timer_us)
			(void)duration_format(timer, sizeof(timer),
					      (uint64_t)session->timer_us * NS_PER_US);
		table_add(&table, "%s", name);
		table_add(&table, "%s", timer);
		table_add(&table, "%u", session->streams);
		table_add(&table, "%u", session->clients);
		table_add(&table, "%s", format_of(session));
	}
	table_write(&table, out);
	table_fini(&table);
}

static void write_json(const struct live_url *url, const struct viewer_list *list,
		       struct buffer *out)
{
	struct json_writer writer, *json = &writer;

	for (size_t i = 0; i < list->count; i++) {
		const struct viewer_session *session = &list->sessions[i];
		char name[LIVE_URL_BYTES];

		name_session(url, session, name);
		json_writer_init(json, out);
		json_writer_object(json, NULL);
		json_writer_string(json, "url", name);
		json_writer_string(json, "host", session->host);
		json_writer_string(json, "session", session->name);
		json_writer_uint(json, "timer_us", session->timer_us);
		json_writer_uint(json, "streams", session->streams);
		json_writer_uint(json, "viewers", session->clients);
		json_writer_string(json, "format", format_of(session));
		json_writer_finish(json);
	}
}

static int fetch(const struct request *req, struct viewer_list *list, struct diag *diag)
{
	struct credentials credentials;
	int err = credentials_load(TLS_CLIENT, &req->rights.files, &credentials, diag);

	err = err ?: viewer_list_fetch(list, &req->url, &credentials, diag);
	credentials_fini(&credentials);
	return err;
}

static int show(const struct request *req)
{
	const struct live_url *url = &req->url;
	struct viewer_list list = {0};
	struct diag diag = {0};
	struct buffer out;
	int status = STATUS_COMPLETE;
	int err = fetch(req, &list, &diag);

	if (err) {
		viewer_list_fini(&list);
		return verb_fail(&spec, STATUS_ERROR, &diag);
	}
	viewer_list_join(&list);
	buffer_init(&out);
	if (req->json)
		write_json(url, &list, &out);
	else if (list.count)
		write_table(url, &list, &out);
	if (!list.count) {
		(void)diag_set(&diag, 0, "the relay has no sessions");
		status = req->json ? STATUS_NO_MATCH : verb_fail(&spec, STATUS_NO_MATCH, &diag);
	}
	status = verb_put(&spec, &out, status);
	buffer_fini(&out);
	viewer_list_fini(&list);
	return status;
}

static int parse(struct options *opts, struct request *req, struct diag *diag)
{
	struct live_url *url = &req->url;
	const char *arg, *name;
	int id, err;

	while ((err = verb_next(&spec, opts, &id, &arg, diag)) > 0) {
		if (rights_option_is(id))
			(void)rights_take_option(&req->rights, id, arg, diag);
		else
			req->json = true;
	}
	err = err ?: options_operand(opts, "net://RELAY[:PORT]", &name, diag);
	err = err ?: live_url_parse(name, url, diag);
	if (!err && *url->session)
		err = diag_set(diag, -EINVAL,
			       "%s: names a session; name the relay alone, up to its port", name);
	return err ?: rights_settle(&req->rights, diag);
}

static int run_sessions(int argc, char **argv)
{
	struct options *opts = verb_options(&spec, argc, argv);
	struct request req = {0};
	const struct confinement confinement = {.network = true};
	struct diag diag = {0};
	int err, status;

	if (!opts)
		return STATUS_ERROR;
	err = parse(opts, &req, &diag);
	if (err)
		status = verb_usage(&spec, err, &diag);
	else
		status = confinement_enter(&spec, &confinement) ?: show(&req);
	options_free(opts);
	return status;
}

const struct verb verb_sessions = {&spec, run_sessions};

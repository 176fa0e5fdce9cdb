// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "cli/confinement.h"
#include "cli/http_server.h"
#include "cli/interrupt.h"
#include "cli/rx_target.h"
#include "cli/rxdebug_check.h"
#include "cli/rxdebug_inventory.h"
#include "cli/rxdebug_json.h"
#include "cli/rxdebug_prometheus.h"
#include "cli/rxdebug_request.h"
#include "cli/rxdebug_talkers.h"
#include "cli/rxdebug_text.h"
#include "cli/verb.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"

/*
 * rxdebug_modern: `sonde rxdebug`: asks Rx endpoints, once or again and again, and shows what they tell. By its
 * own name, and with --classic, it is OpenAFS's: cli/rxdebug.c.
 */

/* Rates between two looks at an Rx endpoint. */

enum rate {
	RATE_CALLS,
	RATE_WAITED,
	RATE_IN,
	RATE_OUT,
	RATE_AGAIN,
	RATE_BUSY,
	RATE_COUNT,
};

static const char *const rate_names[RATE_COUNT] = {
	"calls", "waited", "data_packets_in", "data_packets_out", "data_packets_resent", "busies",
};

/* Counters wrap at 32 bits, and start again when the server does, which looks like a jump by
 * nearly all of them. */
static bool grew(uint32_t before, uint32_t now, uint64_t ns, double *ret)
{
	uint32_t more = now - before;

	*ret = (double)more * 1e9 / (double)ns;
	return more <= INT32_MAX;
}

static bool rate_of(enum rate which, const struct rx_report *before, const struct rx_report *now,
		    uint64_t ns, double *ret)
{
	static const enum sonde_rx_stat words[RATE_COUNT] = {
		[RATE_IN] = SONDE_RX_STAT_DATA_READ,
		[RATE_OUT] = SONDE_RX_STAT_DATA_SENT,
		[RATE_AGAIN] = SONDE_RX_STAT_DATA_RESENT,
		[RATE_BUSY] = SONDE_RX_STAT_BUSIES,
	};

	if (!ns || !before->has_basic || !now->has_basic)
		return false;
	if (which == RATE_CALLS)
		return grew((uint32_t)before->basic.calls_executed,
			    (uint32_t)now->basic.calls_executed, ns, ret);
	if (which == RATE_WAITED)
		return rx_basic_has(&now->basic, RX_VERSION_WAITED) &&
		       grew((uint32_t)before->basic.waited, (uint32_t)now->basic.waited, ns, ret);
	if (which == RATE_BUSY && !rx_basic_has(&now->basic, RX_VERSION_WAITED))
		return false;
	return before->has_stats && now->has_stats &&
	       grew(before->stats.words[words[which]], now->stats.words[words[which]], ns, ret);
}

static void rxdebug_watch_head(struct buffer *out)
{
	buffer_string(out,
		      "TIME      SERVER                          WAIT   IDLE   CALLS/s  WAITED/s  "
		      "DATA IN/s  DATA OUT/s  AGAIN/s  BUSY/s\n");
}

static void put_now(bool known, int32_t value, struct buffer *out)
{
	if (known)
		buffer_format(out, "%5d  ", value);
	else
		buffer_format(out, "%5s  ", "-");
}

/* A line; @wall_ns: since 1970. @before is @ns older; what either lacks is not there. */
static void rxdebug_watch_line(const struct rx_target *target, const struct rx_report *before,
			       const struct rx_report *now, uint64_t ns, uint64_t wall_ns,
			       struct buffer *out)
{
	static const int widths[RATE_COUNT] = {8, 8, 9, 10, 7, 6};
	time_t seconds = (time_t)(wall_ns / NS_PER_SEC);
	struct tm tm;
	double rate;

	(void)localtime_r(&seconds, &tm);
	buffer_format(out, "%02d:%02d:%02d  %-29s  ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		      target->name);
	if (!now->has_basic) {
		buffer_string(out, "no answer\n");
		return;
	}
	put_now(rx_basic_has(&now->basic, RX_VERSION_WAITING), now->basic.waiting, out);
	put_now(rx_basic_has(&now->basic, RX_VERSION_IDLE), now->basic.idle_threads, out);
	for (enum rate i = 0; i < RATE_COUNT; i++) {
		const char *behind = i + 1 < RATE_COUNT ? "  " : "\n";

		if (rate_of(i, before, now, ns, &rate))
			buffer_format(out, "%*.1f%s", widths[i], rate, behind);
		else
			buffer_format(out, "%*s%s", widths[i], "-", behind);
	}
}

/* The same as the member "rates". */
static void rxdebug_watch_json(const struct rx_report *before, const struct rx_report *now,
			       uint64_t ns, struct json_writer *json)
{
	char key[32];
	double rate;

	json_writer_object(json, "rates");
	json_writer_real(json, "seconds", (double)ns / 1e9, 3);
	for (enum rate i = 0; i < RATE_COUNT; i++) {
		(void)snprintf(key, sizeof(key), "%s_per_s", rate_names[i]);
		if (rate_of(i, before, now, ns, &rate))
			json_writer_real(json, key, rate, 3);
		else
			json_writer_null(json, key);
	}
	json_writer_end(json);
}

#define LOOK_UP_MS 100 /* how soon an interruption is seen */
#define PAGE_FRESH_NS NS_PER_SEC

/* Of a server that is watched, when its figures came; 0 = they did not. */
struct watched {
	uint64_t now_ns; /* monotonic */
	uint64_t before_ns;
};

/* One look at all servers. */
struct round {
	struct rx_report *reports; /* NULL: none yet */
	uint64_t at_ns; /* monotonic */
};

struct modern {
	struct rxdebug_request *request;
	struct round now;
	struct round before;
	struct watched *watched; /* one for each server; NULL: they are not watched */
	struct buffer out;
	bool told; /* there is a line of progress on the terminal */
};

static int show_progress(void *ctx, uint64_t read, uint64_t expected, size_t silent)
{
	struct modern *modern = ctx;

	if (interrupt_seen())
		return -EINTR;
	if (!isatty(STDERR_FILENO))
		return 0;
	modern->told = true;
	fprintf(stderr, "\r\033[K%llu", (unsigned long long)read);
	if (expected)
		fprintf(stderr, " of some %llu", (unsigned long long)expected);
	fputs(" records", stderr);
	if (silent)
		fprintf(stderr, ", %zu servers have not answered yet", silent);
	return 0;
}

static void clear_progress(struct modern *modern)
{
	if (modern->told)
		fputs("\r\033[K", stderr);
	modern->told = false;
}

static void free_round(const struct rxdebug_request *request, struct round *round)
{
	for (size_t i = 0; round->reports && i < request->targets.count; i++)
		rx_report_fini(&round->reports[i]);
	free(round->reports);
	*round = (struct round){0};
}

/* NULL: no memory. */
static struct rx_report *make_reports(const struct rxdebug_request *request)
{
	const struct rx_targets *targets = &request->targets;
	struct rx_report *reports = calloc(targets->count, sizeof(*reports));

	for (size_t i = 0; reports && i < targets->count; i++)
		reports[i].server = targets->list[i].address;
	return reports;
}

static int look(struct modern *modern, struct diag *diag)
{
	struct round *now = &modern->now;
	int err;

	free_round(modern->request, &modern->before);
	modern->before = *now;
	now->reports = make_reports(modern->request);
	if (!now->reports)
		return diag_set(diag, -ENOMEM, "no memory");
	now->at_ns = clock_monotonic_ns();
	err = rx_survey(&modern->request->survey, now->reports, modern->request->targets.count,
			diag);
	clear_progress(modern);
	return err;
}

/* Of a network's addresses those count that answer. */
static bool is_shown(const struct modern *modern, size_t i)
{
	return !modern->request->targets.list[i].sought || !modern->now.reports[i].err;
}

static int status_of(const struct modern *modern)
{
	size_t answers = 0;

	for (size_t i = 0; i < modern->request->targets.count; i++) {
		if (modern->now.reports[i].err && is_shown(modern, i))
			return STATUS_ERROR;
		answers += !modern->now.reports[i].err;
	}
	return answers ? STATUS_COMPLETE : STATUS_ERROR;
}

/* Reports @from to @from + @count, of which @before, if any, is @ns older. */
static void put_json(struct modern *modern, size_t from, size_t count,
		     const struct rx_report *before, uint64_t ns)
{
	const struct rx_report *reports = modern->now.reports;
	uint64_t wall_ns = clock_realtime_ns();
	struct json_writer writer, *json = &writer;

	json_writer_init(json, &modern->out);
	json_writer_object(json, NULL);
	json_writer_uint(json, "time", wall_ns);
	json_writer_array(json, "servers");
	for (size_t i = from; i < from + count; i++) {
		if (!is_shown(modern, i))
			continue;
		json_writer_object(json, NULL);
		rxdebug_json_report(&modern->request->targets.list[i], &reports[i],
				    (int64_t)(wall_ns / NS_PER_SEC), json);
		if (before)
			rxdebug_watch_json(before, &reports[i], ns, json);
		json_writer_end(json);
	}
	json_writer_end(json);
	rxdebug_talkers_json(reports + from, count, json);
	json_writer_finish(json);
}

static void put_several_totals(struct modern *modern, int64_t now_s)
{
	const struct rx_targets *targets = &modern->request->targets;
	size_t at = modern->out.len, begin;

	buffer_string(&modern->out, "\nTotals since they began\n");
	begin = modern->out.len;
	for (size_t i = 0; i < targets->count; i++) {
		if (is_shown(modern, i))
			rxdebug_text_problems(&targets->list[i], true, &modern->now.reports[i],
					      now_s, &modern->out);
	}
	if (modern->out.len == begin && !buffer_error(&modern->out))
		modern->out.len = at;
}

/* What is wrong anywhere, a line for each, and whatever was asked for by name: connections that merely have something
 * under way are no more than problems here. */
static void put_several(struct modern *modern, int64_t now_s)
{
	const struct rxdebug_request *request = modern->request;
	const struct rx_targets *targets = &request->targets;
	const struct rx_report *reports = modern->now.reports;
	size_t at;

	buffer_string(&modern->out, "Problems\n");
	at = modern->out.len;
	for (size_t i = 0; i < targets->count; i++) {
		if (is_shown(modern, i))
			rxdebug_text_problems(&targets->list[i], false, &reports[i], now_s,
					      &modern->out);
	}
	buffer_string(&modern->out, modern->out.len == at ? "none\n\n" : "\n");
	rxdebug_text_head(&modern->out);
	for (size_t i = 0; i < targets->count; i++) {
		if (is_shown(modern, i))
			rxdebug_text_line(&targets->list[i], &reports[i], &modern->out);
	}
	put_several_totals(modern, now_s);
	if (!request->survey.all_conns && !request->survey.peers)
		return;
	for (size_t i = 0; i < targets->count; i++) {
		if (!reports[i].has_basic)
			continue;
		buffer_format(&modern->out, "\n%s\n", targets->list[i].name);
		rxdebug_text_lists(&reports[i], request->survey.all_conns, &modern->out);
	}
	rxdebug_talkers_text(reports, targets->count, &modern->out);
}

static void put_all(struct modern *modern)
{
	const struct rxdebug_request *request = modern->request;
	int64_t now_s = (int64_t)(clock_realtime_ns() / NS_PER_SEC);

	if (request->json)
		put_json(modern, 0, request->targets.count, NULL, 0);
	else if (request->targets.count == 1)
		rxdebug_text_one(&request->targets.list[0], &modern->now.reports[0], now_s,
				 &modern->out);
	else
		put_several(modern, now_s);
}

static int flush(struct modern *modern, struct diag *diag)
{
	int err = buffer_error(&modern->out) ?:
			  write_all(STDOUT_FILENO, modern->out.data, modern->out.len);

	buffer_reset(&modern->out);
	return err ? diag_set(diag, err, "output: %s", strerror(-err)) : 0;
}

/* Until @ns of the monotonic clock. False: it was interrupted. */
static bool sleep_until(uint64_t ns)
{
	while (!interrupt_seen()) {
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t left_ms = ns > now_ns ? (ns - now_ns + NS_PER_MS - 1) / NS_PER_MS : 0;

		if (!left_ms)
			return true;
		(void)poll(NULL, 0, left_ms < LOOK_UP_MS ? (int)left_ms : LOOK_UP_MS);
	}
	return false;
}

/*
 * Shows one server independently of the others: its figures when they have come, and its problems
 * when its lists have been read, which takes long where it is in trouble.
 */
static int watch_reached(void *ctx, size_t i, enum rx_survey_stage stage)
{
	static const struct rx_report nothing;
	struct modern *modern = ctx;
	const struct rxdebug_request *request = modern->request;
	const struct rx_target *target = &request->targets.list[i];
	struct rx_report *now = &modern->now.reports[i], *before = &modern->before.reports[i];
	struct watched *watched = &modern->watched[i];
	uint64_t wall_ns = clock_realtime_ns(), ns;
	struct diag diag;

	if (stage == RX_SURVEY_FIGURES)
		watched->now_ns = clock_monotonic_ns();
	ns = watched->now_ns - watched->before_ns;
	if (is_shown(modern, i) && request->json && stage == RX_SURVEY_DONE)
		put_json(modern, i, 1, watched->before_ns ? before : NULL, ns);
	else if (is_shown(modern, i) && !request->json && stage == RX_SURVEY_FIGURES)
		rxdebug_watch_line(target, watched->before_ns ? before : &nothing, now, ns, wall_ns,
				   &modern->out);
	else if (is_shown(modern, i) && !request->json && now->has_basic)
		rxdebug_text_problems(target, false, now, (int64_t)(wall_ns / NS_PER_SEC),
				      &modern->out);
	if (stage == RX_SURVEY_DONE) {
		rx_report_fini(before);
		*before = *now;
		*now = (struct rx_report){.server = before->server};
		watched->before_ns = watched->now_ns;
	}
	clear_progress(modern);
	return flush(modern, &diag);
}

static int watch(struct modern *modern, struct diag *diag)
{
	const struct rxdebug_request *request = modern->request;
	struct rx_survey_config survey = request->survey;
	size_t count = request->targets.count;
	int err;

	survey.period_ns = request->period_ns;
	survey.rounds = request->rounds;
	survey.reached = watch_reached;
	modern->before.reports = make_reports(request);
	modern->now.reports = make_reports(request);
	modern->watched = calloc(count, sizeof(*modern->watched));
	if (!modern->before.reports || !modern->now.reports || !modern->watched)
		return diag_set(diag, -ENOMEM, "no memory");
	if (!request->json)
		rxdebug_watch_head(&modern->out);
	err = flush(modern, diag) ?: rx_survey(&survey, modern->now.reports, count, diag);
	/* The exit status depends on completeness. */
	free_round(request, &modern->now);
	modern->now = modern->before;
	modern->before = (struct round){0};
	return err == -EINTR ? 0 : err;
}

/* Of counters that only grow, what they grew between two looks. */
static int look_for_check(struct modern *modern, struct diag *diag)
{
	uint64_t next_ns = clock_monotonic_ns() + modern->request->period_ns;
	int err = look(modern, diag);

	if (err || !modern->request->period_ns)
		return err;
	return sleep_until(next_ns) ? look(modern, diag) : diag_set(diag, -EINTR, "interrupted");
}

/* Clients that ask often get a page up to a second old, so that their number does not burden the servers. */
static int make_page(void *ctx, struct buffer *body)
{
	struct modern *modern = ctx;
	const struct rxdebug_request *request = modern->request;
	struct diag diag;
	int err = 0;

	if (!modern->now.reports || clock_monotonic_ns() - modern->now.at_ns > PAGE_FRESH_NS)
		err = look(modern, &diag);
	if (!err)
		rxdebug_prometheus(request->targets.list, modern->now.reports,
				   request->targets.count, body);
	return err;
}

static int serve(struct modern *modern, struct diag *diag)
{
	const struct rxdebug_request *request = modern->request;
	const struct http_server_config config = {
		.address = request->prometheus,
		.insecure = request->insecure,
		.token = request->token,
		.path = "/metrics",
		.type = "text/plain; version=0.0.4",
		.page = make_page,
		.ctx = modern,
	};
	struct http_server *server;
	int err = http_server_open(&config, &server, diag);

	if (err)
		return err;
	printf("metrics: port %u\n", http_server_port(server));
	(void)fflush(stdout);
	err = http_server_run(server);
	http_server_free(server);
	return err ? diag_set(diag, err, "HTTP: %s", strerror(-err)) : 0;
}

/* An enum exit_status, or -errno with the diag. */
static int run_request(struct modern *modern, struct diag *diag)
{
	struct rxdebug_request *request = modern->request;
	struct rx_survey_config *survey = &request->survey;
	bool interrupted;
	int err, status = 0;

	if (request->check)
		rxdebug_check_survey(&request->limits, survey);
	if (request->inventory) {
		survey->conns = false;
		survey->peers = true;
	}
	if (request->prometheus) {
		survey->conns = false;
		return serve(modern, diag);
	}
	if (request->check)
		err = look_for_check(modern, diag);
	else if (request->period_ns)
		err = watch(modern, diag);
	else
		err = look(modern, diag);
	interrupted = err == -EINTR && !request->check && !request->inventory;
	if (interrupted)
		err = 0; /* the reports say what is missing */
	if (!err && request->check)
		status = rxdebug_check(request, modern->before.reports, modern->now.reports,
				       (int64_t)(clock_realtime_ns() / NS_PER_SEC), &modern->out);
	else if (!err && request->inventory)
		status = rxdebug_inventory(request, modern->now.reports, &modern->out, diag);
	else if (!err && !request->period_ns)
		put_all(modern);
	clear_progress(modern);
	if (status < 0)
		err = request->check ? diag_set(diag, status, "no memory") : status;
	err = err ?: flush(modern, diag);
	if (err)
		return err;
	if (interrupted) {
		fputs("sonde rxdebug: interrupted: data that was not read yet is missing\n",
		      stderr);
		return STATUS_ERROR;
	}
	return request->check || request->inventory || !modern->now.reports ? status :
									      status_of(modern);
}

static int run_modern(int argc, char **argv)
{
	struct rxdebug_request request;
	struct modern modern = {.request = &request};
	const struct confinement confinement = {.network = true};
	struct diag diag = {0};
	int status;

	if (argc > 1 && !strcmp(argv[1], "--classic")) {
		argv[1] = argv[0];
		return verb_rxdebug.run(argc - 1, argv + 1);
	}
	status = rxdebug_request_parse(argc, argv, &request, &diag);
	if (status) {
		rxdebug_request_fini(&request);
		return status == -EINVAL || status == -ECANCELED || status == OPTIONS_HELP_ALL ?
			       verb_usage(&rxdebug_modern_spec, status, &diag) :
			       verb_fail(&rxdebug_modern_spec, STATUS_ERROR, &diag);
	}
	interrupt_catch();
	request.survey.progress = show_progress;
	request.survey.ctx = &modern;
	buffer_init(&modern.out);
	status = confinement_enter(&rxdebug_modern_spec, &confinement) ?:
									 run_request(&modern, &diag);
	if (status < 0)
		status = verb_fail(&rxdebug_modern_spec,
				   status == -EACCES ? STATUS_NOT_PERMITTED : STATUS_ERROR, &diag);
	buffer_fini(&modern.out);
	free_round(&request, &modern.now);
	free_round(&request, &modern.before);
	free(modern.watched);
	rxdebug_request_fini(&request);
	return status;
}

const struct verb verb_rxdebug_modern = {&rxdebug_modern_spec, run_modern};

// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_survey.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"
#include "rx/rx_record.h"
#include "rx/rx_responder.h"
#include "rx/rx_service.h"

#define SERVERS 3u
#define CONNS 500u
#define PEERS 40u

/* Several responders in one thread, each with as many connections as it is told of. */
struct server {
	struct rx_responder *responder;
	struct rx_service *service;
	uint32_t claimed;
};

static struct server servers[SERVERS];
static atomic_bool ended;
static pthread_t thread;

static bool tell_conn(void *ctx, uint32_t index, bool all, struct sonde_rx_conn *ret)
{
	(void)ctx;
	ret->cid = 4 * index;
	return index < (all ? CONNS : 2);
}

static bool tell_peer(void *ctx, uint32_t index, struct sonde_rx_peer *ret)
{
	(void)ctx;
	ret->host = index;
	return index < PEERS;
}

static void tell_stats(void *ctx, struct sonde_rx_stats *ret)
{
	const struct server *server = ctx;

	ret->words[SONDE_RX_STAT_SERVER_CONNS] = server->claimed;
	ret->words[SONDE_RX_STAT_PEERS] = PEERS;
}

static const struct sonde_rx_callbacks callbacks = {
	.conn = tell_conn,
	.stats = tell_stats,
	.peer = tell_peer,
};

static void *serve(void *unused)
{
	struct pollfd fds[SERVERS];

	(void)unused;
	for (size_t i = 0; i < SERVERS; i++)
		fds[i] = (struct pollfd){rx_service_fd(servers[i].service), POLLIN, 0};
	while (!ended) {
		(void)poll(fds, SERVERS, 10);
		for (size_t i = 0; i < SERVERS; i++)
			(void)rx_service_serve(servers[i].service);
	}
	return NULL;
}

static void start(char version, uint32_t claimed, struct rx_report *reports)
{
	const struct sonde_rx_config config = {.version = version,
					       .text = "made up",
					       .source_rate = SONDE_RX_NO_LIMIT,
					       .total_rate = SONDE_RX_NO_LIMIT};

	for (size_t i = 0; i < SERVERS; i++) {
		servers[i].claimed = claimed;
		assert_int_equal(rx_responder_new(&config, &callbacks, &servers[i],
						  &servers[i].responder, NULL),
				 0);
		assert_int_equal(rx_service_open(servers[i].responder, "127.0.0.1", 0,
						 &servers[i].service, NULL),
				 0);
		reports[i] = (struct rx_report){
			.server.in = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				      .sin_port = htons(rx_service_port(servers[i].service))}};
	}
	ended = false;
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
}

static void stop(struct rx_report *reports)
{
	ended = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
	for (size_t i = 0; i < SERVERS; i++) {
		rx_service_close(servers[i].service);
		rx_responder_free(servers[i].responder);
		rx_report_fini(&reports[i]);
	}
}

static const struct rx_survey_config everything = {
	.version = true,
	.basic = true,
	.stats = true,
	.conns = true,
	.all_conns = true,
	.peers = true,
};

static void check_everything(const struct rx_report *report)
{
	assert_int_equal(report->err, 0);
	assert_int_equal(report->basic.version, 'S');
	assert_true(report->has_stats);
	assert_string_equal(report->version, "made up");
	assert_int_equal(report->conns.err, 0);
	assert_int_equal(report->conns.count, CONNS);
	assert_int_equal(report->peers.count, PEERS);
	assert_int_equal(report->peers.err, 0);
}

static void survey_all(const struct rx_survey_config *config)
{
	struct rx_report reports[SERVERS];

	start('S', CONNS, reports);
	assert_int_equal(rx_survey(config, reports, SERVERS, NULL), 0);
	for (size_t i = 0; i < SERVERS; i++)
		check_everything(&reports[i]);
	stop(reports);
}

static void test_everything(void **state)
{
	(void)state;
	survey_all(&everything);
}

static void test_windows(void **state)
{
	struct rx_survey_config config = everything;

	(void)state;
	config.window = 64;
	survey_all(&config);
	config.window = 0;
	config.adaptive = true;
	survey_all(&config);
	config.passes = 2;
	survey_all(&config);
}

/* The rate is kept by each: so many questions take so long at least. */
static void test_rate(void **state)
{
	struct rx_survey_config config = {.basic = true, .peers = true, .rate = 200};
	struct rx_report reports[SERVERS];
	uint64_t began_ns;

	(void)state;
	start('S', CONNS, reports);
	began_ns = clock_monotonic_ns();
	assert_int_equal(rx_survey(&config, reports, SERVERS, NULL), 0);
	assert_true(clock_monotonic_ns() - began_ns >= PEERS * NS_PER_SEC / 200);
	for (size_t i = 0; i < SERVERS; i++)
		assert_int_equal(reports[i].peers.count, PEERS);
	stop(reports);
}

/* What is absurdly long is not begun, unless it is wanted. */
static void test_refused_dump(void **state)
{
	struct rx_survey_config config = everything;
	struct rx_report reports[SERVERS];

	(void)state;
	config.list_max = 499;
	start('S', CONNS, reports);
	assert_int_equal(rx_survey(&config, reports, SERVERS, NULL), 0);
	assert_int_equal(reports[0].conns.err, -E2BIG);
	assert_int_equal(reports[0].conns.count, 0);
	assert_int_equal(reports[0].peers.count, PEERS);
	stop(reports);
}

/* An old server has no counters, no peers and not all connections; that is not asked for. */
static void test_old_server(void **state)
{
	struct rx_report reports[SERVERS];

	(void)state;
	start('L', CONNS, reports);
	assert_int_equal(rx_survey(&everything, reports, SERVERS, NULL), 0);
	assert_false(reports[0].has_stats);
	assert_int_equal(reports[0].conns.what, RX_DEBUG_CONN);
	assert_int_equal(reports[0].conns.count, 2);
	assert_int_equal(reports[0].peers.err, -ENOTSUP);
	assert_int_equal(rx_responder_counts(servers[0].responder)->refused, 0);
	stop(reports);
}

/* One that is silent is none of the others' business. */
static void test_silent(void **state)
{
	struct rx_survey_config config = everything;
	struct rx_report reports[SERVERS + 1];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(struct sockaddr_in);

	(void)state;
	config.client.wait_ns = NS_PER_SEC;
	config.client.tries = 2;
	start('S', CONNS, reports);
	reports[SERVERS] = (struct rx_report){.server = reports[0].server};
	reports[SERVERS].server.in.sin_port = 0;
	assert_int_equal(bind(fd, &reports[SERVERS].server.any, len), 0);
	assert_int_equal(getsockname(fd, &reports[SERVERS].server.any, &len), 0);
	assert_int_equal(rx_survey(&config, reports, SERVERS + 1, NULL), 0);
	assert_int_equal(reports[SERVERS].err, -ETIMEDOUT);
	assert_false(reports[SERVERS].has_basic);
	for (size_t i = 0; i < SERVERS; i++)
		check_everything(&reports[i]);
	close(fd);
	stop(reports);
}

static void test_version_only(void **state)
{
	const struct rx_survey_config config = {.version = true, .client.wait_ns = 60 * NS_PER_SEC};
	struct rx_report reports[SERVERS];

	(void)state;
	start('S', CONNS, reports);
	assert_int_equal(rx_survey(&config, reports, SERVERS, NULL), 0);
	assert_string_equal(reports[1].version, "made up");
	assert_false(reports[1].has_basic);
	assert_int_equal(rx_responder_counts(servers[1].responder)->received, 1);
	stop(reports);
}

struct seen {
	uint64_t expected;
	unsigned int calls;
};

static int note_progress(void *ctx, uint64_t read, uint64_t expected, size_t silent)
{
	struct seen *seen = ctx;

	assert_true(read <= (uint64_t)SERVERS * (CONNS + PEERS));
	assert_true(silent <= SERVERS);
	seen->expected = expected > seen->expected ? expected : seen->expected;
	return ++seen->calls == 3 ? -ECANCELED : 0;
}

/* note_progress ends the survey at its third call. */
static void survey_until_cancelled(struct seen *seen, struct rx_report reports[SERVERS])
{
	struct rx_survey_config config = everything;

	config.progress = note_progress;
	config.ctx = seen;
	config.rate = 20;
	start('S', CONNS, reports);
	assert_int_equal(rx_survey(&config, reports, SERVERS, NULL), -ECANCELED);
}

/* The caller learns the progress, and can end the survey. */
static void test_progress(void **state)
{
	struct rx_report reports[SERVERS];
	struct seen seen = {0};

	(void)state;
	survey_until_cancelled(&seen, reports);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(seen.expected, SERVERS * (CONNS + PEERS));
	stop(reports);
}

struct rounds {
	struct rx_report *reports;
	unsigned int figures[SERVERS + 1];
	unsigned int done[SERVERS + 1];
	unsigned int end; /* of each round that is done; -ECANCELED then. 0 = never */
};

/* Takes what a round brought. */
static int note_stage(void *ctx, size_t i, enum rx_survey_stage stage)
{
	struct rounds *rounds = ctx;
	struct rx_report *report = &rounds->reports[i];

	if (stage == RX_SURVEY_FIGURES) {
		rounds->figures[i]++;
		assert_int_equal(report->conns.count, 0);
		return 0;
	}
	rounds->done[i]++;
	assert_int_equal(rounds->done[i], rounds->figures[i]);
	if (i < SERVERS) {
		check_everything(report);
		/* The one that is silent has not been given up yet. */
		assert_int_equal(rounds->done[SERVERS], 0);
	}
	rx_report_fini(report);
	*report = (struct rx_report){.server = report->server};
	return rounds->end && rounds->done[0] == rounds->end ? -ECANCELED : 0;
}

/* Each is asked again by itself, whatever the others do. */
static void test_rounds(void **state)
{
	struct rx_survey_config config = everything;
	struct rx_report reports[SERVERS + 1];
	struct rounds rounds = {.reports = reports};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(struct sockaddr_in);

	(void)state;
	config.client.wait_ns = 20 * NS_PER_SEC;
	config.client.tries = 1;
	config.period_ns = NS_PER_MS;
	config.reached = note_stage;
	config.ctx = &rounds;
	rounds.end = 3;
	start('S', CONNS, reports);
	reports[SERVERS] = (struct rx_report){.server = reports[0].server};
	reports[SERVERS].server.in.sin_port = 0;
	assert_int_equal(bind(fd, &reports[SERVERS].server.any, len), 0);
	assert_int_equal(getsockname(fd, &reports[SERVERS].server.any, &len), 0);
	assert_int_equal(rx_survey(&config, reports, SERVERS + 1, NULL), -ECANCELED);
	assert_int_equal(rounds.done[0], 3);
	assert_int_equal(rounds.figures[SERVERS], 0);
	assert_int_equal(reports[SERVERS].err, -ECANCELED);
	/* As often as it was said, and then it ends by itself. */
	rounds = (struct rounds){.reports = reports};
	config.rounds = 2;
	assert_int_equal(rx_survey(&config, reports, SERVERS, NULL), 0);
	for (size_t i = 0; i < SERVERS; i++)
		assert_int_equal(rounds.done[i], 2);
	close(fd);
	stop(reports);
}

/* What was read when it ended stays, and the rest says why it is missing. */
static void test_broken_off(void **state)
{
	struct rx_report reports[SERVERS];
	struct seen seen = {0};

	(void)state;
	survey_until_cancelled(&seen, reports);
	for (size_t i = 0; i < SERVERS; i++) {
		assert_true(reports[i].has_basic);
		assert_int_equal(reports[i].err, 0);
		assert_int_equal(reports[i].conns.err, -ECANCELED);
		assert_true(reports[i].conns.count > 0 && reports[i].conns.count < CONNS);
		assert_int_equal(reports[i].peers.err, -ECANCELED);
	}
	stop(reports);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),   cmocka_unit_test(test_windows),
		cmocka_unit_test(test_rate),	     cmocka_unit_test(test_refused_dump),
		cmocka_unit_test(test_old_server),   cmocka_unit_test(test_silent),
		cmocka_unit_test(test_version_only), cmocka_unit_test(test_progress),
		cmocka_unit_test(test_rounds),	     cmocka_unit_test(test_broken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

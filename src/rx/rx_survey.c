// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "rx/rx_record.h"
#include "wire/rx_debug.h"

/* What makes a record another one. */
struct identity {
	uint32_t epoch;
	uint32_t cid;
	uint32_t host;
	uint16_t port;
	uint16_t type;
};

union record {
	struct sonde_rx_conn conn;
	struct sonde_rx_peer peer;
};

static bool is_peers(const struct rx_list *list)
{
	return list->what == RX_DEBUG_PEER;
}

static size_t record_bytes(const struct rx_list *list)
{
	return is_peers(list) ? sizeof(struct sonde_rx_peer) : sizeof(struct sonde_rx_conn);
}

/* The value that `seen` has is the number of the pass, so that each pass knows the records that it
 * met twice. */
void rx_list_init(struct rx_list *list, int32_t what, uint32_t limit, unsigned int passes)
{
	*list = (struct rx_list){.what = what, .limit = limit, .passes = passes, .end = INT32_MAX};
	map_init(&list->seen, sizeof(struct identity), sizeof(uint32_t), limit);
}

void rx_list_fini(struct rx_list *list)
{
	map_fini(&list->seen);
	free(list->records);
	*list = (struct rx_list){0};
}

/* The pass is over when all that was asked is answered; the next one begins at 0. */
static void end_pass(struct rx_list *list)
{
	if (list->asked || list->next < list->end || list->err || !list->passes)
		return;
	list->passes--;
	if (list->passes) {
		list->next = 0;
		list->end = INT32_MAX;
	}
}

int32_t rx_list_ask(struct rx_list *list)
{
	if (list->err || !list->passes || list->next >= list->end)
		return -1;
	/* A list may grow while it is read, and an endless one is not a list. */
	if ((uint32_t)list->next > list->limit) {
		list->err = -E2BIG;
		return -1;
	}
	list->asked++;
	return list->next++;
}

static int unpack(const struct rx_list *list, const void *payload, size_t len, union record *record,
		  struct identity *identity, bool *end)
{
	int err;

	if (is_peers(list)) {
		const struct sonde_rx_peer *peer = &record->peer;

		err = rx_peer_unpack(payload, len, &record->peer);
		*identity = (struct identity){.host = peer->host, .port = peer->port};
		*end = rx_peer_is_end(peer);
	} else {
		const struct sonde_rx_conn *conn = &record->conn;

		err = rx_conn_unpack(payload, len, &record->conn);
		*identity = (struct identity){conn->epoch, conn->cid, conn->host, conn->port,
					      conn->type};
		*end = rx_conn_is_end(conn);
	}
	return err;
}

static int add(struct rx_list *list, const union record *record)
{
	size_t bytes = record_bytes(list);

	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		void *records = reallocarray(list->records, room, bytes);

		if (!records)
			return -ENOMEM;
		list->records = records;
		list->room = room;
	}
	memcpy((char *)list->records + list->count * bytes, record, bytes);
	list->count++;
	return 0;
}

/* Later passes only add: what one met and another did not may have come, or gone. */
static int take_record(struct rx_list *list, const union record *record,
		       const struct identity *identity)
{
	uint32_t *pass = map_at(&list->seen, identity);

	if (!pass)
		return list->seen.count >= list->limit ? -E2BIG : -ENOMEM;
	if (*pass) {
		list->twice += *pass == list->passes;
		*pass = list->passes;
		return 0;
	}
	*pass = list->passes;
	return add(list, record);
}

void rx_list_take(struct rx_list *list, int32_t index, int err, const void *payload, size_t len)
{
	struct identity identity = {0};
	union record record;
	bool end = false;

	list->asked--;
	err = err ?: unpack(list, payload, len, &record, &identity, &end);
	if (!err && end) {
		if (index < list->end)
			list->end = index;
	} else if (!err) {
		err = take_record(list, &record, &identity);
	}
	/* Behind the end nothing matters. */
	if (err && index < list->end && !list->err)
		list->err = err;
	end_pass(list);
}

bool rx_list_is_done(const struct rx_list *list)
{
	return !list->asked && (list->err || !list->passes);
}

const struct sonde_rx_conn *rx_list_conns(const struct rx_list *list)
{
	return is_peers(list) ? NULL : list->records;
}

const struct sonde_rx_peer *rx_list_peers(const struct rx_list *list)
{
	return is_peers(list) ? list->records : NULL;
}

#define WINDOW 1024u /* of all endpoints together */
#define TELL_NS (100 * NS_PER_MS)
#define SLOWER_NS NS_PER_MS /* that much more is not yet a queue */

/* The kind of a question, and for records the index, are in its tag. */
enum question {
	ASK_BASIC,
	ASK_VERSION,
	ASK_STATS,
	ASK_CONN,
	ASK_PEER,
};

struct place {
	struct rx_report *report;
	bool asking; /* in a round; else it waits for begin_ns */
	uint64_t begin_ns; /* of the next round */
	uint64_t rounds; /* still to begin */
	unsigned int pending; /* questions that no list has */
	bool lists; /* their time has come */
	double window;
	bool starting; /* of an adaptive window: nothing has been too much yet */
	uint64_t least_ns; /* in which a record came; 0 = none yet */
	uint64_t due_ns; /* when the next question is, at the rate */
};

struct survey {
	const struct rx_survey_config *config;
	struct rx_client *client;
	struct place *places;
	size_t count;
	uint64_t told_ns;
};

static uint64_t tag_of(size_t place, enum question question, int32_t index)
{
	return (uint64_t)place << 34 | (uint64_t)question << 31 | (uint32_t)index;
}

static int ask(struct survey *survey, const struct place *place, enum question question,
	       int32_t what, int32_t index)
{
	const struct rx_query query = {
		.type = question == ASK_VERSION ? RX_TYPE_VERSION : RX_TYPE_DEBUG,
		.what = what,
		.index = index,
	};

	return rx_client_ask(survey->client, &place->report->server, &query,
			     tag_of((size_t)(place - survey->places), question, index));
}

static int reach(const struct survey *survey, const struct place *place, enum rx_survey_stage stage)
{
	const struct rx_survey_config *config = survey->config;

	return config->reached ?
		       config->reached(config->ctx, (size_t)(place - survey->places), stage) :
		       0;
}

static int begin_round(struct survey *survey, struct place *place, uint64_t now_ns)
{
	const union rx_address server = place->report->server;

	rx_report_fini(place->report);
	*place->report = (struct rx_report){.server = server};
	place->asking = true;
	place->lists = false;
	place->rounds--;
	place->begin_ns += survey->config->period_ns;
	if (place->begin_ns < now_ns)
		place->begin_ns = now_ns;
	place->pending++;
	if (survey->config->basic)
		return ask(survey, place, ASK_BASIC, RX_DEBUG_BASIC, 0);
	return ask(survey, place, ASK_VERSION, 0, 0);
}

/* The cheap requests, before the lists, whose lengths they return. */
static int ask_second(struct survey *survey, struct place *place)
{
	const struct rx_survey_config *config = survey->config;
	int err = 0;

	if (config->version) {
		place->pending++;
		err = ask(survey, place, ASK_VERSION, 0, 0);
	}
	if (!err && config->stats && rx_basic_has(&place->report->basic, RX_VERSION_ALL_CONN)) {
		place->pending++;
		err = ask(survey, place, ASK_STATS, RX_DEBUG_STATS, 0);
	}
	return err;
}

static uint64_t expected_conns(const struct rx_report *report)
{
	const uint32_t *words = report->stats.words;

	return report->has_stats ? (uint64_t)words[SONDE_RX_STAT_SERVER_CONNS] +
					   words[SONDE_RX_STAT_CLIENT_CONNS] :
				   0;
}

static uint64_t expected_peers(const struct rx_report *report)
{
	return report->has_stats ? report->stats.words[SONDE_RX_STAT_PEERS] : 0;
}

static void begin_lists(const struct survey *survey, struct place *place)
{
	const struct rx_survey_config *config = survey->config;
	struct rx_report *report = place->report;
	uint32_t limit = config->list_max ?: RX_SURVEY_LIST_MAX;
	unsigned int passes = config->passes ?: 1;
	bool all = config->all_conns && rx_basic_has(&report->basic, RX_VERSION_ALL_CONN);

	place->lists = true;
	if (config->conns) {
		rx_list_init(&report->conns, all ? RX_DEBUG_ALL_CONN : RX_DEBUG_CONN, limit,
			     passes);
		if (all && expected_conns(report) > limit)
			report->conns.err = -E2BIG;
	}
	if (config->peers) {
		rx_list_init(&report->peers, RX_DEBUG_PEER, limit, passes);
		if (!rx_basic_has(&report->basic, RX_VERSION_PEER))
			report->peers.err = -ENOTSUP;
		else if (expected_peers(report) > limit)
			report->peers.err = -E2BIG;
	}
}

static bool is_done(const struct rx_list *list)
{
	return !list->what || rx_list_is_done(list);
}

/* Where all that was asked of it is answered. */
static int end_round(struct survey *survey, struct place *place)
{
	const struct rx_report *report = place->report;

	if (!place->asking || place->pending || (report->has_basic && !place->lists) ||
	    !is_done(&report->conns) || !is_done(&report->peers))
		return 0;
	place->asking = false;
	return reach(survey, place, RX_SURVEY_DONE);
}

/* One after the other, as many questions as the window and the rate permit. */
static int ask_lists(struct survey *survey, struct place *place)
{
	struct rx_report *report = place->report;
	bool conns = !is_done(&report->conns);
	struct rx_list *list = conns ? &report->conns : &report->peers;
	uint64_t now_ns = survey->config->rate > 0 ? clock_monotonic_ns() : 0;
	int err = 0;

	if (!place->lists || is_done(list))
		return 0;
	while (!err && list->asked < (unsigned int)place->window && place->due_ns <= now_ns) {
		int32_t index = rx_list_ask(list);

		if (index < 0)
			return 0;
		if (survey->config->rate > 0)
			place->due_ns = now_ns + (uint64_t)(1e9 / survey->config->rate);
		err = ask(survey, place, conns ? ASK_CONN : ASK_PEER, list->what, index);
	}
	return err;
}

/* Slower than it can be: questions wait there for each other. */
static void adapt(struct place *place, uint64_t took_ns, unsigned int tries)
{
	if (!place->least_ns || took_ns < place->least_ns)
		place->least_ns = took_ns;
	if (tries > 1 || took_ns > 2 * place->least_ns + SLOWER_NS) {
		place->starting = false;
		place->window = place->window > 2 ? place->window / 2 : 1;
	} else {
		place->window += place->starting ? 1 : 1 / place->window;
	}
	if (place->window > RX_SURVEY_WINDOW_MAX)
		place->window = RX_SURVEY_WINDOW_MAX;
}

static void take_version(struct rx_report *report, const struct rx_answer *answer)
{
	size_t len = answer->len < sizeof(report->version) ? answer->len :
							     sizeof(report->version) - 1;

	memcpy(report->version, answer->payload, len);
	report->version[len] = '\0';
	report->has_version = true;
}

static int take_first(struct survey *survey, struct place *place, const struct rx_answer *answer)
{
	struct rx_report *report = place->report;

	report->err = answer->err;
	report->took_ns = answer->took_ns;
	if (answer->err || !survey->config->basic)
		return 0;
	report->err = rx_basic_unpack(answer->payload, answer->len, &report->basic);
	report->has_basic = !report->err;
	return report->err ? 0 : ask_second(survey, place);
}

static int take(struct survey *survey, const struct rx_answer *answer)
{
	struct place *place = &survey->places[answer->tag >> 34];
	enum question question = answer->tag >> 31 & 7;
	int32_t index = (int32_t)(answer->tag & INT32_MAX);
	struct rx_report *report = place->report;
	int err = 0;

	if (question == ASK_CONN || question == ASK_PEER) {
		if (survey->config->adaptive && !answer->err)
			adapt(place, answer->took_ns, answer->tries);
		rx_list_take(question == ASK_CONN ? &report->conns : &report->peers, index,
			     answer->err, answer->payload, answer->len);
		return ask_lists(survey, place) ?: end_round(survey, place);
	}
	if (question == ASK_BASIC || !survey->config->basic)
		err = take_first(survey, place, answer);
	if (question == ASK_VERSION && !answer->err)
		take_version(report, answer);
	if (question == ASK_STATS && !answer->err) {
		report->has_stats = !rx_stats_unpack(answer->payload, answer->len, &report->stats);
		report->stats_bytes = answer->len;
	}
	place->pending--;
	if (err || place->pending)
		return err;
	err = reach(survey, place, RX_SURVEY_FIGURES);
	if (!err && report->has_basic) {
		begin_lists(survey, place);
		err = ask_lists(survey, place);
	}
	return err ?: end_round(survey, place);
}

static int tell(struct survey *survey)
{
	const struct rx_survey_config *config = survey->config;
	uint64_t now_ns = clock_monotonic_ns(), read = 0, expected = 0;
	size_t silent = 0;

	if (!config->progress || now_ns - survey->told_ns < TELL_NS)
		return 0;
	survey->told_ns = now_ns;
	for (size_t i = 0; i < survey->count; i++) {
		const struct rx_report *report = survey->places[i].report;

		silent += !report->took_ns && !report->err;
		read += report->conns.count + report->peers.count;
		if (config->conns && config->all_conns)
			expected += expected_conns(report);
		if (config->peers)
			expected += expected_peers(report);
	}
	return config->progress(config->ctx, read, expected, silent);
}

/* Asks what is due: rounds that begin, and records by the rate. The time of what is due next, or of the next call of
 * progress. UINT64_MAX: nothing is, until an answer has come. */
static int ask_due(struct survey *survey, uint64_t *ret_next_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t next_ns = survey->config->progress ? survey->told_ns + TELL_NS : UINT64_MAX;
	int err = 0;

	for (size_t i = 0; !err && i < survey->count; i++) {
		struct place *place = &survey->places[i];
		uint64_t due_ns = UINT64_MAX;

		if (!place->asking && place->rounds && place->begin_ns <= now_ns)
			err = begin_round(survey, place, now_ns);
		else if (!place->asking && place->rounds)
			due_ns = place->begin_ns;
		else if (place->asking && place->lists && survey->config->rate > 0)
			err = ask_lists(survey, place) ?: end_round(survey, place);
		if (place->asking && place->lists && place->due_ns > now_ns)
			due_ns = place->due_ns;
		if (due_ns < next_ns)
			next_ns = due_ns;
	}
	*ret_next_ns = next_ns;
	return err;
}

static bool goes_on(const struct survey *survey)
{
	for (size_t i = 0; i < survey->count; i++) {
		if (survey->places[i].asking || survey->places[i].rounds)
			return true;
	}
	return false;
}

static void break_off(struct rx_list *list, int err)
{
	if (!is_done(list))
		list->err = err;
}

/* What was not read has the reason. */
static void break_all_off(struct survey *survey, int err)
{
	for (size_t i = 0; i < survey->count; i++) {
		struct place *place = &survey->places[i];

		if (!place->asking && place->report->took_ns)
			continue;
		if (!place->report->has_basic && !place->report->err)
			place->report->err = err;
		break_off(&place->report->conns, err);
		break_off(&place->report->peers, err);
	}
}

static int run(struct survey *survey)
{
	int err = 0, got;

	while (!err && goes_on(survey)) {
		struct rx_answer answer;
		uint64_t next_ns;

		err = ask_due(survey, &next_ns);
		if (err)
			break;
		got = rx_client_next_until(survey->client, next_ns, &answer);
		if (got > 0)
			err = take(survey, &answer);
		else if (got != -EAGAIN && got != -EINTR)
			err = got;
		err = err ?: tell(survey);
	}
	if (err)
		break_all_off(survey, err);
	return err;
}

int rx_survey(const struct rx_survey_config *config, struct rx_report *reports, size_t count,
	      struct diag *diag)
{
	struct survey survey = {.config = config, .count = count};
	struct rx_client_config client = config->client;
	uint64_t now_ns = clock_monotonic_ns();
	int err;

	client.window = client.window ?: WINDOW;
	for (size_t i = 0; i < count; i++)
		client.ipv6 |= reports[i].server.any.sa_family == AF_INET6;
	err = rx_client_open(&client, &survey.client, diag);
	if (err)
		return err;
	survey.places = calloc(count ?: 1, sizeof(*survey.places));
	if (!survey.places) {
		rx_client_close(survey.client);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	for (size_t i = 0; i < count; i++)
		survey.places[i] = (struct place){
			.report = &reports[i],
			.window = config->adaptive ? 1 :
				  config->window   ?:
						     1,
			.starting = true,
			.rounds = !config->period_ns ? 1 :
				  config->rounds     ?:
						       UINT64_MAX,
			.begin_ns = now_ns,
		};
	survey.told_ns = now_ns;
	err = run(&survey);
	if (err)
		(void)diag_set(diag, err, "asking: %s", strerror(-err));
	free(survey.places);
	rx_client_close(survey.client);
	return err;
}

bool rx_report_has_stat(const struct rx_report *report, size_t word)
{
	char version = rx_stat_version((enum sonde_rx_stat)word);

	return report->has_stats && (word + 1) * sizeof(uint32_t) <= report->stats_bytes &&
	       rx_basic_has(&report->basic, version);
}

void rx_report_fini(struct rx_report *report)
{
	rx_list_fini(&report->conns);
	rx_list_fini(&report->peers);
}

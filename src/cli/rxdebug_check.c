// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_check.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "cli/rxdebug_request.h"
#include "rx/rx_problem.h"
#include "rx/rx_record.h"

/* Of one server. NAN: it does not tell. */
struct values {
	double of[RXDEBUG_MEASURE_COUNT];
};

/* How bad they are, best first: not the order of their numbers. */
static const int statuses[] = {RXDEBUG_GOOD, RXDEBUG_WARNING, RXDEBUG_SILENT, RXDEBUG_CRITICAL};
static const int nagios_statuses[] = {0, 1, 3, 2};
static const char *const words[] = {"OK", "WARNING", "UNKNOWN", "CRITICAL"};

enum badness {
	GOOD,
	WARNING,
	UNKNOWN,
	CRITICAL,
};

struct verdict {
	const char *name;
	const struct rx_report *report;
	struct values values;
	enum badness worst;
};

void rxdebug_check_survey(const struct rxdebug_limits *limits, struct rx_survey_config *survey)
{
	survey->version = survey->peers = false;
	survey->stats = rxdebug_limits_has(limits, RXDEBUG_RESENT) ||
			rxdebug_limits_has(limits, RXDEBUG_BUSIES);
	survey->conns = rxdebug_limits_has(limits, RXDEBUG_BLOCKED) ||
			rxdebug_limits_has(limits, RXDEBUG_HELD) ||
			rxdebug_limits_has(limits, RXDEBUG_ERRORS) ||
			rxdebug_limits_has(limits, RXDEBUG_EXPIRED);
}

static void find_basic(const struct rx_report *report, struct values *values)
{
	const struct sonde_rx_basic *basic = &report->basic;

	values->of[RXDEBUG_ANSWER] = (double)report->took_ns / NS_PER_MS;
	if (rx_basic_has(basic, RX_VERSION_WAITING))
		values->of[RXDEBUG_WAITING] = basic->waiting;
	if (rx_basic_has(basic, RX_VERSION_IDLE))
		values->of[RXDEBUG_IDLE] = basic->idle_threads;
	if (rx_basic_has(basic, RX_VERSION_PACKETS) && basic->packets > 0)
		values->of[RXDEBUG_FREE] = 100.0 * basic->free_packets / basic->packets;
}

/* By how much it grew, of 32 bits, or since the server began. */
static uint32_t grown(const struct rx_report *before, const struct rx_report *now,
		      enum sonde_rx_stat which)
{
	return now->stats.words[which] - (before ? before->stats.words[which] : 0);
}

static void find_stats(const struct rx_report *before, const struct rx_report *now,
		       struct values *values)
{
	double sent, resent;

	if (!now->has_stats || (before && !before->has_stats))
		return;
	sent = grown(before, now, SONDE_RX_STAT_DATA_SENT);
	resent = grown(before, now, SONDE_RX_STAT_DATA_RESENT);
	values->of[RXDEBUG_RESENT] = resent > 0 ? 100 * resent / (sent + resent) : 0;
	if (rx_basic_has(&now->basic, RX_VERSION_WAITED))
		values->of[RXDEBUG_BUSIES] = grown(before, now, SONDE_RX_STAT_BUSIES);
}

static void count_problem(void *ctx, enum rx_problem_kind kind, const char *text)
{
	struct values *values = ctx;

	(void)text;
	if (kind == RX_PROBLEM_BLOCKED || kind == RX_PROBLEM_HELD)
		values->of[RXDEBUG_BLOCKED]++;
	if (kind == RX_PROBLEM_HELD)
		values->of[RXDEBUG_HELD]++;
	if (kind == RX_PROBLEM_ERROR)
		values->of[RXDEBUG_ERRORS]++;
	if (kind == RX_PROBLEM_EXPIRED)
		values->of[RXDEBUG_EXPIRED]++;
}

static void find_conns(const struct rx_report *report, int64_t now_s, struct values *values)
{
	struct buffer text;

	if (!report->conns.what || report->conns.err)
		return;
	values->of[RXDEBUG_BLOCKED] = values->of[RXDEBUG_HELD] = 0;
	values->of[RXDEBUG_ERRORS] = values->of[RXDEBUG_EXPIRED] = 0;
	buffer_init(&text);
	rx_problem_find(report, now_s, &text, count_problem, values);
	buffer_fini(&text);
}

static void find_values(const struct rx_report *before, const struct rx_report *now, int64_t now_s,
			struct values *ret)
{
	for (size_t i = 0; i < RXDEBUG_MEASURE_COUNT; i++)
		ret->of[i] = NAN;
	if (!now->has_basic)
		return;
	find_basic(now, ret);
	find_stats(before, now, ret);
	find_conns(now, now_s, ret);
}

static enum badness judge(const struct rxdebug_limits *limits, enum rxdebug_measure measure,
			  double value)
{
	if (!rxdebug_limits_has(limits, measure))
		return GOOD;
	if (isnan(value))
		return UNKNOWN;
	if (rxdebug_limits_is_beyond(measure, value, limits->critical[measure]))
		return CRITICAL;
	return rxdebug_limits_is_beyond(measure, value, limits->warning[measure]) ? WARNING : GOOD;
}

static enum badness worst_of(const struct rxdebug_limits *limits, const struct rx_report *report,
			     const struct values *values)
{
	enum badness worst = report->has_basic ? GOOD : UNKNOWN;

	for (enum rxdebug_measure i = 0; report->has_basic && i < RXDEBUG_MEASURE_COUNT; i++) {
		enum badness one = judge(limits, i, values->of[i]);

		worst = one > worst ? one : worst;
	}
	return worst;
}

/* What is wrong with a server, behind @before; what the next one is behind. */
static const char *put_faults(const struct rxdebug_limits *limits, const struct verdict *verdict,
			      const char *before, struct buffer *out)
{
	if (!verdict->report->has_basic) {
		buffer_format(out, "%s%s does not answer", before, verdict->name);
		return "; ";
	}
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const struct rxdebug_measure_form *form = &rxdebug_measure_forms[i];
		double value = verdict->values.of[i];
		enum badness one = judge(limits, i, value);

		if (one == GOOD)
			continue;
		buffer_format(out, "%s%s ", before, verdict->name);
		before = "; ";
		if (one == UNKNOWN)
			buffer_format(out, "does not tell '%s'", form->name);
		else
			buffer_format(out, "%s%.*f%s", form->before, form->decimals, value,
				      form->behind);
	}
	return before;
}

/* A range, as Nagios's plugins have it: beyond it is what is bad. */
static void put_limit(enum rxdebug_measure measure, double limit, struct buffer *out)
{
	buffer_char(out, ';');
	if (!isnan(limit))
		buffer_format(out, "%g%s", limit, rxdebug_measure_forms[measure].low ? ":" : "");
}

/* Performance data, as Nagios's plugins have it: 'label'=value;warning;critical;least. */
static void put_numbers(const struct rxdebug_limits *limits, const struct verdict *verdict,
			struct buffer *out)
{
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const struct rxdebug_measure_form *form = &rxdebug_measure_forms[i];
		double value = verdict->values.of[i];

		if (isnan(value))
			continue;
		buffer_format(out, " '%s %s'=%.*f%s", verdict->name, form->name, form->decimals,
			      value, form->unit);
		put_limit(i, limits->warning[i], out);
		put_limit(i, limits->critical[i], out);
		buffer_string(out, ";0");
	}
}

static void put_text(const struct rxdebug_limits *limits, const struct verdict *verdicts,
		     size_t count, enum badness worst, struct buffer *out)
{
	const char *before = "", *bar = " |";

	buffer_format(out, "RXDEBUG %s: ", words[worst]);
	if (!count)
		buffer_string(out, "no server answers");
	else if (worst == GOOD)
		buffer_format(out, "%zu server%s, nothing beyond its limit", count,
			      count == 1 ? "" : "s");
	for (size_t i = 0; i < count; i++)
		before = put_faults(limits, &verdicts[i], before, out);
	for (size_t i = 0; i < count; i++) {
		if (!verdicts[i].report->has_basic)
			continue;
		buffer_string(out, bar);
		bar = "";
		put_numbers(limits, &verdicts[i], out);
	}
	buffer_char(out, '\n');
}

static void put_json(const struct verdict *verdicts, size_t count, enum badness worst,
		     struct buffer *out)
{
	struct json_writer writer, *json = &writer;

	json_writer_init(json, out);
	json_writer_object(json, NULL);
	json_writer_object(json, "check");
	json_writer_string(json, "status", words[worst]);
	json_writer_array(json, "servers");
	for (size_t i = 0; i < count; i++) {
		json_writer_object(json, NULL);
		json_writer_string(json, "server", verdicts[i].name);
		json_writer_string(json, "status", words[verdicts[i].worst]);
		json_writer_bool(json, "answered", verdicts[i].report->has_basic);
		json_writer_object(json, "values");
		for (enum rxdebug_measure m = 0; m < RXDEBUG_MEASURE_COUNT; m++) {
			if (!isnan(verdicts[i].values.of[m]))
				json_writer_real(json, rxdebug_measure_forms[m].name,
						 verdicts[i].values.of[m],
						 rxdebug_measure_forms[m].decimals);
		}
		json_writer_end(json);
		json_writer_end(json);
	}
	json_writer_finish(json);
}

/* In a network, addresses that do not answer are not reported. Returns how many are left. */
static size_t judge_all(const struct rxdebug_request *request, const struct rx_report *before,
			const struct rx_report *reports, int64_t now_s, struct verdict *verdicts)
{
	const struct rx_target *targets = request->targets.list;
	size_t count = 0;

	for (size_t i = 0; i < request->targets.count; i++) {
		struct verdict *verdict = &verdicts[count];

		if (targets[i].sought && reports[i].err)
			continue;
		*verdict = (struct verdict){.name = targets[i].name, .report = &reports[i]};
		find_values(before ? &before[i] : NULL, &reports[i], now_s, &verdict->values);
		verdict->worst = worst_of(&request->limits, &reports[i], &verdict->values);
		count++;
	}
	return count;
}

int rxdebug_check(const struct rxdebug_request *request, const struct rx_report *before,
		  const struct rx_report *reports, int64_t now_s, struct buffer *out)
{
	struct verdict *verdicts = calloc(request->targets.count, sizeof(*verdicts));
	enum badness worst = GOOD;
	size_t count;

	if (!verdicts)
		return -ENOMEM;
	count = judge_all(request, before, reports, now_s, verdicts);
	for (size_t i = 0; i < count; i++)
		worst = verdicts[i].worst > worst ? verdicts[i].worst : worst;
	if (!count)
		worst = UNKNOWN;
	if (request->json)
		put_json(verdicts, count, worst, out);
	else
		put_text(&request->limits, verdicts, count, worst, out);
	free(verdicts);
	return request->nagios ? nagios_statuses[worst] : statuses[worst];
}

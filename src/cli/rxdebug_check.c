// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_check.h"

#include <math.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/clock.h"
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

void rxdebug_check_survey(const struct rxdebug_limits *limits, struct rx_survey_config *survey)
{
	survey->version = survey->peers = false;
	survey->stats = rxdebug_limits_has(limits, RXDEBUG_RESENT) ||
			rxdebug_limits_has(limits, RXDEBUG_BUSIES);
	survey->conns = rxdebug_limits_has(limits, RXDEBUG_BLOCKED) ||
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
	if (kind == RX_PROBLEM_BLOCKED)
		values->of[RXDEBUG_BLOCKED]++;
	else if (kind == RX_PROBLEM_ERROR)
		values->of[RXDEBUG_ERRORS]++;
	else if (kind == RX_PROBLEM_EXPIRED)
		values->of[RXDEBUG_EXPIRED]++;
}

static void find_conns(const struct rx_report *report, int64_t now_s, struct values *values)
{
	struct buffer text;

	if (!report->conns.what || report->conns.err)
		return;
	values->of[RXDEBUG_BLOCKED] = values->of[RXDEBUG_ERRORS] = values->of[RXDEBUG_EXPIRED] = 0;
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

/* What is wrong with one server, if anything is, behind the other faults. */
static enum badness put_faults(const struct rxdebug_limits *limits, const char *name,
			       const struct rx_report *report, const struct values *values,
			       struct buffer *out)
{
	enum badness worst = GOOD;

	if (!report->has_basic) {
		buffer_format(out, "%s%s does not answer", out->len ? "; " : "", name);
		return UNKNOWN;
	}
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const struct rxdebug_measure_form *form = &rxdebug_measure_forms[i];
		enum badness one = judge(limits, i, values->of[i]);

		worst = one > worst ? one : worst;
		if (one == GOOD)
			continue;
		buffer_format(out, "%s%s ", out->len ? "; " : "", name);
		if (one == UNKNOWN)
			buffer_format(out, "does not tell '%s'", form->name);
		else
			buffer_format(out, "%s%.*f%s", form->before, form->decimals, values->of[i],
				      form->behind);
	}
	return worst;
}

/* A range, as Nagios's plugins have it: beyond it is what is bad. */
static void put_limit(enum rxdebug_measure measure, double limit, struct buffer *out)
{
	buffer_char(out, ';');
	if (!isnan(limit))
		buffer_format(out, "%g%s", limit, rxdebug_measure_forms[measure].low ? ":" : "");
}

/* Performance data, as Nagios's plugins have it: 'label'=value;warning;critical;least. */
static void put_numbers(const struct rxdebug_limits *limits, const char *name,
			const struct values *values, struct buffer *out)
{
	for (enum rxdebug_measure i = 0; i < RXDEBUG_MEASURE_COUNT; i++) {
		const struct rxdebug_measure_form *form = &rxdebug_measure_forms[i];

		if (isnan(values->of[i]))
			continue;
		buffer_format(out, " '%s %s'=%.*f%s", name, form->name, form->decimals,
			      values->of[i], form->unit);
		put_limit(i, limits->warning[i], out);
		put_limit(i, limits->critical[i], out);
		buffer_string(out, ";0");
	}
}

int rxdebug_check(const struct rxdebug_request *request, const struct rx_report *before,
		  const struct rx_report *reports, int64_t now_s, struct buffer *out)
{
	const struct rxdebug_limits *limits = &request->limits;
	size_t count = request->targets.count;
	enum badness worst = GOOD;
	struct buffer faults, numbers;

	buffer_init(&faults);
	buffer_init(&numbers);
	for (size_t i = 0; i < count; i++) {
		const char *name = request->targets.list[i].name;
		struct values values;
		enum badness one;

		find_values(before ? &before[i] : NULL, &reports[i], now_s, &values);
		one = put_faults(limits, name, &reports[i], &values, &faults);
		worst = one > worst ? one : worst;
		put_numbers(limits, name, &values, &numbers);
	}
	buffer_format(out, "RXDEBUG %s: ", words[worst]);
	if (faults.len)
		buffer_append(out, faults.data, faults.len);
	else
		buffer_format(out, "%zu server%s, nothing beyond its limit", count,
			      count == 1 ? "" : "s");
	if (numbers.len) {
		buffer_string(out, " |");
		buffer_append(out, numbers.data, numbers.len);
	}
	buffer_char(out, '\n');
	if (buffer_error(&faults) || buffer_error(&numbers))
		worst = UNKNOWN;
	buffer_fini(&faults);
	buffer_fini(&numbers);
	return request->nagios ? nagios_statuses[worst] : statuses[worst];
}

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading_pump.h"

#include <errno.h>

#include "cli/interrupt.h"
#include "cli/reading_state.h"
#include "cli/reading_verdict.h"

/* What the sieve lets through. */
static int pass(struct reading *reading, struct event_sink *sink, const struct event *events,
		size_t count)
{
	struct sieve_run run;
	size_t done = 0;
	int err = 0;

	while (!err && done < count && !select_is_full(&reading->select)) {
		done += sieve_next(&reading->sieve, events + done, count - done, &run);
		run.count = select_count(&reading->select, run.events, run.count);
		if (run.count)
			err = sink->ops->batch(sink, run.events, run.count);
	}
	return err;
}

int reading_pump_seek(struct reading *reading, int64_t from_ns, int64_t to_ns)
{
	reading->select.started = true;
	reading->select.done = false;
	reading->select.from_ns = from_ns;
	reading->select.to_ns = to_ns;
	return sieve_seek_again(&reading->sieve, reading->source);
}

/* How many of the events were given before the trace was opened again: these only teach. */
static size_t learn_again(struct reading *reading, const struct event *events, size_t count)
{
	size_t done = 0;

	while (done < count && events[done].time_ns <= reading->again_ns)
		done++;
	sieve_learn(&reading->sieve, events, done);
	if (done < count)
		reading->again_ns = INT64_MIN;
	return done;
}

static void note_order(struct reading *reading, const struct event *events, size_t count)
{
	int64_t given_ns = reading->given_ns;

	for (size_t i = 0; reading->part && i < count; i++) {
		reading->disorder |= events[i].time_ns < given_ns;
		given_ns = events[i].time_ns;
	}
	reading->given_ns = events[count - 1].time_ns;
}

/* One batch from source to sink: 1, 0 at the end, or -errno. */
static int pump_batch(struct reading *reading, struct event_sink *sink, const char **side)
{
	struct event_source *source = reading->source;
	const struct event *events;
	size_t done, first, end;
	int got = source->ops->next(source, &events), err;

	*side = reading->name;
	if (reading->is_live)
		reading_verdict_tell_new(reading);
	if (got == -EAGAIN)
		return 1;
	if (got <= 0)
		return got == -EINTR && interrupt_seen() ? 0 : got;
	done = learn_again(reading, events, (size_t)got);
	events += done;
	got -= (int)done;
	if (!got)
		return 1;
	note_order(reading, events, (size_t)got);
	select_cut(&reading->select, events, (size_t)got, &first, &end);
	/* What comes before the time asked for is learnt from, as what is under way then. */
	sieve_learn(&reading->sieve, events, first);
	err = pass(reading, sink, events + first, end - first);
	*side = reading->out_name ?: "output";
	return err ? err : 1;
}

int reading_pump_start(struct reading *reading, struct event_sink *sink, const char **side)
{
	int more = 1;

	while (more > 0 && !interrupt_seen() && !reading->select.started)
		more = pump_batch(reading, sink, side);
	return more;
}

int reading_pump(struct reading *reading, struct event_sink *sink, const char **side)
{
	int more = 1;

	while (more > 0 && !interrupt_seen() && !reading->select.done)
		more = pump_batch(reading, sink, side);
	return more < 0 ? more : 0;
}

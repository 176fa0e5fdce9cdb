// SPDX-License-Identifier: BSD-2-Clause
#include "cli/tally.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "cli/convert_out.h"
#include "cli/verb.h"
#include "source/read_session.h"

#define SHOW_EVERY_NS (200 * NS_PER_MS)
#define CLEAR_LINE "\r\033[K"

static void show(struct tally *tally)
{
	uint64_t now_ns = clock_monotonic_ns();
	char events[48], read[32], total[32];

	if (now_ns - tally->shown_ns < SHOW_EVERY_NS)
		return;
	tally->shown_ns = now_ns;
	count_format(events, sizeof(events), read_session_select(tally->session)->matched);
	size_format(read, sizeof(read), tally->read_bytes);
	size_format(total, sizeof(total), tally->total_bytes);
	fprintf(stderr, CLEAR_LINE "%s events, %s of %s read", events, read, total);
}

static int tally_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct tally *tally = (struct tally *)sink;
	int err = tally->inner->ops->batch(tally->inner, events, count);

	for (size_t i = 0; i < count; i++)
		tally->read_bytes += events[i].bytes;
	if (tally->terminal)
		show(tally);
	tally->err = tally->err ?: err;
	return err;
}

static int tally_finish(struct event_sink *sink)
{
	struct tally *tally = (struct tally *)sink;
	int err = tally->inner->ops->finish(tally->inner);

	if (tally->terminal)
		fputs(CLEAR_LINE, stderr);
	tally->events = read_session_select(tally->session)->matched;
	tally->finished = true;
	tally->err = tally->err ?: err;
	return err;
}

static void tally_free(struct event_sink *sink)
{
	struct tally *tally = (struct tally *)sink;

	tally->inner->ops->free(tally->inner);
	tally->inner = NULL;
	tally->session = NULL;
}

static void tally_lacks(struct event_sink *sink, const char *sentence)
{
	struct tally *tally = (struct tally *)sink;

	if (tally->inner->ops->lacks)
		tally->inner->ops->lacks(tally->inner, sentence);
}

static const struct sink_ops tally_ops = {
	.batch = tally_batch,
	.finish = tally_finish,
	.free = tally_free,
	.lacks = tally_lacks,
};

void tally_init(struct tally *tally, struct event_sink *inner, const struct read_session *session)
{
	*tally = (struct tally){.sink.ops = &tally_ops,
				.inner = inner,
				.session = session,
				.terminal = isatty(STDERR_FILENO),
				.start_ns = clock_monotonic_ns(),
				.total_bytes = read_session_info(session)->bytes};
	tally->shown_ns = tally->start_ns;
}

void tally_print(const struct tally *tally, const struct verb_spec *spec, const char *path)
{
	char events[48], bytes[32], time[32];

	count_format(events, sizeof(events), tally->events);
	duration_format(time, sizeof(time), clock_monotonic_ns() - tally->start_ns);
	if (!strcmp(path, "-"))
		return;
	size_format(bytes, sizeof(bytes), convert_out_bytes(path));
	verb_note("sonde %s: %s: %s event%s, %s, in %s", spec->name, path, events,
		  tally->events == 1 ? "" : "s", bytes, time);
}

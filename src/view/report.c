// SPDX-License-Identifier: BSD-2-Clause
#include "view/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "view/json_member.h"
#include "view/report_cpu.h"
#include "view/report_disk.h"
#include "view/report_kind.h"
#include "view/report_layers.h"
#include "view/report_rx.h"
#include "view/report_sched.h"
#include "view/report_syscalls.h"
#include "view/report_tcp.h"
#include "view/view.h"
#include "view/where.h"

static const struct report_kind kinds[] = {
	{"syscalls", "sys.enter and sys.exit", "sys.", report_syscalls_new},
	{"sched", "sched.switch and wakeups", "sched.", report_sched_new},
	{"disk", "disk.queue, disk.issue and disk.complete", "disk.", report_disk_new},
	{"tcp", "tcp.*", "tcp.", report_tcp_new},
	{"layers", "net.*", "net.", report_layers_new},
	{"cpu", "cpu.sample", "cpu.", report_cpu_new},
	{"rx", "rx.stats and rx.peer", "rx.", report_rx_new},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

#define SEEN_NAMES 5u /* that are told */

_Static_assert(KIND_COUNT <= 32, "report_options.kinds has a bit for each");

struct report_sink {
	struct event_sink sink;
	const struct view *view;
	struct report_options options;
	struct report *reports[KIND_COUNT]; /* NULL: not asked for */
	struct report_span span;
	bool started; /* the span has a begin */
	bool *seen; /* by event_class.index: it has such events */
};

const struct report_kind *report_kind_get(size_t i)
{
	return i < KIND_COUNT ? &kinds[i] : NULL;
}

static bool counts(const struct report_sink *rs, const struct event *event)
{
	return event->class->role != EVENT_ROLE_LOST &&
	       select_shows(rs->view->select, event->class);
}

/* Only what is at either end of the batch is looked at. */
static void stretch_span(struct report_sink *rs, const struct event *events, size_t count)
{
	size_t i;

	for (i = 0; i < count && !rs->started; i++) {
		if (!counts(rs, &events[i]))
			continue;
		rs->span.begin_ns = events[i].time_ns;
		rs->started = true;
	}
	for (i = count; i-- > 0;) {
		if (!counts(rs, &events[i]))
			continue;
		rs->span.end_ns = events[i].time_ns;
		return;
	}
}

static void count_events(struct report_sink *rs, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rs->seen[events[i].class->index] = true;
	stretch_span(rs, events, count);
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (rs->reports[i])
			rs->reports[i]->ops->batch(rs->reports[i], events, count);
}

static void learn_events(struct report_sink *rs, const struct event *events, size_t count)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (rs->reports[i] && rs->reports[i]->ops->learn)
			rs->reports[i]->ops->learn(rs->reports[i], events, count);
}

/* No expression hides a loss. */
static bool is_wanted(const struct report_sink *rs, const struct event *event)
{
	view_learn(rs->view, event);
	return event->class->role == EVENT_ROLE_LOST ||
	       where_holds(rs->options.where, event, rs->view->names);
}

/* Runs of events that are counted, and of those that only teach. */
static void ask_batch(struct report_sink *rs, const struct event *events, size_t count)
{
	bool wanted, next;
	size_t first, end;

	next = count && is_wanted(rs, events);
	for (first = 0; first < count; first = end) {
		wanted = next;
		for (end = first + 1; end < count; end++) {
			next = is_wanted(rs, &events[end]);
			if (next != wanted)
				break;
		}
		if (wanted)
			count_events(rs, events + first, end - first);
		else
			learn_events(rs, events + first, end - first);
	}
}

static int report_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct report_sink *rs = (struct report_sink *)sink;

	if (rs->options.where) {
		ask_batch(rs, events, count);
		return 0;
	}
	view_learn_batch(rs->view, events, count);
	count_events(rs, events, count);
	return 0;
}

static int write_text(struct report_sink *rs, struct buffer *out)
{
	const char *before = "";
	size_t i;
	int err;

	for (i = 0; i < KIND_COUNT; i++) {
		if (!report_has(&rs->sink, i))
			continue;
		buffer_string(out, before);
		err = rs->reports[i]->ops->text(rs->reports[i], &rs->options, out);
		if (err)
			return err;
		before = "\n";
	}
	return buffer_error(out);
}

static int write_json(struct report_sink *rs, struct buffer *out)
{
	const struct select *select = rs->view->select;
	const char *before = "{";
	size_t i;
	int err;

	json_member_uint(out, "{", "duration_ns",
			 (uint64_t)rs->span.end_ns - (uint64_t)rs->span.begin_ns);
	json_member_uint(out, ",", "lost", select->lost);
	json_member_uint(out, ",", "packets_overwritten", select->overwritten);
	json_member_trace_end(out, rs->view->info);
	json_member_key(out, ",", "reports");
	for (i = 0; i < KIND_COUNT; i++) {
		if (!report_has(&rs->sink, i))
			continue;
		json_member_key(out, before, kinds[i].name);
		err = rs->reports[i]->ops->json(rs->reports[i], &rs->options, out);
		if (err)
			return err;
		before = ",";
	}
	buffer_string(out, *before == '{' ? "{}}\n" : "}}\n");
	return buffer_error(out);
}

static int report_finish(struct event_sink *sink)
{
	struct report_sink *rs = (struct report_sink *)sink;
	struct output *out = rs->view->out;
	size_t i;
	int err;

	for (i = 0; i < KIND_COUNT; i++)
		if (rs->reports[i])
			rs->reports[i]->ops->end(rs->reports[i], &rs->span);
	err = rs->options.json ? write_json(rs, &out->buf) : write_text(rs, &out->buf);
	return err ?: output_flush(out);
}

static void report_free(struct event_sink *sink)
{
	struct report_sink *rs = (struct report_sink *)sink;
	size_t i;

	if (!rs)
		return;
	for (i = 0; i < KIND_COUNT; i++)
		if (rs->reports[i])
			rs->reports[i]->ops->free(rs->reports[i]);
	free(rs->seen);
	free(rs);
}

static const struct sink_ops report_ops = {report_batch, report_finish, report_free};

struct event_sink *report_new(const struct view *view, const struct report_options *options)
{
	struct report_sink *rs = calloc(1, sizeof(*rs));
	size_t i;

	if (!rs)
		return NULL;
	rs->sink.ops = &report_ops;
	rs->view = view;
	rs->options = *options;
	rs->seen = calloc(view->info->class_count ?: 1, sizeof(*rs->seen));
	if (!rs->seen) {
		report_free(&rs->sink);
		return NULL;
	}
	for (i = 0; i < KIND_COUNT; i++) {
		if (options->kinds && !(options->kinds >> i & 1))
			continue;
		rs->reports[i] = kinds[i].new(view);
		if (!rs->reports[i]) {
			report_free(&rs->sink);
			return NULL;
		}
	}
	return &rs->sink;
}

bool report_has(const struct event_sink *sink, size_t i)
{
	const struct report_sink *rs = (const struct report_sink *)sink;

	return i < KIND_COUNT && rs->reports[i] && rs->reports[i]->events;
}

/* Whether there were events of class @c that were asked for. */
static bool saw(const struct report_sink *rs, size_t c)
{
	const struct event_class *class = rs->view->info->classes[c];

	return rs->seen[c] && select_shows(rs->view->select, class) &&
	       class->role != EVENT_ROLE_LOST;
}

bool report_could(const struct event_sink *sink, size_t i)
{
	const struct report_sink *rs = (const struct report_sink *)sink;
	const struct trace_info *info = rs->view->info;

	for (size_t c = 0; i < KIND_COUNT && c < info->class_count; c++) {
		if (saw(rs, c) &&
		    !strncmp(info->classes[c]->name, kinds[i].group, strlen(kinds[i].group)))
			return true;
	}
	return false;
}

/* The recorder's own. */
static bool is_note(const struct event_class *class)
{
	return !strncmp(class->name, "sonde.", 6);
}

void report_seen(const struct event_sink *sink, struct buffer *out)
{
	const struct report_sink *rs = (const struct report_sink *)sink;
	const struct trace_info *info = rs->view->info;
	size_t start = out->len, told = 0;

	for (size_t c = 0; c < info->class_count; c++) {
		if (!saw(rs, c) || info->classes[c]->again || is_note(info->classes[c]))
			continue;
		if (told++ < SEEN_NAMES)
			buffer_format(out, "%s%s", out->len > start ? ", " : "",
				      info->classes[c]->name);
	}
	if (told > SEEN_NAMES)
		buffer_format(out, " and %zu others", told - SEEN_NAMES);
	buffer_char(out, 0);
}

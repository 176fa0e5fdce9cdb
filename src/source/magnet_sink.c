// SPDX-License-Identifier: BSD-2-Clause
#include "source/magnet_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "output/view.h"
#include "record_format/magnet/magnet_pack.h"
#include "record_format/magnet/magnet_record.h"
#include "record_format/magnet/magnet_source.h"

/* Of empty records behind the last: a trace may claim any number. */
#define ROOM_MAX_BYTES (1ull << 30)

struct magnet_sink {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct view *view;
	struct magnet_packer packer;
	size_t record_bytes;
	uint64_t records; /* written */
};

/* Room for a record at the end of the output; NULL = no memory. */
static uint8_t *record_begin(struct magnet_sink *ms)
{
	return (uint8_t *)buffer_reserve(&ms->view->out->buf, ms->record_bytes);
}

static int record_end(struct magnet_sink *ms)
{
	buffer_advance(&ms->view->out->buf, ms->record_bytes);
	ms->records++;
	return output_end_line(ms->view->out);
}

static int begin(struct magnet_sink *ms, int64_t first_ns)
{
	uint8_t *record = record_begin(ms);

	if (!record)
		return -ENOMEM;
	magnet_pack_sysinfo(&ms->packer, first_ns, record);
	return record_end(ms);
}

static int write_event(struct magnet_sink *ms, const struct event *event)
{
	uint64_t left = 0;
	uint8_t *record;
	int err = 0;

	if (!ms->packer.has_clock && !magnet_is_sysinfo(&ms->packer, event->class))
		err = begin(ms, event->time_ns);
	do {
		record = err ? NULL : record_begin(ms);
		if (!record)
			return err ?: -ENOMEM;
		if (magnet_pack(&ms->packer, event, record, &left))
			err = record_end(ms);
	} while (left && !err);
	return err;
}

/* Records need the clock record before them, so it is always written. */
static int magnet_sink_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct magnet_sink *ms = (struct magnet_sink *)sink;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct event_class *class = events[i].class;
		bool shown = analysis_takes(&ms->view->analysis, &events[i]);

		if ((shown && magnet_packer_takes(&ms->packer, class)) ||
		    magnet_is_sysinfo(&ms->packer, class))
			err = write_event(ms, &events[i]);
	}
	return err ?: output_end_batch(ms->view->out);
}

/* As many empty records as the file had from which the events come. */
static int leave_room(struct magnet_sink *ms)
{
	const struct trace_env *env = trace_info_env(ms->view->analysis.info, MAGNET_ENV_RECORDS);
	uint64_t total = env && !env->text && env->number > 0 ? (uint64_t)env->number : 0;
	uint8_t *record;
	int err = 0;

	if (total <= ms->records || (total - ms->records) > ROOM_MAX_BYTES / ms->record_bytes)
		return 0;
	while (ms->records < total && !err) {
		record = record_begin(ms);
		if (!record)
			return -ENOMEM;
		memset(record, 0, ms->record_bytes);
		err = record_end(ms);
	}
	return err;
}

static int magnet_sink_finish(struct event_sink *sink)
{
	struct magnet_sink *ms = (struct magnet_sink *)sink;
	int err = ms->packer.has_clock ? 0 : begin(ms, 0);

	err = err ?: leave_room(ms);
	return err ?: output_flush(ms->view->out);
}

static void magnet_sink_free(struct event_sink *sink)
{
	struct magnet_sink *ms = (struct magnet_sink *)sink;

	if (!ms)
		return;
	magnet_packer_fini(&ms->packer);
	free(ms);
}

static const struct sink_ops magnet_sink_ops = {
	.batch = magnet_sink_batch,
	.finish = magnet_sink_finish,
	.free = magnet_sink_free,
};

static struct magnet_layout choose_layout(const struct trace_info *info)
{
	const struct trace_env *env = trace_info_env(info, MAGNET_ENV_LAYOUT);
	struct magnet_layout layout;

	if (env && env->text && !magnet_layout_parse(env->text, &layout))
		return layout;
	return (struct magnet_layout){.wide = true, .data = magnet_has_data(info)};
}

static bool takes_any(const struct magnet_sink *ms)
{
	const struct trace_info *info = ms->view->analysis.info;

	for (size_t i = 0; i < info->class_count; i++) {
		if (info->classes[i]->role != EVENT_ROLE_LOST &&
		    select_shows(ms->view->analysis.select, info->classes[i]) &&
		    magnet_packer_takes(&ms->packer, info->classes[i]))
			return true;
	}
	return false;
}

int magnet_sink_new(const struct view *view, struct event_sink **ret, struct diag *diag)
{
	struct magnet_layout layout = choose_layout(view->analysis.info);
	struct magnet_sink *ms = calloc(1, sizeof(*ms));
	int err = -ENOMEM;

	if (view->fields.count) {
		free(ms);
		return diag_set(diag, -EINVAL, "--fields: MAGNeT's records have their own");
	}
	if (ms) {
		ms->sink.ops = &magnet_sink_ops;
		ms->view = view;
		ms->record_bytes = magnet_record_bytes(&layout);
		err = magnet_packer_init(&ms->packer, view->analysis.info, &layout);
	}
	if (err) {
		magnet_sink_free(ms ? &ms->sink : NULL);
		return diag_set(diag, err, "no memory");
	}
	if (!takes_any(ms)) {
		magnet_sink_free(&ms->sink);
		return diag_set(
			diag, -ENOENT,
			"none of these events has a record in MAGNeT's format: it holds those "
			"of the group net");
	}
	*ret = &ms->sink;
	return 0;
}

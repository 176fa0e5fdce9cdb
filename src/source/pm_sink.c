// SPDX-License-Identifier: BSD-2-Clause
#include "source/pm_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "output/view.h"
#include "record_format/pm/pm_writer.h"

struct pm_sink {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct view *view;
	struct pm_writer *writer;
	bool head_done;
};

static int write_head(struct pm_sink *ps)
{
	if (!ps->head_done)
		pm_writer_head(ps->writer, &ps->view->out->buf);
	ps->head_done = true;
	return buffer_error(&ps->view->out->buf);
}

static int pm_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct pm_sink *ps = (struct pm_sink *)sink;
	struct output *out = ps->view->out;
	int err = write_head(ps);

	for (size_t i = 0; !err && i < count; i++) {
		const struct event *event = &events[i];

		if (!analysis_takes(&ps->view->analysis, event) ||
		    !pm_writer_takes(ps->writer, event->class))
			continue;
		pm_writer_event(ps->writer, event, &out->buf);
		err = buffer_error(&out->buf);
		err = err ? err : output_end_line(out);
	}
	return err ? err : output_end_batch(out);
}

static int pm_finish(struct event_sink *sink)
{
	struct pm_sink *ps = (struct pm_sink *)sink;
	int err = write_head(ps);

	return err ? err : output_flush(ps->view->out);
}

static void pm_free(struct event_sink *sink)
{
	struct pm_sink *ps = (struct pm_sink *)sink;

	pm_writer_free(ps->writer);
	free(ps);
}

static const struct sink_ops pm_ops = {
	.batch = pm_batch,
	.finish = pm_finish,
	.free = pm_free,
};

/* Whether anything of what is shown becomes an entry. */
static bool any_shown(const struct pm_sink *ps)
{
	const struct trace_info *info = ps->view->analysis.info;

	for (size_t i = 0; i < info->class_count; i++) {
		if (info->classes[i]->role != EVENT_ROLE_LOST &&
		    select_shows(ps->view->analysis.select, info->classes[i]) &&
		    pm_writer_takes(ps->writer, info->classes[i]))
			return true;
	}
	return false;
}

static int make_writer(struct pm_sink *ps, struct diag *note, struct diag *diag)
{
	const struct pm_sheet_config config = {
		.version = SONDE_VERSION,
		.cluster_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	int err = pm_writer_new(ps->view->analysis.info, &config, &ps->writer, note, diag);

	if (!err && !any_shown(ps))
		err = diag_set(diag, -ENOTSUP,
			       "none of the events chosen is a snapshot of a TCP connection");
	return err;
}

int pm_sink_new(const struct view *view, struct diag *note, struct event_sink **ret,
		struct diag *diag)
{
	struct pm_sink *ps = calloc(1, sizeof(*ps));
	int err;

	if (!ps)
		return diag_set(diag, -ENOMEM, "no memory");
	ps->sink.ops = &pm_ops;
	ps->view = view;
	err = make_writer(ps, note, diag);
	if (err)
		pm_free(&ps->sink);
	else
		*ret = &ps->sink;
	return err;
}

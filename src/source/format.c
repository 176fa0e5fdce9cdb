// SPDX-License-Identifier: BSD-2-Clause
#include "source/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/perfetto.h"
#include "output/profile.h"
#include "output/view.h"
#include "record_format/magnet/magnet_pack.h"
#include "record_format/magnet/magnet_record.h"
#include "record_format/magnet/magnet_source.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_sink.h"
#include "record_format/pm/pm_columns.h"
#include "record_format/pm/pm_writer.h"
#include "schema/source.h"
#include "trace/ctf_sink.h"
#include "wire/meas.h"

/*
 * Events as a .pm file (record_format/pm/pm_writer), for `convert --to pm`. Events other than snapshots of a
 * connection are skipped.
 */

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

/* Borrows @view. @note (may be NULL) as of pm_writer_new. -ENOTSUP with the diag: none of the events that are shown is a snapshot. */
static int pm_sink_new(const struct view *view, struct diag *note, struct event_sink **ret,
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

/*
 * Events as a MAGNeT file: those of our net group, and those that were in such a file.
 * Others it has no record for.
 *
 * The layout is that of the file from which the events come; of other events le64, with the data field
 * where they have the state of protocols. Where that file had room behind its last record, so has this.
 */

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

/* Borrows @view. -ENOENT: none of the chosen classes can be written; -ENOMEM. */
static int magnet_sink_new(const struct view *view, struct event_sink **ret, struct diag *diag)
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

/* Making a sink fails only if memory is missing. */
static int take(struct event_sink *sink, struct event_sink **ret, struct diag *diag)
{
	if (!sink)
		return diag_set(diag, -ENOMEM, "no memory");
	*ret = sink;
	return 0;
}

static int make_text(const struct format_request *request, struct event_sink **ret,
		     struct diag *diag)
{
	return take(text_new(request->view, &request->text), ret, diag);
}

static int make_json(const struct format_request *request, struct event_sink **ret,
		     struct diag *diag)
{
	return take(json_new(request->view), ret, diag);
}

static int make_csv(const struct format_request *request, struct event_sink **ret,
		    struct diag *diag)
{
	return take(csv_new(request->view, CSV_COMMAS, request->csv_safe), ret, diag);
}

static int make_tsv(const struct format_request *request, struct event_sink **ret,
		    struct diag *diag)
{
	return take(csv_new(request->view, CSV_TABS, request->csv_safe), ret, diag);
}

static int make_perfetto(const struct format_request *request, struct event_sink **ret,
			 struct diag *diag)
{
	return take(perfetto_new(request->view), ret, diag);
}

static int make_folded(const struct format_request *request, struct event_sink **ret,
		       struct diag *diag)
{
	return profile_sink_new(request->view, PROFILE_FOLDED, &request->stacks, ret, diag);
}

static int make_pprof(const struct format_request *request, struct event_sink **ret,
		      struct diag *diag)
{
	return profile_sink_new(request->view, PROFILE_PPROF, &request->stacks, ret, diag);
}

static int make_pm(const struct format_request *request, struct event_sink **ret, struct diag *diag)
{
	return pm_sink_new(request->view, request->note, ret, diag);
}

static int make_magnet(const struct format_request *request, struct event_sink **ret,
		       struct diag *diag)
{
	return magnet_sink_new(request->view, ret, diag);
}

/* Whether any of the chosen classes is one that a format holds. */
static bool shows_any(const struct view *view, bool (*holds)(const struct event_class *class))
{
	for (size_t i = 0; i < view->analysis.info->class_count; i++) {
		const struct event_class *class = view->analysis.info->classes[i];

		if (class->role != EVENT_ROLE_LOST && select_shows(view->analysis.select, class) &&
		    holds(class))
			return true;
	}
	return false;
}

static int make_meas(const struct format_request *request, struct event_sink **ret,
		     struct diag *diag)
{
	uint16_t its = meas_sink_release_of(request->view->analysis.info);

	if (its && request->meas_release && its != request->meas_release)
		return diag_set(diag, -EINVAL,
				"--release: the source has records of release %s, which stay what "
				"they are",
				meas_release_name(its));
	if (!shows_any(request->view, meas_sink_holds))
		return diag_set(diag, -ENOENT,
				"none of these events has a record in the measurement system's "
				"format: sonde-meas(5) lists its records");
	return take(meas_sink_new(&request->view->analysis, request->view->out,
				  request->meas_release ?: MEAS_RELEASE_3_0),
		    ret, diag);
}

static int make_trace(const struct format_request *request, enum ctf_version version,
		      struct event_sink **ret, struct diag *diag)
{
	const struct ctf_sink_config config = {
		.version = version,
		.compress = request->compress,
		.level = request->level,
		.group = request->group,
		.begin = request->begin,
	};

	return ctf_sink_new(&request->view->analysis, request->path, &config, ret, diag);
}

static int make_ctf(const struct format_request *request, struct event_sink **ret,
		    struct diag *diag)
{
	return make_trace(request, CTF_VERSION_1, ret, diag);
}

static int make_ctf2(const struct format_request *request, struct event_sink **ret,
		     struct diag *diag)
{
	return make_trace(request, CTF_VERSION_2, ret, diag);
}

static bool has_stack(const struct event_class *class)
{
	return event_class_find(class, "kernel_stack") >= 0 ||
	       event_class_find(class, "user_stack") >= 0 || !strcmp(class->name, "cpu.sample");
}

static const struct format formats[] = {
	{"text", "lines for people", ".txt", false, make_text, true, NULL},
	{"json", "one object a line", ".json", false, make_json, true, NULL},
	{"csv", "comma-separated values", ".csv", false, make_csv, true, NULL},
	{"tsv", "tab-separated values", ".tsv", false, make_tsv, true, NULL},
	{"perfetto", "tracks for the Perfetto UI and chrome://tracing", ".perfetto.json", false,
	 make_perfetto, false, NULL},
	{"folded", "stacks as lines, for flamegraph.pl and speedscope", ".folded", false,
	 make_folded, false, has_stack},
	{"pprof", "stacks as a profile for pprof, compressed by gzip", ".pb.gz", false, make_pprof,
	 false, has_stack},
	{"pm", "snapshots of TCP connections, as the PSC kernel monitor's files", ".pm", false,
	 make_pm, false, pm_class_is_snapshot},
	{"magnet", "a binary file of MAGNeT (sonde-magnet(5))", ".magnet", false, make_magnet,
	 false, magnet_pack_holds},
	{"meas", "records of HP-UX's measurement system", ".meas", false, make_meas, false,
	 meas_sink_holds},
	{"ctf", "a new trace directory", NULL, true, make_ctf, false, NULL},
	{"ctf2", "the same, described as CTF 2", NULL, true, make_ctf2, false, NULL},
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

const struct format *format_get(size_t i)
{
	return i < FORMAT_COUNT ? &formats[i] : NULL;
}

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

const struct format *format_of_path(const char *path)
{
	const struct format *best = NULL;
	size_t len = strlen(path);

	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		const char *extension = formats[i].extension;
		size_t tail = extension ? strlen(extension) : 0;

		if (!tail || tail >= len || strcmp(path + len - tail, extension) != 0)
			continue;
		if (!best || tail > strlen(best->extension))
			best = &formats[i];
	}
	return best;
}

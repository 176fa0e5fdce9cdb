// SPDX-License-Identifier: BSD-2-Clause
#include "source/format.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/perfetto.h"
#include "output/view.h"
#include "record_format/magnet/magnet_pack.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_sink.h"
#include "record_format/pm/pm_columns.h"
#include "source/magnet_sink.h"
#include "source/pm_sink.h"
#include "trace/ctf_sink.h"
#include "wire/meas.h"

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

static const struct format formats[] = {
	{"text", "lines for people", ".txt", false, make_text, true, NULL},
	{"json", "one object a line", ".json", false, make_json, true, NULL},
	{"csv", "comma-separated values", ".csv", false, make_csv, true, NULL},
	{"tsv", "tab-separated values", ".tsv", false, make_tsv, true, NULL},
	{"perfetto", "tracks for the Perfetto UI and chrome://tracing", ".perfetto.json", false,
	 make_perfetto, false, NULL},
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

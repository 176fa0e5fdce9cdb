// SPDX-License-Identifier: BSD-2-Clause
#include "cli/list_presets.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/json_writer.h"
#include "cli/record_options.h"
#include "cli/record_request.h"
#include "cli/verb.h"
#include "probe/catalogue.h"
#include "record/preset_files.h"

static bool matches(const struct preset_request *req, const char *name)
{
	for (int i = 0; i < req->pattern_count; i++) {
		if (!fnmatch(req->patterns[i], name, 0))
			return true;
	}
	return !req->pattern_count;
}

/* As `sonde record` would take it: every value, every pattern. */
static int check(const struct preset *preset, struct catalogue *cat, struct diag *diag)
{
	struct record_request *scratch = calloc(1, sizeof(*scratch));
	bool *wanted = calloc(cat->room, sizeof(*wanted));
	int err;

	if (scratch && wanted)
		err = record_options_add_preset(scratch, preset, diag) ?:
			      record_request_choose(scratch, cat, wanted, diag);
	else
		err = diag_set(diag, -1, "no memory");
	free(scratch);
	free(wanted);
	return err;
}

static void text_item(struct buffer *out, const struct preset *preset, bool verbose)
{
	buffer_format(out, "%-10s %-10s %s\n", preset->name, preset->place, preset->description);
	if (verbose && strchr(preset->origin, '/'))
		buffer_format(out, "    # %s\n", preset->origin);
	for (size_t i = 0; verbose && i < preset->line_count; i++) {
		const struct preset_line *line = &preset->lines[i];

		buffer_format(out, "    %s%s%s\n", line->key ?: "", line->key ? " = " : "",
			      line->text);
	}
	if (verbose)
		buffer_char(out, '\n');
}

static void json_item(struct buffer *out, const struct preset *preset)
{
	struct json_writer writer, *json = &writer;

	json_writer_init(json, out);
	json_writer_object(json, NULL);
	json_writer_string(json, "name", preset->name);
	json_writer_string(json, "text", preset->description);
	json_writer_string(json, "from", preset->place);
	json_writer_string(json, "path", strchr(preset->origin, '/') ? preset->origin : NULL);
	json_writer_array(json, "patterns");
	for (size_t i = 0; i < preset->line_count; i++) {
		if (!preset->lines[i].key)
			json_writer_string(json, NULL, preset->lines[i].text);
	}
	json_writer_end(json);
	json_writer_object(json, "settings");
	for (size_t i = 0; i < preset->line_count; i++) {
		if (preset->lines[i].key)
			json_writer_string(json, preset->lines[i].key, preset->lines[i].text);
	}
	json_writer_end(json);
	json_writer_end(json);
}

static void put_item(struct buffer *out, const struct preset *preset,
		     const struct preset_request *req, int before)
{
	if (req->names)
		buffer_format(out, "%s\n", preset->name);
	else if (req->json)
		buffer_string(out, before ? ",\n" : "\n");
	else if (!before)
		buffer_format(out, "%-10s %-10s %s\n", "NAME", "FROM", "WHAT");
	if (req->json && !req->names)
		json_item(out, preset);
	else if (!req->names)
		text_item(out, preset, req->verbose);
}

/* A preset that is not valid is reported and skipped: `sonde record` would reject it. */
static int put_presets(const struct verb_spec *spec, struct catalogue *cat,
		       const struct preset_request *req, const preset_name *names, int name_count,
		       struct buffer *out)
{
	const char *settings[RECORD_SETTING_MAX];
	int status = STATUS_NO_MATCH, put = 0;

	record_options_settings(settings);
	for (int i = 0; i < name_count; i++) {
		struct preset *preset = NULL;
		struct diag diag = {0};

		if (!matches(req, names[i]))
			continue;
		if (preset_open(names[i], settings, &preset, &diag) || check(preset, cat, &diag))
			status = verb_fail(spec, STATUS_ERROR, &diag);
		else
			put_item(out, preset, req, put++);
		preset_free(preset);
	}
	return put && status != STATUS_ERROR ? STATUS_COMPLETE : status;
}

int list_presets(const struct verb_spec *spec, struct catalogue *cat,
		 const struct preset_request *req, struct buffer *out)
{
	preset_name *names = calloc(PRESETS_MAX, sizeof(*names));
	struct diag diag = {0};
	int status;

	if (!names)
		return STATUS_ERROR;
	if (req->json && !req->names)
		buffer_char(out, '[');
	status = put_presets(spec, cat, req, names, preset_names(names), out);
	if (req->json && !req->names)
		buffer_string(out, "\n]\n");
	if (status == STATUS_NO_MATCH) {
		diag_set(&diag, 0, "no preset matches: see 'sonde list --presets'");
		verb_fail(spec, status, &diag);
	}
	free(names);
	return status;
}

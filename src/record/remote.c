// SPDX-License-Identifier: BSD-2-Clause
#include "record/remote.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "probe/catalogue.h"
#include "probe/choice.h"
#include "record/control.h"
#include "record/control_client.h"
#include "record/control_dir.h"
#include "record/cost.h"
#include "record/recording.h"
#include "record/trigger.h"

#define COSTS_TOLD 200

struct remote {
	struct remote_config config;
	struct control *control;
	uint64_t since_ns; /* since the epoch */
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	char *path; /* absolute: a client is in another directory */
	struct buffer end; /* for clients that wait for it */
};

/* What one request does. */
typedef enum control_verdict (*remote_action)(struct remote *remote, char *rest,
					      struct buffer *answer);

static void begin_answer(struct json_writer *json, struct buffer *answer)
{
	json_writer_init(json, answer);
	json_writer_object(json, NULL);
	json_writer_bool(json, "ok", true);
}

/* The names of those with @which set. */
static void add_names(struct json_writer *json, const char *key, const struct catalogue *cat,
		      const bool *which)
{
	json_writer_array(json, key);
	for (size_t i = 0; i < cat->count; i++) {
		if (which[i])
			json_writer_string(json, NULL, cat->items[i].name);
	}
	json_writer_end(json);
}

static void add_facts(const struct remote *remote, struct json_writer *json,
		      const struct recording_totals *totals)
{
	json_writer_string(json, "name", remote->config.name);
	json_writer_uint(json, "pid", (uint64_t)getpid());
	json_writer_string(json, "output", remote->path);
	json_writer_string(json, "mode", remote->config.overwrite ? "overwrite" : "discard");
	json_writer_uint(json, "since_ns", remote->since_ns);
	json_writer_uint(json, "elapsed_ns", clock_monotonic_ns() - remote->start_ns);
	json_writer_uint(json, "events", totals->records);
	json_writer_uint(json, "bytes", totals->bytes_written);
	json_writer_uint(json, "lost", recording_totals_lost(totals));
	json_writer_uint(json, "fill_percent", totals->fill_percent);
}

/* What it waits for, how often that came and how often it acted. */
static void add_triggers(struct json_writer *json, const struct triggers *triggers)
{
	static const char *const actions[] = {"snapshot", "stop"};
	struct trigger_state state;

	json_writer_array(json, "triggers");
	for (size_t i = 0; triggers && triggers_get(triggers, i, &state); i++) {
		json_writer_object(json, NULL);
		json_writer_string(json, "action", actions[state.action]);
		json_writer_string(json, "on", state.text);
		json_writer_uint(json, "matched", state.matched);
		json_writer_uint(json, "fired", state.fired);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static enum control_verdict refuse(struct buffer *answer, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static enum control_verdict refuse(struct buffer *answer, const char *code, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	buffer_reset(answer);
	control_refuse(answer, code, text);
	return CONTROL_ANSWERED;
}

static void add_cost(struct json_writer *json, const char *label, const struct cost_sum *sum)
{
	double each;

	json_writer_object(json, NULL);
	json_writer_string(json, "measurements", label);
	json_writer_uint(json, "window_ns", sum->window_ns);
	json_writer_uint(json, "runs", sum->runs);
	json_writer_uint(json, "run_ns", sum->run_ns);
	if (cost_ns_each(sum, &each))
		json_writer_real(json, "ns_each", each, 1);
	else
		json_writer_null(json, "ns_each");
	json_writer_end(json);
}

/* The dearest, and the recorder. */
static void add_costs(const struct remote *remote, struct json_writer *json)
{
	struct cost *cost = recording_cost(remote->config.rec);
	char label[COST_LABEL_BYTES];

	cost_sort(cost);
	json_writer_uint(json, "cpus", cost->cpus);
	json_writer_array(json, "cost");
	for (size_t i = 0; i < cost->count && i < COSTS_TOLD; i++) {
		const struct cost_row *row = &cost->rows[i];

		add_cost(json,
			 cost_label(&row->key, remote->config.catalogue, label, sizeof(label)),
			 &row->all);
	}
	add_cost(json, COST_RECORDER, &cost->recorder.all);
	json_writer_end(json);
}

static enum control_verdict status(struct remote *remote, char *rest, struct buffer *answer)
{
	const struct catalogue *cat = remote->config.catalogue;
	struct recording_totals totals;
	struct json_writer json;
	bool *on, *off, *held;

	if (*rest)
		return refuse(answer, "usage", "status takes nothing");
	on = calloc(3 * cat->count, sizeof(*on));
	if (!on)
		return refuse(answer, "error", "no memory");
	off = on + cat->count;
	held = off + cat->count;
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		on[i] = recording_is_on(remote->config.rec, i);
		off[i] = !on[i] && !measurement_internal(m) && measurement_usable(m);
		held[i] = recording_is_held(remote->config.rec, i);
	}
	recording_totals(remote->config.rec, &totals);
	begin_answer(&json, answer);
	add_facts(remote, &json, &totals);
	add_names(&json, "on", cat, on);
	add_names(&json, "off", cat, off);
	add_names(&json, "held", cat, held);
	add_costs(remote, &json);
	add_triggers(&json, remote->config.triggers);
	json_writer_uint(&json, "unseen", totals.unseen);
	json_writer_finish(&json);
	free(on);
	return CONTROL_ANSWERED;
}

/* Marks what the patterns want; -ENOENT after a refusal. */
static int choose(struct catalogue *cat, char *rest, bool on, bool *which, struct buffer *answer)
{
	char *save = NULL, *word = strtok_r(rest, " ", &save);
	struct diag diag;

	if (!word)
		refuse(answer, "usage", "which measurements?");
	for (; word; word = strtok_r(NULL, " ", &save)) {
		int err = on ? choice_mark_running(cat, word, which, &diag) :
			       choice_mark_known(cat, word, which, &diag);

		if (err) {
			refuse(answer, err == -ENOENT ? "no match" : "error", "%s", diag.text);
			return -ENOENT;
		}
	}
	return answer->len ? -ENOENT : 0;
}

/* What was asked for and cannot be, each with its reason. */
static void add_unavailable(struct json_writer *json, const struct catalogue *cat,
			    const bool *which)
{
	struct buffer text;

	buffer_init(&text);
	json_writer_array(json, "unavailable");
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (!which[i] || measurement_usable(m))
			continue;
		buffer_reset(&text);
		buffer_format(&text, "%s: %s", m->name, measurement_reason(m));
		json_writer_text(json, NULL, text.data, text.len);
	}
	json_writer_end(json);
	buffer_fini(&text);
}

/* @changing: room for a flag for each measurement that there may be, twice. */
static enum control_verdict switch_chosen(struct remote *remote, const bool *which, bool on,
					  bool *changing, struct buffer *answer)
{
	const struct catalogue *cat = remote->config.catalogue;
	struct recording *rec = remote->config.rec;
	bool *already = changing + cat->room;
	struct json_writer json;
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < cat->count; i++) {
		/* A measurement that the budget has disabled is off, but a client's disable lasts longer. */
		already[i] = which[i] && recording_is_on(rec, i) == on &&
			     !recording_is_held(rec, i);
		changing[i] = which[i] && !already[i] && measurement_usable(&cat->items[i]);
		any |= changing[i];
	}
	if (any)
		err = on ? recording_enable(rec, changing) : recording_disable(rec, changing);
	if (err)
		return refuse(answer, "error", "the recorder fails: %s", strerror(-err));
	/* What the kernel did not take. */
	for (size_t i = 0; i < cat->count; i++)
		changing[i] &= recording_is_on(rec, i) == on;
	begin_answer(&json, answer);
	add_names(&json, "changed", cat, changing);
	add_names(&json, "unchanged", cat, already);
	add_unavailable(&json, cat, which);
	json_writer_finish(&json);
	return CONTROL_ANSWERED;
}

static enum control_verdict switch_measurements(struct remote *remote, char *rest, bool on,
						struct buffer *answer)
{
	struct catalogue *cat = remote->config.catalogue;
	bool *which = calloc(3 * cat->room, sizeof(*which));

	if (!which)
		return refuse(answer, "error", "no memory");
	if (!choose(cat, rest, on, which, answer))
		switch_chosen(remote, which, on, which + cat->room, answer);
	free(which);
	return CONTROL_ANSWERED;
}

static enum control_verdict enable(struct remote *remote, char *rest, struct buffer *answer)
{
	return switch_measurements(remote, rest, true, answer);
}

static enum control_verdict disable(struct remote *remote, char *rest, struct buffer *answer)
{
	return switch_measurements(remote, rest, false, answer);
}

static enum control_verdict snapshot(struct remote *remote, char *rest, struct buffer *answer)
{
	struct recording_totals before, after;
	struct json_writer json;
	int err;

	if (*rest)
		return refuse(answer, "usage", "snapshot takes nothing");
	recording_totals(remote->config.rec, &before);
	err = recording_snapshot(remote->config.rec);
	if (err)
		return refuse(answer, "error", "writing fails: %s", strerror(-err));
	recording_totals(remote->config.rec, &after);
	begin_answer(&json, answer);
	add_facts(remote, &json, &after);
	json_writer_uint(&json, "written", after.bytes_written - before.bytes_written);
	json_writer_finish(&json);
	return CONTROL_ANSWERED;
}

static enum control_verdict stop(struct remote *remote, char *rest, struct buffer *answer)
{
	(void)remote;
	if (*rest)
		return refuse(answer, "usage", "stop takes nothing");
	return CONTROL_STOP;
}

static const struct {
	const char *word;
	remote_action act;
} actions[] = {
	{"status", status},	{"enable", enable}, {"disable", disable},
	{"snapshot", snapshot}, {"stop", stop},
};

static enum control_verdict handle(void *ctx, char *line, struct buffer *answer)
{
	size_t len = strcspn(line, " ");
	char *rest = line + len + strspn(line + len, " ");

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		if (strlen(actions[i].word) == len && !memcmp(line, actions[i].word, len))
			return actions[i].act(ctx, rest, answer);
	}
	return refuse(answer, "usage",
		      "'%.32s' is not one of status, enable, disable, snapshot, stop", line);
}

/* Looking for recorders removes the sockets of dead ones. */
static int listen_as(struct remote *remote, struct diag *diag)
{
	struct recorder others[RECORDERS_MAX];
	int dir = -1, err;

	err = control_dir_open(&dir, diag);
	if (err)
		return err;
	(void)recorder_list(dir, RECORDER_LIST_RECORDERS, others);
	err = control_open(dir, CONTROL_RECORDER, remote->config.name, handle, remote,
			   &remote->control, diag);
	fd_close(dir);
	return err;
}

int remote_open(const struct remote_config *config, struct remote **ret, struct diag *diag)
{
	struct remote *remote = calloc(1, sizeof(*remote));
	int err;

	if (!remote)
		return diag_set(diag, -ENOMEM, "no memory");
	*remote = (struct remote){
		.config = *config,
		.since_ns = clock_realtime_ns(),
		.start_ns = clock_monotonic_ns(),
		.path = config->path ? realpath(config->path, NULL) : strdup(config->push),
	};
	buffer_init(&remote->end);
	if (!remote->path)
		err = diag_set(diag, -errno, "%s: %s", config->path ?: config->push,
			       strerror(errno));
	else
		err = listen_as(remote, diag);
	if (err) {
		remote_close(remote);
		return err;
	}
	*ret = remote;
	return 0;
}

struct control *remote_control(const struct remote *remote)
{
	return remote ? remote->control : NULL;
}

void remote_end(struct remote *remote, const struct recording_totals *totals, bool partial,
		const char *error)
{
	struct json_writer json;

	if (!remote)
		return;
	control_unlink(remote->control);
	if (error) {
		control_refuse(&remote->end, "error", error);
		return;
	}
	begin_answer(&json, &remote->end);
	add_facts(remote, &json, totals);
	if (partial)
		json_writer_bool(&json, "partial", true);
	json_writer_finish(&json);
}

void remote_close(struct remote *remote)
{
	if (!remote)
		return;
	control_close(remote->control, &remote->end);
	buffer_fini(&remote->end);
	free(remote->path);
	free(remote);
}

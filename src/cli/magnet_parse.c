// SPDX-License-Identifier: BSD-2-Clause
/*
 * magnet-parse: MAGNeT's tool that prints a file as a tab-separated table, whatever machine wrote it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file_window.h"
#include "base/io.h"
#include "cli/confinement.h"
#include "cli/verb.h"
#include "record_format/magnet/magnet_record.h"
#include "record_format/magnet/magnet_source.h"
#include "schema/event.h"
#include "schema/source.h"

#define PROBLEMS_SHOWN 20u
#define CHUNK_BYTES (128u << 10)
#define RATE_MAX_HZ 1000000000000ull

static const struct option_spec options[] = {
	{'l', "layout", "LAYOUT",
	 "byte order, bits of pointers, with the data field or without. Default: found "
	 "out",
	 "le32 le64 be32 be64 le32+data le64+data be32+data be64+data"},
	{'r', "rate", "HZ", "ticks of the clock in a second. Default: the file's", NULL},
	{'n', "no-header", NULL, "no line with the names of the columns", NULL},
	{0},
};

static const struct verb_spec spec = {
	.name = "magnet-parse",
	.classic = true,
	.synopsis = "[-n] [-l LAYOUT] [-r HZ] FILE",
	.summary = "Print a MAGNeT file as a tab-separated table, a line for each record.",
	.notes =
		"- is standard input.\n\n"
		"Exit status: 0; 1 an error, or parts of the file could not be read (what could be "
		"is printed); 2 usage.",
	.examples =
		"magnet-parse net.magnet\n"
		"magnet-parse net.magnet | awk -F'\\t' '$4 == \"MAGNET_TCP_SEND\" { n += $5 } END "
		"{ print n }'",
	.options = options,
	.operand = "@file",
};

static unsigned int column_count(const struct magnet_layout *layout)
{
	return layout->data ? MAGNET_VALUE_COUNT : MAGNET_VALUE_DATA;
}

/* The names of the columns: those of the data field only where it is there. */
static void write_head(const struct magnet_layout *layout, struct buffer *out)
{
	buffer_string(out, "time");
	for (unsigned int id = 0; id < column_count(layout); id++) {
		buffer_char(out, '\t');
		buffer_string(out, magnet_value(id, NULL)->name);
	}
	buffer_char(out, '\n');
}

/* Seconds since 1970. */
static void write_time(int64_t ns, struct buffer *out)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		buffer_char(out, '-');
	buffer_uint(out, size / NS_PER_SEC);
	buffer_char(out, '.');
	buffer_digits(out, size % NS_PER_SEC, 9);
}

static void write_value(const struct magnet_layout *layout, enum magnet_value_id id,
			const uint8_t *record, struct buffer *out)
{
	const struct record_layout places = magnet_places(layout);
	const struct record_field *value = magnet_value(id, NULL);
	uint64_t number = record_load(value, &places, record);

	if (value->kind == RECORD_INT)
		buffer_int(out, (int64_t)number);
	else
		buffer_uint(out, number);
}

static void write_event(uint32_t number, struct buffer *out)
{
	const struct magnet_event *event = magnet_event_find(number);

	if (event)
		buffer_string(out, event->name);
	else
		buffer_uint(out, number);
}

/* The line of @event, which a magnet_source has given. */
static void write_row(const struct magnet_layout *layout, const struct event *event,
		      struct buffer *out)
{
	const uint8_t *record = magnet_record_of(event);
	const struct magnet_event *kind;
	struct magnet_head head;

	magnet_head_load(layout, record, &head);
	kind = magnet_event_find(head.event);
	write_time(event->time_ns, out);
	for (unsigned int id = 0; id < column_count(layout); id++) {
		buffer_char(out, '\t');
		if (id == MAGNET_VALUE_EVENT)
			write_event(head.event, out);
		else if (id < MAGNET_VALUE_DATA || (kind && magnet_event_has(kind, layout, id)))
			write_value(layout, id, record, out);
	}
	buffer_char(out, '\n');
}

struct request {
	const char *name;
	struct magnet_layout layout;
	struct magnet_choice choice;
	bool no_header;
};

static int take_option(struct request *req, int id, const char *arg, struct diag *diag)
{
	char *end;

	switch (id) {
	case 'l':
		if (magnet_layout_parse(arg, &req->layout))
			return diag_set(
				diag, -EINVAL,
				"-l: '%s' is not a layout: le or be, 32 or 64, +data or not", arg);
		req->choice.layout = &req->layout;
		return 0;
	case 'r':
		req->choice.rate_hz = strtoull(arg, &end, 10);
		if (*arg < '0' || *arg > '9' || *end || !req->choice.rate_hz ||
		    req->choice.rate_hz > RATE_MAX_HZ)
			return diag_set(diag, -EINVAL, "-r: '%s' is not a rate in Hz", arg);
		return 0;
	default: /* 'n' */
		req->no_header = true;
		return 0;
	}
}

static int parse(struct request *req, struct options *opts, struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if (take_option(req, id, arg, diag))
			return -EINVAL;
	}
	return err ?: options_operand(opts, "FILE", &req->name, diag);
}

static int open_source(const struct request *req, struct event_source **ret, struct diag *diag)
{
	struct file_window *file;
	int err = file_window_open(req->name, &file);

	if (err)
		return diag_set(diag, err, "%s: %s", req->name, strerror(-err));
	return magnet_open_as(file, strcmp(req->name, "-") ? req->name : "standard input",
			      &req->choice, ret, diag);
}

static int flush(struct buffer *out, size_t most)
{
	int err = buffer_error(out);

	if (!err && out->len > most) {
		err = write_all(STDOUT_FILENO, out->data, out->len);
		buffer_reset(out);
	}
	return err;
}

static int fail(const char *name, const char *text)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: %s", name, text);
	return verb_fail(&spec, STATUS_ERROR, &diag);
}

static int tell_problems(const struct request *req, const struct event_source *source)
{
	int status = STATUS_COMPLETE;
	const char *problem;
	size_t i;

	for (i = 0; (problem = source->ops->problem(source, i)); i++) {
		if (i < PROBLEMS_SHOWN)
			status = fail(req->name, problem);
	}
	if (i > PROBLEMS_SHOWN)
		fail(req->name, "and more problems");
	return status;
}

/* The whole table: a closed pipe is not an error. */
static int print_table(const struct request *req, struct event_source *source)
{
	const struct trace_env *env = trace_info_env(source->info, MAGNET_ENV_LAYOUT);
	struct magnet_layout layout = {0};
	const struct event *events;
	struct buffer out;
	int got = 0, err = 0;

	(void)magnet_layout_parse(env->text, &layout);
	buffer_init(&out);
	if (!req->no_header)
		write_head(&layout, &out);
	while (!err && (got = source->ops->next(source, &events)) > 0) {
		for (int i = 0; i < got && !err; i++) {
			write_row(&layout, &events[i], &out);
			err = flush(&out, CHUNK_BYTES);
		}
	}
	err = err ?: flush(&out, 0);
	buffer_fini(&out);
	if (got < 0)
		return fail(req->name, strerror(-got));
	if (err && err != -EPIPE)
		return fail("standard output", strerror(-err));
	return err ? STATUS_COMPLETE : tell_problems(req, source);
}

static int print_file(const struct request *req)
{
	struct event_source *source;
	struct diag diag = {0};
	int status;

	if (open_source(req, &source, &diag))
		return verb_fail(&spec, STATUS_ERROR, &diag);
	status = print_table(req, source);
	source->ops->close(source);
	return status;
}

static int run_magnet_parse(int argc, char **argv)
{
	struct options *opts = verb_options(&spec, argc, argv);
	struct request req = {0};
	char *source;
	const struct confinement confinement = {.sources = &source, .source_count = 1};
	struct diag diag = {0};
	int err, status;

	if (!opts)
		return STATUS_ERROR;
	err = parse(&req, opts, &diag);
	source = (char *)(uintptr_t)req.name;
	if (err)
		status = verb_usage(&spec, err, &diag);
	else
		status = confinement_enter(&spec, &confinement) ?: print_file(&req);
	options_free(opts);
	return status;
}

const struct verb verb_magnet_parse = {&spec, run_magnet_parse};

// SPDX-License-Identifier: BSD-2-Clause
/*
 * convert: the events of one SOURCE or several, or some of them, as a new trace or as a file of
 * another format.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/options.h"
#include "base/place.h"
#include "cli/compress_level.h"
#include "cli/convert_out.h"
#include "cli/format_choice.h"
#include "cli/interrupt.h"
#include "cli/permissions.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "record_format/meas/meas_form.h"
#include "source/format.h"

#define SHOW_EVERY_NS (200 * NS_PER_MS)
#define CLEAR_LINE "\r\033[K"

enum convert_option {
	CONVERT_OUTPUT = 'o',
	CONVERT_FORMAT = 'f',
	CONVERT_FORCE = READING_OPTION_END,
	CONVERT_COMPRESS,
	CONVERT_RELEASE,
	CONVERT_WEIGHT,
	CONVERT_CSV_SAFE,
	CONVERT_PERMISSIONS,
	CONVERT_GROUP,
	CONVERT_LIMIT = 'n',
};

static const struct option_spec convert_options[] = {
	{CONVERT_OUTPUT, "output", "OUT", "what to write: a file, a new directory, - for stdout",
	 "@file"},
	{CONVERT_FORMAT, "format", "FORMAT",
	 "what OUT becomes; default: what its name ends in, or ctf if it has no ending",
	 OPTION_TABLE},
	{READING_FIELDS, "fields", "LIST", READING_FIELDS_TEXT, NULL},
	{CONVERT_COMPRESS, "compress", "[LEVEL]",
	 "of a trace that is written: " COMPRESS_LEVEL_TEXT, NULL},
	{CONVERT_WEIGHT, "weight", "WHAT",
	 "of folded and pprof: samples (each stack counts once), ns (time; of sched.switch until the "
	 "task runs again), or a field. Default: ns of sched.switch, else samples",
	 "samples ns bytes"},
	{CONVERT_RELEASE, "release", "RELEASE",
	 "of meas: records as HP-UX 1.0, 1.1, 2.0 or 3.0 (default)", NULL},
	{CONVERT_CSV_SAFE, "csv-safe", NULL, FORMAT_CSV_SAFE_TEXT, NULL},
	{CONVERT_FORCE, "force", NULL, "write over an OUT that is there", NULL},
	{CONVERT_PERMISSIONS, "permissions", "OCTAL", PERMISSIONS_TEXT, NULL},
	{CONVERT_GROUP, "group", "NAME", PERMISSIONS_GROUP_TEXT, NULL},
	{CONVERT_LIMIT, "limit", "N", "stop after N events", NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-t", "format"},
	{0},
};

static const struct verb_spec convert_spec = {
	.name = "convert",
	.synopsis = "[OPTIONS] SOURCE... -o OUT",
	.summary = "Write events again: some of a trace, several traces as one, other formats.",
	.common = "output format fields limit compress event where from to force",
	.notes = READING_SOURCE_TEXT
	"Each of several sources "
	"keeps its clock, its streams and its classes of events.\n\n"
	"Where events were lost while recording, a trace that is written says so at the "
	"same place; no filter hides it.\n\n"
	"Exit status: 0 all written; 1 an error, Ctrl-C, or parts of a source could not be "
	"read (what could be is written); 2 usage; 3 all written, but events were lost while "
	"recording; 4 no event matches, and nothing is written.",
	.examples = "sonde convert T -o T2 -e tcp --where 'snd_cwnd > 100'\n"
		    "sonde convert T -o T2 --from +10 --to +12\n"
		    "sonde convert A B -o AB\n"
		    "sonde convert T -o small --compress=19\n"
		    "sonde convert T -o events.json\n"
		    "sonde convert T -o cwnd.csv -e tcp.cwnd --fields time,cookie,snd_cwnd",
	.options = convert_options,
	.old = old_options,
	.shared = reading_options,
	.operand = "@file",
	.choice = format_choice_any,
};

/* A sink around another that counts the progress: shown on a terminal while it lasts, and reported at the end. */
struct tally {
	struct event_sink sink; /* first: the vtable's functions get this */
	struct event_sink *inner; /* owned */
	const struct read_session *session;
	bool terminal; /* someone is watching */
	uint64_t start_ns;
	uint64_t shown_ns; /* when it was shown last */
	uint64_t read_bytes; /* of events that came, as they are in the source */
	uint64_t total_bytes; /* of the source; 0 = not known */
	uint64_t events; /* written */
	bool finished;
	int err; /* the inner sink's first */
};

struct convert {
	const char *path;
	const struct format *format; /* NULL until it is known */
	bool force;
	bool csv_safe;
	bool compress;
	int level;
	uint16_t release; /* 0: not given */
	const char *weight; /* of stacks; NULL: not given */
	struct permissions permissions;
	char *const *sources;
	int source_count;
	struct convert_out out;
	struct format_request request;
	struct tally tally;
};

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

/* Takes @inner. Borrows @session until the sink is freed. */
static void tally_init(struct tally *tally, struct event_sink *inner,
		       const struct read_session *session)
{
	*tally = (struct tally){.sink.ops = &tally_ops,
				.inner = inner,
				.session = session,
				.terminal = isatty(STDERR_FILENO),
				.start_ns = clock_monotonic_ns(),
				.total_bytes = read_session_info(session)->bytes};
	tally->shown_ns = tally->start_ns;
}

/* One line on stderr: the present size of @path. */
static void tally_print(const struct tally *tally, const struct verb_spec *spec, const char *path)
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

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	struct convert *convert = ctx;

	switch (id) {
	case CONVERT_OUTPUT:
		convert->path = arg;
		return *arg ? 0 : diag_set(diag, -EINVAL, "--output: an empty name");
	case READING_TO: /* claims() */
		verb_note(
			"sonde convert: --to %s is an old spelling of --format %s; the next release "
			"will not accept it",
			arg, arg);
		/* fall through */
	case CONVERT_FORMAT:
		return format_choice_parse("--format", arg, true, &convert->format, diag);
	case CONVERT_FORCE:
		convert->force = true;
		return 0;
	case CONVERT_CSV_SAFE:
		convert->csv_safe = true;
		return 0;
	case CONVERT_COMPRESS:
		convert->compress = true;
		return compress_level_parse(arg, &convert->level, diag);
	case CONVERT_WEIGHT:
		convert->weight = arg;
		return 0;
	case CONVERT_RELEASE:
		convert->release = meas_release_parse(arg);
		return convert->release ?
			       0 :
			       diag_set(diag, -EINVAL,
					"--release: '%s' is not one of 1.0, 1.1, 2.0, 3.0", arg);
	case CONVERT_PERMISSIONS:
		return permissions_parse(arg, &convert->permissions, diag);
	case CONVERT_GROUP:
		return permissions_parse_group(arg, &convert->permissions, diag);
	default: /* CONVERT_LIMIT */
		return select_parse_limit("--limit", arg, &reading->request.select.limit, diag);
	}
}

/* The last release had --to FORMAT. */
static bool claims(int id, const char *arg)
{
	return id == READING_TO && format_find(arg);
}

/* "x.parquet": a name that says what it is, in a format that is not written here. */
static int fail_ending(const char *path, const char *ending, struct diag *diag)
{
	char list[128] = "";
	const struct format *format;
	size_t len = 0;

	for (size_t i = 0; (format = format_get(i)) && len < sizeof(list); i++) {
		if (format->extension)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						len ? ", " : "", format->extension);
	}
	return diag_set(diag, -EINVAL,
			"%s: no format has the ending %s: the endings are %s; or name a format "
			"with --format",
			path, ending, list);
}

/* Behind the last point of the last name in @path, if that begins with a letter: "T.2" has none. NULL: none. */
static const char *ending_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *point = strrchr(name, '.');

	return point && point != name && isalpha((unsigned char)point[1]) ? point : NULL;
}

static int choose_format(struct convert *convert, struct diag *diag)
{
	const bool to_stdout = !strcmp(convert->path, "-");

	if (!convert->format)
		convert->format = format_of_path(convert->path);
	if (convert->format)
		return 0;
	if (ending_of(convert->path))
		return fail_ending(convert->path, ending_of(convert->path), diag);
	convert->format = format_find(to_stdout ? "text" : "ctf");
	return 0;
}

/* Once all options are known. */
static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	struct convert *convert = ctx;

	if (!convert->path)
		return diag_set(diag, -EINVAL, "no OUT given: name a file or directory with -o");
	permissions_apply(&convert->permissions);
	reading->makes = strcmp(convert->path, "-") ? convert->path : NULL;
	if (convert->permissions.group)
		reading->capabilities = 1ull << CAP_CHOWN | 1ull << CAP_FSETID;
	reading->out_name = strcmp(convert->path, "-") ? convert->path : "output";
	if (choose_format(convert, diag))
		return -EINVAL;
	if (convert->format->directory && !strcmp(convert->path, "-"))
		return diag_set(diag, -EINVAL,
				"--format %s makes a directory, which cannot go to -",
				convert->format->name);
	reading->request.derives = convert->format->each_alone;
	reading->request.holds = convert->format->holds;
	convert->sources = reading->request.sources;
	convert->source_count = reading->request.source_count;
	if (reading->request.fields.count && convert->format->directory)
		return diag_set(diag, -EINVAL, "--fields: events of a trace keep all of theirs");
	if (convert->compress && !convert->format->directory)
		return diag_set(
			diag, -EINVAL,
			"--compress is for traces, --format ctf and ctf2: pass %s to zstd(1)",
			convert->format->name);
	if (convert->release && strcmp(convert->format->name, "meas") != 0)
		return diag_set(diag, -EINVAL, "--release is for --format meas");
	if (convert->weight && strcmp(convert->format->name, "folded") != 0 &&
	    strcmp(convert->format->name, "pprof") != 0)
		return diag_set(diag, -EINVAL, "--weight is for --format folded and pprof");
	return format_choice_check_safe(convert->format, convert->csv_safe, diag);
}

/* A trace that is followed and has new classes is read again, from its begin. */
static int open_out(struct convert *convert, struct diag *diag)
{
	if (convert->out.path)
		return convert_out_rewind(&convert->out, diag);
	return convert_out_open(&convert->out, convert->path, convert->format->directory,
				convert->force, convert->sources, convert->source_count, diag);
}

static struct event_sink *make_sink(void *ctx, struct read_session *session, struct diag *diag)
{
	const struct view *view = read_session_view(session);
	struct convert *convert = ctx;
	struct event_sink *sink = NULL;
	struct diag note = {0};
	int err;

	if (!convert->format->directory)
		interrupt_catch();
	err = open_out(convert, diag);
	convert->tally = (struct tally){0};
	if (err)
		return NULL;
	if (!convert->out.shared && convert->out.fd >= 0 &&
	    place_give(convert->out.fd, convert->path, convert->permissions.group, diag)) {
		(void)convert_out_close(&convert->out, false, NULL);
		return NULL;
	}
	output_fini(view->out);
	output_init(view->out, convert->out.fd, false);
	convert->request = (struct format_request){
		.view = view,
		.path = convert->path,
		.csv_safe = convert->csv_safe,
		.compress = convert->compress,
		.level = convert->level,
		.group = convert->permissions.group,
		.begin = interrupt_catch,
		.note = &note,
		.meas_release = convert->release,
		.stacks.weight = convert->weight,
	};
	err = convert->format->make_sink(&convert->request, &sink, diag);
	if (err) {
		(void)convert_out_close(&convert->out, false, NULL);
		return NULL;
	}
	convert->request.note = NULL;
	if (note.text[0])
		verb_note("sonde convert: %s: the header of the .pm file is not kept: %s",
			  convert->path, note.text);
	tally_init(&convert->tally, sink, session);
	return &convert->tally.sink;
}

/* What was written counts unless the writing itself failed, or there is nothing in it. */
static bool is_worth_keeping(const struct tally *tally, int status)
{
	return tally->finished && !tally->err && status != STATUS_NO_MATCH &&
	       (tally->events || !interrupt_seen());
}

static int finish(struct convert *convert, int status)
{
	const struct tally *tally = &convert->tally;
	bool keep = is_worth_keeping(tally, status);
	struct diag diag = {0}, nothing = {.text = "no event so far: nothing is written"};

	if (!tally->sink.ops)
		return status; /* it did not come to that */
	if (convert_out_close(&convert->out, keep, &diag) && !tally->err)
		status = verb_fail(&convert_spec, STATUS_ERROR, &diag);
	else if (keep)
		tally_print(tally, &convert_spec, convert->path);
	else if (interrupt_seen() && !tally->err)
		status = verb_fail(&convert_spec, STATUS_ERROR, &nothing);
	return status;
}

static const struct reading_verb convert_verb = {
	.spec = &convert_spec,
	.many = true,
	.take_option = take_option,
	.claims = claims,
	.settle = settle,
	.make_sink = make_sink,
};

static int run_convert(int argc, char **argv)
{
	struct convert convert = {.out = {.fd = -1}};
	int status = reading_main(&convert_verb, &convert, argc, argv);

	return finish(&convert, status);
}

const struct verb verb_convert = {&convert_spec, run_convert};

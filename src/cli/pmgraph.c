// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/options.h"
#include "cli/picture_choice.h"
#include "cli/pmgraph_data.h"
#include "cli/pmgraph_draw.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "record_format/pm/pm_reader.h"

/*
 * pmgraph: graphs and text of snapshots of TCP connections, with the options of PSC's tool.
 */

/*
 * The plotting program of the original pmgraph, where it is installed and there is a
 * display: one window for each graph.
 */

#define PROGRAM "xgraph"
#define WINDOWS_MAX 32u
#define OPTIONS 5u /* -t TITLE -x seconds, and the program's name */

extern char **environ;

static bool is_installed(void)
{
	const char *path = secure_getenv("PATH");
	char name[4096];
	size_t len;

	for (; path && *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if (len &&
		    (size_t)snprintf(name, sizeof(name), "%.*s/" PROGRAM, (int)len, path) <
			    sizeof(name) &&
		    !access(name, X_OK))
			return true;
	}
	return false;
}

/* Whether it can be called. */
static bool xgraph_can_show(void)
{
	const char *display = secure_getenv("DISPLAY");

	return display && *display && is_installed();
}

/* A new directory for its files: *@base is the begin of their names, to be freed. 0 or -errno. */
static int xgraph_show_prepare(char **base)
{
	const char *tmp = secure_getenv("TMPDIR");
	char *dir = NULL;

	if (asprintf(&dir, "%s/pmgraph-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		return -ENOMEM;
	if (!mkdtemp(dir)) {
		int err = -errno;

		free(dir);
		return err;
	}
	if (asprintf(base, "%s/pm", dir) < 0) {
		(void)rmdir(dir);
		free(dir);
		return -ENOMEM;
	}
	free(dir);
	return 0;
}

static int start(const struct pmgraph_data *data, const struct pmgraph_chart *chart,
		 const char *source, pid_t *pid)
{
	char title[512];
	char *argv[OPTIONS + PMGRAPH_LINES_MAX + 1] = {PROGRAM, "-t", title, "-x", "seconds"};

	(void)snprintf(title, sizeof(title), "%s: %s", source, chart->name);
	for (size_t i = 0; i < chart->count; i++) {
		const struct pmgraph_conn *conn = data->conns[chart->lines[i].conn];

		argv[OPTIONS + i] = (char *)xgraph_file_path(conn->files[chart->lines[i].param]);
	}
	return -posix_spawnp(pid, PROGRAM, NULL, NULL, argv, environ);
}

/* Shows the graphs and waits until all windows are closed. 0, or -errno with the diag. */
static int xgraph_show(const struct pmgraph_data *data, const char *title, struct diag *diag)
{
	struct pmgraph_chart *chart = calloc(1, sizeof(*chart));
	pid_t pids[WINDOWS_MAX];
	int err = chart ? 0 : -ENOMEM, status;
	size_t count = 0;

	while (!err && count < WINDOWS_MAX && pmgraph_chart_get(data, count, chart)) {
		err = start(data, chart, title, &pids[count]);
		count += !err;
	}
	if (!err && count == WINDOWS_MAX && pmgraph_chart_get(data, count, chart))
		err = -E2BIG;
	free(chart);
	for (size_t i = 0; i < count; i++) {
		if (waitpid(pids[i], &status, 0) == pids[i] && status && !err)
			err = -EIO;
	}
	if (err == -E2BIG)
		return diag_set(diag, err,
				"more than %u graphs: choose connections by -p, or -P, or give -o",
				WINDOWS_MAX);
	if (err == -EIO)
		return diag_set(diag, err, PROGRAM " has failed: -o draws without it");
	return err ? diag_set(diag, err, PROGRAM ": %s", strerror(-err)) : 0;
}

/* Removes the files of @data and the directory. NULL is fine. */
static void xgraph_show_clean(const struct pmgraph_data *data, char *base)
{
	if (!base)
		return;
	for (size_t i = 0; i < data->conn_count; i++) {
		for (size_t j = 0; j < PMGRAPH_PARAMS; j++) {
			if (data->conns[i]->files[j])
				(void)unlink(xgraph_file_path(data->conns[i]->files[j]));
		}
	}
	*strrchr(base, '/') = '\0';
	(void)rmdir(base);
	free(base);
}

enum pmgraph_option {
	PMGRAPH_DEBUG = 'd',
	PMGRAPH_GAPS = 'D',
	PMGRAPH_MAXIMUM = 'M',
	PMGRAPH_OUT = 'o',
	PMGRAPH_CONN = 'p',
	PMGRAPH_BY_PARAM = 'P',
	PMGRAPH_SCALE = 'S',
	PMGRAPH_TEXT = 'T',
	PMGRAPH_XGRAPH = 'x',
};

static const struct option_spec options[] = {
	{'b', "snd-sb-cc", NULL, "show so_snd.sb_cc", NULL},
	{'c', "snd-cwnd", NULL, "show cwnd", NULL},
	{PMGRAPH_DEBUG, "debug", NULL, "print verbose debugging information", NULL},
	{PMGRAPH_GAPS, "gaps", NULL, "output gaps in the data to stdout", NULL},
	{'f', "snd-fack", NULL, "show snd_fack", NULL},
	{'F', "hiwat-fair-share", NULL, "show hiwat_fair_share", NULL},
	{'H', "sb-hiwat", NULL, "show so_snd.sb_hiwat", NULL},
	{'l', "location", NULL, "show calling location", NULL},
	{'m', "m-clused", NULL, "show mbuf clusters in use (in bytes)", NULL},
	{PMGRAPH_MAXIMUM, "maximum", NULL,
	 "print maximum amount of system memory used in trace; if used without any other params, no "
	 "other output will be produced",
	 NULL},
	{'n', "sb-net-target", NULL, "show so_snd.sb_net_target", NULL},
	{PMGRAPH_OUT, "output", "FILE",
	 "the picture, or, if there are several, the begin and the end of their names: .svg, .png, "
	 ".pdf or .txt",
	 "@file"},
	{PMGRAPH_CONN, "conn", "LPORT.RPORT",
	 "only include connections specified by local and remote ports; can be repeated", NULL},
	{PMGRAPH_BY_PARAM, "per-parameter", NULL,
	 "show graphs of one parameter for all connections (default is to show graphs of one "
	 "connection with all parameters)",
	 NULL},
	{'r', "rcv-sb-cc", NULL, "show so_rcv.sb_cc", NULL},
	{'s', "snd-max", NULL, "show snd_max", NULL},
	{PMGRAPH_SCALE, "scale", "#C", "scale option C by floating point #: 1000l; can be repeated",
	 NULL},
	{'t', "sb-mem-target", NULL, "show so_snd.sb_mem_target", NULL},
	{PMGRAPH_TEXT, "text", NULL, "do not graph, but convert into text sent to stdout", NULL},
	{'v', "callvalue", NULL, "show calling values", NULL},
	{PMGRAPH_XGRAPH, "xgraph-files", NULL,
	 "produce xgraph files without calling the xgraph program", NULL},
	{0},
};

static const struct verb_spec spec = {
	.name = "pmgraph",
	.classic = true,
	.synopsis = "[OPTIONS] FILE",
	.summary = "Draw snapshots of TCP connections, of a .pm file or another source.",
	.notes =
		"Default is show everything in a graph. FILE is a .pm file (sonde-pm(5)), or any SOURCE "
		"with events tcp.*. Without -o, xgraph shows the graphs where it is installed and "
		"DISPLAY is set; else they are drawn in characters.\n\n"
		"Exit status: 0 complete; 1 an error, or parts of the file could not be read; 2 usage; 3 "
		"complete, but snapshots are missing; 4 nothing to show.",
	.examples = "pmgraph na.pm -p 1055.5050 -c -H -o a.svg\n"
		    "pmgraph na.pm -P -p 1055.5050 -p 1056.5051 -c -o b.svg\n"
		    "pmgraph na.pm -p 1055.5050 -c -l -S 1000l\n"
		    "pmgraph -T -c na.pm",
	.options = options,
	.operand = "@file",
};

struct pmgraph {
	struct pmgraph_request request;
	struct pmgraph_data data;
	struct picture_choice picture;
	bool debug;
	bool xgraph_files;
	bool calls_xgraph;
	char *base; /* of the names of xgraph's files; NULL = none are made */
	const char *name;
	bool read; /* it came to a reading */
};

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	struct pmgraph *pg = ctx;

	(void)reading;
	switch (id) {
	case PMGRAPH_DEBUG:
		pg->debug = true;
		return 0;
	case PMGRAPH_GAPS:
		pg->request.gaps = true;
		return 0;
	case PMGRAPH_MAXIMUM:
		pg->request.maximum = true;
		return 0;
	case PMGRAPH_OUT:
		return picture_choice_take_out(&pg->picture, arg);
	case PMGRAPH_CONN:
		return pmgraph_request_add_conn(&pg->request, arg, diag);
	case PMGRAPH_BY_PARAM:
		pg->request.by_param = true;
		return 0;
	case PMGRAPH_SCALE:
		return pmgraph_request_scale(&pg->request, arg, diag);
	case PMGRAPH_TEXT:
		pg->request.text = true;
		return 0;
	case PMGRAPH_XGRAPH:
		pg->xgraph_files = true;
		return 0;
	default:
		pmgraph_request_show(&pg->request, pmgraph_request_find(id));
		return 0;
	}
}

/* Files are called as what they are made of, without what its name ends in. */
static char *name_base(const struct pmgraph *pg)
{
	const char *path = pg->picture.path ? pg->picture.path : pg->name;
	const char *slash = strrchr(path, '/');
	const char *name = pg->picture.path || !slash ? path : slash + 1;
	const char *dot = strrchr(name, '.');
	const char *within = strrchr(name, '/');

	if (!*name || !strcmp(name, "-"))
		return strdup("pm");
	if (!dot || dot == name || (within && dot < within))
		return strdup(name);
	return strndup(name, (size_t)(dot - name));
}

static int settle_files(struct pmgraph *pg, struct reading *reading, struct diag *diag)
{
	int err = 0;

	reading->makes = pg->picture.path;
	pg->calls_xgraph = !pg->xgraph_files && !pg->picture.path && xgraph_can_show();
	if (pg->calls_xgraph)
		err = xgraph_show_prepare(&pg->base);
	else if (pg->xgraph_files)
		pg->base = name_base(pg);
	else
		return picture_choice_settle(&pg->picture, diag);
	if (!err && !pg->base)
		err = -ENOMEM;
	pg->data.xgraph_base = pg->base;
	reading->starts_programs = pg->calls_xgraph;
	reading->makes = pg->base;
	return err ? diag_set(diag, err, "xgraph's files: %s", strerror(-err)) : 0;
}

static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	struct pmgraph *pg = ctx;

	pg->name = reading->request.name;
	if (pg->request.text && (pg->xgraph_files || pg->picture.path))
		return diag_set(diag, -EINVAL, "-T writes to stdout: leave out %s",
				pg->xgraph_files ? "-x" : "-o");
	pg->request.only_maximum = pg->request.maximum && !pg->request.any_shown &&
				   !pg->request.text && !pg->xgraph_files && !pg->picture.path &&
				   !pg->request.by_param;
	return pg->request.text || pg->request.only_maximum ? 0 : settle_files(pg, reading, diag);
}

static void tell_source(const struct pmgraph *pg, const struct trace_info *info)
{
	for (size_t i = 0; i < info->env_count; i++) {
		const struct trace_env *env = &info->env[i];

		if (!strcmp(env->name, PM_ENV_HEAD))
			continue; /* the others say what is in it */
		if (env->text)
			verb_note("pmgraph: %s = %s", env->name, env->text);
		else
			verb_note("pmgraph: %s = %" PRId64, env->name, env->number);
	}
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++)
		verb_note("pmgraph: -%c is %s%s%s", pmgraph_params[i].letter,
			  pmgraph_known(i)->name, pg->data.has[i] ? "" : ", which is not there",
			  pmgraph_request_shows(&pg->request, i) ? "" : "; not shown");
}

static struct event_sink *make_sink(void *ctx, struct read_session *session, struct diag *diag)
{
	struct pmgraph *pg = ctx;

	(void)diag; /* out of memory */
	if (pmgraph_data_begin(&pg->data, read_session_view(session)))
		return NULL;
	pg->read = true;
	if (pg->debug)
		tell_source(pg, read_session_info(session));
	return &pg->data.sink;
}

static void tell(const struct pmgraph *pg, int status, const char *format, const char *what)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: ", pg->name);
	(void)snprintf(diag.text + strlen(diag.text), sizeof(diag.text) - strlen(diag.text), format,
		       what);
	(void)verb_fail(&spec, status, &diag);
}

/* "; it has 1055.5050, 1056.5051" */
static void list_others(const struct pmgraph_data *data, char *text, size_t room)
{
	size_t len = 0;
	char name[16];

	*text = '\0';
	for (size_t i = 0; i < data->other_count && i < PMGRAPH_OTHERS && len < room; i++) {
		pmgraph_conn_name(data->others[i], name);
		len += (size_t)snprintf(text + len, room - len, "%s%s", i ? ", " : "; it has ",
					name);
	}
	if (data->other_count > PMGRAPH_OTHERS && len < room)
		(void)snprintf(text + len, room - len, " and others");
}

/* What was asked for by name and is not there; whether anything is. */
static bool tell_missing(const struct pmgraph *pg)
{
	bool any = false;
	char name[16], others[128], text[160];

	list_others(&pg->data, others, sizeof(others));
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++) {
		if (pg->request.shown[i] && !pg->data.has[i])
			tell(pg, STATUS_NO_MATCH, "it has no %s", pmgraph_known(i)->name);
		any |= pg->data.has[i] && pmgraph_request_shows(&pg->request, i);
	}
	for (size_t i = 0; !pg->request.text && i < pg->request.conn_count; i++) {
		if (map_get(&pg->data.by_ports, &pg->request.conns[i]))
			continue;
		pmgraph_conn_name(pg->request.conns[i], name);
		(void)snprintf(text, sizeof(text), "%s in it%s", name, others);
		tell(pg, STATUS_NO_MATCH, "no connection %s", text);
	}
	if (pg->request.text && !pg->data.shown)
		tell(pg, STATUS_NO_MATCH, "none of the connections is in it%s", others);
	return any && pg->data.shown;
}

static int conclude(void *ctx, const struct reading *reading)
{
	const struct pmgraph *pg = ctx;
	char count[48];

	(void)reading;
	if (pg->request.only_maximum) {
		if (!pg->data.has_maximum)
			tell(pg, STATUS_NO_MATCH, "it does not tell the memory used%s", "");
		return pg->data.has_maximum ? STATUS_COMPLETE : STATUS_NO_MATCH;
	}
	if (!pg->data.snapshots)
		tell(pg, STATUS_NO_MATCH, "no snapshot of a TCP connection in it%s", "");
	else if (tell_missing(pg) && !pg->data.left_out)
		return STATUS_COMPLETE;
	if (!pg->data.left_out)
		return STATUS_NO_MATCH;
	tell(pg, STATUS_COMPLETE,
	     "too many connections: %s snapshots of those that came last are left out; choose by -p",
	     count_format(count, sizeof(count), pg->data.left_out));
	return STATUS_COMPLETE;
}

static const struct reading_verb pmgraph_verb = {
	.spec = &spec,
	.take_option = take_option,
	.settle = settle,
	.make_sink = make_sink,
	.conclude = conclude,
};

/* Once the source is read: windows, or pictures. */
static int show(struct pmgraph *pg, int status)
{
	const char *slash = strrchr(pg->name, '/'), *name = slash ? slash + 1 : pg->name;
	struct diag diag = {0};
	int err;

	if (pg->request.text || pg->request.only_maximum || pg->xgraph_files ||
	    !pg->data.conn_count || pg->data.err)
		return status;
	err = pg->calls_xgraph ? xgraph_show(&pg->data, name, &diag) :
				 pmgraph_draw(&pg->data, name, &pg->picture, &diag);
	return err ? verb_fail(&spec, STATUS_ERROR, &diag) : status;
}

static void debug(const struct pmgraph *pg)
{
	char name[16];

	fprintf(stderr, "pmgraph: %" PRIu64 " snapshots, %" PRIu64 " missing\n", pg->data.snapshots,
		pg->data.lost);
	for (size_t i = 0; i < pg->data.conn_count; i++) {
		const struct pmgraph_conn *conn = pg->data.conns[i];
		uint64_t points = 0;

		for (size_t j = 0; j < PMGRAPH_PARAMS; j++)
			points = conn->series[j].points > points ? conn->series[j].points : points;
		pmgraph_conn_name(conn->id, name);
		verb_note("pmgraph: connection %s: %" PRIu64 " snapshots", name, points);
	}
}

static int run(int argc, char **argv)
{
	struct pmgraph *pg = calloc(1, sizeof(*pg));
	int status;

	if (!pg)
		return verb_fail(&spec, STATUS_ERROR, &(struct diag){.text = "no memory"});
	pmgraph_request_init(&pg->request);
	pmgraph_data_init(&pg->data, &pg->request);
	status = reading_main(&pmgraph_verb, pg, argc, argv);
	if (pg->read) {
		if (pg->debug)
			debug(pg);
		status = show(pg, status);
	}
	if (pg->calls_xgraph)
		xgraph_show_clean(&pg->data, pg->base);
	else
		free(pg->base);
	pmgraph_data_fini(&pg->data);
	free(pg);
	return status;
}

const struct verb verb_pmgraph = {&spec, run};

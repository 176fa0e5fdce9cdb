// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/options.h"
#include "cli/serve_live.h"
#include "cli/verb.h"

/*
 * lttng-relayd: the relay (serve_live) with the command line, configuration files and environment of LTTng's lttng-relayd(8),
 * whose place it takes in a unit file.
 */

/*
 * The configuration files of lttng-relayd(8): "KEY = VALUE" lines of their [relayd] section, where a key is
 * the long name of an option. lttng_relayd calls it before it reads the command line.
 */

/* A key of the file: @id and @arg as options_next has them. @arg lasts as long as the file's *@ret. */
typedef int (*lttng_relayd_set)(void *ctx, int id, const char *arg, struct diag *diag);

#define FILE_MOST (64u << 10)
#define SECTION "[relayd]"

/* Cuts blanks at both ends. */
static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r");
	for (len = strlen(text); len && strchr(" \t\r", text[len - 1]); len--)
		text[len - 1] = 0;
	return text;
}

static const struct option_spec *find_option(const struct verb_spec *spec, const char *name)
{
	const struct option_spec *option;

	for (size_t i = 0; (option = options_at(spec, i)); i++) {
		if (!strcmp(option->name, name))
			return option;
	}
	return NULL;
}

/* Whether a switch is on: 1, 0, or -EINVAL. */
static int is_on(const char *value)
{
	static const char *const words[][3] = {{"false", "no", "off"}, {"true", "yes", "on"}};

	for (int on = 0; on < 2; on++) {
		for (int i = 0; i < 3; i++) {
			if (!strcasecmp(value, words[on][i]))
				return on;
		}
	}
	return -EINVAL;
}

static int take_line(char *line, const struct verb_spec *spec, lttng_relayd_set set, void *ctx,
		     struct diag *diag)
{
	char *value = strchr(line, '='), *key;
	const struct option_spec *option;
	int on;

	if (!value)
		return diag_set(diag, -EINVAL, "'%s': not KEY = VALUE", line);
	*value = 0;
	key = trim(line);
	value = trim(value + 1);
	option = find_option(spec, key);
	if (!option)
		return diag_set(diag, -EINVAL, "'%s': unknown key", key);
	if (option->arg)
		return set(ctx, option->id, value, diag);
	on = is_on(value);
	if (on < 0)
		return diag_set(diag, -EINVAL, "'%s': '%s' is not yes or no", key, value);
	return on ? set(ctx, option->id, NULL, diag) : 0;
}

/* Calls @set for each key of @path. *@ret is the text of the file, which the caller frees; on failure too. A file that is not
 * there is an error only if it is @needed. 0 or -errno with the diag. */
static int lttng_relayd_config_read(const char *path, bool needed, const struct verb_spec *spec,
				    lttng_relayd_set set, void *ctx, char **ret, struct diag *diag)
{
	bool is_ours = false;
	size_t len;
	char *line, *next;
	int err = file_load(AT_FDCWD, path, FILE_MOST, ret, &len), number = 0;

	if (err == -ENOENT && !needed)
		return 0;
	if (err)
		return diag_set(diag, err, "%s: %s", path, strerror(-err));
	for (line = *ret; !err && line; line = next) {
		struct diag why = {0};

		number++;
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		line = trim(line);
		if (*line == '[')
			is_ours = !strcmp(line, SECTION);
		else if (is_ours && *line && *line != ';' && *line != '#')
			err = take_line(line, spec, set, ctx, &why);
		if (err)
			(void)diag_set(diag, err, "%s: line %d: %s", path, number, why.text);
	}
	return err;
}

#define CONFIG_SYSTEM "/etc/lttng/lttng.conf"
#define CONFIGS 3
#define SCHEME "tcp://"
#define LOCALHOST "localhost:"
#define ADDRESS_BYTES 128
#define FD_POOL_LEAST 100u

enum { OPTION_FD_POOL = 256, OPTION_PID_FILE, OPTION_LIST };

static const struct option_spec options[] = {
	{'b', "background", NULL, "run as a daemon; files of the terminal stay open", NULL},
	{'f', "config", "PATH",
	 "one more configuration file, after " CONFIG_SYSTEM " and $LTTNG_HOME/.lttng/lttng.conf",
	 "@file"},
	{'C', "control-port", "URL", "where daemons connect. Default: tcp://0.0.0.0:5342", NULL},
	{'d', "daemonize", NULL, "run as a daemon, and close the files of the terminal", NULL},
	{'D', "data-port", "URL", "where they send data. Default: tcp://0.0.0.0:5343", NULL},
	{'x', "disallow-clear", NULL, "reject lttng clear", NULL},
	{OPTION_FD_POOL, "fd-pool-size", "COUNT",
	 "open file descriptors at most: idle files are closed", NULL},
	{'g', "group", "GROUP", "may use the health check socket of root's relay. Default: tracing",
	 NULL},
	{'p', "group-output-by-host", NULL, "store as HOST/SESSION-TIME: the default", NULL},
	{'s', "group-output-by-session", NULL, "store as SESSION/HOST-TIME", NULL},
	{'L', "live-port", "URL", "where viewers connect. Default: tcp://localhost:5344", NULL},
	{OPTION_LIST, "list-options", NULL, "print the long names of the options", NULL},
	{'o', "output", "DIR", "where to store. Default: $LTTNG_HOME/lttng-traces", "@dir"},
	{OPTION_PID_FILE, "pid-file", "PATH", "write the process id to PATH, when it listens",
	 "@file"},
	{'v', "verbose", NULL, SERVE_INGEST_VERBOSE_TEXT, NULL},
	{'V', "version", NULL, "print the version", NULL},
	{'w', "working-directory", "DIR", "work in DIR", "@dir"},
	{0},
};

static const struct verb_spec spec = {
	.name = "lttng-relayd",
	.classic = true,
	.synopsis = "[OPTIONS]",
	.summary = "Store and show what LTTng's daemons stream, as LTTng's relay daemon does.",
	.notes =
		"The relay of 'sonde serve -o' with the command line of LTTng 2.13's lttng-relayd. A URL "
		"is tcp://ADDRESS:PORT. As there, every host that reaches a port may use it: 'sonde serve' has "
		"certificates and tokens.\n\n"
		"Exit status: 0; 1 error; 2 usage.",
	.examples = "lttng-relayd -L tcp://0.0.0.0:5344 -o /srv/traces\n"
		    "lttng-relayd --daemonize --pid-file=/run/relayd.pid",
	.options = options,
};

enum mode { MODE_FOREGROUND, MODE_BACKGROUND, MODE_DAEMON };

struct relayd {
	struct serve_live_request live;
	char addresses[INGEST_PORTS + 1][ADDRESS_BYTES]; /* the last is for viewers */
	char output[PATH_MAX];
	char *configs[CONFIGS]; /* their texts, which arguments are in */
	const char *config; /* --config */
	const char *working_directory;
	const char *pid_file;
	const char *group; /* that may use the health check socket */
	char health[PATH_MAX]; /* that */
	enum mode mode;
	bool wants_version;
	bool wants_list;
	int null; /* /dev/null, opened before access to files is given up; -1 = it stays unchanged */
	int parent; /* pipe to the process that waits until it listens; -1 = none does */
};

static int set_url(char address[ADDRESS_BYTES], const char *url, struct diag *diag)
{
	const char *at = url + strlen(SCHEME);
	int len;

	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0 || !strrchr(at, ':'))
		return diag_set(diag, -EINVAL, "'%s' is not tcp://ADDRESS:PORT", url);
	if (!strncmp(at, LOCALHOST, strlen(LOCALHOST)))
		len = snprintf(address, ADDRESS_BYTES, "127.0.0.1:%s", at + strlen(LOCALHOST));
	else
		len = snprintf(address, ADDRESS_BYTES, "%s", at);
	return len < ADDRESS_BYTES ? 0 : diag_set(diag, -EINVAL, "'%s' is too long", url);
}

static int set_fd_pool(const char *text, struct diag *diag)
{
	struct rlimit limit;
	char *end;
	unsigned long count = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || count < FD_POOL_LEAST || count > INT_MAX)
		return diag_set(diag, -EINVAL,
				"--fd-pool-size: '%s' is not a number of at least %u", text,
				FD_POOL_LEAST);
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return diag_set(diag, -errno, "--fd-pool-size: %s", strerror(errno));
	if (count < limit.rlim_max)
		limit.rlim_max = count;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return diag_set(diag, -errno, "--fd-pool-size: %s", strerror(errno));
	return 0;
}

static int set_output(struct relayd *relayd, const char *path, struct diag *diag)
{
	int len = snprintf(relayd->output, sizeof(relayd->output), "%s", path);

	return len < PATH_MAX ? 0 : diag_set(diag, -EINVAL, "--output: the path is too long");
}

/* An option of the command line, or a key of a configuration file. */
static int set(void *ctx, int id, const char *arg, struct diag *diag)
{
	struct relayd *relayd = ctx;

	switch (id) {
	case 'b':
		relayd->mode = MODE_BACKGROUND;
		return 0;
	case 'd':
		relayd->mode = MODE_DAEMON;
		return 0;
	case 'f':
		relayd->config = arg;
		return 0;
	case 'C':
		return set_url(relayd->addresses[INGEST_CONTROL], arg, diag);
	case 'D':
		return set_url(relayd->addresses[INGEST_DATA], arg, diag);
	case 'L':
		return set_url(relayd->addresses[INGEST_PORTS], arg, diag);
	case 'x':
		relayd->live.ingest.disallow_clear = true;
		return 0;
	case 'p':
	case 's':
		relayd->live.ingest.group_by_session = id == 's';
		return 0;
	case 'o':
		return set_output(relayd, arg, diag);
	case 'w':
		relayd->working_directory = arg;
		return 0;
	case 'g':
		relayd->group = arg;
		return 0;
	case 'V':
		relayd->wants_version = true;
		return 0;
	case OPTION_FD_POOL:
		return set_fd_pool(arg, diag);
	case OPTION_PID_FILE:
		relayd->pid_file = arg;
		return 0;
	case OPTION_LIST:
		relayd->wants_list = true;
		return 0;
	default: /* -v */
		serve_ingest_say_more(&relayd->live.ingest);
		return 0;
	}
}

static const char *home(void)
{
	return secure_getenv("LTTNG_HOME") ?: secure_getenv("HOME") ?: "/";
}

static int keep_alive(const char *name)
{
	const char *text = secure_getenv(name);
	long value = text ? strtol(text, NULL, 10) : 0;

	return value > 0 && value <= INT_MAX ? (int)value : 0;
}

/* What the environment says, below all else; the defaults of the real one. */
static void set_defaults(struct relayd *relayd)
{
	const char *no_clear = secure_getenv("LTTNG_RELAYD_DISALLOW_CLEAR");
	struct serve_ingest_request *ingest = &relayd->live.ingest;

	relayd->parent = relayd->null = -1;
	relayd->group = "tracing";
	relayd->working_directory = secure_getenv("LTTNG_RELAYD_WORKING_DIRECTORY");
	ingest->disallow_clear = no_clear && !strcmp(no_clear, "1");
	ingest->keep_alive = (struct ingest_keep_alive){
		.idle_s = keep_alive("LTTNG_RELAYD_TCP_KEEP_ALIVE_IDLE_TIME"),
		.interval_s = keep_alive("LTTNG_RELAYD_TCP_KEEP_ALIVE_PROBE_INTERVAL"),
		.probes = keep_alive("LTTNG_RELAYD_TCP_KEEP_ALIVE_MAX_PROBE_COUNT"),
	};
	strcpy(relayd->addresses[INGEST_CONTROL], "0.0.0.0:5342");
	strcpy(relayd->addresses[INGEST_DATA], "0.0.0.0:5343");
	strcpy(relayd->addresses[INGEST_PORTS], "127.0.0.1:5344");
	(void)snprintf(relayd->output, sizeof(relayd->output), "%s/lttng-traces", home());
}

static int read_configs(struct relayd *relayd, struct diag *diag)
{
	const char *config = relayd->config;
	char path[PATH_MAX];
	int err;

	(void)snprintf(path, sizeof(path), "%s/.lttng/lttng.conf", home());
	err = lttng_relayd_config_read(CONFIG_SYSTEM, false, &spec, set, relayd,
				       &relayd->configs[0], diag);
	err = err   ?:
		      lttng_relayd_config_read(path, false, &spec, set, relayd, &relayd->configs[1],
					       diag);
	if (!err && config)
		err = lttng_relayd_config_read(config, true, &spec, set, relayd,
					       &relayd->configs[2], diag);
	return err;
}

static int read_options(struct options *opts, struct relayd *relayd, struct diag *diag)
{
	const char *arg;
	int id, got, err;

	while ((got = options_next(opts, &id, &arg, diag)) == 1) {
		err = set(relayd, id, arg, diag);
		if (err)
			return err;
	}
	return got;
}

/* Configuration files come first, but which there are the command line says. */
static int parse(struct options *opts, struct relayd *relayd, struct diag *diag)
{
	struct relayd first = *relayd;
	int operands, err = read_options(opts, &first, diag);

	relayd->config = first.config;
	err = err ?: read_configs(relayd, diag);
	options_rewind(opts);
	err = err ?: read_options(opts, relayd, diag);
	if (!err && *options_rest(opts, &operands))
		err = diag_set(diag, -EINVAL, "it takes no operands");
	return err;
}

static int write_pid(const char *path, struct diag *diag)
{
	FILE *file = fopen(path, "we");
	int err = 0;

	if (!file || fprintf(file, "%d\n", (int)getpid()) < 0)
		err = -errno;
	if (file && fclose(file) && !err)
		err = -errno;
	return err ? diag_set(diag, err, "--pid-file: %s: %s", path, strerror(-err)) : 0;
}

static void is_ready(void *ctx)
{
	struct relayd *relayd = ctx;

	if (relayd->parent < 0)
		return;
	(void)!write(relayd->parent, "", 1);
	fd_close(relayd->parent);
	relayd->parent = -1;
}

/* Returns in the daemon; its parent ends when that listens, or with its exit status. */
static int become_daemon(struct relayd *relayd, struct diag *diag)
{
	int ends[2], status = 0;
	char byte;
	pid_t pid;

	if (relayd->mode == MODE_FOREGROUND)
		return 0;
	if (pipe2(ends, O_CLOEXEC))
		return diag_set(diag, -errno, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return diag_set(diag, -errno, "fork: %s", strerror(errno));
	if (pid) {
		fd_close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			_exit(STATUS_COMPLETE);
		(void)waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_ERROR);
	}
	fd_close(ends[0]);
	relayd->parent = ends[1];
	if (relayd->mode == MODE_DAEMON)
		relayd->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	(void)setsid();
	return 0;
}

/* When it listens: errors before that are still seen. */
static void leave_terminal(void *ctx)
{
	struct relayd *relayd = ctx;

	for (int fd = 0; relayd->null >= 0 && fd <= STDERR_FILENO; fd++)
		(void)dup2(relayd->null, fd);
	fd_close(relayd->null);
	relayd->null = -1;
	is_ready(relayd);
}

/* The output directory stays where it was. */
static int change_directory(struct relayd *relayd, struct diag *diag)
{
	char here[PATH_MAX], absolute[2 * PATH_MAX];
	int err = 0;

	if (*relayd->output != '/') {
		if (!getcwd(here, sizeof(here)))
			return diag_set(diag, -errno, "the current directory: %s", strerror(errno));
		(void)snprintf(absolute, sizeof(absolute), "%s/%s", here, relayd->output);
		err = set_output(relayd, absolute, diag);
	}
	if (!err && chdir(relayd->working_directory))
		err = diag_set(diag, -errno, "--working-directory: %s: %s",
			       relayd->working_directory, strerror(errno));
	return err;
}

/* Root's is one that clients of other users can pass. */
static void make_run_directory(const char *path, bool shared)
{
	mode_t old = umask(shared ? 0022 : 0077);

	(void)mkdir(path, 0777); /* what is wrong with it, the socket says */
	(void)umask(old);
}

/* Where liblttng-ctl's callers look for the socket. */
static void set_health(struct relayd *relayd)
{
	const char *path = secure_getenv("LTTNG_RELAYD_HEALTH");
	struct serve_live_request *live = &relayd->live;
	bool shared = !geteuid();
	char run[PATH_MAX];
	const struct group *group = shared ? getgrnam(relayd->group) : NULL;

	live->health = path;
	live->health_needed = path;
	live->health_shared = shared;
	live->health_group = group ? group->gr_gid : 0;
	if (path)
		return;
	(void)snprintf(run, sizeof(run), "%s/%s", shared ? "/var/run" : home(),
		       shared ? "lttng" : ".lttng");
	make_run_directory(run, shared);
	(void)snprintf(relayd->health, sizeof(relayd->health), "%.*s/relayd", PATH_MAX - 64, run);
	make_run_directory(relayd->health, shared);
	(void)snprintf(relayd->health, sizeof(relayd->health), "%.*s/relayd/health-%d",
		       PATH_MAX - 64, run, (int)getpid());
	live->health = relayd->health;
}

static int run(struct relayd *relayd, struct diag *diag)
{
	struct serve_live_request *live = &relayd->live;
	int err = become_daemon(relayd, diag);

	if (!err && relayd->pid_file)
		err = write_pid(relayd->pid_file, diag);
	if (!err && relayd->working_directory)
		err = change_directory(relayd, diag);
	if (err)
		return verb_fail(&spec, STATUS_ERROR, diag);
	live->ingest.output = relayd->output;
	live->ingest.ports[INGEST_CONTROL] = relayd->addresses[INGEST_CONTROL];
	live->ingest.ports[INGEST_DATA] = relayd->addresses[INGEST_DATA];
	live->ingest.insecure = live->rights.insecure = true;
	set_health(relayd);
	live->ready = leave_terminal;
	live->ctx = relayd;
	err = serve_live_parse_address(relayd->addresses[INGEST_PORTS], live, diag);
	return err ? verb_fail(&spec, STATUS_ERROR, diag) : serve_live(&spec, live);
}

static int list_options(void)
{
	for (size_t i = 0; options[i].name; i++)
		puts(options[i].name);
	return STATUS_COMPLETE;
}

static int run_lttng_relayd(int argc, char **argv)
{
	struct relayd relayd = {0};
	struct options *opts = verb_options(&spec, argc, argv);
	struct diag diag = {0};
	int err, status;

	if (!opts)
		return STATUS_ERROR;
	set_defaults(&relayd);
	err = parse(opts, &relayd, &diag);
	if (err) {
		status = verb_usage(&spec, err, &diag);
	} else if (relayd.wants_version) {
		puts("lttng-relayd (sonde " SONDE_VERSION ")");
		status = STATUS_COMPLETE;
	} else {
		status = relayd.wants_list ? list_options() : run(&relayd, &diag);
	}
	for (size_t i = 0; i < CONFIGS; i++)
		free(relayd.configs[i]);
	options_free(opts);
	return status;
}

const struct verb verb_lttng_relayd = {&spec, run_lttng_relayd};

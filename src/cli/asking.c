// SPDX-License-Identifier: BSD-2-Clause
#include "cli/asking.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/io.h"
#include "record/answer.h"

static bool is_meant(const struct recorder *r, const char *who)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)r->pid);
	return !who || !strcmp(who, r->name) || !strcmp(who, pid);
}

static int fail_none(const struct asking *ask)
{
	const char *what = ask->kinds & RECORDER_LIST_RELAYS ? "recorder or relay" : "recorder";
	struct diag diag = {0};

	if (ask->who)
		diag_set(&diag, 0, "no %s '%s' is running: see 'sonde status'", what, ask->who);
	else
		diag_set(&diag, 0, "no %s is running", what);
	return verb_fail(ask->spec, STATUS_NO_MATCH, &diag);
}

int asking_open(struct asking *ask, const struct verb_spec *spec, unsigned int kinds,
		const char *who)
{
	struct diag diag = {0};
	int err, kept = 0;

	*ask = (struct asking){.spec = spec, .kinds = kinds, .who = who, .dir = -1};
	buffer_init(&ask->answer);
	err = control_dir_open(&ask->dir, &diag);
	if (!err) {
		ask->count = recorder_list(ask->dir, kinds, ask->list);
		if (ask->count < 0)
			err = diag_set(&diag, ask->count, "the recorders cannot be listed: %s",
				       strerror(-ask->count));
	}
	if (err) {
		bool permission = err == -EPERM || err == -EACCES;

		return verb_fail(spec, permission ? STATUS_NOT_PERMITTED : STATUS_ERROR, &diag);
	}
	for (int i = 0; i < ask->count; i++) {
		if (is_meant(&ask->list[i], who))
			ask->list[kept++] = ask->list[i];
	}
	ask->count = kept;
	return kept ? -1 : fail_none(ask);
}

void asking_close(struct asking *ask)
{
	fd_close(ask->dir);
	buffer_fini(&ask->answer);
}

int asking_one(const struct asking *ask)
{
	struct diag diag = {0};
	struct buffer text;

	if (ask->count == 1)
		return -1;
	buffer_init(&text);
	for (int i = 0; i < ask->count; i++)
		buffer_format(&text, "%s%s (pid %d)", i ? ", " : "", ask->list[i].name,
			      (int)ask->list[i].pid);
	buffer_char(&text, 0);
	diag_set(&diag, 0, "several recorders run, say which with -r: %s",
		 buffer_error(&text) ? "" : text.data);
	buffer_fini(&text);
	return verb_fail(ask->spec, STATUS_USAGE, &diag);
}

static int fail_refused(const struct asking *ask)
{
	struct diag diag = {0};
	int status = STATUS_ERROR;
	char code[32], text[400];

	asking_text(ask, "code", 0, code, sizeof(code));
	if (!asking_text(ask, "error", 0, text, sizeof(text)))
		strcpy(text, "the recorder answers what is not understood");
	if (!strcmp(code, "no match"))
		status = STATUS_NO_MATCH;
	else if (!strcmp(code, "not permitted"))
		status = STATUS_NOT_PERMITTED;
	diag_set(&diag, 0, "%s", text);
	return verb_fail(ask->spec, status, &diag);
}

int asking_ask(struct asking *ask, int i, const char *request, int timeout_ms)
{
	const struct recorder *r = &ask->list[i];
	int err = recorder_ask(ask->dir, r, request, timeout_ms, &ask->answer);
	struct diag diag = {0};

	if (!err)
		return answer_flag(ask->answer.data, "ok") ? -1 : fail_refused(ask);
	if (err == -ETIMEDOUT || err == -EAGAIN)
		diag_set(&diag, err, "%s (pid %d) does not answer", r->name, (int)r->pid);
	else if (err == -EPIPE || err == -ECONNREFUSED || err == -ENOENT || err == -ECONNRESET)
		diag_set(&diag, err, "%s (pid %d) has ended", r->name, (int)r->pid);
	else
		diag_set(&diag, err, "%s (pid %d): %s", r->name, (int)r->pid, strerror(-err));
	return verb_fail(ask->spec, STATUS_ERROR, &diag);
}

bool asking_text(const struct asking *ask, const char *key, size_t i, char *text, size_t room)
{
	bool there = answer_text(ask->answer.data, key, i, text, room);

	escape_blank(text);
	return there;
}

static int find_and_act(const struct verb_spec *spec, unsigned int kinds, const char *who,
			char **rest, int (*act)(struct asking *ask, char **rest))
{
	struct asking *ask = malloc(sizeof(*ask));
	int status;

	if (!ask)
		return STATUS_ERROR;
	status = asking_open(ask, spec, kinds, who);
	if (status < 0)
		status = asking_one(ask);
	if (status < 0)
		status = act(ask, rest);
	asking_close(ask);
	free(ask);
	return status;
}

int asking_run(const struct verb_spec *spec, int argc, char **argv, unsigned int named,
	       bool operands, int (*act)(struct asking *ask, char **rest))
{
	struct options *opts = verb_options(spec, argc, argv);
	const char *who = NULL, *arg;
	struct diag diag = {0};
	int id, err, count = 0, status;
	char **rest = NULL;

	if (!opts)
		return STATUS_ERROR;
	while ((err = verb_next(spec, opts, &id, &arg, &diag)) > 0)
		who = arg; /* there is only -r */
	if (!err) {
		rest = options_rest(opts, &count);
		if (operands && !count)
			err = diag_set(&diag, -EINVAL, "name a measurement: see 'sonde list'");
		if (!operands && count)
			err = diag_set(&diag, -EINVAL, "unexpected operand '%s'", rest[0]);
	}
	status = err ? verb_usage(spec, err, &diag) :
		       find_and_act(spec, who ? named : RECORDER_LIST_RECORDERS, who, rest, act);
	options_free(opts);
	return status;
}

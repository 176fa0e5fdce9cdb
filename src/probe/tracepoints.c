// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/glob.h"
#include "probe/kernel_btf.h"
#include "probe/tracefs.h"
#include "probe/tracepoint.h"

bool tracepoints_are_asked_for(const char *pattern)
{
	return !strcmp(pattern, TRACEPOINT_GROUP) ||
	       !strncmp(pattern, TRACEPOINT_PREFIX, strlen(TRACEPOINT_PREFIX));
}

static bool name_matches(const struct tracefs *fs, size_t i, const char *pattern)
{
	char name[TRACEPOINT_NAME_BYTES];
	const char *group, *event;

	tracefs_name(fs, i, &group, &event);
	snprintf(name, sizeof(name), TRACEPOINT_PREFIX "%s:%s", group, event);
	return pattern_matches(pattern, name);
}

static void set_reason(struct hook *hook, int err, const char *why)
{
	hook->usable = false;
	snprintf(hook->reason, sizeof(hook->reason), "%s%.140s",
		 err == -EBADMSG || err == -E2BIG ? "sonde cannot record it: " : "", why);
}

/* The @i-th tracepoint as a measurement, which owns it: measurement_fini. */
static int make(const struct catalogue *cat, const struct tracefs *fs, size_t i,
		struct measurement *m)
{
	struct diag diag = {.text = ""};
	const char *group, *event;
	struct tracepoint *tp;
	char *text = NULL;
	int err;

	tracefs_name(fs, i, &group, &event);
	err = tracefs_format(fs, i, &text);
	if (err == -ENOMEM)
		return err;
	if (err) /* as an empty format: the error must be reported somewhere */
		text = strdup("");
	if (!text)
		return -ENOMEM;
	err = tracepoint_new(group, event, text, &tp, &diag) ?: err;
	if (err == -ENOMEM)
		return err;
	*m = (struct measurement){
		.name = tp->name,
		.group = TRACEPOINT_GROUP,
		.text = tp->class.text,
		.class = tp->class,
		.hook_count = 1,
	};
	m->hooks[0] = (struct hook){
		.object = TRACEPOINT_OBJECT,
		.program = tp->name,
		.section = tp->section,
		.tracepoint = tp,
	};
	m->hooks[0].usable = !kernel_btf_check(cat->kernel, tp->section, m->hooks[0].reason,
					       sizeof(m->hooks[0].reason));
	if (cat->forbidden)
		hook_forbid(&m->hooks[0]);
	if (err)
		set_reason(&m->hooks[0], err, *diag.text ? diag.text : strerror(-err));
	return 0;
}

static bool is_there(const struct catalogue *cat, const struct tracefs *fs, size_t i)
{
	const char *group, *event;
	char name[TRACEPOINT_NAME_BYTES];

	tracefs_name(fs, i, &group, &event);
	snprintf(name, sizeof(name), TRACEPOINT_PREFIX "%s:%s", group, event);
	for (size_t j = 0; j < cat->count; j++) {
		if (!strcmp(cat->items[j].name, name))
			return true;
	}
	return false;
}

static size_t count_missing(const struct catalogue *cat, const struct tracefs *fs,
			    const char *pattern)
{
	size_t count = 0;

	for (size_t i = 0; i < tracefs_count(fs); i++)
		count += name_matches(fs, i, pattern) && !is_there(cat, fs, i);
	return count;
}

static int add_matching(struct catalogue *cat, const struct tracefs *fs, const char *pattern)
{
	int err = 0;

	for (size_t i = 0; !err && i < tracefs_count(fs); i++) {
		struct measurement m;

		if (!name_matches(fs, i, pattern) || is_there(cat, fs, i))
			continue;
		err = make(cat, fs, i, &m);
		if (!err)
			catalogue_add(cat, &m);
	}
	return err;
}

int tracepoints_add(struct catalogue *cat, const char *pattern, struct diag *diag)
{
	struct tracefs *fs = NULL;
	size_t missing;
	int err;

	if (!tracepoints_are_asked_for(pattern))
		return 0;
	err = tracefs_open(&fs, diag);
	if (err)
		return err;
	missing = count_missing(cat, fs, pattern);
	if (missing > cat->room - cat->count)
		err = diag_set(diag, -E2BIG,
			       "'%s' asks for %zu of the kernel's tracepoints, and at most %u are "
			       "recorded at once: name fewer (sonde list '%s' shows them)",
			       pattern, missing, TRACEPOINT_MAX, pattern);
	else
		err = add_matching(cat, fs, pattern);
	if (err == -ENOMEM)
		diag_set(diag, err, "no memory");
	tracefs_close(fs);
	return err;
}

static bool any_matches(const struct tracefs *fs, size_t i, char *const *patterns, size_t count)
{
	for (size_t j = 0; j < count; j++) {
		if (tracepoints_are_asked_for(patterns[j]) && name_matches(fs, i, patterns[j]))
			return true;
	}
	return false;
}

int tracepoints_visit(const struct catalogue *cat, char *const *patterns, size_t count,
		      tracepoints_visitor visit, void *ctx, struct diag *diag)
{
	struct tracefs *fs = NULL;
	int err = tracefs_open(&fs, diag);

	for (size_t i = 0; !err && i < tracefs_count(fs); i++) {
		struct measurement m;

		if (!any_matches(fs, i, patterns, count))
			continue;
		err = make(cat, fs, i, &m);
		if (err) {
			diag_set(diag, err, "no memory");
			break;
		}
		err = visit(ctx, &m);
		tracepoint_free(m.hooks[0].tracepoint);
	}
	tracefs_close(fs);
	return err;
}

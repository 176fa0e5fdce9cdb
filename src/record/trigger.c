// SPDX-License-Identifier: BSD-2-Clause
#include "record/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/task_names.h"
#include "analyse/where.h"
#include "base/diag.h"
#include "base/io.h"
#include "probe/catalogue.h"
#include "record/watch.h"
#include "schema/calls.h"
#include "schema/lost.h"
#include "schema/syscalls.h"
#include "schema/trace_info.h"

struct trigger {
	struct trigger_state state;
	struct where where;
	bool due; /* `event` is the first that matched since it was asked */
	struct trigger_event event;
};

struct triggers {
	struct trigger list[TRIGGERS_MAX];
	size_t count;
	uint64_t gap_ns;
	uint64_t next_ns; /* no snapshot before that */
	struct task_names *names; /* NULL: names are not needed */
};

struct triggers *triggers_new(uint64_t gap_ns)
{
	struct triggers *triggers = calloc(1, sizeof(*triggers));

	if (triggers)
		triggers->gap_ns = gap_ns;
	return triggers;
}

void triggers_free(struct triggers *triggers)
{
	if (!triggers)
		return;
	for (size_t i = 0; i < triggers->count; i++)
		where_fini(&triggers->list[i].where);
	task_names_free(triggers->names);
	free(triggers);
}

int triggers_add(struct triggers *triggers, enum trigger_action action, const char *text,
		 struct diag *diag)
{
	struct trigger *trigger = &triggers->list[triggers->count];
	int err;

	if (triggers->count == TRIGGERS_MAX)
		return diag_set(diag, -E2BIG, "at most %u triggers", TRIGGERS_MAX);
	*trigger = (struct trigger){.state = {.text = text, .action = action}};
	err = where_parse(&trigger->where, text, diag);
	triggers->count += !err;
	return err;
}

size_t triggers_count(const struct triggers *triggers)
{
	return triggers->count;
}

bool triggers_get(const struct triggers *triggers, size_t i, struct trigger_state *ret)
{
	if (i >= triggers->count)
		return false;
	*ret = triggers->list[i].state;
	return true;
}

static const struct measurement *find_measurement(const struct catalogue *cat, const char *name)
{
	for (size_t i = 0; i < cat->count; i++) {
		if (!strcmp(cat->items[i].name, name))
			return &cat->items[i];
	}
	return NULL;
}

static void add(const struct catalogue *cat, const char *name, const bool *wanted, bool *added)
{
	const struct measurement *m = find_measurement(cat, name);

	if (m && !measurement_internal(m) && !wanted[m->class.index])
		added[m->class.index] = true;
}

static bool any_has(const struct catalogue *cat, const char *field, const bool *wanted)
{
	for (size_t i = 0; i < cat->count; i++) {
		const struct event_class *class;

		for (size_t k = 0; wanted[i] && (class = measurement_class(&cat->items[i], k));
		     k++) {
			if (event_class_find(class, field) >= 0)
				return true;
		}
	}
	return false;
}

static void add_for(const struct catalogue *cat, const char *name, const bool *wanted, bool *added)
{
	add(cat, name, wanted, added);
	if (any_has(cat, name, wanted))
		return;
	for (int d = 0; d < DERIVED_COUNT; d++) {
		if (strcmp(derived_fields[d].name, name) != 0)
			continue;
		add(cat, derived_fields[d].event, wanted, added);
		for (size_t s = 0; s < DERIVED_SOURCES_MAX && derived_fields[d].sources[s]; s++)
			add(cat, derived_fields[d].sources[s], wanted, added);
	}
}

const char *triggers_name(const struct triggers *triggers, size_t n)
{
	const char *name;

	for (size_t i = 0; i < triggers->count; i++) {
		for (size_t k = 0; (name = expr_name(triggers->list[i].where.expr, k)); k++) {
			if (!n--)
				return name;
		}
	}
	return NULL;
}

void triggers_choose(const struct triggers *triggers, const struct catalogue *cat,
		     const bool *wanted, bool *added)
{
	const char *name;

	for (size_t n = 0; (name = triggers_name(triggers, n)); n++)
		add_for(cat, name, wanted, added);
}

static bool can_fire(const struct where *where)
{
	for (size_t i = 0; i < where->code->class_count; i++) {
		if (where->code->entries[i] != EXPR_NO)
			return true;
	}
	return false;
}

int triggers_check(struct triggers *triggers, const struct catalogue *cat, const bool *wanted,
		   size_t *which, struct diag *diag)
{
	const struct trace_env env[] = {{.name = "syscalls", .text = syscalls_native_text},
					{.name = "syscalls_compat", .text = syscalls_compat_text}};
	const struct event_class **classes =
		calloc(cat->count + calls_count() + 1, sizeof(*classes));
	struct trace_info info = {.classes = classes, .env_count = 2, .env = env};
	int err = 0;

	if (!classes)
		return diag_set(diag, -ENOMEM, "no memory");
	classes[info.class_count++] = &lost_class;
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		const struct event_class *class;

		for (size_t k = 0;
		     (wanted[i] || measurement_internal(m)) && (class = measurement_class(m, k));
		     k++)
			classes[info.class_count++] = class;
	}
	for (size_t i = 0; !err && i < triggers->count; i++) {
		*which = i;
		err = where_bind(&triggers->list[i].where, &info, diag);
		if (!err &&
		    triggers->list[i].where.code->needs & (EXPR_NEEDS_CGROUP | EXPR_NEEDS_PATH))
			err = diag_set(
				diag, -ENOTSUP,
				"cgroup, container and the file of an inode are known when a trace is read, not "
				"to triggers");
		if (!err && !can_fire(&triggers->list[i].where))
			err = diag_set(diag, -ENOENT,
				       "nothing of what is recorded can satisfy this");
	}
	free(classes);
	return err;
}

static bool needs_names(const struct triggers *triggers)
{
	for (size_t i = 0; i < triggers->count; i++) {
		if (triggers->list[i].where.code->needs & (EXPR_NEEDS_COMM | EXPR_NEEDS_PID))
			return true;
	}
	return false;
}

static int describe(void *ctx, const struct trace_info *info, struct diag *diag)
{
	struct triggers *triggers = ctx;
	int err = 0;

	for (size_t i = 0; !err && i < triggers->count; i++)
		err = where_bind(&triggers->list[i].where, info, diag);
	task_names_free(triggers->names);
	triggers->names = !err && needs_names(triggers) ? task_names_new(info) : NULL;
	return err;
}

static bool wants(void *ctx, const struct event_class *class)
{
	const struct triggers *triggers = ctx;

	for (size_t i = 0; i < triggers->count; i++) {
		if (where_takes(&triggers->list[i].where, class))
			return true;
	}
	return triggers->names && task_names_has(triggers->names, class);
}

/* Derived values, and names at a given time. */
static bool needs_order(void *ctx)
{
	const struct triggers *triggers = ctx;

	for (size_t i = 0; i < triggers->count; i++) {
		if (triggers->list[i].where.code->needs)
			return true;
	}
	return false;
}

/* Who has not been named since the recording began is asked for. */
static void know_name(struct task_names *names, const struct event_class *class, int32_t tid)
{
	char path[40], comm[TASK_NAME_BYTES + 2];
	ssize_t len;
	int fd;

	if (tid <= 0 || TASK_NAME_LEN(task_names_get(names, class, tid)))
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read_at(fd, comm, sizeof(comm) - 1, 0);
	fd_close(fd);
	if (len > 0)
		task_names_set(names, 0, tid, comm, (size_t)len - (comm[len - 1] == '\n'));
}

static void match(struct trigger *trigger, const struct event *event)
{
	trigger->state.matched++;
	if (trigger->due)
		return;
	trigger->due = true;
	trigger->event = (struct trigger_event){.text = trigger->state.text,
						.action = trigger->state.action,
						.time_ns = event->time_ns,
						.tid = event->tid};
	strncpy(trigger->event.event, event->class->name, sizeof(trigger->event.event) - 1);
}

static void see(void *ctx, const struct event *event)
{
	struct triggers *triggers = ctx;

	if (triggers->names) {
		if (task_names_has(triggers->names, event->class))
			task_names_learn(triggers->names, event);
		know_name(triggers->names, event->class, event->tid);
	}
	for (size_t i = 0; i < triggers->count; i++) {
		struct trigger *trigger = &triggers->list[i];

		if (where_takes(&trigger->where, event->class) &&
		    where_holds(&trigger->where, event, triggers->names))
			match(trigger, event);
	}
}

const struct watch_ops triggers_watch_ops = {describe, wants, needs_order, see};

size_t triggers_take(struct triggers *triggers, uint64_t now_ns,
		     struct trigger_event events[TRIGGERS_MAX])
{
	bool snapshot = now_ns >= triggers->next_ns;
	size_t count = 0;

	for (size_t i = 0; i < triggers->count; i++) {
		struct trigger *trigger = &triggers->list[i];
		bool due = trigger->due;

		trigger->due = false;
		if (!due || (trigger->state.action == TRIGGER_SNAPSHOT && !snapshot))
			continue;
		trigger->state.fired++;
		trigger->event.matched = trigger->state.matched;
		events[count++] = trigger->event;
		if (trigger->state.action == TRIGGER_SNAPSHOT)
			triggers->next_ns = now_ns + triggers->gap_ns;
	}
	return count;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/where.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/derive.h"
#include "analyse/known.h"
#include "analyse/stack_text.h"
#include "analyse/task_names.h"
#include "base/diag.h"
#include "schema/event.h"
#include "schema/expr_bind.h"
#include "schema/syscalls.h"
#include "schema/trace_info.h"

int where_parse(struct where *where, const char *text, struct diag *diag)
{
	*where = (struct where){0};
	return expr_parse(text, &where->expr, diag);
}

/* All but what is under way. */
static void unbind(struct where *where)
{
	expr_code_free(where->code);
	syscalls_free(where->calls);
	where->code = NULL;
	where->calls = NULL;
	where->path_class = NULL; /* classes may be others now */
}

void where_fini(struct where *where)
{
	unbind(where);
	derive_free(where->derive);
	expr_free(where->expr);
	free(where->stack);
	*where = (struct where){0};
}

static const char *env_text(const struct trace_info *info, const char *name)
{
	const struct trace_env *env = trace_info_env(info, name);

	return env ? env->text : NULL;
}

int where_bind(struct where *where, const struct trace_info *info, struct diag *diag)
{
	const uint32_t derived = (1u << DERIVED_COUNT) - 1;
	uint32_t needs;
	struct expr_scope scope = {.classes = info->classes, .class_count = info->class_count};
	int err;

	unbind(where);
	where->calls = syscalls_new(env_text(info, "syscalls"), env_text(info, "syscalls_compat"));
	if (!where->calls)
		return diag_set(diag, -ENOMEM, "no memory");
	scope.calls = where->calls;
	scope.pids = task_names_tell_pids(info);
	err = expr_bind(where->expr, &scope, &where->code, diag);
	if (err)
		return err;
	where->info = info;
	if (where->code->needs & EXPR_NEEDS_STACK && !where->stack) {
		where->stack = malloc(STACK_TEXT_MAX + 1);
		if (!where->stack)
			return diag_set(diag, -ENOMEM, "no memory");
	}
	needs = where->code->needs & derived;
	if (where->code->needs & EXPR_NEEDS_OWNER && derive_knows_owners(info))
		needs |= 1u << DERIVED_OWNER;
	else /* each event has the tid itself */
		where->code->needs &= ~EXPR_NEEDS_TID;
	if (!needs) {
		derive_free(where->derive);
		where->derive = NULL;
		return 0;
	}
	where->derive = derive_renew(where->derive, info, needs);
	return where->derive ? 0 : diag_set(diag, -ENOMEM, "no memory");
}

bool where_takes(const struct where *where, const struct event_class *class)
{
	return expr_may_match(where->code, class) ||
	       (where->derive && derive_takes(where->derive, class));
}

static void take_task(struct where *where, const struct event *event,
		      const struct task_names *names)
{
	const struct task_name *name = task_names_get(names, event->class, event->tid);
	struct event_facts *facts = &where->facts;

	facts->task = event->tid;
	facts->task_pid = task_names_pid(names, event->class, event->tid);
	facts->task_comm = name->text;
	facts->task_comm_len = TASK_NAME_LEN(name);
}

static void take_cgroup(struct where *where, const struct event *event,
			const struct task_names *names)
{
	const uint64_t id = task_names_cgroup(names, event->class, event->tid);
	struct event_facts *facts = &where->facts;

	facts->cgroup = facts->container = NULL;
	if (!id || !where->known)
		return;
	facts->cgroup = known_get(where->known, event->class, NAME_CGROUP, id, 0, 0);
	facts->container = known_container(where->known, event->class, id);
}

static void take_path(struct where *where, const struct event *event)
{
	const struct event_class *class = event->class;

	where->facts.path = NULL;
	if (class != where->path_class) {
		where->path_class = class;
		where->inode = event_class_find_inode(class);
		where->major = event_class_find_number(class, "major");
		where->minor = event_class_find_number(class, "minor");
	}
	if (where->inode >= 0 && where->known)
		where->facts.path = known_get(where->known, class, NAME_FILE,
					      event_uint(event, (size_t)where->inode),
					      (uint16_t)event_uint(event, (size_t)where->major),
					      (uint16_t)event_uint(event, (size_t)where->minor));
}

static void take_stack(struct where *where, const struct event *event,
		       const struct task_names *names)
{
	const struct analysis analysis = {
		.info = where->info,
		.names = (struct task_names *)(uintptr_t)names,
	};
	size_t room = STACK_TEXT_MAX + 1;

	if (where->stack_room && where->stack_room < room)
		room = where->stack_room;
	where->facts.stack = stack_text_write(&analysis, event, where->stack, room) ? where->stack :
										      NULL;
}

bool where_follow(struct where *where, const struct event *event, const struct task_names *names)
{
	struct event_facts *facts = &where->facts;
	const struct task_name *name;
	struct event owned;

	if (where->derive)
		derive_event(where->derive, event, facts);
	if (where->code->needs & EXPR_NEEDS_STACK)
		take_stack(where, event, names);
	if (where->code->needs & EXPR_NEEDS_PATH)
		take_path(where, event);
	if (where->code->needs & EXPR_NEEDS_TASK)
		take_task(where, event, names);
	if (where->derive && facts->has & FACTS_OWNER) {
		owned = *event;
		owned.tid = owner_of_event(facts, event->tid);
		event = &owned;
	}
	if (where->code->needs & EXPR_NEEDS_COMM) {
		name = task_names_get(names, event->class, event->tid);
		facts->comm = name->text;
		facts->comm_len = TASK_NAME_LEN(name);
	}
	if (where->code->needs & EXPR_NEEDS_PID)
		facts->pid = task_names_pid(names, event->class, event->tid);
	if (where->code->needs & EXPR_NEEDS_CGROUP)
		take_cgroup(where, event, names);
	return expr_matches(where->code, event, facts);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/descriptors.h"

#include <string.h>

#include "schema/calls.h"
#include "schema/event.h"
#include "schema/syscalls.h"
#include "schema/trace_info.h"
#include "wire/note.h"
#include <fcntl.h>

/* Of the kernel's interface, which traces of other machines have too (include/uapi/linux). */
#define CLONE_FS_FLAG 0x200u
#define CLONE_FILES_FLAG 0x400u
#define CLOSE_RANGE_UNSHARE_FLAG 2u
#define CLOSE_RANGE_CLOEXEC_FLAG 4u
#define FCNTL_DUP 0u
#define FCNTL_SET_FLAGS 2u
#define FCNTL_DUP_CLOEXEC 1030u
#define IOCTL_CLOEXEC 0x5451u
#define IOCTL_NO_CLOEXEC 0x5450u
#define COMPAT_CLONE 120 /* the number of clone(2), of x86 and of arm */

static void drop_shown(struct descriptors *descriptors)
{
	for (size_t i = 0; i < FACTS_FILES_MAX; i++) {
		file_name_unref(descriptors->shown[i]);
		descriptors->shown[i] = NULL;
	}
}

void descriptors_forget(struct descriptors *descriptors)
{
	if (!descriptors->on)
		return;
	descriptors->missed = true;
	descriptor_tasks_forget(&descriptors->tasks);
}

static void find_acts(struct descriptors *descriptors, const struct trace_info *info)
{
	const struct trace_env *native = trace_info_env(info, "syscalls");
	const struct trace_env *compat = trace_info_env(info, "syscalls_compat");
	struct syscalls *calls =
		syscalls_new(native ? native->text : NULL, compat ? compat->text : NULL);

	descriptor_acts_find(descriptors->acts, calls);
	syscalls_free(calls);
}

void descriptors_init(struct descriptors *descriptors, const struct trace_info *info,
		      uint32_t trace, bool files)
{
	const struct trace_gaps *gaps = trace_info_gaps(info, trace);
	const struct trace_env *env = files ? trace_info_env(info, DERIVED_FILES_ENV) : NULL;

	*descriptors = (struct descriptors){
		.on = env && env->number && gaps,
		.gaps = gaps,
		.gap_until_ns = INT64_MIN,
		.alone = env && env->number != 1,
	};
	for (size_t i = 0; i < info->class_count; i++)
		descriptors->lists |= !strcmp(info->classes[i]->name, DESCRIPTOR_NOTE);
	descriptor_tasks_init(&descriptors->tasks);
	if (descriptors->on)
		find_acts(descriptors, info);
}

void descriptors_renew(struct descriptors *descriptors, const struct trace_info *info,
		       uint32_t trace)
{
	const struct trace_gaps *gaps = trace_info_gaps(info, trace);

	if (descriptors->gaps != gaps)
		descriptors->gap_count = 0;
	descriptors->gaps = gaps;
	descriptors->on = descriptors->on && gaps;
}

void descriptors_fini(struct descriptors *descriptors)
{
	drop_shown(descriptors);
	descriptor_tasks_fini(&descriptors->tasks);
}

bool descriptors_copy(struct descriptors *into, const struct descriptors *from)
{
	drop_shown(into);
	into->now = from->now;
	into->missed = from->missed;
	if (from->gap_until_ns > into->gap_until_ns)
		into->gap_until_ns = from->gap_until_ns;
	into->gap_shortened = from->gap_shortened;
	return descriptor_tasks_copy(&into->tasks, &from->tasks);
}

/* What another path would be relative to; NULL: not known. */
static const struct file_name *base_of(const struct descriptor_task *task,
				       const struct descriptor_fields *fields,
				       const struct event *event)
{
	const int32_t dirfd = descriptor_int(event, fields->dirfd);
	const struct file_name *base = fields->dirfd < 0 || dirfd == AT_FDCWD ?
					       task->place->path :
					       fd_table_get(task->table, dirfd);

	return base && *base->text == '/' ? base : NULL;
}

static void begin_dup_to(struct descriptor_task *task, const struct descriptor_fields *fields,
			 const struct event *event, uint64_t now)
{
	struct descriptor_begun *call = &task->call;
	int32_t from, to;

	if (fields->fd_count < 2) {
		call->act = DESCRIPTOR_NONE;
		return;
	}
	from = descriptor_int(event, (int)fields->fds[0]);
	to = descriptor_int(event, (int)fields->fds[1]);
	if (from == to) { /* nothing happens */
		call->act = DESCRIPTOR_NONE;
		return;
	}
	call->fd = to;
	call->name = file_name_ref(fd_table_get(task->table, from));
	fd_table_remove_begin(task->table, to, now - 1); /* that is no change by another call */
}

static void begin_fcntl(struct descriptor_task *task, const struct descriptor_fields *fields,
			const struct event *event)
{
	struct descriptor_begun *call = &task->call;
	const uint32_t command = (uint32_t)call->flags;

	if (call->flags_known && (command == FCNTL_DUP || command == FCNTL_DUP_CLOEXEC)) {
		call->act = DESCRIPTOR_DUP;
		call->name = file_name_ref(fd_table_get(task->table, call->fd));
		call->exec = command == FCNTL_DUP ? FD_EXEC_KEEPS : FD_EXEC_CLOSES;
		return;
	}
	if (call->flags_known && command != FCNTL_SET_FLAGS) {
		call->act = DESCRIPTOR_NONE;
		return;
	}
	call->exec = FD_EXEC_MAYBE;
	if (call->flags_known && fields->arg >= 0)
		call->exec = event_uint(event, (size_t)fields->arg) & 1 ? FD_EXEC_CLOSES :
									  FD_EXEC_KEEPS;
	fd_table_set_exec(task->table, call->fd, FD_EXEC_MAYBE, call->since);
}

static void begin_ioctl(struct descriptor_task *task)
{
	struct descriptor_begun *call = &task->call;
	const uint32_t request = (uint32_t)call->flags;

	if (call->flags_known && request != IOCTL_CLOEXEC && request != IOCTL_NO_CLOEXEC) {
		call->act = DESCRIPTOR_NONE;
		return;
	}
	call->act = DESCRIPTOR_FCNTL;
	call->exec = !call->flags_known	      ? FD_EXEC_MAYBE :
		     request == IOCTL_CLOEXEC ? FD_EXEC_CLOSES :
						FD_EXEC_KEEPS;
	fd_table_set_exec(task->table, call->fd, FD_EXEC_MAYBE, call->since);
}

static void begin_range(struct descriptor_task *task, const struct descriptor_fields *fields,
			const struct event *event, uint64_t now)
{
	struct descriptor_begun *call = &task->call;

	call->fd = (int64_t)(uint32_t)call->fd;
	call->last = fields->arg < 0 ? UINT32_MAX :
				       (int64_t)(uint32_t)event_uint(event, (size_t)fields->arg);
	if (!call->flags_known)
		call->flags = 0;
	if (call->flags & CLOSE_RANGE_CLOEXEC_FLAG)
		fd_table_set_exec_range(task->table, (uint64_t)call->fd, (uint64_t)call->last,
					FD_EXEC_MAYBE, call->since);
	else if (!(call->flags & CLOSE_RANGE_UNSHARE_FLAG))
		fd_table_range_begin(task->table, (uint64_t)call->fd, (uint64_t)call->last, now);
}

static void begin_chdir(struct descriptor_task *task, struct file_name *path, uint64_t now)
{
	task->call.name = path;
	/* Where the call fails, the task stays where it was. */
	file_name_unref(task->call.used);
	task->call.used = file_name_ref(task->place->path);
	place_set(task->place, NULL, now);
}

static void begin_act(struct descriptors *descriptors, struct descriptor_task *task,
		      const struct descriptor_fields *fields, const struct event *event)
{
	struct descriptor_begun *call = &task->call;
	const uint64_t now = descriptors->now;

	switch (call->act) {
	case DESCRIPTOR_OPEN:
		/* A file without a name (O_TMPFILE) has none that could be shown. */
		if (!(call->flags_known && (call->flags & O_TMPFILE) == O_TMPFILE))
			call->name = descriptor_path(fields, event, base_of(task, fields, event));
		break;
	case DESCRIPTOR_MAKE:
	case DESCRIPTOR_PAIR:
		call->name = descriptor_made(fields, event);
		break;
	case DESCRIPTOR_DUP:
		call->name = file_name_ref(fd_table_get(task->table, call->fd));
		break;
	case DESCRIPTOR_DUP_TO:
		begin_dup_to(task, fields, event, now);
		break;
	case DESCRIPTOR_FCNTL:
		begin_fcntl(task, fields, event);
		break;
	case DESCRIPTOR_IOCTL:
		begin_ioctl(task);
		break;
	case DESCRIPTOR_CLOSE:
		fd_table_remove_begin(task->table, call->fd, now);
		break;
	case DESCRIPTOR_CLOSE_RANGE:
		begin_range(task, fields, event, now);
		break;
	case DESCRIPTOR_FORK:
		descriptors->tasks.forking++;
		break;
	case DESCRIPTOR_CHDIR:
		begin_chdir(task, descriptor_path(fields, event, base_of(task, fields, event)),
			    now);
		break;
	case DESCRIPTOR_FCHDIR:
		begin_chdir(task, file_name_ref(fd_table_get(task->table, call->fd)), now);
		break;
	case DESCRIPTOR_URING:
		fd_table_lose(task->table, now);
		break;
	case DESCRIPTOR_OTHER:
		if (call->compat && call->nr == COMPAT_CLONE)
			fd_table_lose(task->table, now);
		break;
	default:
		break;
	}
}

static void show(struct descriptors *descriptors, struct event_facts *facts, struct file_name *name,
		 uint32_t field)
{
	facts->has |= FACTS_FILES;
	descriptors->shown[facts->file_count] = file_name_ref(name);
	facts->files[facts->file_count++] = (struct fact_file){name->text, name->len, field};
}

static void show_descriptors(struct descriptors *descriptors, const struct descriptor_task *task,
			     const struct descriptor_fields *fields, const struct event *event,
			     struct event_facts *facts)
{
	for (size_t i = 0; i < fields->fd_count; i++) {
		struct file_name *name =
			fd_table_get(task->table, descriptor_int(event, (int)fields->fds[i]));

		if (!name)
			continue;
		show(descriptors, facts, name, (uint32_t)fields->fds[i]);
		if (!i)
			facts->has |= 1u << DERIVED_FILE;
	}
	if (fields->dirfd >= 0 && facts->file_count < FACTS_FILES_MAX) {
		struct file_name *name =
			fd_table_get(task->table, descriptor_int(event, fields->dirfd));

		if (name)
			show(descriptors, facts, name, (uint32_t)fields->dirfd);
	}
}

static bool closes_range(const struct descriptor_begun *call)
{
	return call->act == DESCRIPTOR_CLOSE_RANGE &&
	       !(call->flags & (CLOSE_RANGE_CLOEXEC_FLAG | CLOSE_RANGE_UNSHARE_FLAG));
}

/* A call in progress may close descriptors of @table. */
static void begin_removal(const struct descriptor_begun *call, struct fd_table *table, uint64_t now)
{
	if (call->act == DESCRIPTOR_CLOSE || call->act == DESCRIPTOR_DUP_TO)
		fd_table_remove_begin(table, call->fd, now);
	if (closes_range(call))
		fd_table_range_begin(table, (uint64_t)call->fd, (uint64_t)call->last, now);
}

/* The ends of calls that change others' view of a descriptor. */
static void end_removal(struct descriptor_begun *call)
{
	if (call->act == DESCRIPTOR_CLOSE || call->act == DESCRIPTOR_DUP_TO)
		fd_table_remove_end(call->table, call->fd);
	if (closes_range(call))
		fd_table_range_end(call->table);
}

/* Events of the task are missing, in which anything may have happened. */
static void lose_track(struct descriptors *descriptors, struct descriptor_task *task)
{
	if (task->call.active)
		end_removal(&task->call);
	descriptor_begun_drop(&descriptors->tasks, &task->call);
	fd_table_forget(task->table, descriptors->now);
	place_set(task->place, NULL, descriptors->now);
	task->born = 0;
}

static void begin(struct descriptors *descriptors, struct descriptor_task *task,
		  const struct descriptor_fields *fields, const struct event *event,
		  struct event_facts *facts)
{
	struct descriptor_begun *call = &task->call;

	if (call->active)
		lose_track(descriptors, task);
	show_descriptors(descriptors, task, fields, event, facts);
	*call = (struct descriptor_begun){
		.active = true,
		.compat = fields->common.compat >= 0 &&
			  event_uint(event, (size_t)fields->common.compat),
		.nr = (int64_t)event_uint(event, (size_t)fields->common.nr),
		.since = descriptors->now,
		.act = fields->act,
		.table = fd_table_ref(task->table),
		.fd = fields->fd_count ? descriptor_int(event, (int)fields->fds[0]) : -1,
	};
	if (facts->has >> DERIVED_FILE & 1)
		call->used = file_name_ref(descriptors->shown[0]);
	if (fields->flags >= 0 && event_has(event, (size_t)fields->flags)) {
		call->flags = event_uint(event, (size_t)fields->flags);
		call->flags_known = fields->act != DESCRIPTOR_FORK || call->flags != UINT64_MAX;
	} else if (fields->call && !fields->call->flags) {
		call->flags_known = true;
	}
	if (fields->call)
		call->exec = descriptor_exec(fields->call, call->flags_known ? &call->flags : NULL);
	begin_act(descriptors, task, fields, event);
}

/* A task of its own: its table is not another one's any more. */
static void own_table(struct descriptors *descriptors, struct descriptor_task *task, uint64_t since)
{
	struct fd_table *own;

	if (!fd_table_is_shared(task->table))
		return;
	own = fd_table_copy(task->table, since, descriptors->tasks.account);
	if (!own) {
		fd_table_forget(task->table, descriptors->now);
		return;
	}
	fd_table_unref(task->table);
	task->table = own;
}

static void own_place(struct descriptor_task *task)
{
	struct place *own = place_new(task->place->path);

	if (!own)
		return;
	place_unref(task->place);
	task->place = own;
}

/* What the child of @task's call begins with. */
static bool make_birth(struct descriptors *descriptors, struct descriptor_task *task,
		       struct descriptor_birth *ret)
{
	const struct descriptor_begun *call = &task->call;
	const bool shares = call->flags & CLONE_FILES_FLAG;

	if (!call->flags_known || (shares && descriptors->alone)) {
		fd_table_lose(task->table, descriptors->now);
		return false;
	}
	*ret = (struct descriptor_birth){
		.table = shares ? fd_table_ref(task->table) :
				  fd_table_copy(task->table, call->since,
						descriptors->tasks.account),
		.place = call->flags & CLONE_FS_FLAG ? place_ref(task->place) :
						       place_new(task->place->path),
	};
	if (ret->table && ret->place)
		return true;
	descriptor_birth_fini(ret);
	return false;
}

static void adopt(struct descriptor_task *child, struct descriptor_birth *birth)
{
	fd_table_unref(child->table);
	place_unref(child->place);
	child->table = birth->table;
	child->place = birth->place;
	child->born = 0;
	*birth = (struct descriptor_birth){0};
}

static void give_table(struct descriptors *descriptors, struct descriptor_task *task,
		       struct fd_table *table)
{
	struct descriptor_begun *call = &task->call;
	const bool in_it = call->active && call->table == task->table;

	fd_table_unref(task->table);
	task->table = fd_table_ref(table);
	if (!in_it)
		return;
	begin_removal(call, table, descriptors->now);
	fd_table_unref(call->table);
	call->table = fd_table_ref(table);
}

/* @task turns out to have @table, and not one of its own; and so have those that share its. */
static void share_table(struct descriptors *descriptors, struct descriptor_task *task,
			struct fd_table *table)
{
	struct fd_table *old = fd_table_ref(task->table);
	const void *key;
	size_t at = 0;
	void *value;

	if (old != table) {
		fd_table_join(table, old, descriptors->now);
		while (map_next(&descriptors->tasks.by_tid, &at, &key, &value)) {
			if (((struct descriptor_task *)value)->table == old)
				give_table(descriptors, value, table);
		}
		descriptor_births_replace(&descriptors->tasks, old, table);
	}
	fd_table_unref(old);
}

/* The same of its current directory. */
static void share_place(struct descriptors *descriptors, struct descriptor_task *task,
			struct place *place)
{
	struct place *old = place_ref(task->place);
	const void *key;
	size_t at = 0;
	void *value;

	if (old != place && old->changed)
		place_set(place, NULL, descriptors->now);
	while (old != place && map_next(&descriptors->tasks.by_tid, &at, &key, &value)) {
		struct descriptor_task *other = value;

		if (other->place != old)
			continue;
		place_unref(other->place);
		other->place = place_ref(place);
	}
	if (old != place)
		descriptor_births_move(&descriptors->tasks, old, place);
	place_unref(old);
}

/* The child was seen first, and has a table of its own so far. */
static void reunite(struct descriptors *descriptors, struct descriptor_task *parent,
		    struct descriptor_task *child)
{
	const struct descriptor_begun *call = &parent->call;

	child->born = 0;
	if (!call->flags_known || (call->flags & CLONE_FILES_FLAG && descriptors->alone)) {
		fd_table_lose(parent->table, descriptors->now);
		fd_table_lose(child->table, descriptors->now);
		return;
	}
	if (call->flags & CLONE_FILES_FLAG) {
		share_table(descriptors, child, parent->table);
	} else {
		fd_table_inherit(child->table, parent->table, call->since);
	}
	if (child->place->changed)
		return;
	if (call->flags & CLONE_FS_FLAG) {
		place_unref(child->place);
		child->place = place_ref(parent->place);
	} else if (parent->place->changed < call->since) {
		place_set(child->place, parent->place->path, 0);
	}
}

static void keep_birth(struct descriptors *descriptors, struct descriptor_task *task, int32_t tid)
{
	struct descriptor_birth birth, *kept;

	if (!make_birth(descriptors, task, &birth))
		return;
	kept = map_at(&descriptors->tasks.births, &tid);
	if (!kept) { /* full of children of other namespaces, which have other numbers */
		descriptor_births_drop(&descriptors->tasks);
		kept = map_at(&descriptors->tasks.births, &tid);
	}
	if (!kept) {
		descriptor_birth_fini(&birth);
		return;
	}
	if (kept->table) {
		descriptor_birth_fini(&birth);
		kept->twice = true;
		return;
	}
	*kept = birth;
}

static void end_fork(struct descriptors *descriptors, struct descriptor_task *task, int64_t ret)
{
	const int32_t tid = (int32_t)ret;
	struct descriptor_task *child;

	if (ret <= 0)
		return;
	if (task->call.claimed) {
		child = tid == task->call.child ?
				NULL :
				map_get(&descriptors->tasks.by_tid, &task->call.child);
		if (child) /* another one's, or it has another number in this namespace */
			lose_track(descriptors, child);
		return;
	}
	child = map_get(&descriptors->tasks.by_tid, &tid);
	if (child && child->born > task->call.since)
		reunite(descriptors, task, child);
	else
		keep_birth(descriptors, task, tid);
}

static void end_range(struct descriptors *descriptors, struct descriptor_task *task, bool done)
{
	const struct descriptor_begun *call = &task->call;
	const uint64_t first = (uint64_t)call->fd, last = (uint64_t)call->last;

	if (!done)
		return;
	if (call->flags & CLOSE_RANGE_UNSHARE_FLAG)
		own_table(descriptors, task, call->since);
	if (call->flags & CLOSE_RANGE_CLOEXEC_FLAG)
		fd_table_set_exec_range(task->table, first, last, FD_EXEC_CLOSES, call->since);
	else if (call->flags & CLOSE_RANGE_UNSHARE_FLAG)
		fd_table_remove_range(task->table, first, last, descriptors->now);
}

static void end_chdir(struct descriptors *descriptors, struct descriptor_task *task, bool done)
{
	const struct descriptor_begun *call = &task->call;

	if (task->place->changed == call->since)
		place_set(task->place, done ? call->name : call->used, descriptors->now);
}

/* Whether the call has returned a descriptor. */
static bool end_act(struct descriptors *descriptors, struct descriptor_task *task, int64_t ret)
{
	struct descriptor_begun *call = &task->call;
	const uint64_t now = descriptors->now;
	const bool done = ret >= 0;

	end_removal(call);
	switch (call->act) {
	case DESCRIPTOR_OPEN:
	case DESCRIPTOR_MAKE:
	case DESCRIPTOR_DUP:
	case DESCRIPTOR_DUP_TO:
		if (done)
			fd_table_set(call->table, ret, call->name, call->exec, call->since, now);
		return done;
	case DESCRIPTOR_PAIR:
		for (uint32_t i = 0; done && i < call->pair_count; i++)
			fd_table_set(call->table, call->pair[i], call->name, call->exec,
				     call->since, now);
		break;
	case DESCRIPTOR_FCNTL:
		if (done)
			fd_table_set_exec(call->table, call->fd, call->exec, call->since);
		break;
	case DESCRIPTOR_CLOSE_RANGE:
		end_range(descriptors, task, done);
		break;
	case DESCRIPTOR_FORK:
		end_fork(descriptors, task, ret);
		break;
	case DESCRIPTOR_UNSHARE:
		if (done && (call->flags & CLONE_FILES_FLAG || !call->flags_known))
			own_table(descriptors, task, call->since);
		if (done && call->flags & CLONE_FILES_FLAG)
			fd_table_set_open(task->table, false);
		if (done && call->flags & CLONE_FS_FLAG)
			own_place(task);
		break;
	case DESCRIPTOR_EXEC:
		if (!done)
			break;
		own_table(descriptors, task, call->since);
		fd_table_exec(task->table, now);
		own_place(task);
		break;
	case DESCRIPTOR_CHDIR:
	case DESCRIPTOR_FCHDIR:
		end_chdir(descriptors, task, done);
		break;
	default:
		break;
	}
	return false;
}

/* The only task that is in a fork: the child that appears is its. NULL: several are, or none. */
static struct descriptor_task *only_parent(struct descriptors *descriptors)
{
	const void *key;
	size_t at = 0;
	void *value;

	if (descriptors->tasks.forking != 1 || descriptors->missed)
		return NULL;
	while (map_next(&descriptors->tasks.by_tid, &at, &key, &value)) {
		struct descriptor_task *task = value;

		if (task->call.active && task->call.act == DESCRIPTOR_FORK)
			return task->call.claimed ? NULL : task;
	}
	return NULL;
}

/* The first event of a task, which is the end of the call of its parent. */
static void be_born(struct descriptors *descriptors, struct descriptor_task *task, int32_t tid)
{
	struct descriptor_birth *birth = map_get(&descriptors->tasks.births, &tid), made;
	struct descriptor_task *parent;

	/* Of one that had its number before. */
	if (task->call.active)
		end_removal(&task->call);
	descriptor_task_fini(&descriptors->tasks, task);
	task->table = fd_table_new(descriptors->tasks.account);
	task->place = place_new(NULL);
	if (!task->table || !task->place)
		return;
	task->born = descriptors->now;
	task->made = true;
	task->known = true;
	if (birth) {
		if (!birth->twice)
			adopt(task, birth);
		descriptor_birth_fini(birth);
		map_remove(&descriptors->tasks.births, &tid);
		return;
	}
	parent = only_parent(descriptors);
	if (!parent || !make_birth(descriptors, parent, &made))
		return;
	parent->call.claimed = true;
	parent->call.child = tid;
	adopt(task, &made);
}

static enum descriptor_act act_of(const struct descriptors *descriptors, bool compat, int64_t nr)
{
	if (nr < 0 || nr >= CALL_NUMBERS)
		return DESCRIPTOR_OTHER;
	return (enum descriptor_act)descriptors->acts[compat][nr];
}

/* The end of a call that @task was in when the recording began. What it may have changed is not known. */
static void end_first(struct descriptors *descriptors, struct descriptor_task *task,
		      enum descriptor_act act, int64_t ret)
{
	const uint64_t now = descriptors->now;

	switch (act) {
	case DESCRIPTOR_NONE:
		break;
	case DESCRIPTOR_FCNTL: /* it may have made a copy */
	case DESCRIPTOR_IOCTL:
		fd_table_set_exec_range(task->table, 0, FD_LIMIT, FD_EXEC_MAYBE, 0);
		if (ret >= 0)
			fd_table_set(task->table, ret, NULL, FD_EXEC_MAYBE, now, now);
		break;
	case DESCRIPTOR_OPEN:
	case DESCRIPTOR_MAKE:
	case DESCRIPTOR_DUP:
	case DESCRIPTOR_DUP_TO:
		if (ret >= 0)
			fd_table_set(task->table, ret, NULL, FD_EXEC_MAYBE, now, now);
		break;
	case DESCRIPTOR_CLOSE:
	case DESCRIPTOR_CLOSE_RANGE:
		fd_table_forget(task->table, now);
		break;
	default:
		lose_track(descriptors, task);
		break;
	}
}

/* The end of a call whose begin is not known. */
static void end_unmatched(struct descriptors *descriptors, struct descriptor_task *task,
			  bool compat, int64_t nr, const struct event *event, int64_t ret)
{
	const enum descriptor_act act = act_of(descriptors, compat, nr);

	if (!ret && act == DESCRIPTOR_FORK)
		be_born(descriptors, task, event->tid);
	else if (!task->seen)
		end_first(descriptors, task, act, ret);
	else
		lose_track(descriptors, task);
}

static void end(struct descriptors *descriptors, struct descriptor_task *task,
		const struct descriptor_fields *fields, const struct event *event,
		struct event_facts *facts)
{
	const struct call_fields *common = &fields->common;
	const int64_t nr = (int64_t)event_uint(event, (size_t)common->nr);
	const int64_t ret = (int64_t)event_uint(event, (size_t)common->ret);
	const bool compat = common->compat >= 0 && event_uint(event, (size_t)common->compat);
	struct descriptor_begun *call = &task->call;
	struct file_name *name;
	bool opened;

	if (nr < 0 && call->active && call->act == DESCRIPTOR_NONE) { /* the end of rt_sigreturn */
		descriptor_begun_drop(&descriptors->tasks, call);
		return;
	}
	if (!call->active || call->nr != nr || call->compat != compat) {
		end_unmatched(descriptors, task, compat, nr, event, ret);
		return;
	}
	opened = end_act(descriptors, task, ret);
	name = opened ? call->name : call->used;
	if (call->act == DESCRIPTOR_CHDIR)
		name = NULL;
	if (call->act == DESCRIPTOR_FCHDIR && ret >= 0)
		name = call->name;
	if (name) {
		show(descriptors, facts, name, opened ? (uint32_t)common->ret : FACTS_FIELD_NONE);
		facts->has |= 1u << DERIVED_FILE;
	}
	descriptor_begun_drop(&descriptors->tasks, call);
}

static struct descriptor_task *task_at(struct descriptors *descriptors, int32_t tid)
{
	struct descriptor_task *task = descriptor_task_at(&descriptors->tasks, tid);

	if (task && !task->known) {
		fd_table_set_open(task->table, descriptors->lists);
		task->known = true;
	}
	return task;
}

/* Whether events of any task may be missing at @time_ns, or before: then nothing is known. */
static bool is_in_gap(struct descriptors *descriptors, int64_t time_ns)
{
	const struct trace_gaps *gaps = descriptors->gaps;
	const bool more = descriptors->gap_count != gaps->count || gaps->failed;

	if (descriptors->gap_shortened != gaps->shortened) {
		descriptors->gap_shortened = gaps->shortened;
		descriptors->gap_until_ns = INT64_MIN;
		descriptors->gap_count = 0;
	}
	for (; descriptors->gap_count < gaps->count; descriptors->gap_count++) {
		const int64_t end = gaps->list[descriptors->gap_count].to_ns;

		if (end > descriptors->gap_until_ns)
			descriptors->gap_until_ns = end;
	}
	if (more)
		descriptors_forget(descriptors);
	return time_ns <= descriptors->gap_until_ns || gaps->failed;
}

void descriptors_take(struct descriptors *descriptors, const struct descriptor_fields *fields,
		      const struct event *event, struct event_facts *facts)
{
	struct descriptor_task *task;

	if (!descriptors->on || !fields->any || event->tid < 0)
		return;
	drop_shown(descriptors);
	facts->file_count = 0;
	descriptors->now = event->time_ns > 0 ? (uint64_t)event->time_ns : 1;
	if (is_in_gap(descriptors, event->time_ns))
		return;
	task = task_at(descriptors, event->tid);
	if (!task)
		return;
	if (fields->common.ends) {
		end(descriptors, task, fields, event, facts);
		task->seen = true;
		return;
	}
	begin(descriptors, task, fields, event, facts);
	task->seen = true;
	if (fields->act == DESCRIPTOR_EXIT) {
		descriptor_task_fini(&descriptors->tasks, task);
		map_remove(&descriptors->tasks.by_tid, &event->tid);
	}
}

/* Of a task that was there at the start: whose table and place it has, and which directory that is. */
static void note_task(struct descriptors *descriptors, struct descriptor_task *task, int32_t tid,
		      const struct descriptor_note *note, const struct event *event)
{
	const int32_t first_table = (int32_t)event_uint(event, note->table);
	const int32_t first_place = (int32_t)event_uint(event, note->place);
	struct descriptor_birth *own = map_at(&descriptors->tasks.listed, &tid), *of;
	struct file_name *path;

	if (!own)
		return;
	descriptor_birth_fini(own);
	of = map_get(&descriptors->tasks.listed, &first_table);
	if (of && of->table)
		share_table(descriptors, task, of->table);
	own->table = of || first_table == tid ? fd_table_ref(task->table) : NULL;
	if (own->table)
		fd_table_set_open(task->table, false);
	of = map_get(&descriptors->tasks.listed, &first_place);
	if (of && of->place)
		share_place(descriptors, task, of->place);
	own->place = place_ref(task->place);
	path = descriptor_noted(note, event);
	if (path && path->len && !task->place->changed)
		place_set(task->place, path, 0);
	file_name_unref(path);
}

static void note_file(struct descriptors *descriptors, const struct descriptor_task *task,
		      int32_t tid, int64_t fd, const struct descriptor_note *note,
		      const struct event *event)
{
	const struct descriptor_birth *own = map_get(&descriptors->tasks.listed, &tid);
	const bool cloexec = event_uint(event, note->cloexec);
	struct file_name *name;

	/* Since then it may have run another program, and have a table of its own. */
	if (!own || own->table != task->table)
		return;
	name = descriptor_noted(note, event);
	if (name)
		fd_table_note(task->table, fd, name, cloexec ? FD_EXEC_CLOSES : FD_EXEC_KEEPS,
			      descriptors->now);
	file_name_unref(name);
}

/* A call that is to end makes it. */
static void note_pair(struct descriptor_begun *call, int32_t fd)
{
	if (call->active && call->act == DESCRIPTOR_PAIR && call->pair_count < 2)
		call->pair[call->pair_count++] = fd;
}

void descriptors_note(struct descriptors *descriptors, const struct descriptor_note *note,
		      const struct event *event)
{
	const int32_t fd = descriptor_int(event, (int)note->fd);
	struct descriptor_task *task;

	if (!descriptors->on || event->tid < 0)
		return;
	descriptors->now = event->time_ns > 0 ? (uint64_t)event->time_ns : 1;
	if (is_in_gap(descriptors, event->time_ns))
		return;
	if (fd == DESCRIPTORS_LISTED)
		descriptor_listed_drop(&descriptors->tasks);
	if (fd < DESCRIPTOR_DIRECTORY)
		return;
	task = task_at(descriptors, event->tid);
	if (!task || (task->made && event_uint(event, note->table)))
		return;
	if (!event_uint(event, note->table))
		note_pair(&task->call, fd);
	else if (fd == DESCRIPTOR_DIRECTORY)
		note_task(descriptors, task, event->tid, note, event);
	else
		note_file(descriptors, task, event->tid, fd, note, event);
}

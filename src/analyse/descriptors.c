// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/descriptors.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "schema/calls.h"
#include "schema/event.h"
#include "schema/syscalls.h"
#include "schema/trace_info.h"

#define TASKS_MAX (1u << 16) /* beyond them all are forgotten */
#define BIRTHS_MAX 4096u

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
#define CLOEXEC 02000000u /* O_CLOEXEC, and flags of other calls, of x86 and of arm64 */

/* What a call does with descriptors. */
struct descriptor_call {
	const char *name;
	enum descriptor_act act;
	const char *made; /* DESCRIPTOR_MAKE: what it is */
	const char *flags; /* name of the argument with the flags; NULL: none */
	uint64_t cloexec; /* that of them which closes it at an exec */
	bool always; /* it is closed at an exec in any case */
};

static const struct descriptor_call descriptor_calls[] = {
	{"open", DESCRIPTOR_OPEN, NULL, "flags", CLOEXEC, false},
	{"openat", DESCRIPTOR_OPEN, NULL, "flags", CLOEXEC, false},
	{"creat", DESCRIPTOR_OPEN, NULL, NULL, 0, false},
	{"socket", DESCRIPTOR_MAKE, "socket", "type", CLOEXEC, false},
	{"accept", DESCRIPTOR_MAKE, "socket", NULL, 0, false},
	{"accept4", DESCRIPTOR_MAKE, "socket", "flags", CLOEXEC, false},
	{"eventfd", DESCRIPTOR_MAKE, "anon_inode:[eventfd]", NULL, 0, false},
	{"eventfd2", DESCRIPTOR_MAKE, "anon_inode:[eventfd]", "flags", CLOEXEC, false},
	{"epoll_create", DESCRIPTOR_MAKE, "anon_inode:[eventpoll]", NULL, 0, false},
	{"epoll_create1", DESCRIPTOR_MAKE, "anon_inode:[eventpoll]", "flags", CLOEXEC, false},
	{"timerfd_create", DESCRIPTOR_MAKE, "anon_inode:[timerfd]", "flags", CLOEXEC, false},
	{"inotify_init", DESCRIPTOR_MAKE, "anon_inode:inotify", NULL, 0, false},
	{"inotify_init1", DESCRIPTOR_MAKE, "anon_inode:inotify", "flags", CLOEXEC, false},
	{"perf_event_open", DESCRIPTOR_MAKE, "anon_inode:[perf_event]", "flags", 8, false},
	{"userfaultfd", DESCRIPTOR_MAKE, "anon_inode:[userfaultfd]", "flags", CLOEXEC, false},
	{"memfd_create", DESCRIPTOR_MAKE, NULL, "flags", 1, false},
	{"dup", DESCRIPTOR_DUP, NULL, NULL, 0, false},
	{"dup2", DESCRIPTOR_DUP_TO, NULL, NULL, 0, false},
	{"dup3", DESCRIPTOR_DUP_TO, NULL, "flags", CLOEXEC, false},
	{"fcntl", DESCRIPTOR_FCNTL, NULL, "cmd", 0, false},
	{"fcntl64", DESCRIPTOR_FCNTL, NULL, "cmd", 0, false},
	{"ioctl", DESCRIPTOR_IOCTL, NULL, "cmd", 0, false},
	{"close", DESCRIPTOR_CLOSE, NULL, NULL, 0, false},
	{"close_range", DESCRIPTOR_CLOSE_RANGE, NULL, "flags", 0, false},
	{"fork", DESCRIPTOR_FORK, NULL, NULL, 0, false},
	{"vfork", DESCRIPTOR_FORK, NULL, NULL, 0, false},
	{"clone", DESCRIPTOR_FORK, NULL, "clone_flags", 0, false},
	{"clone3", DESCRIPTOR_FORK, NULL, "uargs_flags", 0, false},
	{"unshare", DESCRIPTOR_UNSHARE, NULL, "unshare_flags", 0, false},
	{"execve", DESCRIPTOR_EXEC, NULL, NULL, 0, false},
	{"execveat", DESCRIPTOR_EXEC, NULL, NULL, 0, false},
	{"_exit", DESCRIPTOR_EXIT, NULL, NULL, 0, false},
	{"exit_group", DESCRIPTOR_EXIT, NULL, NULL, 0, false},
	{"chdir", DESCRIPTOR_CHDIR, NULL, NULL, 0, false},
	{"fchdir", DESCRIPTOR_FCHDIR, NULL, NULL, 0, false},
	{"io_uring_setup", DESCRIPTOR_URING, NULL, NULL, 0, false},
	{"io_uring_enter", DESCRIPTOR_URING, NULL, NULL, 0, false},
};
#define DESCRIPTOR_CALLS (sizeof(descriptor_calls) / sizeof(descriptor_calls[0]))

/* The current directory of tasks that share it. */
struct place {
	uint32_t refs;
	struct file_name *path; /* NULL: not known */
	uint64_t changed;
};

/* A call that a task is in. */
struct descriptor_begun {
	bool active;
	bool compat;
	bool flags_known;
	bool claimed; /* DESCRIPTOR_FORK: @child has been found to be the child */
	int32_t child;
	int64_t nr;
	uint64_t since;
	enum descriptor_act act;
	struct fd_table *table; /* that it was given */
	int64_t fd, last;
	uint64_t flags;
	enum fd_exec exec;
	struct file_name *name; /* what it opens */
	struct file_name *used; /* what its first descriptor is */
};

struct descriptor_task {
	struct fd_table *table;
	struct place *place;
	struct descriptor_begun call;
	uint64_t born; /* its parent is not known yet; 0: it is, or will not be */
};

/* What a child has of its parent. */
struct descriptor_birth {
	struct fd_table *table;
	struct place *place;
	bool twice; /* two parents: of several namespaces */
};

static struct place *place_new(struct file_name *path)
{
	struct place *place = calloc(1, sizeof(*place));

	if (place) {
		place->refs = 1;
		place->path = file_name_ref(path);
	}
	return place;
}

static struct place *place_ref(struct place *place)
{
	if (place)
		place->refs++;
	return place;
}

static void place_unref(struct place *place)
{
	if (!place || --place->refs)
		return;
	file_name_unref(place->path);
	free(place);
}

static void place_set(struct place *place, struct file_name *path, uint64_t now)
{
	(void)file_name_ref(path);
	file_name_unref(place->path);
	place->path = path;
	place->changed = now;
}

static void call_drop(struct descriptors *descriptors, struct descriptor_begun *call)
{
	if (call->active && call->act == DESCRIPTOR_FORK)
		descriptors->forking--;
	fd_table_unref(call->table);
	file_name_unref(call->name);
	file_name_unref(call->used);
	*call = (struct descriptor_begun){0};
}

static void task_fini(struct descriptors *descriptors, struct descriptor_task *task)
{
	call_drop(descriptors, &task->call);
	fd_table_unref(task->table);
	place_unref(task->place);
	*task = (struct descriptor_task){0};
}

static void birth_fini(struct descriptor_birth *birth)
{
	fd_table_unref(birth->table);
	place_unref(birth->place);
	*birth = (struct descriptor_birth){0};
}

static void drop_shown(struct descriptors *descriptors)
{
	for (size_t i = 0; i < FACTS_FILES_MAX; i++) {
		file_name_unref(descriptors->shown[i]);
		descriptors->shown[i] = NULL;
	}
}

static void drop_births(struct descriptors *descriptors)
{
	const void *key;
	size_t at = 0;
	void *value;

	while (map_next(&descriptors->births, &at, &key, &value))
		birth_fini(value);
	map_fini(&descriptors->births);
	map_init(&descriptors->births, sizeof(int32_t), sizeof(struct descriptor_birth),
		 BIRTHS_MAX);
}

static void drop_all(struct descriptors *descriptors)
{
	const void *key;
	size_t at = 0;
	void *value;

	drop_births(descriptors);
	while (map_next(&descriptors->tasks, &at, &key, &value))
		task_fini(descriptors, value);
	map_fini(&descriptors->tasks);
	map_init(&descriptors->tasks, sizeof(int32_t), sizeof(struct descriptor_task), TASKS_MAX);
}

void descriptors_forget(struct descriptors *descriptors)
{
	if (!descriptors->on)
		return;
	descriptors->missed = true;
	drop_all(descriptors);
}

static void find_forks(struct descriptors *descriptors, const struct trace_info *info)
{
	static const char *const names[4] = {"fork", "vfork", "clone", "clone3"};
	const struct trace_env *native = trace_info_env(info, "syscalls");
	const struct trace_env *compat = trace_info_env(info, "syscalls_compat");
	struct syscalls *calls =
		syscalls_new(native ? native->text : NULL, compat ? compat->text : NULL);

	for (size_t t = 0; t < 2; t++) {
		for (size_t i = 0; i < 4; i++)
			descriptors->fork_numbers[t][i] =
				calls ? syscalls_number(calls, t, names[i]) : -1;
	}
	syscalls_free(calls);
}

void descriptors_init(struct descriptors *descriptors, const struct trace_info *info, bool files)
{
	const struct trace_env *env = files ? trace_info_env(info, DERIVED_FILES_ENV) : NULL;

	*descriptors = (struct descriptors){
		.on = env && env->number && info->gaps,
		.gaps = info->gaps,
		.gap_until_ns = INT64_MIN,
		.alone = env && env->number != 1,
	};
	map_init(&descriptors->tasks, sizeof(int32_t), sizeof(struct descriptor_task), TASKS_MAX);
	map_init(&descriptors->births, sizeof(int32_t), sizeof(struct descriptor_birth),
		 BIRTHS_MAX);
	if (descriptors->on)
		find_forks(descriptors, info);
}

void descriptors_renew(struct descriptors *descriptors, const struct trace_info *info)
{
	if (descriptors->gaps != info->gaps)
		descriptors->gap_count = 0;
	descriptors->gaps = info->gaps;
	descriptors->on = descriptors->on && info->gaps;
}

void descriptors_fini(struct descriptors *descriptors)
{
	drop_shown(descriptors);
	drop_all(descriptors);
	map_fini(&descriptors->tasks);
	map_fini(&descriptors->births);
}

/* Tables and places that several tasks have stay those of all of them: what each has become, by its address. */
struct copying {
	struct descriptors *into;
	struct map copies;
	bool failed;
};

static void **copy_at(struct copying *copying, const void *of)
{
	void **copy = map_at(&copying->copies, &of);

	copying->failed |= !copy;
	return copy;
}

static struct fd_table *copy_table(struct copying *copying, const struct fd_table *table)
{
	void **copy = table ? copy_at(copying, table) : NULL;

	if (!copy)
		return NULL;
	if (*copy)
		return fd_table_ref(*copy);
	*copy = fd_table_clone(table, &copying->into->account);
	copying->failed |= !*copy;
	return *copy;
}

static struct place *copy_place(struct copying *copying, const struct place *place)
{
	void **copy = place ? copy_at(copying, place) : NULL;
	struct place *made;

	if (!copy)
		return NULL;
	if (*copy)
		return place_ref(*copy);
	*copy = made = place_new(place->path);
	copying->failed |= !made;
	if (made)
		made->changed = place->changed;
	return made;
}

static void copy_task(struct copying *copying, int32_t tid, const struct descriptor_task *from)
{
	struct descriptor_task *task = map_at(&copying->into->tasks, &tid);

	copying->failed |= !task;
	if (!task)
		return;
	*task = *from;
	task->table = copy_table(copying, from->table);
	task->place = copy_place(copying, from->place);
	task->call.table = copy_table(copying, from->call.table);
	(void)file_name_ref(task->call.name);
	(void)file_name_ref(task->call.used);
}

static void copy_birth(struct copying *copying, int32_t tid, const struct descriptor_birth *from)
{
	struct descriptor_birth *birth = map_at(&copying->into->births, &tid);

	copying->failed |= !birth;
	if (!birth)
		return;
	birth->table = copy_table(copying, from->table);
	birth->place = copy_place(copying, from->place);
	birth->twice = from->twice;
}

bool descriptors_copy(struct descriptors *into, const struct descriptors *from)
{
	struct copying copying = {.into = into};
	const void *key;
	size_t at = 0;
	void *value;

	drop_shown(into);
	drop_all(into);
	map_init(&copying.copies, sizeof(const void *), sizeof(void *), 0);
	while (map_next(&from->tasks, &at, &key, &value))
		copy_task(&copying, *(const int32_t *)key, value);
	at = 0;
	while (map_next(&from->births, &at, &key, &value))
		copy_birth(&copying, *(const int32_t *)key, value);
	map_fini(&copying.copies);
	into->now = from->now;
	into->missed = from->missed;
	if (from->gap_until_ns > into->gap_until_ns)
		into->gap_until_ns = from->gap_until_ns;
	into->forking = from->forking;
	return !copying.failed;
}

static const struct descriptor_call *find_call(const char *name)
{
	for (size_t i = 0; i < DESCRIPTOR_CALLS; i++) {
		if (!strcmp(descriptor_calls[i].name, name))
			return &descriptor_calls[i];
	}
	return NULL;
}

static bool is_text(const struct event_class *class, int field)
{
	return field >= 0 && (class->fields[field].kind == FIELD_TEXT ||
			      class->fields[field].kind == FIELD_STRING);
}

/* The text that argument @name points to, and what its state is where all of it was copied. */
static void find_path(struct descriptor_fields *fields, const struct event_class *class,
		      const char *name)
{
	const int path = event_class_find_any(class, name);
	char state[64];

	if (!is_text(class, path) || strlen(name) > sizeof(state) - sizeof("_state"))
		return;
	strcpy(state, name);
	strcat(state, "_state");
	fields->path_state = event_class_find_number(class, state);
	if (fields->path_state < 0)
		return;
	for (size_t i = 0; i < class->fields[fields->path_state].label_count; i++) {
		const struct field_label *label = &class->fields[fields->path_state].labels[i];

		if (strcmp(label->name, "whole") != 0)
			continue;
		fields->path = path;
		fields->whole = label->first;
	}
}

static void find_arg(struct descriptor_fields *fields, const struct event_class *class,
		     const struct call_arg *arg)
{
	const int field = event_class_find_number(class, arg->name);

	if (arg->kind == CALL_KIND_FD && field >= 0 && fields->fd_count < FACTS_FILES_MAX)
		fields->fds[fields->fd_count++] = (size_t)field;
	else if (arg->kind == CALL_KIND_DIRFD && field >= 0 && fields->dirfd < 0)
		fields->dirfd = field;
	else if (arg->kind == CALL_KIND_PATH && fields->path < 0)
		find_path(fields, class, arg->name);
}

static void find_args(struct descriptor_fields *fields, const struct event_class *class)
{
	const char *name = class->name + strlen(CALLS_PREFIX);
	const int row = calls_find(strcmp(name, "_exit") ? name : "exit", false);
	const struct call *call = row < 0 ? NULL : calls_get((size_t)row);

	for (size_t i = 0; call && i < call->arg_count; i++)
		find_arg(fields, class, &call->args[i]);
	fields->call = find_call(name);
	if (!fields->call)
		return;
	fields->act = fields->call->act;
	if (fields->call->flags)
		fields->flags = event_class_find_any(class, fields->call->flags);
	if (fields->act == DESCRIPTOR_FCNTL)
		fields->arg = event_class_find_number(class, "arg");
	if (fields->act == DESCRIPTOR_CLOSE_RANGE)
		fields->arg = event_class_find_number(class, "max_fd");
	if (fields->act == DESCRIPTOR_MAKE && !fields->call->made)
		find_path(fields, class, "label");
}

bool descriptor_fields_find(struct descriptor_fields *fields, const struct event_class *class)
{
	*fields = (struct descriptor_fields){
		.dirfd = -1, .path = -1, .path_state = -1, .flags = -1, .arg = -1};
	fields->any = call_fields_find(&fields->common, class);
	if (!fields->any || fields->common.ends)
		return fields->any;
	if (strcmp(class->name, CALLS_ENTRY) != 0)
		find_args(fields, class);
	else
		fields->act = DESCRIPTOR_OTHER;
	return true;
}

static int32_t int_of(const struct event *event, int field)
{
	return field < 0 ? -1 : (int32_t)event_uint(event, (size_t)field);
}

/* Puts @text behind what @path of @room bytes has; false: no room. */
static bool append(char *path, size_t room, size_t *len, const char *text, size_t text_len)
{
	if (text_len >= room - *len)
		return false;
	memcpy(path + *len, text, text_len);
	*len += text_len;
	return true;
}

/* What another path would be relative to; NULL: not known. */
static const struct file_name *base_of(const struct descriptor_task *task,
				       const struct descriptor_fields *fields,
				       const struct event *event)
{
	const int32_t dirfd = int_of(event, fields->dirfd);
	const struct file_name *base = fields->dirfd < 0 || dirfd == AT_FDCWD ?
					       task->place->path :
					       fd_table_get(task->table, dirfd);

	return base && *base->text == '/' ? base : NULL;
}

/* The path of the call, absolute if the directory is known. NULL: it is not all there, or too long. */
static struct file_name *path_of(const struct descriptor_task *task,
				 const struct descriptor_fields *fields, const struct event *event)
{
	char path[FACTS_FILE_BYTES];
	const struct file_name *base;
	const char *text;
	size_t size, len = 0;

	if (fields->path < 0 || !event_has(event, (size_t)fields->path) ||
	    (int64_t)event_uint(event, (size_t)fields->path_state) != fields->whole)
		return NULL;
	text = event_text(event, (size_t)fields->path, &size);
	if (!size)
		return NULL;
	base = *text == '/' ? NULL : base_of(task, fields, event);
	for (; base && size > 1 && text[0] == '.' && text[1] == '/'; size -= 2)
		text += 2;
	if (base && size == 1 && *text == '.')
		size = 0;
	if (base && !append(path, sizeof(path), &len, base->text, base->len))
		return NULL;
	if (base && size && path[len - 1] != '/' && !append(path, sizeof(path), &len, "/", 1))
		return NULL;
	if (!append(path, sizeof(path), &len, text, size))
		return NULL;
	return file_name_new(path, len);
}

/* What readlink(2) of /proc/PID/fd shows: "/memfd:NAME (deleted)", without what it says of every one. */
static struct file_name *memory_name(const struct descriptor_fields *fields,
				     const struct event *event)
{
	char name[FACTS_FILE_BYTES];
	const char *text;
	size_t size, len = 0;

	if (fields->path < 0 || !event_has(event, (size_t)fields->path) ||
	    (int64_t)event_uint(event, (size_t)fields->path_state) != fields->whole)
		return NULL;
	text = event_text(event, (size_t)fields->path, &size);
	if (!append(name, sizeof(name), &len, "/memfd:", 7) ||
	    !append(name, sizeof(name), &len, text, size))
		return NULL;
	return file_name_new(name, len);
}

static struct file_name *made_name(const struct descriptor_fields *fields,
				   const struct event *event)
{
	const char *made = fields->call->made;

	return made ? file_name_new(made, strlen(made)) : memory_name(fields, event);
}

static enum fd_exec exec_of(const struct descriptor_call *call,
			    const struct descriptor_begun *begun)
{
	if (call->always)
		return FD_EXEC_CLOSES;
	if (!call->flags)
		return FD_EXEC_KEEPS;
	if (!call->cloexec || !begun->flags_known)
		return FD_EXEC_MAYBE;
	return begun->flags & call->cloexec ? FD_EXEC_CLOSES : FD_EXEC_KEEPS;
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
	from = int_of(event, (int)fields->fds[0]);
	to = int_of(event, (int)fields->fds[1]);
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
			call->name = path_of(task, fields, event);
		break;
	case DESCRIPTOR_MAKE:
		call->name = made_name(fields, event);
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
		descriptors->forking++;
		break;
	case DESCRIPTOR_CHDIR:
		begin_chdir(task, path_of(task, fields, event), now);
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
			fd_table_get(task->table, int_of(event, (int)fields->fds[i]));

		if (!name)
			continue;
		show(descriptors, facts, name, (uint32_t)fields->fds[i]);
		if (!i)
			facts->has |= 1u << DERIVED_FILE;
	}
	if (fields->dirfd >= 0 && facts->file_count < FACTS_FILES_MAX) {
		struct file_name *name = fd_table_get(task->table, int_of(event, fields->dirfd));

		if (name)
			show(descriptors, facts, name, (uint32_t)fields->dirfd);
	}
}

/* The ends of calls that change others' view of a descriptor. */
static void end_removal(struct descriptor_begun *call)
{
	if (call->act == DESCRIPTOR_CLOSE || call->act == DESCRIPTOR_DUP_TO)
		fd_table_remove_end(call->table, call->fd);
	if (call->act == DESCRIPTOR_CLOSE_RANGE &&
	    !(call->flags & (CLOSE_RANGE_CLOEXEC_FLAG | CLOSE_RANGE_UNSHARE_FLAG)))
		fd_table_range_end(call->table);
}

/* Events of the task are missing, in which anything may have happened. */
static void lose_track(struct descriptors *descriptors, struct descriptor_task *task)
{
	if (task->call.active)
		end_removal(&task->call);
	call_drop(descriptors, &task->call);
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
		.fd = fields->fd_count ? int_of(event, (int)fields->fds[0]) : -1,
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
		call->exec = exec_of(fields->call, call);
	begin_act(descriptors, task, fields, event);
}

/* A task of its own: its table is not another one's any more. */
static void own_table(struct descriptors *descriptors, struct descriptor_task *task, uint64_t since)
{
	struct fd_table *own;

	if (!fd_table_is_shared(task->table))
		return;
	own = fd_table_copy(task->table, since, &descriptors->account);
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
				  fd_table_copy(task->table, call->since, &descriptors->account),
		.place = call->flags & CLONE_FS_FLAG ? place_ref(task->place) :
						       place_new(task->place->path),
	};
	if (ret->table && ret->place)
		return true;
	birth_fini(ret);
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
		fd_table_join(parent->table, child->table, descriptors->now);
		fd_table_unref(child->table);
		child->table = fd_table_ref(parent->table);
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
	kept = map_at(&descriptors->births, &tid);
	if (!kept) { /* full of children of other namespaces, which have other numbers */
		drop_births(descriptors);
		kept = map_at(&descriptors->births, &tid);
	}
	if (!kept) {
		birth_fini(&birth);
		return;
	}
	if (kept->table) {
		birth_fini(&birth);
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
		child = tid == task->call.child ? NULL :
						  map_get(&descriptors->tasks, &task->call.child);
		if (child) /* another one's, or it has another number in this namespace */
			lose_track(descriptors, child);
		return;
	}
	child = map_get(&descriptors->tasks, &tid);
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

	if (descriptors->forking != 1 || descriptors->missed)
		return NULL;
	while (map_next(&descriptors->tasks, &at, &key, &value)) {
		struct descriptor_task *task = value;

		if (task->call.active && task->call.act == DESCRIPTOR_FORK)
			return task->call.claimed ? NULL : task;
	}
	return NULL;
}

/* The first event of a task, which is the end of the call of its parent. */
static void be_born(struct descriptors *descriptors, struct descriptor_task *task, int32_t tid)
{
	struct descriptor_birth *birth = map_get(&descriptors->births, &tid), made;
	struct descriptor_task *parent;

	/* Of one that had its number before. */
	if (task->call.active)
		end_removal(&task->call);
	task_fini(descriptors, task);
	task->table = fd_table_new(&descriptors->account);
	task->place = place_new(NULL);
	if (!task->table || !task->place)
		return;
	task->born = descriptors->now;
	if (birth) {
		if (!birth->twice)
			adopt(task, birth);
		birth_fini(birth);
		map_remove(&descriptors->births, &tid);
		return;
	}
	parent = only_parent(descriptors);
	if (!parent || !make_birth(descriptors, parent, &made))
		return;
	parent->call.claimed = true;
	parent->call.child = tid;
	adopt(task, &made);
}

static bool is_fork(const struct descriptors *descriptors, bool compat, int64_t nr)
{
	for (size_t i = 0; i < 4; i++) {
		if (descriptors->fork_numbers[compat][i] == nr)
			return nr >= 0;
	}
	return false;
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
		call_drop(descriptors, call);
		return;
	}
	if (!call->active || call->nr != nr || call->compat != compat) {
		if (!ret && is_fork(descriptors, compat, nr))
			be_born(descriptors, task, event->tid);
		else
			lose_track(descriptors, task);
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
	call_drop(descriptors, call);
}

static struct descriptor_task *task_at(struct descriptors *descriptors, int32_t tid)
{
	struct descriptor_task *task = map_at(&descriptors->tasks, &tid);

	if (!task) {
		drop_all(descriptors);
		task = map_at(&descriptors->tasks, &tid);
	}
	if (!task)
		return NULL;
	if (!task->table)
		task->table = fd_table_new(&descriptors->account);
	if (!task->place)
		task->place = place_new(NULL);
	return task->table && task->place ? task : NULL;
}

/* Whether events of any task may be missing at @time_ns, or before: then nothing is known. */
static bool is_in_gap(struct descriptors *descriptors, int64_t time_ns)
{
	const struct trace_gaps *gaps = descriptors->gaps;
	const bool more = descriptors->gap_count != gaps->count || gaps->failed;

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
		return;
	}
	begin(descriptors, task, fields, event, facts);
	if (fields->act == DESCRIPTOR_EXIT) {
		task_fini(descriptors, task);
		map_remove(&descriptors->tasks, &event->tid);
	}
}

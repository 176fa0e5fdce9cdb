// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/descriptor_calls.h"

#include <string.h>

#include "schema/calls.h"
#include "schema/event.h"
#include "schema/syscalls.h"

#define CLOEXEC 02000000u /* O_CLOEXEC, and flags of other calls, of x86 and of arm64 */

static const struct descriptor_call descriptor_calls[] = {
	{"open", DESCRIPTOR_OPEN, NULL, "flags", CLOEXEC, false},
	{"openat", DESCRIPTOR_OPEN, NULL, "flags", CLOEXEC, false},
	{"creat", DESCRIPTOR_OPEN, NULL, NULL, 0, false},
	{"socket", DESCRIPTOR_MAKE, "socket", "type", CLOEXEC, false},
	{"socketpair", DESCRIPTOR_PAIR, "socket", "type", CLOEXEC, false},
	{"pipe", DESCRIPTOR_PAIR, "pipe", NULL, 0, false},
	{"pipe2", DESCRIPTOR_PAIR, "pipe", "flags", CLOEXEC, false},
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
	{"signalfd", DESCRIPTOR_MAKE, "anon_inode:[signalfd]", NULL, 0, false},
	{"signalfd4", DESCRIPTOR_MAKE, "anon_inode:[signalfd]", "flags", CLOEXEC, false},
	{"pidfd_open", DESCRIPTOR_MAKE, "anon_inode:[pidfd]", NULL, 0, true},
	{"fanotify_init", DESCRIPTOR_MAKE, "anon_inode:[fanotify]", "flags", 1, false},
	{"fsopen", DESCRIPTOR_MAKE, "anon_inode:[fscontext]", "flags", 1, false},
	{"landlock_create_ruleset", DESCRIPTOR_MAKE, "anon_inode:[landlock-ruleset]", NULL, 0,
	 true},
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

int32_t descriptor_int(const struct event *event, int field)
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

/* The path or name that the call was given; false: it takes none, or not all of it was recorded. */
static bool path_argument(const struct descriptor_fields *fields, const struct event *event,
			  const char **text, size_t *size)
{
	if (fields->path < 0 || !event_has(event, (size_t)fields->path) ||
	    (int64_t)event_uint(event, (size_t)fields->path_state) != fields->whole)
		return false;
	*text = event_text(event, (size_t)fields->path, size);
	return true;
}

struct file_name *descriptor_path(const struct descriptor_fields *fields, const struct event *event,
				  const struct file_name *base)
{
	char path[FACTS_FILE_BYTES];
	const char *text;
	size_t size, len = 0;

	if (!path_argument(fields, event, &text, &size) || !size)
		return NULL;
	if (*text == '/')
		base = NULL;
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

	if (!path_argument(fields, event, &text, &size))
		return NULL;
	if (!append(name, sizeof(name), &len, "/memfd:", 7) ||
	    !append(name, sizeof(name), &len, text, size))
		return NULL;
	return file_name_new(name, len);
}

struct file_name *descriptor_made(const struct descriptor_fields *fields, const struct event *event)
{
	const char *made = fields->call->made;

	return made ? file_name_new(made, strlen(made)) : memory_name(fields, event);
}

enum fd_exec descriptor_exec(const struct descriptor_call *call, const uint64_t *flags)
{
	if (call->always)
		return FD_EXEC_CLOSES;
	if (!call->flags)
		return FD_EXEC_KEEPS;
	if (!call->cloexec || !flags)
		return FD_EXEC_MAYBE;
	return *flags & call->cloexec ? FD_EXEC_CLOSES : FD_EXEC_KEEPS;
}

void descriptor_acts_find(uint8_t acts[2][CALL_NUMBERS], const struct syscalls *calls)
{
	memset(acts, calls ? DESCRIPTOR_NONE : DESCRIPTOR_OTHER, 2 * sizeof(acts[0]));
	for (size_t i = 0; calls && i < DESCRIPTOR_CALLS; i++) {
		for (size_t table = 0; table < 2; table++) {
			const int64_t nr = syscalls_number(calls, table, descriptor_calls[i].name);

			if (nr >= 0 && nr < CALL_NUMBERS)
				acts[table][nr] = (uint8_t)descriptor_calls[i].act;
		}
	}
}

void descriptor_note_find(struct descriptor_note *note, const struct event_class *class)
{
	static const char *const names[] = {"table", "place", "fd", "cloexec"};
	size_t *const numbers[] = {&note->table, &note->place, &note->fd, &note->cloexec};
	const int path = event_class_find(class, "path");

	*note = (struct descriptor_note){0};
	if (strcmp(class->name, DESCRIPTOR_NOTE) != 0 || !is_text(class, path))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const int field = event_class_find_number(class, names[i]);

		if (field < 0)
			return;
		*numbers[i] = (size_t)field;
	}
	note->path = (size_t)path;
	note->any = true;
}

/* As calls name them: without the number of a socket or pipe, and of memory without what is said of every one. */
struct file_name *descriptor_noted(const struct descriptor_note *note, const struct event *event)
{
	static const char memory[] = "/memfd:", deleted[] = " (deleted)";
	size_t len, at;
	const char *text = event_text(event, note->path, &len);

	at = len;
	if (len && *text != '/' && text[len - 1] == ']') {
		for (at = len - 1; at && text[at - 1] >= '0' && text[at - 1] <= '9';)
			at--;
		if (at > 2 && at < len - 1 && text[at - 1] == '[' && text[at - 2] == ':')
			len = at - 2;
	} else if (len > sizeof(memory) + sizeof(deleted) &&
		   !memcmp(text, memory, sizeof(memory) - 1) &&
		   !memcmp(text + len - sizeof(deleted) + 1, deleted, sizeof(deleted) - 1)) {
		len -= sizeof(deleted) - 1;
	}
	return len < FACTS_FILE_BYTES ? file_name_new(text, len) : NULL;
}

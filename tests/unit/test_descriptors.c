// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/descriptors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schema/event.h"
#include "schema/trace_info.h"

/* What the events of this test carry, all of them. */
struct payload {
	int32_t nr;
	int32_t compat;
	int64_t ret;
	int32_t fd;
	int32_t newfd;
	int32_t dfd;
	uint32_t flags;
	uint64_t clone_flags;
	uint32_t filename_state;
	uint32_t max_fd;
	uint32_t table;
	uint32_t place;
	uint32_t cloexec;
	uint64_t arg;
	char filename[600];
};

#define NUMBER_OF(NAME, MEMBER, SIGNED)                                          \
	{                                                                        \
		.name = NAME, .bits = 8 * sizeof(((struct payload *)0)->MEMBER), \
		.is_signed = SIGNED, .count = 1,                                 \
		.offset_bits = 8 * (uint32_t)offsetof(struct payload, MEMBER),   \
	}
#define NUMBER(MEMBER) NUMBER_OF(#MEMBER, MEMBER, true)

static const struct field_label states[] = {{0, 0, "whole"}, {1, 1, "cut"}};

enum {
	NR,
	COMPAT,
	RET,
	FD,
	OLDFD,
	FILDES,
	NEWFD,
	DFD,
	FLAGS,
	CLONE,
	STATE,
	PATH,
	MAX,
	CMD,
	ARG,
	UARGS,
	TABLE,
	PLACE,
	CLOEXEC,
	NOTED
};

static const struct field fields[] = {
	NUMBER(nr),
	NUMBER(compat),
	NUMBER(ret),
	NUMBER(fd),
	NUMBER_OF("oldfd", fd, true),
	NUMBER_OF("fildes", fd, true),
	NUMBER(newfd),
	NUMBER(dfd),
	NUMBER(flags),
	NUMBER(clone_flags),
	{.name = "filename_state",
	 .bits = 32,
	 .count = 1,
	 .offset_bits = 8 * (uint32_t)offsetof(struct payload, filename_state),
	 .labels = states,
	 .label_count = 2},
	{.name = "filename",
	 .kind = FIELD_TEXT,
	 .bits = 8,
	 .count = 600,
	 .offset_bits = 8 * (uint32_t)offsetof(struct payload, filename)},
	NUMBER(max_fd),
	NUMBER_OF("cmd", flags, false),
	NUMBER(arg),
	NUMBER_OF("uargs_flags", clone_flags, false),
	NUMBER(table),
	NUMBER(place),
	NUMBER(cloexec),
	{.name = "path",
	 .kind = FIELD_TEXT,
	 .bits = 8,
	 .count = 600,
	 .offset_bits = 8 * (uint32_t)offsetof(struct payload, filename)},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint32_t offsets[FIELDS];

enum class {
	EXIT,
	OPENAT,
	READ,
	CLOSE,
	CLOSE_RANGE,
	DUP,
	DUP2,
	FCNTL,
	CLONED,
	CLONED3,
	FORKED,
	EXEC,
	CHDIR,
	FCHDIR,
	UNSHARE,
	SOCKET,
	EXITS,
	URING,
	PIPE,
	CLASSES,
};

static const char *const names[CLASSES] = {
	[EXIT] = "sys.exit",	    [OPENAT] = "sys.openat",
	[READ] = "sys.read",	    [CLOSE] = "sys.close",
	[DUP] = "sys.dup",	    [DUP2] = "sys.dup2",
	[FCNTL] = "sys.fcntl",	    [CLONED] = "sys.clone",
	[CLONED3] = "sys.clone3",   [FORKED] = "sys.fork",
	[EXEC] = "sys.execve",	    [CHDIR] = "sys.chdir",
	[FCHDIR] = "sys.fchdir",    [UNSHARE] = "sys.unshare",
	[SOCKET] = "sys.socket",    [CLOSE_RANGE] = "sys.close_range",
	[EXITS] = "sys.exit_group", [URING] = "sys.io_uring_setup",
	[PIPE] = "sys.pipe2",
};

static struct event_class classes[CLASSES];
static struct descriptor_fields found[CLASSES];
static const struct trace_env env[] = {
	{.name = DERIVED_FILES_ENV, .number = 1},
	{.name = "syscalls", .text = "3 close,7 fcntl,8 clone,9 clone3,10 fork"},
};
static struct trace_gap gap;
static struct trace_gaps gaps;
static const struct trace_info info = {.env = env, .env_count = 2, .gaps = &gaps};
static struct descriptors descriptors;
static struct event_facts facts;
static int64_t now;

#define RUNNER 1
#define OTHER 2

static int set_up_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIELDS; i++)
		offsets[i] = fields[i].offset_bits;
	for (size_t i = 0; i < CLASSES; i++) {
		classes[i] = (struct event_class){.name = names[i],
						  .field_count = FIELDS,
						  .fields = fields,
						  .offsets = offsets,
						  .index = i};
		assert_true(descriptor_fields_find(&found[i], &classes[i]));
	}
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	now = 1000;
	gaps = (struct trace_gaps){0};
	descriptors_init(&descriptors, &info, 0, true);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	descriptors_fini(&descriptors);
	return 0;
}

static void put(enum class class, int32_t tid, struct payload payload)
{
	const struct event event = {.class = &classes[class],
				    .payload = (const uint8_t *)&payload,
				    .offsets = offsets,
				    .time_ns = now++,
				    .tid = tid};

	facts = (struct event_facts){0};
	descriptors_take(&descriptors, &found[class], &event, &facts);
}

/* The number of a call is that of its class. */
static void begins(int32_t tid, enum class class, struct payload payload)
{
	payload.nr = (int32_t) class;
	put(class, tid, payload);
}

static void ends(int32_t tid, enum class class, int64_t ret)
{
	put(EXIT, tid, (struct payload){.nr = (int32_t) class, .ret = ret});
}

static void calls(int32_t tid, enum class class, struct payload payload, int64_t ret)
{
	begins(tid, class, payload);
	ends(tid, class, ret);
}

static struct payload path(const char *text)
{
	struct payload payload = {.dfd = -100};

	strcpy(payload.filename, text);
	return payload;
}

static void opens(int32_t tid, const char *text, int64_t fd)
{
	calls(tid, OPENAT, path(text), fd);
}

static void shows(const char *name)
{
	assert_true(facts.has >> DERIVED_FILE & 1);
	assert_string_equal(facts.files[0].name, name);
	assert_int_equal(facts.files[0].len, strlen(name));
}

static void shows_nothing(void)
{
	assert_false(facts.has >> DERIVED_FILE & 1);
}

/* As a read of it has it, at its begin and its end. */
static void is(int32_t tid, int32_t fd, const char *name)
{
	begins(tid, READ, (struct payload){.fd = fd});
	shows(name);
	assert_int_equal(facts.files[0].field, FD);
	ends(tid, READ, 7);
	shows(name);
	assert_int_equal(facts.files[0].field, FACTS_FIELD_NONE);
}

static void is_unknown(int32_t tid, int32_t fd)
{
	begins(tid, READ, (struct payload){.fd = fd});
	shows_nothing();
	ends(tid, READ, 7);
	shows_nothing();
}

static void a_descriptor_is_what_was_opened(void **state)
{
	(void)state;
	opens(RUNNER, "/etc/hostname", 3);
	shows("/etc/hostname");
	assert_int_equal(facts.files[0].field, RET);
	is(RUNNER, 3, "/etc/hostname");
	is_unknown(RUNNER, 4);
	is_unknown(OTHER, 3);
	calls(RUNNER, SOCKET, (struct payload){0}, 4);
	shows("socket");
	is(RUNNER, 4, "socket");
}

static void an_open_that_fails_opens_nothing(void **state)
{
	(void)state;
	opens(RUNNER, "/none", -2);
	shows_nothing();
}

static void a_path_that_is_cut_is_unknown(void **state)
{
	struct payload cut = path("/very/lo");

	(void)state;
	cut.filename_state = 1;
	calls(RUNNER, OPENAT, cut, 3);
	shows_nothing();
	is_unknown(RUNNER, 3);
}

static void a_close_shows_what_it_closed(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	begins(RUNNER, CLOSE, (struct payload){.fd = 3});
	shows("/a");
	ends(RUNNER, CLOSE, 0);
	shows("/a");
	is_unknown(RUNNER, 3);
}

static void copies_have_the_same_name(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	calls(RUNNER, DUP, (struct payload){.fd = 3}, 4);
	is(RUNNER, 4, "/a");
	opens(RUNNER, "/b", 5);
	begins(RUNNER, DUP2, (struct payload){.fd = 3, .newfd = 5});
	assert_int_equal(facts.file_count, 2);
	assert_string_equal(facts.files[1].name, "/b");
	assert_int_equal(facts.files[1].field, NEWFD);
	ends(RUNNER, DUP2, 5);
	is(RUNNER, 5, "/a");
	calls(RUNNER, DUP2, (struct payload){.fd = 3, .newfd = 3}, 3);
	is(RUNNER, 3, "/a");
	calls(RUNNER, FCNTL, (struct payload){.fd = 3, .flags = 0, .arg = 10}, 10);
	is(RUNNER, 10, "/a");
	calls(RUNNER, DUP2, (struct payload){.fd = 77, .newfd = 3},
	      3); /* of one that is not known */
	is_unknown(RUNNER, 3);
}

static void relative_paths_are_joined(void **state)
{
	struct payload in = path("sub/x");

	(void)state;
	opens(RUNNER, "x", 3);
	is(RUNNER, 3, "x");
	calls(RUNNER, CHDIR, path("/tmp"), 0);
	opens(RUNNER, "x", 4);
	is(RUNNER, 4, "/tmp/x");
	opens(RUNNER, "./x", 5);
	is(RUNNER, 5, "/tmp/x");
	opens(RUNNER, ".", 6);
	is(RUNNER, 6, "/tmp");
	opens(RUNNER, "/", 7);
	in.dfd = 7;
	calls(RUNNER, OPENAT, in, 8);
	is(RUNNER, 8, "/sub/x");
	calls(RUNNER, CHDIR, path("/none"), -2);
	opens(RUNNER, "x", 9);
	is(RUNNER, 9, "/tmp/x");
	calls(RUNNER, FCHDIR, (struct payload){.fd = 7}, 0);
	opens(RUNNER, "x", 10);
	is(RUNNER, 10, "/x");
}

static void a_child_has_a_copy(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	calls(RUNNER, FORKED, (struct payload){0}, OTHER);
	ends(OTHER, FORKED, 0);
	is(OTHER, 3, "/a");
	calls(OTHER, CLOSE, (struct payload){.fd = 3}, 0);
	is_unknown(OTHER, 3);
	is(RUNNER, 3, "/a");
}

static void a_thread_has_the_same_table(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	calls(RUNNER, CLONED, (struct payload){.clone_flags = 0x400}, OTHER);
	ends(OTHER, CLONED, 0);
	opens(OTHER, "/b", 4);
	is(RUNNER, 4, "/b");
	calls(RUNNER, CLOSE, (struct payload){.fd = 3}, 0);
	is_unknown(OTHER, 3);
	calls(OTHER, UNSHARE, (struct payload){0}, 0);
	is(OTHER, 4, "/b");
}

/* The kernel half looks into the first argument of clone3. */
static void flags_that_are_not_readable_make_all_unknown(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	calls(RUNNER, CLONED3, (struct payload){.clone_flags = 0x400}, OTHER);
	ends(OTHER, CLONED3, 0);
	is(OTHER, 3, "/a");
	calls(RUNNER, CLONED3, (struct payload){.clone_flags = UINT64_MAX}, 7);
	ends(7, CLONED3, 0);
	is_unknown(7, 3);
	is_unknown(RUNNER, 3);
}

/* It runs before its parent's call ends. */
static void a_child_may_be_seen_first(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	opens(RUNNER, "/b", 4);
	begins(RUNNER, FORKED, (struct payload){0});
	ends(OTHER, FORKED, 0);
	is(OTHER, 3, "/a"); /* no other task is in a fork */
	ends(RUNNER, FORKED, OTHER);
	is(OTHER, 4, "/b");
}

static void a_child_of_one_of_two_parents_waits_for_its_own(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	opens(7, "/other", 3);
	begins(RUNNER, FORKED, (struct payload){0});
	begins(7, FORKED, (struct payload){0});
	ends(OTHER, FORKED, 0);
	is_unknown(OTHER, 3);
	opens(OTHER, "/own", 4);
	ends(RUNNER, FORKED, OTHER);
	is(OTHER, 3, "/a");
	is(OTHER, 4, "/own");
}

/* In another pid namespace a child has another number. */
static void a_child_of_another_number_is_unknown(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	begins(RUNNER, FORKED, (struct payload){0});
	ends(OTHER, FORKED, 0);
	ends(RUNNER, FORKED, 7);
	is_unknown(OTHER, 3);
	opens(7, "/b", 4);
	is_unknown(7, 3);
	is(RUNNER, 3, "/a");
}

static void an_exec_closes_what_it_is_to_close(void **state)
{
	struct payload closes = path("/closes");

	(void)state;
	closes.flags = 02000000;
	opens(RUNNER, "/keeps", 3);
	calls(RUNNER, OPENAT, closes, 4);
	calls(RUNNER, EXEC, path("/bin/x"), -2);
	is(RUNNER, 4, "/closes");
	calls(RUNNER, EXEC, path("/bin/x"), 0);
	is(RUNNER, 3, "/keeps");
	is_unknown(RUNNER, 4);
	calls(RUNNER, FCNTL, (struct payload){.fd = 3, .flags = 2, .arg = 1}, 0);
	calls(RUNNER, EXEC, path("/bin/y"), 0);
	is_unknown(RUNNER, 3);
}

static void ranges_are_closed(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	opens(RUNNER, "/b", 4);
	opens(RUNNER, "/c", 5);
	calls(RUNNER, CLOSE_RANGE, (struct payload){.fd = 4, .max_fd = UINT32_MAX, .flags = 4}, 0);
	is(RUNNER, 4, "/b");
	calls(RUNNER, CLOSE_RANGE, (struct payload){.fd = 4, .max_fd = 4}, 0);
	is(RUNNER, 3, "/a");
	is_unknown(RUNNER, 4);
	is(RUNNER, 5, "/c");
	calls(RUNNER, EXEC, path("/bin/x"), 0);
	is(RUNNER, 3, "/a");
	is_unknown(RUNNER, 5);
}

static void after_a_loss_nothing_is_known(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	descriptors_forget(&descriptors);
	is_unknown(RUNNER, 3);
	opens(RUNNER, "/b", 4);
	is(RUNNER, 4, "/b");
	begins(RUNNER, FORKED, (struct payload){0});
	ends(OTHER, FORKED, 0); /* maybe the child of one whose begin was lost */
	is_unknown(OTHER, 4);
}

/* Of the time, which other streams have events of. */
static void in_a_gap_nothing_is_known(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	gap = (struct trace_gap){now, now + 10};
	gaps = (struct trace_gaps){.list = &gap, .count = 1};
	is_unknown(RUNNER, 3);
	opens(RUNNER, "/b", 4);
	is_unknown(RUNNER, 4);
	now = gap.to_ns + 1;
	is_unknown(RUNNER, 3);
	is_unknown(RUNNER, 4);
	opens(RUNNER, "/c", 5);
	is(RUNNER, 5, "/c");
}

static void a_task_with_missing_events_is_unknown(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	begins(RUNNER, READ, (struct payload){.fd = 3});
	is_unknown(RUNNER, 3);
	opens(RUNNER, "/b", 3);
	ends(RUNNER, CLOSE, 0);
	is_unknown(RUNNER, 3);
}

static void a_ring_makes_all_unknown(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	calls(RUNNER, URING, (struct payload){0}, 4);
	is_unknown(RUNNER, 3);
	opens(RUNNER, "/b", 5);
	is_unknown(RUNNER, 5);
}

static void a_number_may_be_used_again(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	begins(RUNNER, EXITS, (struct payload){0});
	is_unknown(RUNNER, 3);
	opens(OTHER, "/b", 3);
	ends(OTHER, FORKED, 0); /* another one, whose parent was not seen */
	is_unknown(OTHER, 3);
}

static void a_copy_has_what_is_known(void **state)
{
	struct descriptors kept = descriptors;

	(void)state;
	opens(RUNNER, "/a", 3);
	calls(RUNNER, CLONED, (struct payload){.clone_flags = 0x400}, OTHER);
	begins(RUNNER, OPENAT, path("/b"));
	kept = descriptors;
	descriptors_init(&descriptors, &info, 0, true);
	assert_true(descriptors_copy(&descriptors, &kept));
	descriptors_fini(&kept);
	ends(RUNNER, OPENAT, 4);
	shows("/b");
	ends(OTHER, CLONED, 0);
	is(OTHER, 3, "/a");
	is(OTHER, 4, "/b");
}

static void without_all_calls_nothing_is_known(void **state)
{
	static const struct trace_info some = {0};

	(void)state;
	descriptors_fini(&descriptors);
	descriptors_init(&descriptors, &some, 0, true);
	opens(RUNNER, "/a", 3);
	shows_nothing();
	is_unknown(RUNNER, 3);
}

static const struct event_class note_class = {.name = "sonde.descriptor",
					      .field_count = FIELDS,
					      .fields = fields,
					      .offsets = offsets};

/* As the kernel half has them: @table and @place are the first tasks with these. */
static void notes(int32_t tid, int32_t table, int32_t place, int32_t fd, const char *text)
{
	struct payload payload = path(text);
	const struct event event = {.class = &note_class,
				    .payload = (const uint8_t *)&payload,
				    .offsets = offsets,
				    .time_ns = now++,
				    .tid = tid};
	struct descriptor_note note;

	payload.fd = fd;
	payload.table = (uint32_t)table;
	payload.place = (uint32_t)place;
	descriptor_note_find(&note, &note_class);
	assert_true(note.any);
	descriptors_note(&descriptors, &note, &event);
}

static void what_was_open_at_the_start_is_noted(void **state)
{
	(void)state;
	ends(RUNNER, READ, 7); /* of a call that began before */
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	notes(RUNNER, RUNNER, 0, 0, "/dev/null");
	notes(RUNNER, RUNNER, 0, 3, "socket:[1234]");
	notes(RUNNER, RUNNER, 0, 4, "/memfd:name (deleted)");
	notes(RUNNER, RUNNER, 0, 5, "/a:[7] (deleted)");
	notes(RUNNER, RUNNER, 0, 6, "anon_inode:[eventfd]");
	notes(0, 0, 0, -2, "");
	is(RUNNER, 0, "/dev/null");
	is(RUNNER, 3, "socket");
	is(RUNNER, 4, "/memfd:name");
	is(RUNNER, 5, "/a:[7] (deleted)");
	is(RUNNER, 6, "anon_inode:[eventfd]");
	is_unknown(OTHER, 0);
	opens(RUNNER, "x", 7);
	is(RUNNER, 7, "/tmp/x");
	calls(RUNNER, EXEC, (struct payload){0}, 0);
	is(RUNNER, 0, "/dev/null");
}

/* Not even the kernel half makes one: who writes the trace may have made anything. */
static void a_note_that_is_too_long_is_unknown(void **state)
{
	char text[FACTS_FILE_BYTES + 1];

	(void)state;
	memset(text, 'a', sizeof(text));
	*text = '/';
	text[FACTS_FILE_BYTES] = 0;
	notes(RUNNER, RUNNER, RUNNER, -1, text);
	notes(RUNNER, RUNNER, 0, 3, text);
	is_unknown(RUNNER, 3);
	opens(RUNNER, "x", 5);
	is(RUNNER, 5, "x");
	text[FACTS_FILE_BYTES - 1] = 0;
	notes(RUNNER, RUNNER, 0, 4, text);
	is(RUNNER, 4, text);
}

static void what_changed_since_the_start_is_not_as_noted(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	begins(RUNNER, CLOSE, (struct payload){.fd = 4});
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	notes(RUNNER, RUNNER, 0, 3, "/noted");
	notes(RUNNER, RUNNER, 0, 4, "/noted");
	ends(RUNNER, CLOSE, 0);
	is(RUNNER, 3, "/a");
	is_unknown(RUNNER, 4);
	ends(RUNNER, CLOSE, 0); /* of which the begin is missing */
	is_unknown(RUNNER, 3);
}

static void a_call_from_before_the_start_may_have_closed_it(void **state)
{
	(void)state;
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	notes(RUNNER, RUNNER, 0, 3, "/noted");
	ends(RUNNER, CLOSE, 0);
	is_unknown(RUNNER, 3);
}

static void tasks_share_what_notes_say_they_share(void **state)
{
	(void)state;
	opens(OTHER, "/b", 4);
	begins(OTHER, CLOSE, (struct payload){.fd = 5});
	calls(3, CHDIR, path("/home"), 0);
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	notes(OTHER, RUNNER, OTHER, -1, "/other");
	notes(3, 3, RUNNER, -1, "/tmp");
	notes(4, 5, 5, -1, "/tmp"); /* with one that is not listed */
	notes(RUNNER, RUNNER, 0, 3, "/noted");
	notes(RUNNER, RUNNER, 0, 5, "/noted");
	notes(4, 5, 0, 3, "/noted");
	notes(0, 0, 0, -2, "");
	is(RUNNER, 3, "/noted");
	is_unknown(RUNNER, 5); /* it is being closed */
	ends(OTHER, CLOSE, 0);
	is(OTHER, 3, "/noted");
	is_unknown(RUNNER, 4);
	is_unknown(3, 3);
	is_unknown(4, 3);
	calls(OTHER, CLOSE, (struct payload){.fd = 3}, 0);
	is_unknown(RUNNER, 3);
	opens(OTHER, "x", 6);
	is(RUNNER, 6, "/other/x");
	opens(RUNNER, "x", 7);
	is(RUNNER, 7, "x"); /* another one has changed their directory */
}

static void threads_stay_together_when_their_process_is_listed(void **state)
{
	(void)state;
	calls(RUNNER, CLONED, (struct payload){.clone_flags = 0x600}, OTHER);
	ends(OTHER, CLONED, 0);
	notes(3, 3, 3, -1, "/tmp");
	notes(RUNNER, 3, 3, -1, "/tmp");
	notes(3, 3, 0, 3, "/noted");
	is(RUNNER, 3, "/noted");
	is(OTHER, 3, "/noted");
	opens(OTHER, "x", 4);
	is(3, 4, "/tmp/x");
}

static void what_began_since_the_start_is_not_as_noted(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	calls(RUNNER, FORKED, (struct payload){0}, OTHER);
	ends(OTHER, FORKED, 0);
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	notes(OTHER, RUNNER, RUNNER, -1, "/tmp");
	notes(RUNNER, RUNNER, 0, 4, "/noted");
	is(OTHER, 3, "/a");
	is_unknown(OTHER, 4);
	is(RUNNER, 4, "/noted");
}

static void a_call_from_before_the_start_may_have_changed_what_an_exec_does(void **state)
{
	(void)state;
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	notes(RUNNER, RUNNER, 0, 3, "/noted");
	notes(RUNNER, RUNNER, 0, 4, "/noted");
	notes(0, 0, 0, -2, "");
	ends(RUNNER, FCNTL, 4);
	is(RUNNER, 3, "/noted");
	is_unknown(RUNNER, 4);
	calls(RUNNER, EXEC, (struct payload){0}, 0);
	is_unknown(RUNNER, 3);
}

static void only_the_first_call_may_be_from_before_the_start(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	ends(RUNNER, READ, 7);
	is_unknown(RUNNER, 3);
}

static void a_copy_to_itself_stays_as_it_is(void **state)
{
	struct payload closing = path("/a");

	(void)state;
	closing.flags = 02000000;
	calls(RUNNER, OPENAT, closing, 3);
	calls(RUNNER, DUP2, (struct payload){.fd = 3, .newfd = 3}, 3);
	is(RUNNER, 3, "/a");
	calls(RUNNER, EXEC, (struct payload){0}, 0);
	is_unknown(RUNNER, 3);
}

/* Of two namespaces of processes. */
static void a_child_with_two_parents_is_unknown(void **state)
{
	(void)state;
	opens(RUNNER, "/a", 3);
	opens(OTHER, "/b", 3);
	calls(RUNNER, FORKED, (struct payload){0}, 7);
	calls(OTHER, FORKED, (struct payload){0}, 7);
	ends(7, FORKED, 0);
	is_unknown(7, 3);
}

static void a_call_may_make_two(void **state)
{
	(void)state;
	begins(RUNNER, PIPE, (struct payload){.flags = 02000000});
	notes(RUNNER, 0, 0, 3, "");
	notes(RUNNER, 0, 0, 5, "");
	notes(RUNNER, 0, 0, 6, "");
	ends(RUNNER, PIPE, 0);
	is(RUNNER, 3, "pipe");
	is(RUNNER, 5, "pipe");
	is_unknown(RUNNER, 6);
	notes(RUNNER, 0, 0, 7, "");
	is_unknown(RUNNER, 7);
	calls(RUNNER, EXEC, (struct payload){0}, 0);
	is_unknown(RUNNER, 3);
}

/* Another task may be one of its threads. */
static void of_what_is_not_listed_nothing_is_known(void **state)
{
	(void)state;
	descriptors.lists = true;
	opens(RUNNER, "/a", 3);
	is_unknown(RUNNER, 3);
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	opens(RUNNER, "/b", 4);
	is(RUNNER, 4, "/b");
	opens(OTHER, "/c", 5);
	is_unknown(OTHER, 5);
	calls(OTHER, FORKED, (struct payload){0}, 3);
	ends(3, FORKED, 0);
	opens(3, "/d", 6);
	is(3, 6, "/d");

	calls(4, EXEC, (struct payload){0}, 0);
	opens(4, "/f", 8);
	is(4, 8, "/f");
}

static void after_a_loss_tasks_that_share_are_unknown(void **state)
{
	(void)state;
	descriptors.lists = true;
	notes(RUNNER, RUNNER, RUNNER, -1, "/tmp");
	notes(OTHER, OTHER, OTHER, -1, "/tmp");
	notes(3, OTHER, OTHER, -1, "/tmp");
	begins(RUNNER, READ, (struct payload){.fd = 3});
	descriptors_forget(&descriptors);
	descriptors_forget(&descriptors);
	opens(RUNNER, "/a", 3);
	is(RUNNER, 3, "/a");
	opens(OTHER, "/b", 4);
	is_unknown(OTHER, 4);
	opens(3, "/c", 5);
	is_unknown(3, 5);
	opens(4, "/d", 6);
	is_unknown(4, 6);
	descriptors_forget(&descriptors);
	opens(3, "/c", 5);
	is_unknown(3, 5);
}

/* Its tables count their slots together, wherever it is. */
static void it_may_be_moved(void **state)
{
	struct descriptors *moved = malloc(sizeof(*moved));

	(void)state;
	assert_non_null(moved);
	opens(RUNNER, "/a", 3);
	descriptors_init(moved, &info, 0, true);
	assert_true(descriptors_copy(moved, &descriptors));
	descriptors_fini(&descriptors);
	descriptors = *moved;
	memset(moved, 0xff, sizeof(*moved));
	is(RUNNER, 3, "/a");
	opens(RUNNER, "/b", 100);
	is(RUNNER, 100, "/b");
	free(moved);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_descriptor_is_what_was_opened),
		TEST(an_open_that_fails_opens_nothing),
		TEST(a_path_that_is_cut_is_unknown),
		TEST(a_close_shows_what_it_closed),
		TEST(copies_have_the_same_name),
		TEST(relative_paths_are_joined),
		TEST(a_child_has_a_copy),
		TEST(a_thread_has_the_same_table),
		TEST(flags_that_are_not_readable_make_all_unknown),
		TEST(a_child_may_be_seen_first),
		TEST(a_child_of_one_of_two_parents_waits_for_its_own),
		TEST(a_child_of_another_number_is_unknown),
		TEST(an_exec_closes_what_it_is_to_close),
		TEST(ranges_are_closed),
		TEST(after_a_loss_nothing_is_known),
		TEST(in_a_gap_nothing_is_known),
		TEST(a_task_with_missing_events_is_unknown),
		TEST(a_ring_makes_all_unknown),
		TEST(a_number_may_be_used_again),
		TEST(a_copy_has_what_is_known),
		TEST(without_all_calls_nothing_is_known),
		TEST(what_was_open_at_the_start_is_noted),
		TEST(a_note_that_is_too_long_is_unknown),
		TEST(what_changed_since_the_start_is_not_as_noted),
		TEST(a_call_from_before_the_start_may_have_closed_it),
		TEST(tasks_share_what_notes_say_they_share),
		TEST(threads_stay_together_when_their_process_is_listed),
		TEST(what_began_since_the_start_is_not_as_noted),
		TEST(a_call_from_before_the_start_may_have_changed_what_an_exec_does),
		TEST(only_the_first_call_may_be_from_before_the_start),
		TEST(a_copy_to_itself_stays_as_it_is),
		TEST(a_child_with_two_parents_is_unknown),
		TEST(a_call_may_make_two),
		TEST(of_what_is_not_listed_nothing_is_known),
		TEST(after_a_loss_tasks_that_share_are_unknown),
		TEST(it_may_be_moved),
	};

	return cmocka_run_group_tests(tests, set_up_all, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_fixture: a small trace made by hand, and a view of it whose output can be read back. For
 * the tests of src/view.
 */
#ifndef SONDE_TESTS_VIEW_FIXTURE_H
#define SONDE_TESTS_VIEW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/view.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "symbol/symbols.h"

#define FIXTURE_EVENTS 64u
#define FIXTURE_BYTES 256u
#define FIXTURE_EPOCH_NS 1700000000000000000ll /* 2023-11-14T22:13:20Z */

/* Fields are packed one behind the other; a string can only be the last. */
#define U(bits_, name_) .name = name_, .bits = (bits_), .count = 1
#define S(bits_, name_) U(bits_, name_), .is_signed = true
#define ADDRESS(name_) .name = name_, .bits = 8, .count = 16, .show = FIELD_SHOW_ADDRESS
#define TEXT16(name_) .name = name_, .bits = 8, .count = 16, .kind = FIELD_TEXT

static const struct field_label fixture_states[] = {{1, 1, "ESTABLISHED"},
						    {2, 2, "SYN_SENT"},
						    {7, 7, "CLOSE"}};
#define STATE(name_) U(32, name_), .labels = fixture_states, .label_count = 3

static const struct field enter_fields[] = {
	{U(64, "ip"), .show = FIELD_SHOW_HEX},
	{.name = "args", .bits = 64, .count = 2, .show = FIELD_SHOW_HEX},
	{S(31, "nr"), .show = FIELD_SHOW_SYSCALL},
	{U(1, "compat"), .show = FIELD_SHOW_FLAG},
};
static const struct field exit_fields[] = {
	{S(64, "ret"), .show = FIELD_SHOW_RESULT},
	{S(31, "nr"), .show = FIELD_SHOW_SYSCALL},
	{U(1, "compat"), .show = FIELD_SHOW_FLAG},
};
static const struct field switch_fields[] = {{U(32, "next_tid")},
					     {TEXT16("prev_comm")},
					     {TEXT16("next_comm")}};
static const struct field tcp_fields[] = {
	{U(64, "cookie")},	   {U(64, "bytes_acked")},
	{U(64, "bytes_received")}, {U(32, "srtt_us"), .unit = "us"},
	{U(32, "snd_cwnd")},	   {U(32, "total_retrans")},
	{STATE("state")},	   {U(16, "lport")},
	{U(16, "rport")},	   {ADDRESS("saddr")},
	{ADDRESS("daddr")},
};
static const struct field misc_fields[] = {
	{.name = "ratio", .bits = 64, .count = 1, .kind = FIELD_FLOAT, .is_signed = true},
	{.name = "list", .bits = 16, .count = 3, .is_signed = true},
	{U(16, "mode"), .show = FIELD_SHOW_OCTAL},
	{ADDRESS("peer")},
	{.name = "path", .bits = 8, .count = 1, .kind = FIELD_STRING},
};
static const struct field sequence_fields[] = {
	{U(8, "depth")},
	{.name = "stack", .bits = 16, .length = 1, .show = FIELD_SHOW_HEX},
};
static const struct field_label fixture_modes[] = {{0, 0, "USER"},
						   {1, 1, "NICE"},
						   {2, 2, "SYS"},
						   {3, 3, "IDLE"}};
static const struct field sample_fields[] = {
	{U(64, "pc"), .show = FIELD_SHOW_SYMBOL},
	{U(32, "pid")},
	{U(32, "state"), .labels = fixture_modes, .label_count = 4},
	{U(32, "missed")},
	{U(32, "kernel_depth")},
	{U(32, "user_depth")},
	{.name = "kernel_stack", .bits = 64, .length = 5, .show = FIELD_SHOW_SYMBOL},
	{.name = "user_stack", .bits = 64, .length = 6, .show = FIELD_SHOW_SYMBOL},
};
static const struct field_label fixture_dirfd[] = {{-100, -100, "AT_FDCWD"}};
static const struct field_label fixture_open[] = {{0, 0, "O_RDONLY"},
						  {1, 1, "O_WRONLY"},
						  {0100, 0100, "O_CREAT"}};
static const struct field openat_fields[] = {
	{S(32, "dfd"), .labels = fixture_dirfd, .label_count = 1},
	{U(64, "filename_ptr"), .show = FIELD_SHOW_HEX},
	{U(32, "flags"), .show = FIELD_SHOW_FLAGS, .labels = fixture_open, .label_count = 3},
	{U(32, "mode"), .show = FIELD_SHOW_OCTAL},
	{U(64, "ip"), .show = FIELD_SHOW_HEX},
	{S(31, "nr"), .show = FIELD_SHOW_SYSCALL},
	{U(1, "compat"), .show = FIELD_SHOW_FLAG},
};
static const struct field_label fixture_texts[] = {{0, 0, "whole"}, {1, 1, "cut"}};
/* The same with the text that is at filename_ptr. */
static const struct field chdir_fields[] = {
	{U(64, "filename_ptr"), .show = FIELD_SHOW_HEX},
	{S(31, "nr"), .show = FIELD_SHOW_SYSCALL},
	{U(1, "compat"), .show = FIELD_SHOW_FLAG},
	{U(8, "filename_state"), .labels = fixture_texts, .label_count = 2},
	{.name = "filename", .bits = 8, .count = 1, .kind = FIELD_STRING},
};
static const struct field exit_group_fields[] = {
	{S(32, "error_code")},
	{S(31, "nr"), .show = FIELD_SHOW_SYSCALL},
	{U(1, "compat"), .show = FIELD_SHOW_FLAG},
};
static const struct field note_fields[] = {{TEXT16("measurement")},
					   {U(32, "on")},
					   {U(32, "reason")}};
static const struct field task_fields[] = {{U(32, "tid")}, {U(32, "pid")}, {TEXT16("comm")}};

enum fixture_class {
	FIXTURE_LOST,
	FIXTURE_ENTER,
	FIXTURE_EXIT,
	FIXTURE_SWITCH,
	FIXTURE_TCP,
	FIXTURE_MISC,
	FIXTURE_TASK,
	FIXTURE_SEQUENCE,
	FIXTURE_SAMPLE,
	FIXTURE_OPENAT,
	FIXTURE_CHDIR,
	FIXTURE_EXIT_GROUP,
	FIXTURE_STATE,
	FIXTURE_CLASSES,
};

#define FIXTURE_CLASS(id_, name_, fields_, role_)                       \
	[id_] = {.id = (id_),                                           \
		 .name = (name_),                                       \
		 .role = (role_),                                       \
		 .field_count = sizeof(fields_) / sizeof((fields_)[0]), \
		 .fields = (fields_),                                   \
		 .index = (id_)}

struct fixture {
	struct event_class made[FIXTURE_CLASSES];
	const struct event_class *classes[FIXTURE_CLASSES];
	uint32_t offsets[FIXTURE_CLASSES][16];
	uint32_t sample_offsets[FIXTURE_EVENTS][8]; /* of samples: their stacks vary */
	struct trace_info info;
	struct event events[FIXTURE_EVENTS];
	uint8_t payloads[FIXTURE_EVENTS][FIXTURE_BYTES];
	size_t fill; /* bytes of the last payload */
	size_t count;
	struct select select;
	struct output out;
	struct view view;
};

static const struct trace_env fixture_env[] = {
	{"syscalls",
	 "0 read,1 write,9 mmap,39 getpid,80 chdir,110 getppid,231 exit_group,257 openat", 0},
	{"syscalls_compat", "20 getpid", 0},
};

static inline void fixture_classes(struct fixture *f)
{
	static const struct event_class classes[FIXTURE_CLASSES] = {
		FIXTURE_CLASS(FIXTURE_ENTER, "sys.enter", enter_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_EXIT, "sys.exit", exit_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_SWITCH, "sched.switch", switch_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_TCP, "tcp.ack", tcp_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_MISC, "misc.all", misc_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_TASK, "sonde.task", task_fields, EVENT_ROLE_TASK),
		FIXTURE_CLASS(FIXTURE_SEQUENCE, "seq.stack", sequence_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_SAMPLE, "cpu.sample", sample_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_OPENAT, "sys.openat", openat_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_CHDIR, "sys.chdir", chdir_fields, EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_EXIT_GROUP, "sys.exit_group", exit_group_fields,
			      EVENT_ROLE_PLAIN),
		FIXTURE_CLASS(FIXTURE_STATE, "sonde.state", note_fields, EVENT_ROLE_PLAIN),
	};
	size_t i, j;

	f->classes[FIXTURE_LOST] = &lost_class;
	for (i = 1; i < FIXTURE_CLASSES; i++) {
		uint32_t at = 0;

		f->made[i] = classes[i];
		f->made[i].offsets = f->offsets[i];
		f->classes[i] = &f->made[i];
		for (j = 0; j < classes[i].field_count; j++) {
			f->offsets[i][j] = at;
			at += classes[i].fields[j].bits * classes[i].fields[j].count;
		}
	}
}

/* @pattern: NULL = all classes. */
static inline void fixture_init(struct fixture *f, const char *pattern)
{
	memset(f, 0, sizeof(*f));
	fixture_classes(f);
	f->info = (struct trace_info){
		.class_count = FIXTURE_CLASSES,
		.classes = f->classes,
		.env_count = sizeof(fixture_env) / sizeof(fixture_env[0]),
		.env = fixture_env,
	};
	select_init(&f->select);
	if (pattern)
		assert_int_equal(select_add_pattern(&f->select, pattern, NULL), 0);
	assert_int_equal(select_bind(&f->select, &f->info, NULL), 0);
	output_init(&f->out, memfd_create("output", 0), false);
	f->view = (struct view){
		.analysis.info = &f->info,
		.analysis.select = &f->select,
		.analysis.names = task_names_new(&f->info),
		.analysis.known = known_new(&f->info),
		.out = &f->out,
	};
	assert_non_null(f->view.analysis.names);
	assert_non_null(f->view.analysis.known);
}

static inline void fixture_fini(struct fixture *f)
{
	task_names_free(f->view.analysis.names);
	known_free(f->view.analysis.known);
	symbols_free(f->info.symbols);
	select_fini(&f->select);
	close(f->out.fd);
	output_fini(&f->out);
}

/* The next event, @ns after FIXTURE_EPOCH_NS; its payload follows by fixture_put. */
static inline void fixture_event(struct fixture *f, enum fixture_class class, int64_t ns,
				 int32_t cpu, int32_t tid)
{
	assert_true(f->count < FIXTURE_EVENTS);
	f->fill = 0;
	f->events[f->count] = (struct event){
		.class = f->classes[class],
		.payload = f->payloads[f->count],
		.offsets = f->classes[class]->offsets,
		.time_ns = FIXTURE_EPOCH_NS + ns,
		.cpu = cpu,
		.tid = tid,
		.bytes = class == FIXTURE_LOST ? 0 : 40,
	};
	f->count++;
}

static inline void fixture_put(struct fixture *f, const void *bytes, size_t len)
{
	assert_true(f->fill + len <= FIXTURE_BYTES);
	if (!len)
		return;
	memcpy(f->payloads[f->count - 1] + f->fill, bytes, len);
	f->fill += len;
}

static inline void fixture_uint(struct fixture *f, uint64_t value, size_t bytes)
{
	fixture_put(f, &value, bytes); /* little-endian hosts only */
}

static inline void fixture_text16(struct fixture *f, const char *text)
{
	char padded[16] = {0};

	assert_true(strlen(text) < sizeof(padded));
	memcpy(padded, text, strlen(text));
	fixture_put(f, padded, sizeof(padded));
}

static inline void fixture_ipv4(struct fixture *f, uint8_t last)
{
	const uint8_t address[16] = {[10] = 0xff, [11] = 0xff, 10, 0, 0, last};

	fixture_put(f, address, sizeof(address));
}

static inline void fixture_enter(struct fixture *f, int64_t ns, int32_t tid, uint32_t nr,
				 bool compat)
{
	fixture_event(f, FIXTURE_ENTER, ns, 1, tid);
	fixture_uint(f, 0x7f0012345678, 8);
	fixture_uint(f, 1, 8);
	fixture_uint(f, 0, 8);
	fixture_uint(f, (nr & 0x7fffffff) | (uint32_t)compat << 31, 4);
}

static inline void fixture_exit(struct fixture *f, int64_t ns, int32_t tid, uint32_t nr,
				int64_t ret)
{
	fixture_event(f, FIXTURE_EXIT, ns, 1, tid);
	fixture_uint(f, (uint64_t)ret, 8);
	fixture_uint(f, nr & 0x7fffffff, 4);
}

static inline void fixture_openat(struct fixture *f, int64_t ns, int32_t tid, uint32_t flags)
{
	fixture_event(f, FIXTURE_OPENAT, ns, 1, tid);
	fixture_uint(f, (uint64_t)-100, 4);
	fixture_uint(f, 0x7ffd00001000, 8);
	fixture_uint(f, flags, 4);
	fixture_uint(f, 0644, 4);
	fixture_uint(f, 0x7f0012345678, 8);
	fixture_uint(f, 257, 4);
}

static inline void fixture_chdir(struct fixture *f, int64_t ns, int32_t tid, const char *path,
				 uint8_t state)
{
	fixture_event(f, FIXTURE_CHDIR, ns, 1, tid);
	fixture_uint(f, 0x7ffd00001000, 8);
	fixture_uint(f, 80, 4);
	fixture_uint(f, state, 1);
	fixture_put(f, path, strlen(path) + 1);
}

static inline void fixture_exit_group(struct fixture *f, int64_t ns, int32_t tid, int32_t code)
{
	fixture_event(f, FIXTURE_EXIT_GROUP, ns, 1, tid);
	fixture_uint(f, (uint32_t)code, 4);
	fixture_uint(f, 231, 4);
}

/* @reason: of enum state_reason (wire/note.h). */
static inline void fixture_state(struct fixture *f, int64_t ns, const char *measurement,
				 uint32_t reason)
{
	fixture_event(f, FIXTURE_STATE, ns, -1, 0);
	fixture_text16(f, measurement);
	fixture_uint(f, 0, 4);
	fixture_uint(f, reason, 4);
}

static inline void fixture_tcp(struct fixture *f, int64_t ns, uint64_t cookie, uint64_t acked,
			       uint32_t srtt)
{
	fixture_event(f, FIXTURE_TCP, ns, 0, 7);
	fixture_uint(f, cookie, 8);
	fixture_uint(f, acked, 8);
	fixture_uint(f, 5, 8);
	fixture_uint(f, srtt, 4);
	fixture_uint(f, 10, 4);
	fixture_uint(f, 3, 4);
	fixture_uint(f, 1, 4);
	fixture_uint(f, 5000, 2);
	fixture_uint(f, 80, 2);
	fixture_ipv4(f, 1);
	fixture_ipv4(f, 2);
}

static inline void fixture_switch(struct fixture *f, int64_t ns, int32_t cpu, int32_t prev,
				  const char *prev_comm, int32_t next, const char *next_comm)
{
	fixture_event(f, FIXTURE_SWITCH, ns, cpu, prev);
	fixture_uint(f, (uint32_t)next, 4);
	fixture_text16(f, prev_comm);
	fixture_text16(f, next_comm);
}

static inline void fixture_task(struct fixture *f, int64_t ns, int32_t tid, const char *comm)
{
	fixture_event(f, FIXTURE_TASK, ns, 0, -1);
	fixture_uint(f, (uint32_t)tid, 4);
	fixture_uint(f, (uint32_t)tid, 4);
	fixture_text16(f, comm);
}

static inline void fixture_lost(struct fixture *f, int64_t ns, int32_t cpu, uint64_t count,
				uint64_t nested, uint64_t packets)
{
	const struct lost_payload payload = {.count = count, .nested = nested, .packets = packets};

	fixture_event(f, FIXTURE_LOST, ns, cpu, -1);
	fixture_put(f, &payload, sizeof(payload));
}

static inline void fixture_misc(struct fixture *f, int64_t ns, double ratio, const char *path)
{
	const uint8_t loopback[16] = {[15] = 1};

	fixture_event(f, FIXTURE_MISC, ns, -1, -1);
	fixture_put(f, &ratio, sizeof(ratio));
	fixture_uint(f, 1, 2);
	fixture_uint(f, (uint16_t)-2, 2);
	fixture_uint(f, 3, 2);
	fixture_uint(f, 0644, 2);
	fixture_put(f, loopback, sizeof(loopback));
	fixture_put(f, path, strlen(path) + 1);
}

static inline void fixture_sequence(struct fixture *f, int64_t ns, uint8_t depth)
{
	fixture_event(f, FIXTURE_SEQUENCE, ns, -1, -1);
	fixture_uint(f, depth, 1);
	for (uint16_t i = 1; i <= depth; i++)
		fixture_uint(f, i * 10u, 2);
}

/* A sample with both stacks, each as its frames and their count. */
static inline void fixture_stacks(struct fixture *f, int64_t ns, uint32_t pid, uint32_t mode,
				  const uint64_t *kernel, uint32_t kernel_depth,
				  const uint64_t *user, uint32_t user_depth, uint64_t pc)
{
	uint32_t *offsets = f->sample_offsets[f->count];

	fixture_event(f, FIXTURE_SAMPLE, ns, 0, (int32_t)pid);
	memcpy(offsets, f->offsets[FIXTURE_SAMPLE], sizeof(f->sample_offsets[0]));
	offsets[7] = offsets[6] + kernel_depth * 64;
	f->events[f->count - 1].offsets = offsets;
	fixture_uint(f, pc, 8);
	fixture_uint(f, pid, 4);
	fixture_uint(f, mode, 4);
	fixture_uint(f, 0, 4); /* missed */
	fixture_uint(f, kernel_depth, 4);
	fixture_uint(f, user_depth, 4);
	fixture_put(f, kernel, kernel_depth * sizeof(*kernel));
	fixture_put(f, user, user_depth * sizeof(*user));
}

static inline void fixture_sample(struct fixture *f, int64_t ns, uint32_t pid, uint32_t mode,
				  uint64_t pc)
{
	fixture_stacks(f, ns, pid, mode, NULL, 0, NULL, 0, pc);
}

/* Kernel: outer at ...1000, inner at ...2000, 0x1000 long each. Process 7: program at 0x400000. */
static inline void fixture_symbols(struct fixture *f)
{
	static const uint8_t no_id[BUILD_ID_BYTES];
	struct symbols *s = symbols_new();
	const struct symbol_mapping mapping = {
		.start = 0x400000,
		.end = 0x500000,
		.pid = 7,
		.build_id = no_id,
		.path = "/no/such/program",
		.path_len = 16,
	};

	assert_non_null(s);
	f->info.symbols = s;
	assert_int_equal(symbols_add_kernel(s, 0xffffffff81001000, 0x1000, "outer", 5), 0);
	assert_int_equal(symbols_add_kernel(s, 0xffffffff81002000, 0x1000, "in\"ner", 6), 0);
	assert_int_equal(symbols_add_mapping(s, &mapping), 0);
}

/* Runs all events through @sink, frees it, and gives back what it wrote (static memory). */
static inline const char *fixture_run(struct fixture *f, struct event_sink *sink)
{
	static char text[65536];
	ssize_t len;

	assert_non_null(sink);
	assert_int_equal(sink->ops->batch(sink, f->events, f->count), 0);
	assert_int_equal(sink->ops->finish(sink), 0);
	sink->ops->free(sink);
	len = pread(f->out.fd, text, sizeof(text) - 1, 0);
	assert_true(len >= 0);
	text[len] = '\0';
	return text;
}

#endif /* SONDE_TESTS_VIEW_FIXTURE_H */

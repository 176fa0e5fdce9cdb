// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_form.h"

#include <string.h>

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A field in the words from word @at on; and if all of it is in the wide part, from word @wide on. */
#define FIELD(n, in, says) .name = n, .text = says, .unit = in, .scope = FIELD_SCOPE_OBJECT
#define WORD(at) .place[MEAS_IN_WORDS] = {4 * (at), 4}
#define PART(at, shift, bits) .place[MEAS_IN_WORDS] = {4 * (at), 4, shift, bits}
#define WIDE(at, words) .place[MEAS_IN_WIDE] = {4 * (at), 4 * (words)}
#define SIGNED .kind = RECORD_INT
#define HEX .show = FIELD_SHOW_HEX
#define FLAG .show = FIELD_SHOW_FLAG

#define PID_TEXT "process: the number of a task, below 65536 in the packed word"
#define JUNK_TEXT "low bits of the word, which mean nothing"
/* <16 bits of pid><8 bits of priority><8 bits of junk> */
#define PACKED(at)                                                                           \
	{FIELD("pid", NULL, PID_TEXT), PART(at, 16, 16), WIDE(4, 1), SIGNED},                \
		{FIELD("pri", NULL, "its priority: below 100 is real-time"), PART(at, 8, 8), \
		 WIDE(5, 1), SIGNED},                                                        \
	{                                                                                    \
		FIELD("junk", NULL, JUNK_TEXT), PART(at, 0, 8), HEX                          \
	}

#define MAJOR_MINOR(at)                                                               \
	{FIELD("major", NULL, "major number of the disk or partition"), WIDE(at, 1)}, \
	{                                                                             \
		FIELD("minor", NULL, "minor number"), WIDE((at) + 1, 1)               \
	}
#define DEVICE_TEXT "c5d0s3 as bits: lu << 8 | unit << 5 | section"
#define COMPAT(at)                                                                       \
	{                                                                                \
		FIELD("compat", NULL, "32-bit caller: its numbers are another table's"), \
			WIDE(at, 1), FLAG                                                \
	}

static const struct field_label trap_labels[] = {{0, 0, "NONE"},
						 {1, 1, "FAULT_USER"},
						 {2, 2, "FAULT_KERNEL"},
						 {3, 3, "SIGNAL"}};

static const struct field_label state_labels[] = {{0, 0, "user"},
						  {1, 1, "nice"},
						  {2, 2, "sys"},
						  {3, 3, "idle"}};

/* clang-format off */
static const struct record_field no_fields[] = {{0}};

static const struct record_field packed_fields[] = {PACKED(2), {0}};

static const struct record_field trap_fields[] = {
	PACKED(2),
	{FIELD("type", NULL, "what it was, as far as that was seen; NONE mostly is the clock"), WORD(3),
	 RECORD_LABELS(trap_labels)},
	{FIELD("address", NULL, "of a fault the address that was touched, or the signal's number"), WORD(4), WIDE(6, 2),
	 HEX},
	{0},
};

static const struct record_field sleep_fields[] = {
	PACKED(2),
	{FIELD("address", NULL, "what it sleeps in: the kernel function, or 0"), WORD(3), WIDE(6, 2), HEX},
	{0},
};

static const struct record_field exec_fields[] = {
	{FIELD("pid", NULL, PID_TEXT), PART(0, 16, 16), WIDE(4, 1), SIGNED},
	{FIELD("junk", NULL, JUNK_TEXT), PART(0, 0, 16), HEX},
	{0},
};

static const struct record_field disc_fields[] = {
	{FIELD("size", "bytes", "length of the transfer"), WORD(2)},
	{FIELD("device", NULL, DEVICE_TEXT), WORD(3), HEX},
	{FIELD("block", "sectors", "block number: sector of the disk"), WORD(4), WIDE(4, 2)},
	{FIELD("cylinder", NULL, "cylinder, from 1; 0 before release 3.0: the request arrives"), WORD(5)},
	{FIELD("read", NULL, "1 = read, 0 = anything else"), WORD(6), FLAG},
	MAJOR_MINOR(6),
	{FIELD("request", NULL, "number of the request until it has ended"), WIDE(8, 1), HEX},
	{0},
};

static const struct record_field cache_fields[] = {
	{FIELD("size", "bytes", "how much of the file"), WORD(2)},
	{FIELD("device", NULL, DEVICE_TEXT), WORD(3), HEX},
	{FIELD("block", "pages", "block number: first page in the file"), WORD(4), WIDE(4, 2)},
	{FIELD("hit", NULL, "1 = the cache had it, no transfer was needed"), WORD(5), FLAG},
	MAJOR_MINOR(6),
	{FIELD("inode", NULL, "number of the file in its file system"), WIDE(8, 2)},
	{0},
};

static const struct record_field sampler_fields[] = {
	{FIELD("pid", NULL, "process, -1 = none"), WORD(0), SIGNED},
	{FIELD("pc", NULL, "program counter"), WORD(1), WIDE(4, 2), HEX},
	{FIELD("state", NULL, "what the CPU is at"), WORD(2), RECORD_LABELS(state_labels)},
	{FIELD("missed", "samples", "samples due on this CPU since the last and not taken"), WIDE(6, 1)},
	{0},
};

static const struct record_field timeshare_fields[] = {
	{FIELD("cylinder", NULL, "of the new request, negative = real-time"), WORD(2), SIGNED},
	{FIELD("length", "requests", "how many wait"), WORD(3)},
	MAJOR_MINOR(4),
	{0},
};

static const struct record_field start_fields[] = {
	{FIELD("pid", NULL, "process: the number of a task"), WORD(2), SIGNED},
	{FIELD("syscall_num", NULL, "number of the system call"), WORD(3), SIGNED, .show = FIELD_SHOW_SYSCALL},
	{FIELD("ret_ptr", NULL, "address in the program where the call was made"), WORD(4), WIDE(4, 2), HEX},
	{FIELD("args", NULL, "arguments as passed"), WORD(5), WIDE(6, 2), .count = 6, HEX},
	COMPAT(18),
	{0},
};

static const struct record_field end_fields[] = {
	{FIELD("pid", NULL, "process: the number of a task"), WORD(2), SIGNED},
	{FIELD("val1", NULL, "what the call returned, or -errno"), WORD(3), WIDE(4, 2), SIGNED,
	 .show = FIELD_SHOW_RESULT},
	{FIELD("val2", NULL, "a second value: of no call of Linux"), WORD(4), SIGNED},
	{FIELD("syscall_num", NULL, "number of the system call"), WIDE(6, 1), SIGNED, .show = FIELD_SHOW_SYSCALL},
	COMPAT(7),
	{0},
};

/* As the first fields of struct lost_payload (schema/lost.h). */
static const struct record_field lost_fields[] = {
	{FIELD("count", "events", "events lost"), WORD(2), WIDE(4, 2)},
	{FIELD("nested", "events", "of these, contexts nested too deep"), WIDE(6, 2)},
	{FIELD("recursion", "events", "of these, a program was running already"), WIDE(8, 2)},
	{FIELD("packets", "packets", "whole packets that were overwritten"), WIDE(10, 2)},
	{FIELD("level", NULL, "context level"), WIDE(12, 1)},
	{0},
};
/* clang-format on */

#define TIMED(the_id, n, says, word_count, list)                                    \
	{                                                                           \
		.id = the_id, .name = "meas." n, .text = says, .words = word_count, \
		.fields = list,                                                     \
	}
#define DISC(the_id, n, says) TIMED(the_id, n, says, 7, disc_fields)
#define CACHE(the_id, n, says) TIMED(the_id, n, says, 6, cache_fields)

static const struct meas_form forms[] = {
	TIMED(MEAS_TRAP, "trap", "a trap takes the CPU from a process", 5, trap_fields),
	TIMED(MEAS_SLEEP, "sleep", "a process gives up the CPU to wait for an event", 4,
	      sleep_fields),
	TIMED(MEAS_SWTCH, "swtch", "the CPU goes from this process to another", 3, packed_fields),
	TIMED(MEAS_SETRQ, "setrq", "a process is put on the run queue", 3, packed_fields),
	TIMED(MEAS_REMRQ, "remrq", "a process is taken off the run queue, to run", 3,
	      packed_fields),
	TIMED(MEAS_SYSCALL, "syscall", "the CPU is taken from a process within a system call", 3,
	      packed_fields),
	{
		.id = MEAS_EXEC,
		.part = 0,
		.name = "meas.exec",
		.text = "a program is started, the first of three records: by which task",
		.time_word = MEAS_NO_TIME,
		.words = 1,
		.fields = exec_fields,
	},
	{
		.id = MEAS_EXEC,
		.part = 1,
		.shape = MEAS_SHAPE_NAME,
		.name = "meas.exec_name",
		.text = "the second: the program's name",
		.time_word = MEAS_NO_TIME,
		.fields = no_fields,
	},
	{
		.id = MEAS_EXEC,
		.part = 2,
		.name = "meas.exec_time",
		.text = "the third: when",
		.words = 2,
		.fields = no_fields,
	},
	TIMED(MEAS_EXIT, "exit", "a process ends", 3, packed_fields),
	DISC(MEAS_DISC_IO, "disc_io_id", "a request reaches the driver, or the disk has done it"),
	DISC(MEAS_DISC_CTD, "disc_ctd_id", "the same of a cartridge tape"),
	CACHE(MEAS_BREAD_READ, "bread_read", "a buffered read"),
	CACHE(MEAS_BWRITE, "bwrite", "a buffered write that is waited for"),
	CACHE(MEAS_BDWRITE, "bdwrite", "a delayed write"),
	CACHE(MEAS_BREADA_READ, "breada_read", "a read with read-ahead: the requested part"),
	CACHE(MEAS_BREADA_READA, "breada_reada", "a read with read-ahead: the part read ahead"),
	{
		.id = MEAS_SAMPLER,
		.name = "meas.sampler",
		.text = "what a CPU is at",
		.time_word = 3,
		.words = 5,
		.fields = sampler_fields,
	},
	DISC(MEAS_DISC2_IO, "disc2_io_id", "the same of the second driver"),
	{
		.id = MEAS_TIMESHARE_INSERT,
		.shape = MEAS_SHAPE_QUEUE,
		.name = "meas.timeshare_insert",
		.text = "a request is put into the queue of a disk",
		.words = 4,
		.fields = timeshare_fields,
	},
	TIMED(MEAS_SYSCALLSTART, "syscallstart", "a system call begins", 11, start_fields),
	TIMED(MEAS_SYSCALLEXIT, "syscallexit", "a system call ends", 5, end_fields),
	DISC(MEAS_DISC_IO_QUEUE, "disc_io_queue", "a request reaches the driver"),
	DISC(MEAS_DISC_IO_ISSUE, "disc_io_issue", "a request is handed to the disk"),
	DISC(MEAS_DISC_IO_COMPLETE, "disc_io_complete", "the disk has done a request"),
	DISC(MEAS_DISC2_IO_QUEUE, "disc2_io_queue", "a request reaches the second driver"),
	DISC(MEAS_DISC2_IO_ISSUE, "disc2_io_issue", "a request is handed to the disk"),
	DISC(MEAS_DISC2_IO_COMPLETE, "disc2_io_complete", "the disk has done a request"),
	TIMED(MEAS_LOST, "lost", "events are missing here", 3, lost_fields),
};

#define NEEDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *const need_disk[] = {"disk.queue",	"disk.issue", "disk.complete",
					"disk.requeue", "disk.merge", NULL};
static const char *const need_nothing[] = {NULL};

#define PACKED_TEXT "time, pid pri"
#define DISC_TEXT "time, size, device, block, cylinder, read"
#define CACHE_TEXT "time, size, device, block, hit"
#define EVER MEAS_RELEASE_3_0

static const struct meas_entry entries[] = {
	{MEAS_TRAP, MEAS_RELEASE_1_0, EVER, "trap", PACKED_TEXT ", type, address",
	 NEEDS("sched.switch", "sched.trap", "sys.enter", "sys.exit"), false, NULL},
	{MEAS_SLEEP, MEAS_RELEASE_1_0, EVER, "sleep", PACKED_TEXT ", address",
	 NEEDS("sched.switch"), true, NULL},
	{MEAS_SWTCH, MEAS_RELEASE_1_0, EVER, "swtch", PACKED_TEXT, NEEDS("sched.switch"), false,
	 NULL},
	{MEAS_SETRQ, MEAS_RELEASE_1_0, EVER, "setrq", PACKED_TEXT,
	 NEEDS("sched.switch", "sched.wakeup", "sched.wakeup_new"), false, NULL},
	{MEAS_REMRQ, MEAS_RELEASE_1_0, EVER, "remrq", PACKED_TEXT, NEEDS("sched.switch"), false,
	 NULL},
	{MEAS_SYSCALL, MEAS_RELEASE_1_0, EVER, "syscall", PACKED_TEXT,
	 NEEDS("sched.switch", "sys.enter", "sys.exit"), false, NULL},
	{MEAS_EXEC, MEAS_RELEASE_1_0, EVER, "exec", "pid; name; time", NEEDS("sched.exec"), false,
	 NULL},
	{MEAS_EXIT, MEAS_RELEASE_1_0, EVER, "exit", PACKED_TEXT, NEEDS("sched.exit"), false, NULL},
	{MEAS_DISC_IO, MEAS_RELEASE_1_0, MEAS_RELEASE_2_0, "disc_io_id", DISC_TEXT, need_disk,
	 false, NULL},
	{MEAS_DISC_CTD, MEAS_RELEASE_1_0, EVER, "disc_ctd_id", DISC_TEXT, need_nothing, false,
	 "Linux has no driver for the cartridge tapes of HP's CS/80 disks"},
	{MEAS_BREAD_READ, MEAS_RELEASE_1_0, EVER, "bread_read", CACHE_TEXT,
	 NEEDS("fs.read", "fs.readahead"), false, NULL},
	{MEAS_BWRITE, MEAS_RELEASE_1_0, EVER, "bwrite", CACHE_TEXT,
	 NEEDS("fs.writeback", "fs.fsync"), false, NULL},
	{MEAS_BDWRITE, MEAS_RELEASE_1_0, EVER, "bdwrite", CACHE_TEXT, NEEDS("fs.write"), false,
	 NULL},
	{MEAS_BREADA_READ, MEAS_RELEASE_1_0, EVER, "breada_read", CACHE_TEXT,
	 NEEDS("fs.readahead", "fs.read"), false, NULL},
	{MEAS_BREADA_READA, MEAS_RELEASE_1_0, EVER, "breada_reada", CACHE_TEXT,
	 NEEDS("fs.readahead", "fs.read"), false, NULL},
	{MEAS_SAMPLER, MEAS_RELEASE_1_0, EVER, "sampler", "pid, pc, state, time",
	 NEEDS("cpu.sample"), false, NULL},
	{MEAS_DISC2_IO, MEAS_RELEASE_1_1, MEAS_RELEASE_2_0, "disc2_io_id", DISC_TEXT, need_disk,
	 false, NULL},
	{MEAS_TIMESHARE_INSERT, MEAS_RELEASE_2_0, EVER, "timeshare_insert",
	 "time, cylinder, length, queue", need_disk, false, NULL},
	{MEAS_SYSCALLSTART, MEAS_RELEASE_3_0, EVER, "syscallstart",
	 "time, pid, syscall_num, ret_ptr, args", NEEDS("sys.enter"), false, NULL},
	{MEAS_SYSCALLEXIT, MEAS_RELEASE_3_0, EVER, "syscallexit", "time, pid, val1, val2",
	 NEEDS("sys.exit"), false, NULL},
	{MEAS_DISC_IO_QUEUE, MEAS_RELEASE_3_0, EVER, "disc_io_queue", DISC_TEXT, need_disk, false,
	 NULL},
	{MEAS_DISC_IO_ISSUE, MEAS_RELEASE_3_0, EVER, "disc_io_issue", DISC_TEXT, need_disk, false,
	 NULL},
	{MEAS_DISC_IO_COMPLETE, MEAS_RELEASE_3_0, EVER, "disc_io_complete", DISC_TEXT, need_disk,
	 false, NULL},
	{MEAS_DISC2_IO_QUEUE, MEAS_RELEASE_3_0, EVER, "disc2_io_queue", DISC_TEXT, need_disk, false,
	 NULL},
	{MEAS_DISC2_IO_ISSUE, MEAS_RELEASE_3_0, EVER, "disc2_io_issue", DISC_TEXT, need_disk, false,
	 NULL},
	{MEAS_DISC2_IO_COMPLETE, MEAS_RELEASE_3_0, EVER, "disc2_io_complete", DISC_TEXT, need_disk,
	 false, NULL},
};

const struct meas_entry *meas_entry_get(size_t i)
{
	return i < ARRAY_COUNT(entries) ? &entries[i] : NULL;
}

const struct meas_entry *meas_entry_find(uint16_t id)
{
	for (size_t i = 0; i < ARRAY_COUNT(entries); i++) {
		if (entries[i].id == id)
			return &entries[i];
	}
	return NULL;
}

const struct meas_entry *meas_entry_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(entries); i++) {
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	}
	return NULL;
}

bool meas_entry_in(const struct meas_entry *entry, uint16_t release)
{
	return release >= entry->from && release <= entry->until;
}

const struct meas_form *meas_form_get(size_t i)
{
	return i < ARRAY_COUNT(forms) ? &forms[i] : NULL;
}

const struct meas_form *meas_form_find(uint16_t id, uint8_t part)
{
	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		if (forms[i].id == id && forms[i].part == part)
			return &forms[i];
	}
	return NULL;
}

const struct meas_form *meas_form_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	}
	return NULL;
}

size_t meas_form_slots(const struct meas_form *form)
{
	size_t slots = 0;

	for (const struct record_field *field = form->fields; field->name; field++)
		slots += meas_field_count(field);
	return slots;
}

size_t meas_form_wide(const struct meas_form *form)
{
	size_t words = 0;

	for (const struct record_field *field = form->fields; field->name; field++)
		words += field->place[MEAS_IN_WIDE].bytes / 4u * meas_field_count(field);
	return words;
}

static const struct {
	const char *name;
	uint16_t release;
} releases[] = {
	{"1.0", MEAS_RELEASE_1_0},
	{"1.1", MEAS_RELEASE_1_1},
	{"2.0", MEAS_RELEASE_2_0},
	{"3.0", MEAS_RELEASE_3_0},
};

const char *meas_release_name(uint16_t release)
{
	for (size_t i = 0; i < ARRAY_COUNT(releases); i++) {
		if (releases[i].release == release)
			return releases[i].name;
	}
	return NULL;
}

uint16_t meas_release_parse(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(releases); i++) {
		if (!strcmp(releases[i].name, name))
			return releases[i].release;
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which records become of our events. The events are made here, by their fields' names.
 */
#include "record_format/meas/meas_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/view.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_head.h"
#include "record_format/meas/meas_record.h"
#include "schema/class_table.h"
#include "schema/event.h"
#include "schema/lost.h"

#define FIELDS 11u
#define SECOND 1000000000

/* A class, and the names of its fields: whole numbers of 64 bits, but for one name of a disk. */
struct kind {
	const char *name;
	const char *fields[FIELDS];
};

enum {
	SWITCH,
	WAKEUP,
	ENTER,
	LEAVE,
	TRAP,
	QUEUE,
	ISSUE,
	COMPLETE,
	MERGE,
	READ,
	AHEAD,
	SAMPLE,
	WRITE,
	WRITEBACK,
	OLD_WRITEBACK, /* of a trace in which it does not say how many bytes */
	KINDS
};

#define IO "disk", "request", "sector", "bytes", "major", "minor", "op", "prio_class"
#define PAGES "inode", "major", "minor", "kind", "index", "pages"

static const struct kind kinds[KINDS] = {
	[SWITCH] = {"sched.switch",
		    {"prev_state", "next_tid", "prev_prio", "next_prio", "nr", "wchan"}},
	[WAKEUP] = {"sched.wakeup", {"wake_tid", "prio"}},
	[ENTER] = {"sys.enter", {"nr", "ip", "args"}},
	[LEAVE] = {"sys.exit", {"nr", "ret"}},
	[TRAP] = {"sched.trap", {"kind", "address", "signal"}},
	[QUEUE] = {"disk.queue", {IO}},
	[ISSUE] = {"disk.issue", {IO}},
	[COMPLETE] = {"disk.complete", {IO, "left", "status"}},
	[MERGE] = {"disk.merge", {IO, "kind"}},
	[READ] = {"fs.read", {PAGES}},
	[AHEAD] = {"fs.readahead", {PAGES}},
	[SAMPLE] = {"cpu.sample", {"pc", "state", "missed", "idle"}},
	[WRITE] = {"fs.write", {PAGES, "bytes"}},
	[WRITEBACK] = {"fs.writeback", {PAGES, "bytes"}},
	[OLD_WRITEBACK] = {"fs.writeback", {PAGES}},
};

struct bench {
	struct class_table *table;
	const struct event_class *classes[KINDS];
	struct trace_info info;
	struct select select;
	struct view view;
	struct output out;
	struct event_sink *sink;
	char text[8192]; /* what was made, as "swtch 1 2; " */
	size_t len;
};

static void add_kind(struct bench *bench, size_t i)
{
	struct field fields[FIELDS];
	struct class_plan plan = {.name = kinds[i].name, .fields = fields};
	uint32_t at = 0;

	for (; plan.field_count < FIELDS && kinds[i].fields[plan.field_count]; plan.field_count++) {
		struct field *field = &fields[plan.field_count];
		const char *name = kinds[i].fields[plan.field_count];

		*field = (struct field){.name = name,
					.count = 1,
					.bits = 64,
					.align_bits = 64,
					.is_signed = true,
					.offset_bits = at};
		if (!strcmp(name, "disk")) {
			field->kind = FIELD_TEXT;
			field->bits = 8;
			field->count = 16;
			field->is_array = true;
		}
		at += field->bits * field->count;
	}
	plan.payload_bytes = at / 8;
	bench->classes[i] = class_table_add(bench->table, &plan);
	assert_non_null(bench->classes[i]);
}

/* The records, of @release, go to bench->text. */
static int take_bytes(void *ctx, const void *bytes, size_t len)
{
	struct bench *bench = ctx;
	static uint64_t slots[MEAS_RECORD_SLOTS_MAX];
	const struct meas_layout layout = {.wide = true};
	struct meas_record record = {.slots = slots};
	uint32_t words[MEAS_WORDS_MAX];
	const uint8_t *p = bytes, *end = p + len;

	if (meas_head_is(p, len))
		p += MEAS_HEAD_BYTES;
	for (; p < end; p += meas_record_bytes(&layout, p, (size_t)(end - p), NULL)) {
		size_t count;

		assert_int_equal(meas_record_unpack(&record, &layout, p, NULL), 0);
		count = meas_record_words(&record, words);
		bench->len += (size_t)snprintf(bench->text + bench->len,
					       sizeof(bench->text) - bench->len, "%s",
					       record.form->name + strlen("meas."));
		for (size_t i = 2; i < count; i++)
			bench->len += (size_t)snprintf(bench->text + bench->len,
						       sizeof(bench->text) - bench->len, " %d",
						       (int)words[i]);
		bench->len += (size_t)snprintf(bench->text + bench->len,
					       sizeof(bench->text) - bench->len, "; ");
	}
	return 0;
}

/* @ids: which are made, up to a 0. */
static void begin(struct bench *bench, uint16_t release, const uint16_t *ids)
{
	const struct meas_entry *entry;

	*bench = (struct bench){.table = class_table_new()};
	for (size_t i = 0; i < KINDS; i++)
		add_kind(bench, i);
	class_table_tell(bench->table, &bench->info);
	select_init(&bench->select);
	assert_int_equal(select_bind(&bench->select, &bench->info, NULL), 0);
	output_init(&bench->out, -1, false);
	bench->out.put = take_bytes;
	bench->out.put_ctx = bench;
	bench->view = (struct view){
		.analysis.info = &bench->info,
		.analysis.select = &bench->select,
		.analysis.names = task_names_new(&bench->info),
		.analysis.known = known_new(&bench->info),
		.out = &bench->out,
	};
	bench->sink = meas_sink_new(&bench->view.analysis, bench->view.out, release);
	assert_non_null(bench->sink);
	for (size_t i = 0; (entry = meas_entry_get(i)); i++)
		meas_sink_switch(bench->sink, entry->id, false);
	for (; *ids; ids++)
		meas_sink_switch(bench->sink, *ids, true);
}

/* One event of task @tid, @ms behind the first second; its fields, a disk's name apart, in order. */
static void happen(struct bench *bench, int kind, int32_t tid, int64_t ms, const int64_t *values)
{
	const struct event_class *class = bench->classes[kind];
	int64_t payload[FIELDS + 2] = {0};
	size_t count = class->payload_bytes / 8, from = 0;
	struct event event = {
		.class = class,
		.payload = (const uint8_t *)payload,
		.offsets = class->offsets,
		.time_ns = SECOND + ms * 1000000,
		.tid = tid,
	};

	if (class->fields[0].kind == FIELD_TEXT) {
		strcpy((char *)payload, values[0] ? "nvme0n1" : "sda");
		values++;
		from = 2;
	}
	memcpy(payload + from, values, (count - from) * sizeof(*values));
	assert_int_equal(bench->sink->ops->batch(bench->sink, &event, 1), 0);
}

#define HAPPEN(kind, tid, ms, ...) \
	happen(&bench, kind, tid, ms, (const int64_t[FIELDS]){__VA_ARGS__})

static void lose(struct bench *bench)
{
	const struct lost_payload lost = {.count = 3};
	const struct event event = {
		.class = &lost_class,
		.payload = (const uint8_t *)&lost,
		.offsets = lost_class.offsets,
		.time_ns = SECOND,
	};

	assert_int_equal(bench->sink->ops->batch(bench->sink, &event, 1), 0);
}

static void end(struct bench *bench, const char *wanted)
{
	assert_int_equal(bench->sink->ops->finish(bench->sink), 0);
	assert_string_equal(bench->text, wanted);
	bench->sink->ops->free(bench->sink);
	task_names_free(bench->view.analysis.names);
	known_free(bench->view.analysis.known);
	select_fini(&bench->select);
	output_fini(&bench->out);
	class_table_free(bench->table);
}

static const uint16_t sched_ids[] = {MEAS_TRAP,	 MEAS_SLEEP,   MEAS_SWTCH,	 MEAS_SETRQ,
				     MEAS_REMRQ, MEAS_SYSCALL, MEAS_SYSCALLEXIT, 0};

#define PACKED(pid, pri) ((pid) << 16 | (pri) << 8)

/* Whoever could have run on goes back to the run queue: out of a trap, or out of a call. */
static void test_sched(void **state)
{
	struct bench bench;
	char wanted[512];

	(void)state;
	begin(&bench, MEAS_RELEASE_3_0, sched_ids);
	HAPPEN(SWITCH, 7, 1, 0, 8, 120, 100, -1, 0);
	HAPPEN(ENTER, 8, 2, 1, 0, 0);
	HAPPEN(SWITCH, 8, 3, 0, 0, 100, 120, -1, 0);
	HAPPEN(SWITCH, 0, 4, 0, 8, 120, 100, -1, 0);
	HAPPEN(SWITCH, 8, 5, 1, 0, 100, 120, 1, 4096);
	HAPPEN(WAKEUP, 0, 6, 8, 100);
	HAPPEN(LEAVE, 8, 7, 1, -4);
	HAPPEN(SWITCH, 8, 8, 0x80, 0, 100, 120, -1, 0);
	snprintf(wanted, sizeof(wanted),
		 "trap %d 0 0; setrq %d; swtch %d; remrq %d; "
		 "syscall %d; setrq %d; swtch %d; "
		 "swtch %d; remrq %d; "
		 "sleep %d 4096; swtch %d; "
		 "setrq %d; syscallexit 8 -4 0; swtch %d; ",
		 PACKED(7, 120), PACKED(7, 120), PACKED(7, 120), PACKED(8, 100), PACKED(8, 100),
		 PACKED(8, 100), PACKED(8, 100), PACKED(0, 120), PACKED(8, 100), PACKED(8, 100),
		 PACKED(8, 100), PACKED(8, 100), PACKED(8, 100));
	end(&bench, wanted);
}

/* A trap that does nothing to the run queue is not told. */
static void test_trap(void **state)
{
	static const uint16_t ids[] = {MEAS_TRAP, 0};
	struct bench bench;
	char wanted[256];

	(void)state;
	begin(&bench, MEAS_RELEASE_3_0, ids);
	HAPPEN(TRAP, 7, 1, 0, 0x1234, 0); /* it goes on */
	HAPPEN(ENTER, 7, 2, 0, 0, 0);
	HAPPEN(LEAVE, 7, 3, 0, 0);
	HAPPEN(SWITCH, 7, 4, 1, 0, 120, 120, 0, 0);
	HAPPEN(TRAP, 7, 5, 1, 0x5678, 0); /* it waits for the disk */
	HAPPEN(SWITCH, 7, 6, 2, 0, 120, 120, -1, 0);
	HAPPEN(TRAP, 7, 7, 2, 0, 9); /* a signal, and the CPU is taken */
	HAPPEN(SWITCH, 7, 8, 0, 0, 120, 120, -1, 0);
	snprintf(wanted, sizeof(wanted), "trap %d 2 %d; trap %d 3 9; ", PACKED(7, 120), 0x5678,
		 PACKED(7, 120));
	end(&bench, wanted);
}

static const uint16_t disc_ids[] = {
	MEAS_DISC_IO,	     MEAS_DISC2_IO,	     MEAS_DISC_IO_QUEUE,
	MEAS_DISC_IO_ISSUE,  MEAS_DISC_IO_COMPLETE,  MEAS_DISC2_IO_QUEUE,
	MEAS_DISC2_IO_ISSUE, MEAS_DISC2_IO_COMPLETE, 0};

/* One request waits, one is taken at once, one was there before; the last is of another driver. */
static void transfers(struct bench *ret)
{
	happen(ret, QUEUE, 1, 1, (const int64_t[FIELDS]){0, 11, 16065, 4096, 8, 18, 0, 2});
	happen(ret, ISSUE, 1, 2, (const int64_t[FIELDS]){0, 11, 16065, 8192, 8, 18, 0, 2});
	happen(ret, COMPLETE, 0, 3, (const int64_t[FIELDS]){0, 11, 16065, 4096, 8, 18, 0, 2, 4096});
	happen(ret, COMPLETE, 0, 4, (const int64_t[FIELDS]){0, 11, 16073, 4096, 8, 18, 0, 2, 0});
	happen(ret, ISSUE, 1, 5, (const int64_t[FIELDS]){0, 12, 5, 512, 8, 0, 1, 2});
	happen(ret, COMPLETE, 0, 6, (const int64_t[FIELDS]){0, 12, 5, 512, 8, 0, 1, 2, 0});
	happen(ret, COMPLETE, 0, 7, (const int64_t[FIELDS]){0, 13, 6, 512, 8, 0, 1, 2, 0});
	happen(ret, QUEUE, 1, 8, (const int64_t[FIELDS]){1, 14, 7, 512, 259, 1, 0, 2});
}

static void test_disc_old(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, MEAS_RELEASE_1_1, disc_ids);
	transfers(&bench);
	end(&bench, "disc_io_id 4096 2082 16065 0 1; disc_io_id 8192 2082 16065 2 1; "
		    "disc_io_id 512 2048 5 0 0; disc_io_id 512 2048 5 1 0; "
		    "disc_io_id 512 2048 6 1 0; disc2_io_id 512 769 7 0 1; ");
}

static void test_disc_new(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, MEAS_RELEASE_3_0, disc_ids);
	transfers(&bench);
	end(&bench, "disc_io_queue 4096 2082 16065 2 1; disc_io_issue 8192 2082 16065 2 1; "
		    "disc_io_complete 8192 2082 16065 2 1; "
		    "disc_io_queue 512 2048 5 1 0; disc_io_issue 512 2048 5 1 0; "
		    "disc_io_complete 512 2048 5 1 0; disc_io_complete 512 2048 6 1 0; "
		    "disc2_io_queue 512 769 7 1 1; ");
}

/* In the order of arrival; a real-time request is negative; what has left is not in it. */
static void test_queue(void **state)
{
	static const uint16_t ids[] = {MEAS_TIMESHARE_INSERT, 0};
	struct bench bench;

	(void)state;
	begin(&bench, MEAS_RELEASE_2_0, ids);
	HAPPEN(QUEUE, 1, 1, 0, 1, 16065 * 6, 512, 8, 0, 0, 2);
	HAPPEN(QUEUE, 1, 2, 0, 2, 16065 * 2, 512, 8, 0, 0, 1);
	HAPPEN(ISSUE, 1, 3, 0, 1, 16065 * 6, 512, 8, 0, 0, 2);
	HAPPEN(QUEUE, 1, 4, 0, 3, 0, 512, 8, 0, 0, 2);
	lose(&bench);
	HAPPEN(QUEUE, 1, 5, 0, 4, 0, 512, 8, 0, 0, 2);
	end(&bench, "timeshare_insert 7 1 7; timeshare_insert -3 2 7 -3; "
		    "timeshare_insert 1 2 -3 1; lost 3; timeshare_insert 1 1 1; ");
}

static const uint16_t sampler_ids[] = {MEAS_SAMPLER, 0};

enum { USER = 0, IDLE = 3 };

/* One event stands for the samples of a CPU whose timer rested; a record stands for one sample. */
static void test_idle_samples(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, MEAS_RELEASE_3_0, sampler_ids);
	HAPPEN(SAMPLE, 7, 1, 4096, USER, 0, 0);
	HAPPEN(SAMPLE, 7, 2, 4096, USER, 1, 2);
	HAPPEN(SAMPLE, 0, 3, 0, IDLE, 0, 1);
	end(&bench, "sampler 0 1 1000; sampler 3 1 2000; sampler 3 1 2000; sampler 0 1 2000; "
		    "sampler 3 1 3000; sampler 3 1 3000; "); /* states and times */
}

static const uint16_t cache_ids[] = {MEAS_BREAD_READ, MEAS_BREADA_READ, MEAS_BREADA_READA, 0};

enum { LOOKUP, FILL };
enum { SYNC, ASYNC };

/* A read misses where its task waits for a read-ahead of it, before or behind. */
static void test_hit(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, MEAS_RELEASE_3_0, cache_ids);
	HAPPEN(READ, 1, 0, 5, 8, 1, LOOKUP, 10, 2); /* misses: it is told behind */
	HAPPEN(READ, 2, 1, 5, 8, 1, LOOKUP, 10, 2); /* another task's does not */
	HAPPEN(AHEAD, 1, 2, 5, 8, 1, SYNC, 10, 2);
	HAPPEN(READ, 1, 3, 5, 8, 1, FILL, 8, 4);
	HAPPEN(READ, 1, 3, 5, 8, 1, FILL, 12, 4); /* ahead */
	HAPPEN(READ, 1, 4, 5, 8, 1, LOOKUP, 10, 2); /* hits: it was told of already */
	HAPPEN(AHEAD, 1, 5, 6, 8, 1, SYNC, 10, 2); /* of another file */
	HAPPEN(READ, 1, 6, 5, 8, 1, LOOKUP, 30, 1);
	HAPPEN(AHEAD, 1, 60, 5, 8, 1, SYNC, 30, 1); /* much later: for something else */
	HAPPEN(AHEAD, 3, 61, 5, 8, 1, SYNC, 40, 1); /* before */
	HAPPEN(READ, 3, 90, 5, 8, 1, LOOKUP, 40, 1);
	HAPPEN(READ, 3, 91, 5, 8, 1, LOOKUP, 40, 1);
	HAPPEN(AHEAD, 3, 92, 5, 8, 1, ASYNC, 50, 1); /* nobody waits */
	HAPPEN(READ, 3, 93, 5, 8, 1, FILL, 50, 1);
	HAPPEN(READ, 3, 94, 5, 8, 1, LOOKUP, 50, 1);
	end(&bench, "bread_read 8192 2049 10 0; bread_read 8192 2049 10 1; "
		    "breada_read 8192 2049 10 0; breada_reada 16384 2049 12 0; "
		    "bread_read 8192 2049 10 1; "
		    "bread_read 4096 2049 30 1; "
		    "bread_read 4096 2049 40 0; "
		    "bread_read 4096 2049 40 1; breada_read 4096 2049 50 1; "
		    "breada_reada 4096 2049 50 0; bread_read 4096 2049 50 1; ");
}

/* A read with read-ahead is one with which more is taken in than was asked for. */
static void test_ahead(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, MEAS_RELEASE_3_0, cache_ids);
	HAPPEN(AHEAD, 1, 0, 5, 8, 1, SYNC, 10, 2); /* nothing ahead of these */
	HAPPEN(READ, 1, 1, 5, 8, 1, FILL, 10, 2);
	HAPPEN(READ, 1, 2, 5, 8, 1, LOOKUP, 10, 2);
	HAPPEN(READ, 1, 3, 5, 8, 1, FILL, 12, 1); /* it is written */
	HAPPEN(AHEAD, 1, 4, 5, 8, 1, SYNC, 20, 2);
	HAPPEN(READ, 1, 5, 5, 8, 1, FILL, 20, 8); /* a folio with pages of both */
	HAPPEN(READ, 1, 6, 5, 8, 1, FILL, 28, 8);
	HAPPEN(READ, 1, 7, 5, 8, 1, LOOKUP, 20, 2);
	HAPPEN(AHEAD, 2, 10, 5, 8, 1, SYNC, 40, 2);
	HAPPEN(READ, 2, 40, 5, 8, 1, FILL, 42, 2); /* much later: it is written */
	HAPPEN(AHEAD, 3, 50, 5, 8, 1, SYNC, 60, 1);
	HAPPEN(READ, 3, 51, 5, 8, 1, FILL, 61, 1);
	HAPPEN(AHEAD, 3, 52, 5, 8, 1, SYNC, 70, 1); /* the next of a task is another one */
	HAPPEN(READ, 3, 53, 5, 8, 1, FILL, 71, 1);
	end(&bench, "bread_read 8192 2049 10 0; breada_read 8192 2049 20 0; "
		    "breada_reada 24576 2049 22 0; breada_reada 32768 2049 28 0; "
		    "bread_read 8192 2049 20 0; "
		    "breada_read 4096 2049 60 0; breada_reada 4096 2049 61 0; "
		    "breada_read 4096 2049 70 0; breada_reada 4096 2049 71 0; ");
}

/* A folio is written in part: the bytes count, not its pages. */
static void test_write(void **state)
{
	static const uint16_t ids[] = {MEAS_BWRITE, MEAS_BDWRITE, 0};
	enum { START, END, WAIT, GIVEN };
	struct bench bench;

	(void)state;
	begin(&bench, MEAS_RELEASE_3_0, ids);
	HAPPEN(WRITE, 1, 0, 5, 8, 1, 0, 10, 1, 1024);
	HAPPEN(WRITEBACK, 1, 1, 5, 8, 1, START, 0, 4096, 0);
	HAPPEN(WRITEBACK, 1, 2, 5, 8, 1, GIVEN, 10, 1, 1024);
	HAPPEN(WRITEBACK, 1, 3, 5, 8, 1, WAIT, 0, 512, 0);
	HAPPEN(WRITEBACK, 1, 4, 5, 8, 1, END, 0, 512, 0);
	HAPPEN(OLD_WRITEBACK, 1, 5, 5, 8, 1, WAIT, 0, 2);
	HAPPEN(OLD_WRITEBACK, 1, 6, 5, 8, 1, END, 0, 3);
	end(&bench, "bdwrite 1024 2049 10 1; bwrite 1024 2049 10 0; bwrite 8192 2049 0 0; "
		    "bwrite 12288 2049 0 0; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sched),	     cmocka_unit_test(test_trap),
		cmocka_unit_test(test_disc_old),     cmocka_unit_test(test_disc_new),
		cmocka_unit_test(test_queue),	     cmocka_unit_test(test_hit),
		cmocka_unit_test(test_idle_samples), cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/byte_order.h"
#include "base/diag.h"
#include "record_format/pm/pm_head.h"
#include "schema/class_table.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

#define NUMBER(field, index)                                                       \
	{                                                                          \
		.name = field, .bits = 32, .count = 1, .offset_bits = 32 * (index) \
	}

static const struct field tcp_fields[] = {
	NUMBER("callvalue", 0), NUMBER("location", 1),	 NUMBER("lport", 2),
	NUMBER("rport", 3),	NUMBER("snd_cwnd", 4),	 NUMBER("mss", 5),
	NUMBER("snd_nxt", 6),	NUMBER("snd_una", 7),	 NUMBER("write_seq", 8),
	NUMBER("sndbuf", 9),	NUMBER("rcv_nxt", 10),	 NUMBER("copied_seq", 11),
	NUMBER("srtt_us", 12),	NUMBER("no_column", 13),
};
#define TCP_FIELDS (sizeof(tcp_fields) / sizeof(tcp_fields[0]))

static const uint32_t tcp_payload[TCP_FIELDS] = {
	[0] = 77,    [1] = 68,	       [2] = 1055,	 [3] = 5050, [4] = 1 << 22,
	[5] = 1448,  [6] = 0xfffffff0, [7] = 0xfffffff0, [8] = 16,   [9] = 87040,
	[10] = 5000, [11] = 4000,      [12] = 800,
};

static const struct pm_sheet_config config = {.version = "12.34.56-rc1", .cluster_bytes = 65536};

struct fixture {
	struct class_table *table;
	const struct event_class *tcp;
	const struct event_class *other;
	struct trace_info info;
	struct pm_writer *writer;
	struct buffer out;
	struct pm_head head;
};

static void set_up(struct fixture *f)
{
	const struct class_plan plan = {.name = "tcp.ack",
					.fields = tcp_fields,
					.field_count = TCP_FIELDS,
					.payload_bytes = sizeof(tcp_payload)};
	struct problem_list problems;

	*f = (struct fixture){.table = class_table_new()};
	f->tcp = class_table_add(f->table, &plan);
	f->other = class_table_add(f->table, &(struct class_plan){.name = "sys.enter"});
	class_table_tell(f->table, &f->info);
	buffer_init(&f->out);
	assert_int_equal(pm_writer_new(&f->info, &config, &f->writer, NULL, NULL), 0);
	pm_writer_head(f->writer, &f->out);
	problem_list_init(&problems);
	assert_int_equal(pm_head_parse((const uint8_t *)f->out.data, f->out.len, &f->head,
				       &problems, NULL),
			 0);
	assert_int_equal(problems.count, 0);
	assert_int_equal(f->head.bytes, f->out.len);
}

static void tear_down(struct fixture *f)
{
	pm_head_fini(&f->head);
	pm_writer_free(f->writer);
	buffer_fini(&f->out);
	class_table_free(f->table);
}

static void add(struct fixture *f, int64_t time_ns)
{
	struct event event = {.class = f->tcp,
			      .payload = (const uint8_t *)tcp_payload,
			      .offsets = f->tcp->offsets,
			      .time_ns = time_ns};

	pm_writer_event(f->writer, &event, &f->out);
}

static void lose(struct fixture *f, uint64_t count, uint64_t packets)
{
	struct lost_payload lost = {.count = count, .packets = packets};
	struct event event = {.class = &lost_class,
			      .payload = (const uint8_t *)&lost,
			      .offsets = lost_class.offsets};

	assert_true(pm_writer_takes(f->writer, &lost_class));
	pm_writer_event(f->writer, &event, &f->out);
}

/* What entry @i has in the column called @name, by the head that was written. */
static uint64_t value(const struct fixture *f, size_t i, const char *name)
{
	for (size_t j = 0; j < f->head.column_count; j++) {
		const struct pm_column *column = &f->head.columns[j];
		const char *entry = f->out.data + f->head.bytes + i * f->head.entry_bytes;

		if (!strcmp(column->name, name))
			return byte_order_load((const uint8_t *)entry + column->offset,
					       column->length,
					       column->flags == PM_FLAGS_NETWORK ? BYTE_ORDER_BIG :
										   BYTE_ORDER_HOST);
	}
	fail_msg("no column %s", name);
	return 0;
}

static const struct pm_column *find_column(const struct fixture *f, const char *name)
{
	for (size_t j = 0; j < f->head.column_count; j++) {
		if (!strcmp(f->head.columns[j].name, name))
			return &f->head.columns[j];
	}
	return NULL;
}

static void test_head(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_string_equal(f.head.version, "12.34.56");
	assert_int_equal(f.head.mods, PM_MODS_SACK | PM_MODS_FACK | PM_MODS_AUTO);
	assert_int_equal(f.head.order, BYTE_ORDER_HOST);
	assert_int_equal(f.head.cluster_bytes, 65536);
	assert_int_equal(f.head.entry_bytes % 8, 0);
	assert_string_equal(f.head.columns[0].name, "seq_no");
	assert_int_equal(find_column(&f, "sb_net_target")->length, 0); /* Linux has none */
	assert_int_equal(find_column(&f, "m_clused")->length, 0); /* these events have none */
	assert_int_equal(find_column(&f, "srtt_us")->length, 4);
	assert_null(find_column(&f, "no_column"));
	assert_true(pm_writer_takes(f.writer, f.tcp));
	assert_false(pm_writer_takes(f.writer, f.other));
	tear_down(&f);
}

/* PSC counts in bytes, and sequence numbers wrap. */
static void test_rules(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	add(&f, 1795182706123456789);
	assert_true(value(&f, 0, "snd_cwnd") == (1ull << 22) * 1448);
	assert_true(value(&f, 0, "snd_max") == 0xfffffff0);
	assert_true(value(&f, 0, "snd_sb_cc") == 32);
	assert_true(value(&f, 0, "rcv_sb_cc") == 1000);
	assert_true(value(&f, 0, "sb_hiwat") == 87040);
	assert_true(value(&f, 0, "lport") == 1055);
	assert_true(value(&f, 0, "rport") == 5050);
	assert_true(value(&f, 0, "callvalue") == 77);
	assert_true(value(&f, 0, "location") == 68);
	assert_true(value(&f, 0, "srtt_us") == 800);
	add(&f, -1); /* before 1970 */
	tear_down(&f);
}

static void test_losses_are_gaps(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	add(&f, 0);
	add(&f, 0);
	lose(&f, 3, 0);
	lose(&f, 1, 2);
	add(&f, 0);
	assert_true(value(&f, 0, "seq_no") == 0);
	assert_true(value(&f, 1, "seq_no") == 1);
	assert_true(value(&f, 2, "seq_no") == 8);
	assert_int_equal(f.out.len, f.head.bytes + 3 * f.head.entry_bytes);
	tear_down(&f);
}

static void test_nothing_to_write(void **state)
{
	struct class_table *table = class_table_new();
	struct pm_writer *writer = NULL;
	struct trace_info info = {0};
	struct diag diag = {.text = ""};

	(void)state;
	class_table_tell(table, &info);
	assert_int_equal(pm_writer_new(&info, &config, &writer, NULL, &diag), -ENOTSUP);
	assert_null(writer);
	assert_non_null(strstr(diag.text, "tcp.*"));
	class_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_losses_are_gaps),
		cmocka_unit_test(test_nothing_to_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

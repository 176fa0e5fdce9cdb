// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_rx.h"

#include "view_fixture.h"

#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/report.h"

static const struct field stats_fields[] = {
	{U(64, "round")},	 {U(64, "calls_executed")}, {S(32, "waiting")},
	{S(32, "idle_threads")}, {U(32, "begun")},	    {TEXT16("server")},
};
static const struct field silent_fields[] = {{U(64, "round")},
					     {U(32, "missed")},
					     {TEXT16("server")}};
static const struct field peer_fields[] = {
	{U(64, "bytes_sent")},	   {U(64, "bytes_received")}, {U(32, "packets_sent")},
	{U(32, "packets_resent")}, {U(32, "rtt_us")},	      {U(32, "peer_port")},
	{ADDRESS("peer")},	   {TEXT16("server")},
};
static const struct field call_fields[] = {{U(32, "peer_port")},
					   {U(32, "waits_for")},
					   {ADDRESS("peer")},
					   {TEXT16("server")}};
/* Of somebody else's: the right names, and nothing that could be ours. */
static const struct field odd_fields[] = {{TEXT16("round")},
					  {TEXT16("waiting")},
					  {TEXT16("server")}};

/* Instead of those that the fixture has. */
#define RX_STATS_CLASS FIXTURE_ENTER
#define RX_SILENT_CLASS FIXTURE_EXIT
#define RX_PEER_CLASS FIXTURE_SWITCH
#define RX_CALL_CLASS FIXTURE_TCP
#define RX_ODD_CLASS FIXTURE_MISC

static void make_class(struct fixture *f, enum fixture_class id, const char *name,
		       const struct field *fields, size_t count)
{
	struct event_class *class = &f->made[id];
	uint32_t at = 0;

	class->name = name;
	class->fields = fields;
	class->field_count = count;
	for (size_t i = 0; i < count; i++) {
		f->offsets[id][i] = at;
		at += fields[i].bits * fields[i].count;
	}
	class->offsets = f->offsets[id];
}

static void init(struct fixture *f)
{
	fixture_init(f, NULL);
	make_class(f, RX_STATS_CLASS, "rx.stats", stats_fields, 6);
	make_class(f, RX_SILENT_CLASS, "rx.silent", silent_fields, 3);
	make_class(f, RX_PEER_CLASS, "rx.peer", peer_fields, 8);
	make_class(f, RX_CALL_CLASS, "rx.call", call_fields, 4);
	make_class(f, RX_ODD_CLASS, "rx.counters", odd_fields, 3);
	assert_int_equal(select_bind(&f->select, &f->info, NULL), 0);
}

static void stats(struct fixture *f, int64_t ns, uint64_t round, uint32_t waiting, uint64_t calls)
{
	fixture_event(f, RX_STATS_CLASS, ns, -1, -1);
	fixture_uint(f, round, 8);
	fixture_uint(f, calls, 8);
	fixture_uint(f, waiting, 4);
	fixture_uint(f, waiting ? 0 : 7, 4);
	fixture_uint(f, 0, 4);
	fixture_text16(f, "fs1:7000");
}

static void silent(struct fixture *f, int64_t ns, const char *server, uint64_t round,
		   uint32_t missed)
{
	fixture_event(f, RX_SILENT_CLASS, ns, -1, -1);
	fixture_uint(f, round, 8);
	fixture_uint(f, missed, 4);
	fixture_text16(f, server);
}

static void peer(struct fixture *f, int64_t ns, uint64_t bytes, uint8_t last)
{
	fixture_event(f, RX_PEER_CLASS, ns, -1, -1);
	fixture_uint(f, bytes, 8);
	fixture_uint(f, 2 * bytes, 8);
	fixture_uint(f, bytes / 100, 4);
	fixture_uint(f, 0, 4);
	fixture_uint(f, 1500, 4);
	fixture_uint(f, 7001, 4);
	fixture_ipv4(f, last);
	fixture_text16(f, "fs1:7000");
}

static void call(struct fixture *f, int64_t ns, uint32_t waits_for, uint8_t last)
{
	fixture_event(f, RX_CALL_CLASS, ns, -1, -1);
	fixture_uint(f, 7001, 4);
	fixture_uint(f, waits_for, 4);
	fixture_ipv4(f, last);
	fixture_text16(f, "fs1:7000");
}

/* It gives the report all events. */
static const struct rx_report *run(struct fixture *f, struct report *report)
{
	const struct report_span span = {0};

	assert_non_null(report);
	report->ops->batch(report, f->events, f->count);
	report->ops->end(report, &span);
	return (const struct rx_report *)report;
}

static void rounds_and_waits_are_counted(void **state)
{
	const struct rx_server_row *row;
	const struct rx_report *rr;
	struct report *report;
	struct fixture f;

	(void)state;
	init(&f);
	report = report_rx_new(&f.view.analysis);
	stats(&f, 0, 1, 0, 1000);
	stats(&f, 1, 2, 5, 1100);
	silent(&f, 2, "fs1:7000", 3, 1);
	silent(&f, 3, "fs1:7000", 7, 5);
	stats(&f, 4, 10, 9, 1200); /* for 8 and 9 there was no time */
	stats(&f, 5, 11, 0, 50); /* it has begun anew */
	stats(&f, 6, 12, 0, 60);
	silent(&f, 7, "fs2:7000", 4, 4);
	rr = run(&f, report);
	assert_int_equal(rr->servers.count, 2);
	row = &rr->server_rows[0];
	assert_string_equal(row->name, "fs1:7000");
	assert_int_equal(row->rounds, 5);
	assert_int_equal(row->missed, 7);
	assert_int_equal(row->waiting_total, 14);
	assert_int_equal(row->waiting_rounds, 2);
	assert_int_equal(row->waiting_most, 9);
	assert_int_equal(row->waiting_most_ns, FIXTURE_EPOCH_NS + 4);
	assert_int_equal(row->idle_least, 0);
	assert_int_equal(row->calls.grown, 210);
	assert_int_equal(rr->server_rows[1].rounds, 0);
	assert_int_equal(rr->server_rows[1].missed, 4);
	assert_int_equal(report->events, 8);
	report->ops->free(report);
	fixture_fini(&f);
}

static void peers_are_ranked_by_what_they_moved(void **state)
{
	const struct report_options options = {.rows = 1};
	const struct rx_report *rr;
	struct report *report;
	struct json_writer json;
	struct buffer out;
	struct fixture f;

	(void)state;
	init(&f);
	buffer_init(&out);
	report = report_rx_new(&f.view.analysis);
	peer(&f, 0, 1000000, 1);
	peer(&f, 1, 500, 2);
	call(&f, 2, 1, 2);
	call(&f, 3, 0, 2);
	peer(&f, 4, 1000100, 1);
	peer(&f, 5, 5500, 2);
	rr = run(&f, report);
	assert_int_equal(rr->peers.count, 2);
	assert_int_equal(rr->peer_rows[1].bytes_sent.grown, 5000);
	assert_int_equal(rr->peer_rows[1].seen, 2);
	assert_int_equal(rr->peer_rows[1].blocked, 1);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	assert_int_equal(report_kind_json(&report_kind_rx, report, &options, &json), 0);
	buffer_char(&out, '\0');
	assert_non_null(strstr(out.data, "\"peers\":[{\"peer\":\"10.0.0.2\",\"peer_port\":7001,"
					 "\"server\":\"fs1:7000\",\"seen\":2,\"bytes_sent\":5000,"
					 "\"bytes_received\":10000,\"packets_sent\":50,"));
	assert_null(strstr(out.data, "10.0.0.1"));
	buffer_fini(&out);
	report->ops->free(report);
	fixture_fini(&f);
}

static void classes_of_others_are_left_alone(void **state)
{
	struct report *report;
	struct fixture f;

	(void)state;
	init(&f);
	report = report_rx_new(&f.view.analysis);
	fixture_event(&f, RX_ODD_CLASS, 0, -1, -1);
	fixture_text16(&f, "text");
	fixture_text16(&f, "text");
	fixture_text16(&f, "text");
	(void)run(&f, report);
	assert_int_equal(report->events, 0);
	report->ops->free(report);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_and_waits_are_counted),
		cmocka_unit_test(peers_are_ranked_by_what_they_moved),
		cmocka_unit_test(classes_of_others_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

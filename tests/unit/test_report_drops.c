// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_drops.h"

#include "net_fixture.h"

#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/report.h"

struct made {
	struct net_fixture n;
	struct trace_info info;
	struct select select;
	struct task_names *names;
	struct analysis analysis;
	struct report *report;
};

static void init(struct made *m)
{
	memset(m, 0, sizeof(*m));
	net_fixture_init(&m->n);
	m->info = (struct trace_info){.class_count = NET_FIXTURE_CLASSES, .classes = m->n.classes};
	select_init(&m->select);
	assert_int_equal(select_bind(&m->select, &m->info, NULL), 0);
	m->names = task_names_new(&m->info);
	assert_non_null(m->names);
	m->analysis = (struct analysis){.info = &m->info, .select = &m->select, .names = m->names};
	m->report = report_drops_new(&m->analysis);
	assert_non_null(m->report);
}

static void fini(struct made *m)
{
	m->report->ops->free(m->report);
	task_names_free(m->names);
	select_fini(&m->select);
}

static void drop(struct made *m, int64_t ns, uint32_t reason, uint8_t protocol, int32_t size)
{
	const struct net_snap snap = {
		.packet = 5, .size = size, .protocol = protocol, .reason = reason};

	net_fixture_add(&m->n, NET_FIXTURE_DROP, ns, &snap);
}

static const struct drops_report *run(struct made *m)
{
	const struct report_span span = {0, 0};

	m->report->ops->batch(m->report, m->n.events, m->n.count);
	m->report->ops->end(m->report, &span);
	return (const struct drops_report *)m->report;
}

/* Reason and protocol make a row; the most packets come first; what is no drop does not count. */
static void test_rows(void **state)
{
	const struct net_snap other = {.packet = 5, .size = 100, .protocol = NET_PROTOCOL_TCP};
	const struct drops_report *dr;
	struct made m;

	(void)state;
	init(&m);
	drop(&m, 100, 9, NET_PROTOCOL_TCP, 1000);
	drop(&m, 200, 3, NET_PROTOCOL_UDP, 60);
	drop(&m, 300, 3, NET_PROTOCOL_UDP, -12); /* the error of a call has no bytes */
	drop(&m, 400, 3, NET_PROTOCOL_TCP, 40);
	net_fixture_add(&m.n, NET_FIXTURE_IP_RECV, 500, &other);
	dr = run(&m);
	assert_int_equal(m.report->events, 4);
	assert_int_equal(dr->all.packets, 4);
	assert_int_equal(dr->all.bytes, 1100);
	assert_int_equal(dr->others, 0);
	assert_int_equal(dr->index.count, 3);
	assert_int_equal(dr->rows[0].packets, 2);
	assert_int_equal(dr->rows[0].bytes, 60);
	assert_int_equal(dr->rows[0].key.protocol, NET_PROTOCOL_UDP);
	assert_string_equal(dr->rows[0].reason, "NO_SOCKET");
	assert_int_equal(dr->rows[0].first_ns, FIXTURE_EPOCH_NS + 200);
	assert_int_equal(dr->rows[0].last_ns, FIXTURE_EPOCH_NS + 300);
	assert_int_equal(dr->rows[1].key.reason, 9);
	assert_null(dr->rows[1].reason);
	assert_int_equal(dr->rows[2].bytes, 40);
	fini(&m);
}

static void test_forms(void **state)
{
	const struct report_options text = {.rows = 1}, options = {.form = REPORT_JSON};
	struct json_writer json;
	struct buffer out;
	struct made m;

	(void)state;
	init(&m);
	drop(&m, 100, 3, NET_PROTOCOL_UDP, 60);
	drop(&m, 200, 3, NET_PROTOCOL_UDP, 60);
	drop(&m, 300, 9, NET_PROTOCOL_TCP, 1000);
	(void)run(&m);
	buffer_init(&out);
	assert_int_equal(report_kind_text(&report_kind_drops, m.report, &text, &out), 0);
	buffer_char(&out, '\0');
	assert_string_equal(
		out.data,
		"Drops: 3 packets, 1.12 kB\n\n"
		"reason                        which means  protocol  in the kernel  packets   share  "
		"bytes  harmless\n"
		"NO_SOCKET  no program listens on the port       UDP                       2  66.7 %  "
		"120 B\n"
		"... and 1 more\n\n"
		"reason     protocol  sport  dport     comm  packets  bytes\n"
		"NO_SOCKET        17      0      0  unknown        2    120\n"
		"... and 1 more\n");
	buffer_reset(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	assert_int_equal(report_kind_json(&report_kind_drops, m.report, &options, &json), 0);
	json_writer_end(&json);
	buffer_char(&out, '\0');
	assert_string_equal(out.data,
			    "{\"drops\":{\"packets\":3,\"bytes\":1120,\"other_packets\":0,"
			    "\"harmless_packets\":0,"
			    "\"by_reason\":[{\"reason\":3,\"reason_name\":\"NO_SOCKET\","
			    "\"meaning\":\"no program listens on the port\",\"protocol\":17,"
			    "\"protocol_name\":\"UDP\",\"packets\":2,\"bytes\":120,"
			    "\"first\":1700000000000000100,\"last\":1700000000000000200,"
			    "\"harmless\":false},"
			    "{\"reason\":9,\"protocol\":6,\"protocol_name\":\"TCP\",\"packets\":1,"
			    "\"bytes\":1000,\"first\":1700000000000000300,"
			    "\"last\":1700000000000000300,\"harmless\":false}],"
			    "\"by_flow\":[{\"reason\":3,\"reason_name\":\"NO_SOCKET\","
			    "\"protocol\":17,\"sport\":0,\"dport\":0,\"packets\":2,"
			    "\"bytes\":{\"sum\":120}},{\"reason\":9,\"protocol\":6,\"sport\":0,"
			    "\"dport\":0,\"packets\":1,\"bytes\":{\"sum\":1000}}]}}");
	buffer_fini(&out);
	fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

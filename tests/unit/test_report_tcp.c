// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_tcp.h"

#include "tcp_fixture.h"

#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/report.h"

struct made {
	struct tcp_fixture t;
	struct trace_info info;
	struct select select;
	struct view view;
	struct report *report;
	struct buffer out;
};

static void init(struct made *m)
{
	memset(m, 0, sizeof(*m));
	tcp_fixture_init(&m->t);
	m->info = (struct trace_info){.class_count = TCP_CLOSE + 1, .classes = m->t.classes};
	select_init(&m->select);
	assert_int_equal(select_bind(&m->select, &m->info, NULL), 0);
	m->view = (struct view){.analysis.info = &m->info, .analysis.select = &m->select};
	m->report = report_tcp_new(&m->view.analysis);
	assert_non_null(m->report);
	buffer_init(&m->out);
}

static void fini(struct made *m)
{
	m->report->ops->free(m->report);
	select_fini(&m->select);
	buffer_fini(&m->out);
}

static void flush(struct made *m)
{
	m->report->ops->batch(m->report, m->t.events, m->t.count);
	m->t.count = 0;
}

/* What the report says of all events. */
static const char *run(struct made *m, const struct report_options *options)
{
	const struct report_span span = {0, 0};
	struct json_writer json;

	flush(m);
	m->report->ops->end(m->report, &span);
	json_writer_init(&json, &m->out);
	if (options->form == REPORT_JSON) {
		json_writer_object(&json, NULL);
		assert_int_equal(report_kind_json(&report_kind_tcp, m->report, options, &json), 0);
		json_writer_end(&json);
	} else {
		assert_int_equal(report_kind_text(&report_kind_tcp, m->report, options, &m->out),
				 0);
	}
	buffer_char(&m->out, 0);
	return m->out.data;
}

static void add_some(struct made *m)
{
	uint64_t *v = m->t.now.v;

	tcp_fixture_add(&m->t, TCP_PLAIN, 0);
	v[TCP_BYTES_ACKED] = 1000;
	v[TCP_SRTT_US] = 100;
	v[TCP_RTO_US] = 204000;
	tcp_fixture_add(&m->t, TCP_PLAIN, 2 * MS);
	m->t.now.more[TCP_MORE_CAUSE] = TCP_CAUSE_TLP;
	m->t.now.more[TCP_MORE_SEGMENTS] = 1;
	m->t.now.more[TCP_MORE_LENGTH] = 500;
	m->t.now.more[TCP_MORE_ERROR] = 0;
	v[TCP_TOTAL_RETRANS] = 1;
	tcp_fixture_add(&m->t, TCP_RETRANSMIT, 2 * MS);
	m->t.now.more[TCP_MORE_DIRECTION] = TCP_RESET_SENT;
	m->t.now.more[TCP_MORE_REASON] = 17;
	tcp_fixture_add(&m->t, TCP_RESET, 2 * MS);
	m->t.now.more[TCP_MORE_NEW_STATE] = TCP_STATE_CLOSE;
	tcp_fixture_add(&m->t, TCP_STATE, 2 * MS);
	m->t.now.cookie = 6; /* a listener */
	v[TCP_STATE_NOW] = TCP_STATE_LISTEN;
	tcp_fixture_add(&m->t, TCP_PLAIN, 2 * MS);
}

static void test_json(void **state)
{
	const struct report_options options = {.form = REPORT_JSON};
	const char *text;
	struct made m;

	(void)state;
	init(&m);
	add_some(&m);
	text = run(&m, &options);
	assert_non_null(strstr(text, "{\"connections\":1,\"listeners\":1,"
				     "\"other_connection_events\":0,\"waits_exact\":false,"
				     "\"events\":6,\"sent_bytes\":1000,"));
	assert_non_null(strstr(
		text,
		"\"by_connection\":[{\"saddr\":\"10.0.0.1\",\"lport\":40000,"
		"\"daddr\":\"10.0.0.2\",\"rport\":80,\"cookie\":5,\"netns\":77,"
		"\"begin\":1700000000000000000,\"end\":1700000000002000000,\"opened\":false,"
		"\"closed\":true,\"state\":7,\"state_name\":\"CLOSE\",\"states\":["
		"{\"time\":1700000000002000000,\"state\":7,\"state_name\":\"CLOSE\"}],"
		"\"sent_bytes_per_s\":500000,\"received_bytes_per_s\":0,"
		"\"acked_total_bytes\":1000,\"received_total_bytes\":0,\"srtt_last_ns\":100000,"
		"\"mdev_last_ns\":0,\"rto_last_ns\":204000000,\"rto_max_ns\":204000000,"
		"\"events\":5,\"sent_bytes\":1000,\"received_bytes\":0,\"retransmissions\":"
		"{\"segments\":1,\"failed\":0,\"fast\":{\"times\":0,\"segments\":0,\"bytes\":0},"
		"\"rto\":{\"times\":0,\"segments\":0,\"bytes\":0},"
		"\"tlp\":{\"times\":1,\"segments\":1,\"bytes\":500},"
		"\"syn\":{\"times\":0,\"segments\":0,\"bytes\":0}},\"congestion\":"
		"{\"open\":{\"entered\":0,\"time_ns\":2000000},"));
	assert_non_null(strstr(text, "\"waited_ns\":{\"idle\":2000000,\"acknowledgement\":0,"
				     "\"send_buffer\":0,\"cwnd\":0,\"receiver_window\":0,"
				     "\"other\":0},\"unknown_ns\":0,\"resets_sent\":1,"
				     "\"resets_received\":0,\"reset_reason\":17,"
				     "\"reset_reason_name\":\"TCP_ABORT_ON_DATA\",\"srtt\":"
				     "{\"count\":1,\"total_ns\":100000,"));
	assert_non_null(strstr(text, "\"cwnd\":{\"time_ns\":2000000,\"min\":10,\"avg\":10.0,"));
	fini(&m);
}

static void test_text(void **state)
{
	const struct report_options options = {.rows = 1, .histograms = true};
	const char *text, *line;
	struct made m;

	(void)state;
	init(&m);
	add_some(&m);
	text = run(&m, &options);
	assert_non_null(strstr(text, "TCP: 1 connection, 1.00 kB sent, 0 B received; "
				     "1 listener\n"));
	assert_non_null(strstr(text, "\n10.0.0.1:40000 -> 10.0.0.2:80  CLOSE  2.00 ms"));
	assert_non_null(strstr(text, "TCP_ABORT_ON_DATA\n"));
	assert_non_null(strstr(text, "\n10.0.0.1:40000 -> 10.0.0.2:80\n    CLOSE\n"));
	assert_non_null(strstr(text, "\n10.0.0.1:40000 -> 10.0.0.2:80\n    65.5 us - 131 us "));
	assert_non_null(strstr(text, "not exact without both tcp.ack and tcp.send\n"));
	for (line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		assert_true(strcspn(line, "\n") <= 100);
	fini(&m);
}

/* Behind a loss the time since the event before counts for nothing, on every connection. */
static void test_loss(void **state)
{
	const struct report_options options = {.rows = 10};
	struct made m;

	(void)state;
	init(&m);
	tcp_fixture_add(&m.t, TCP_PLAIN, 0);
	tcp_fixture_add(&m.t, TCP_NONE, MS);
	tcp_fixture_add(&m.t, TCP_PLAIN, 3 * MS);
	tcp_fixture_add(&m.t, TCP_PLAIN, 4 * MS);
	assert_non_null(strstr(run(&m, &options), "\n3.00 ms of the connections' time is not "
						  "counted: events are missing\n"));
	fini(&m);
}

/* Those beyond the limit are counted; those without room for distributions share one. */
static void test_bounded(void **state)
{
	const struct report_options options = {.form = REPORT_JSON, .rows = 1};
	const struct tcp_report *tr;
	const char *text;
	struct made m;
	uint64_t i;

	(void)state;
	init(&m);
	tr = (const struct tcp_report *)m.report;
	m.t.now.v[TCP_SRTT_US] = 8;
	for (i = 1; i <= REPORT_TCP_LIMIT + 5; i++) {
		m.t.now.cookie = i;
		tcp_fixture_add(&m.t, TCP_PLAIN, (int64_t)i);
		if (m.t.count == TCP_FIXTURE_EVENTS)
			flush(&m);
	}
	text = run(&m, &options);
	assert_int_equal(tr->count, REPORT_TCP_LIMIT);
	assert_int_equal(tr->spreads, REPORT_TCP_SPREADS);
	assert_int_equal(tr->all_spread.srtt.count, REPORT_TCP_LIMIT);
	assert_non_null(strstr(text, "\"other_connection_events\":5,"));
	fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_layers.h"

#include "net_fixture.h"

#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/report.h"

struct made {
	struct net_fixture n;
	struct trace_info info;
	struct select select;
	struct view view;
	struct report *report;
	struct buffer out;
	int64_t ns;
};

static void init(struct made *m)
{
	memset(m, 0, sizeof(*m));
	net_fixture_init(&m->n);
	m->info = (struct trace_info){.class_count = NET_FIXTURE_CLASSES, .classes = m->n.classes};
	select_init(&m->select);
	assert_int_equal(select_bind(&m->select, &m->info, NULL), 0);
	m->view = (struct view){.analysis.info = &m->info,
				.analysis.select = &m->select,
				.analysis.names = task_names_new(&m->info)};
	m->report = report_layers_new(&m->view.analysis);
	assert_non_null(m->report);
	buffer_init(&m->out);
}

static void fini(struct made *m)
{
	m->report->ops->free(m->report);
	task_names_free(m->view.analysis.names);
	select_fini(&m->select);
	buffer_fini(&m->out);
}

static const char *run(struct made *m, const struct report_options *options)
{
	const struct report_span span = {0, 0};
	struct json_writer json;

	m->report->ops->batch(m->report, m->n.events, m->n.count);
	m->report->ops->end(m->report, &span);
	json_writer_init(&json, &m->out);
	if (options->form == REPORT_JSON) {
		json_writer_object(&json, NULL);
		assert_int_equal(report_kind_json(&report_kind_layers, m->report, options, &json),
				 0);
		json_writer_end(&json);
	} else {
		assert_int_equal(report_kind_text(&report_kind_layers, m->report, options, &m->out),
				 0);
	}
	buffer_char(&m->out, 0);
	return m->out.data;
}

/* A datagram from one namespace to another, 100 ns a layer. */
static void add_datagram(struct made *m, uint32_t packet, enum net_fixture_class last)
{
	static const enum net_fixture_class way[] = {
		NET_FIXTURE_SOCK_SEND, NET_FIXTURE_UDP_SEND, NET_FIXTURE_IP_SEND,
		NET_FIXTURE_DEV_QUEUE, NET_FIXTURE_DEV_XMIT, NET_FIXTURE_DEV_RECV,
		NET_FIXTURE_IP_RECV,   NET_FIXTURE_UDP_RECV, NET_FIXTURE_SOCK_RECV,
		NET_FIXTURE_APP_RECV,
	};
	struct net_snap snap = {
		.cookie = 7, .size = 36, .sport = 5000, .dport = 53, .protocol = 17, .family = 2};

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]) && way[i] <= last; i++) {
		snap.packet = way[i] >= NET_FIXTURE_IP_SEND ? packet : 0;
		snap.ip_id = (uint16_t)snap.packet;
		snap.netns = way[i] <= NET_FIXTURE_DEV_XMIT ? 100 : 200;
		net_fixture_add(&m->n, way[i], m->ns += 100, &snap);
	}
	snap.reason = 3;
	if (last == NET_FIXTURE_UDP_RECV)
		net_fixture_add(&m->n, NET_FIXTURE_DROP, m->ns += 100, &snap);
}

static void test_text(void **state)
{
	const struct report_options options = {.rows = 10};
	const char *text, *line;
	struct made m;

	(void)state;
	init(&m);
	add_datagram(&m, 1, NET_FIXTURE_APP_RECV);
	add_datagram(&m, 2, NET_FIXTURE_UDP_RECV);
	text = run(&m, &options);
	assert_non_null(strstr(text, "Layers: 2 packets: 1 read by the application, 1 dropped\n"));
	assert_non_null(strstr(text, "\nUDP, 100 -> 200 "));
	assert_non_null(strstr(text, "\n1 packet dropped after net.udp_recv: NO_SOCKET\n"));
	assert_non_null(strstr(text, "\nUDP 5000 -> 53, 36 bytes, 100 -> 200: read by the "
				     "application\ncrossing"));
	assert_non_null(strstr(text, "\nUDP 5000 -> 53, 36 bytes, 100 -> 200: dropped, "
				     "NO_SOCKET\n"));
	assert_non_null(strstr(text, "\nnet.app_recv   900 ns  100 ns "));
	for (line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		assert_true(strcspn(line, "\n") <= 100);
	fini(&m);
}

static void test_json(void **state)
{
	const struct report_options options = {.form = REPORT_JSON};
	const char *text;
	struct made m;

	(void)state;
	init(&m);
	add_datagram(&m, 1, NET_FIXTURE_APP_RECV);
	add_datagram(&m, 2, NET_FIXTURE_UDP_RECV);
	text = run(&m, &options);
	assert_non_null(strstr(text, "{\"read\":1,\"kept\":0,\"left\":0,\"dropped\":1,"
				     "\"vanished\":0,\"incomplete\":0,\"evicted\":0,"));
	assert_non_null(strstr(text, "\"directions\":[{\"protocol\":17,\"protocol_name\":\"UDP\","
				     "\"from_netns\":100,\"to_netns\":200,\"packets\":2,"));
	assert_non_null(strstr(text, "{\"from\":\"net.sock_send\",\"to\":\"net.udp_send\","
				     "\"name\":\"socket -> transport\",\"count\":2,"
				     "\"total_ns\":200,"));
	assert_non_null(strstr(text, "\"dropped_after\":[{\"crossing\":\"net.udp_recv\","
				     "\"reason\":3,\"reason_name\":\"NO_SOCKET\",\"packets\":1}]"));
	assert_non_null(strstr(text, "\"end\":\"read\",\"total_ns\":900,\"way\":["
				     "{\"crossing\":\"net.sock_send\","
				     "\"time\":1700000000000000100,\"size\":36,\"cpu\":1,"
				     "\"tid\":42},{\"crossing\":\"net.udp_send\","));
	fini(&m);
}

/* As many ways as were asked for; none where a trace has many and none were. */
static void test_packets(void **state)
{
	struct report_options options = {.packets_given = true, .packets = 1};
	const char *text;
	struct made m;

	(void)state;
	init(&m);
	add_datagram(&m, 1, NET_FIXTURE_APP_RECV);
	add_datagram(&m, 2, NET_FIXTURE_UDP_RECV);
	text = run(&m, &options);
	assert_non_null(strstr(text, "\nthe one that took longest\n\nUDP 5000 -> 53, "));
	assert_null(strstr(text, ": dropped, NO_SOCKET\n"));
	fini(&m);
	options.packets = 0;
	init(&m);
	add_datagram(&m, 1, NET_FIXTURE_APP_RECV);
	assert_null(strstr(run(&m, &options), "crossing"));
	fini(&m);
}

static void test_loss(void **state)
{
	const struct report_options options = {.rows = 10};
	const struct net_snap none = {0};
	struct made m;

	(void)state;
	init(&m);
	add_datagram(&m, 1, NET_FIXTURE_DEV_XMIT);
	net_fixture_add(&m.n, NET_FIXTURE_LOST, m.ns, &none);
	assert_non_null(
		strstr(run(&m, &options), "Layers: 1 packet: 1 not seen from beginning to end\n"));
	fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

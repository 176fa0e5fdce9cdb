// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_problem.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"

#define NOW_S 1700000000

static struct buffer told;

static void note(void *ctx, enum rx_problem_kind kind, const char *text)
{
	(void)ctx;
	buffer_format(&told, "%s: %s\n", rx_problem_name(kind), text);
}

static void expect(const struct rx_report *report, const char *want)
{
	struct buffer text;

	buffer_init(&told);
	buffer_init(&text);
	rx_problem_find(report, NOW_S, &text, note, NULL);
	buffer_char(&told, '\0');
	assert_string_equal(told.data, want);
	buffer_fini(&text);
	buffer_fini(&told);
}

static void add_conn(struct rx_report *report, const struct sonde_rx_conn *conn)
{
	uint8_t payload[RX_CONN_BYTES];

	rx_conn_pack(conn, payload);
	rx_list_take(&report->conns, rx_list_ask(&report->conns), 0, payload, sizeof(payload));
}

static void add_peer(struct rx_report *report, const struct sonde_rx_peer *peer)
{
	uint8_t payload[RX_PEER_BYTES];

	rx_peer_pack(peer, payload);
	rx_list_take(&report->peers, rx_list_ask(&report->peers), 0, payload, sizeof(payload));
}

static struct rx_report make_report(void)
{
	struct rx_report report = {.has_basic = true, .basic.version = 'S'};

	rx_list_init(&report.conns, RX_DEBUG_ALL_CONN, 100, 1);
	rx_list_init(&report.peers, RX_DEBUG_PEER, 100, 1);
	return report;
}

static void test_none(void **state)
{
	struct rx_report report = make_report();

	(void)state;
	add_conn(&report,
		 &(struct sonde_rx_conn){
			 .cid = 4,
			 .calls[0] = {1, SONDE_RX_CALL_ACTIVE, SONDE_RX_MODE_RECEIVING,
				      SONDE_RX_CALL_READER_WAIT, 0},
			 .security = {.type = SONDE_RX_SECURITY_KAD, .expires = UINT32_MAX}});
	add_conn(&report, &(struct sonde_rx_conn){.cid = 8,
						  .security = {.type = SONDE_RX_SECURITY_KAD,
							       .expires = NOW_S + 1}});
	add_peer(&report, &(struct sonde_rx_peer){.host = 1, .sent = 98, .resent = 1});
	add_peer(&report, &(struct sonde_rx_peer){.host = 2, .sent = 960, .resent = 40});
	expect(&report, "");
	rx_report_fini(&report);
}

static void test_load(void **state)
{
	struct rx_report report = make_report();

	(void)state;
	report.basic.waiting = 13;
	report.basic.idle_threads = 7;
	report.basic.waiting_for_packets = 1;
	report.has_stats = true;
	report.stats.words[SONDE_RX_STAT_BUSIES] = 5;
	expect(&report, "waiting: 13 calls wait for a thread, 7 threads are idle (kept for other "
			"services)\n"
			"packets: it waits for packet buffers\n"
			"busy: 5 calls were rejected: all threads busy\n");
	/* A version that does not tell has none. */
	report.basic.version = 'M';
	report.basic.waiting_for_packets = 0;
	report.has_stats = false;
	expect(&report, "");
	rx_report_fini(&report);
}

static void test_connections(void **state)
{
	struct rx_report report = make_report();

	(void)state;
	add_conn(&report,
		 &(struct sonde_rx_conn){
			 .host = 0xc0000202,
			 .port = 7001,
			 .cid = 0x8000,
			 .epoch = 0xeb005678,
			 .type = 1,
			 .error = -3,
			 .calls[1] = {9, SONDE_RX_CALL_PRECALL, 0, SONDE_RX_CALL_WAIT_PROCESS, 1},
			 .calls[2] = {8, SONDE_RX_CALL_NONE, 0, SONDE_RX_CALL_WAIT_PROCESS, 0}});
	add_conn(&report,
		 &(struct sonde_rx_conn){
			 .host = 0xc0000203,
			 .port = 7003,
			 .cid = 4,
			 .flags = SONDE_RX_CONN_MAKECALL_WAITING,
			 .calls[0] = {2, SONDE_RX_CALL_ACTIVE, SONDE_RX_MODE_SENDING,
				      SONDE_RX_CALL_WAIT_WINDOW_SEND, 0},
			 .security = {.type = SONDE_RX_SECURITY_KAD, .expires = NOW_S - 5400}});
	expect(&report,
	       "blocked: from 192.0.2.2:7001 eb005678/8000: call 1 (#9) waits for a thread\n"
	       "blocked: to 192.0.2.3:7003 0/4: call 0 (#2) waits for the other end to "
	       "acknowledge\n"
	       "makecall: to 192.0.2.3:7003 0/4: all its calls are taken, and another one waits\n"
	       "error: from 192.0.2.2:7001 eb005678/8000: error -3\n"
	       "expired: to 192.0.2.3:7003 0/4: its ticket expired 1.5 hours ago\n");
	rx_report_fini(&report);
}

/* By a client that does not answer: calls of servers alone, before they have a thread. */
static void test_held(void **state)
{
	const struct sonde_rx_call precall = {1, SONDE_RX_CALL_PRECALL, 0, 0, 1};
	const struct sonde_rx_security fresh = {.type = SONDE_RX_SECURITY_KAD};
	struct rx_report report = make_report();

	(void)state;
	add_conn(&report, &(struct sonde_rx_conn){.host = 0xc0000202,
						  .cid = 4,
						  .type = 1,
						  .flags = SONDE_RX_CONN_ATTACH_WAIT,
						  .calls[0] = precall});
	add_conn(&report, &(struct sonde_rx_conn){.host = 0xc0000203,
						  .cid = 8,
						  .type = 1,
						  .security = fresh,
						  .calls[3] = precall});
	/* None of these is. */
	add_conn(&report, &(struct sonde_rx_conn){.cid = 12,
						  .flags = SONDE_RX_CONN_ATTACH_WAIT,
						  .security = fresh,
						  .calls[0] = precall});
	add_conn(&report, &(struct sonde_rx_conn){.cid = 16,
						  .type = 1,
						  .flags = SONDE_RX_CONN_ATTACH_WAIT,
						  .calls[0] = {1, SONDE_RX_CALL_ACTIVE, 0, 0, 0}});
	add_conn(&report,
		 &(struct sonde_rx_conn){.cid = 20,
					 .type = 1,
					 .security = {.type = SONDE_RX_SECURITY_KAD,
						      .flags = SONDE_RX_SECURITY_AUTHENTICATED},
					 .calls[0] = precall});
	add_conn(&report, &(struct sonde_rx_conn){.cid = 24, .type = 1, .calls[0] = precall});
	expect(&report,
	       "held: from 192.0.2.2:0 0/4: call 0 (#1) waits for the client to show that it is "
	       "reachable (attach wait)\n"
	       "held: from 192.0.2.3:0 0/8: call 3 (#1) waits for the client to answer a "
	       "challenge\n");
	rx_report_fini(&report);
}

static void test_peers(void **state)
{
	struct rx_report report = make_report();

	(void)state;
	add_peer(&report,
		 &(struct sonde_rx_peer){
			 .host = 0xc0000204, .port = 7001, .sent = 900, .resent = 100, .rtt = 80});
	expect(&report,
	       "resent: peer 192.0.2.4:7001: 10.0 % of 1000 packets were sent again, round "
	       "trip 10 ms\n");
	rx_report_fini(&report);
}

static void test_incomplete(void **state)
{
	struct rx_report report = make_report();

	(void)state;
	report.conns.err = -E2BIG;
	report.peers.err = -ETIMEDOUT;
	expect(&report, "incomplete: connections: there are more than 100, which are read with "
			"--force\n"
			"incomplete: peers: 0, then no more: no answer\n");
	rx_report_fini(&report);
}

static void test_silent(void **state)
{
	struct rx_report report = {.err = -ETIMEDOUT};

	(void)state;
	expect(&report, "silent: no answer\n");
	report.err = -ENOTSUP;
	expect(&report, "silent: it speaks Rx, but refuses to tell\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	    cmocka_unit_test(test_load),
		cmocka_unit_test(test_connections), cmocka_unit_test(test_peers),
		cmocka_unit_test(test_held),	    cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "probe/catalogue.h"
#include "rx/rx_problem.h"
#include "rx/rx_record.h"
#include "rx/rx_words.h"
#include "wire/measure.h"
#include "wire/record.h"

static struct catalogue *cat;

static int open_catalogue(void **state)
{
	struct diag diag = {0};

	(void)state;
	return catalogue_open(&cat, &diag);
}

static int close_catalogue(void **state)
{
	(void)state;
	catalogue_close(cat);
	return 0;
}

static void records_are_as_the_catalogue_has_them(void **state)
{
	static const struct {
		uint32_t id;
		size_t bytes;
	} records[] = {
		{RX_STATS, record_bytes(rx_stats)},   {RX_COUNTERS, record_bytes(rx_counters)},
		{RX_CONN, record_bytes(rx_conn)},     {RX_CALL, record_bytes(rx_call)},
		{RX_PEER, record_bytes(rx_peer)},     {RX_LIST, record_bytes(rx_list_end)},
		{RX_SILENT, record_bytes(rx_silent)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		const struct measurement *m = catalogue_get(cat, records[i].id);

		assert_int_equal(m->class.payload_bytes, records[i].bytes - RECORD_HEAD_BYTES);
		assert_int_equal(records[i].bytes % RECORD_ALIGN, 0);
		assert_true(measurement_usable(m)); /* whoever may ask */
		assert_false(hook_is_program(&m->hooks[0]));
	}
}

/* All words that have a name, under it, in their order. */
static void fields_of_the_counters_are_the_words(void **state)
{
	const struct event_class *class = &catalogue_get(cat, RX_COUNTERS)->class;
	size_t first = (size_t)event_class_find(class, "packet_requests"), named = 0;

	(void)state;
	for (size_t word = 0; word < SONDE_RX_STAT_COUNT; word++)
		named += rx_words_stat(word) != NULL;
	assert_int_equal(named, RX_COUNTER_FIELDS);
	for (size_t i = 0; i < RX_COUNTER_FIELDS; i++) {
		assert_string_equal(class->fields[first + i].name, rx_words_stat(rx_event_word(i)));
		assert_true(!i || rx_event_word(i) > rx_event_word(i - 1));
	}
}

static void counters_go_on_and_others_are_as_told(void **state)
{
	struct rx_widened counters[RX_COUNTER_FIELDS];
	uint32_t raw[RX_COUNTER_FIELDS];
	struct sonde_rx_stats stats;
	struct rx_counters record;

	(void)state;
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++)
		stats.words[i] = UINT32_MAX - (uint32_t)i;
	rx_event_counters_raw(&stats, raw);
	rx_widen(counters, raw, RX_COUNTER_FIELDS, true);
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++)
		stats.words[i] = (uint32_t)i;
	rx_event_counters_raw(&stats, raw);
	assert_false(rx_widen_went_back(counters, raw, RX_COUNTER_FIELDS));
	rx_widen(counters, raw, RX_COUNTER_FIELDS, false);
	rx_event_counters(&stats, counters, &record);
	assert_int_equal(record.packet_requests, 0x100000000);
	assert_int_equal(record.busies, 0x100000000 + SONDE_RX_STAT_BUSIES);
	assert_int_equal(record.bogus_host, SONDE_RX_STAT_BOGUS_HOST);
	assert_int_equal(record.server_conns, SONDE_RX_STAT_SERVER_CONNS);
	assert_int_equal(record.free_calls, SONDE_RX_STAT_FREE_CALLS);
	assert_int_equal(record.rtt_total_us, 49000050);
	assert_int_equal(record.rtt_max_us, 53000054);
	stats.words[SONDE_RX_STAT_RTT_SAMPLES] = 0;
	rx_event_counters(&stats, counters, &record);
	assert_int_equal(record.rtt_min_us, 0);
}

static void what_a_version_does_not_tell_is_nothing(void **state)
{
	struct sonde_rx_basic basic = {.calls_executed = -1,
				       .waiting = 3,
				       .idle_threads = 4,
				       .waited = 5,
				       .packets = 6,
				       .version = 'S'};
	struct rx_widened counters[RX_BASIC_COUNTERS];
	uint32_t raw[RX_BASIC_COUNTERS];
	struct rx_stats record;

	(void)state;
	for (basic.version = 'S'; basic.version >= 'L'; basic.version--) {
		rx_event_basic_raw(&basic, raw);
		rx_widen(counters, raw, RX_BASIC_COUNTERS, true);
		rx_event_stats(&basic, counters, &record);
		assert_int_equal(record.version, basic.version);
		assert_int_equal(record.calls_executed, UINT32_MAX);
		assert_int_equal(record.waiting, basic.version >= 'N' ? 3 : 0);
		assert_int_equal(record.idle_threads, basic.version >= 'O' ? 4 : 0);
		assert_int_equal(record.waited, basic.version >= 'R' ? 5 : 0);
		assert_int_equal(record.packets, basic.version >= 'S' ? 6 : 0);
	}
}

static void calls_in_progress_are_counted(void **state)
{
	static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, 192, 0, 2, 9};
	const struct sonde_rx_conn conn = {
		.host = 0xc0000209,
		.port = 7001,
		.type = 1,
		.security_index = 2,
		.security = {.level = 2, .expires = UINT32_MAX},
		.calls = {{.number = 5,
			   .state = SONDE_RX_CALL_PRECALL,
			   .flags = SONDE_RX_CALL_WAIT_PROCESS,
			   .other = SONDE_RX_CALL_HAS_INPUT},
			  {.state = SONDE_RX_CALL_DALLY, .flags = SONDE_RX_CALL_WAIT_PROCESS},
			  {.state = SONDE_RX_CALL_ACTIVE, .flags = SONDE_RX_CALL_READER_WAIT}},
	};
	struct rx_conn record;
	struct rx_call call;

	(void)state;
	rx_event_conn(&conn, &record);
	assert_int_equal(record.calls, 2);
	assert_int_equal(record.blocked, 1);
	assert_int_equal(record.security, RX_CLASS_RXKAD);
	assert_int_equal(record.level, RX_LEVEL_CRYPT);
	assert_int_equal(record.expires, UINT32_MAX);
	assert_memory_equal(record.peer, mapped, sizeof(mapped));
	assert_true(rx_event_is_call(&conn.calls[0]));
	assert_false(rx_event_is_call(&conn.calls[1]));
	assert_false(rx_event_is_call(&conn.calls[3]));
	rx_event_call(&conn, 0, &call);
	assert_int_equal(call.waits_for, RX_WAIT_THREAD);
	assert_int_equal(call.state, RX_CALL_PRECALL);
	assert_int_equal(call.number, 5);
	assert_int_equal(call.role, RX_ROLE_SERVER);
	assert_true(call.has_input);
	assert_false(call.has_output);
	rx_event_call(&conn, 2, &call);
	assert_int_equal(call.waits_for, RX_WAIT_NOTHING);
}

/* Whoever has words for it says that it is blocked, if we do. */
static void what_blocks_is_what_has_words(void **state)
{
	(void)state;
	for (unsigned int flags = 0; flags < 256; flags++) {
		const struct sonde_rx_conn conn = {
			.calls = {{.state = SONDE_RX_CALL_ACTIVE, .flags = (uint8_t)flags}}};
		struct rx_conn record;

		rx_event_conn(&conn, &record);
		assert_int_equal(record.blocked, rx_hold_text(rx_hold_find(&conn, 0)) != NULL);
	}
}

static void round_trips_of_peers_are_times(void **state)
{
	struct sonde_rx_peer peer = {.rtt = 80, .rtt_dev = 4, .sent = 9, .bytes_sent = 1ull << 40};
	struct rx_peer record;

	(void)state;
	rx_event_peer(&peer, &record);
	assert_int_equal(record.rtt_us, 10000);
	assert_int_equal(record.rtt_dev_us, 1000);
	assert_int_equal(record.packets_sent, 9);
	assert_int_equal(record.bytes_sent, 1ull << 40);
	peer.rtt = 16000;
	rx_event_peer(&peer, &record);
	assert_int_equal(record.rtt_us, 0);
	peer.rtt = -1;
	rx_event_peer(&peer, &record);
	assert_int_equal(record.rtt_us, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_as_the_catalogue_has_them),
		cmocka_unit_test(fields_of_the_counters_are_the_words),
		cmocka_unit_test(counters_go_on_and_others_are_as_told),
		cmocka_unit_test(what_a_version_does_not_tell_is_nothing),
		cmocka_unit_test(calls_in_progress_are_counted),
		cmocka_unit_test(what_blocks_is_what_has_words),
		cmocka_unit_test(round_trips_of_peers_are_times),
	};

	return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}

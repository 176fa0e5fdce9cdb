// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"

/* All values have names, also those that nobody has defined. */
static void test_every_value(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 256; i++) {
		assert_non_null(rx_words_call_state((uint8_t)i));
		assert_non_null(rx_words_call_mode((uint8_t)i));
	}
	assert_string_equal(rx_words_call_state(SONDE_RX_CALL_HOLD), "hold");
	assert_string_equal(rx_words_call_mode(SONDE_RX_MODE_EOF), "eof");
	assert_string_equal(rx_words_call_state(6), "unknown");
}

/* Each counter has another name; spare words, and halves of times, have none. */
static void test_stats(void **state)
{
	unsigned int named = 0;

	(void)state;
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++) {
		named += rx_words_stat(i) != NULL;
		assert_int_equal(!rx_words_stat(i), !rx_words_stat_help(i));
		for (size_t j = 0; rx_words_stat(i) && j < i; j++)
			assert_true(!rx_words_stat(j) ||
				    strcmp(rx_words_stat(i), rx_words_stat(j)) != 0);
	}
	assert_int_equal(named, SONDE_RX_STAT_COUNT - 6 - 4);
	assert_string_equal(rx_words_stat(SONDE_RX_STAT_BUSIES), "busies");
	assert_string_equal(rx_words_stat(SONDE_RX_STAT_READ + 7), "packets_read_debug");
	assert_string_equal(rx_words_stat(SONDE_RX_STAT_SENT + 12), "packets_sent_version");
	assert_string_equal(rx_words_stat(SONDE_RX_STAT_DATA_RESENT), "data_resent");
	assert_string_equal(rx_words_stat(SONDE_RX_STAT_PEERS), "peers");
	assert_true(rx_words_stat_is_gauge(SONDE_RX_STAT_PEERS));
	assert_false(rx_words_stat_is_gauge(SONDE_RX_STAT_BUSIES));
	assert_null(rx_words_stat(SONDE_RX_STAT_MIN_RTT));
	assert_null(rx_words_stat(SONDE_RX_STAT_COUNT));
}

static void test_flags_and_security(void **state)
{
	const struct sonde_rx_conn kad = {.security_index = 2,
					  .security = {.type = SONDE_RX_SECURITY_KAD, .level = 2}};
	const struct sonde_rx_conn odd = {.security_index = 77};
	struct buffer out;

	(void)state;
	buffer_init(&out);
	rx_words_call_flags(SONDE_RX_CALL_READER_WAIT | SONDE_RX_CALL_WAIT_PROCESS | 0x80, &out);
	buffer_char(&out, ' ');
	rx_words_conn_flags(0, &out);
	rx_words_conn_flags(SONDE_RX_CONN_CHECKSUM, &out);
	buffer_char(&out, ' ');
	rx_words_security(&kad, &out);
	buffer_char(&out, ' ');
	rx_words_security(&odd, &out);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, "reader_wait,waiting_for_process,queue_busy checksum rxkad "
				      "crypt class 77");
	buffer_fini(&out);
}

static void test_rtt(void **state)
{
	struct sonde_rx_peer peer = {.rtt = 24000};

	(void)state;
	assert_false(rx_words_has_rtt(&peer));
	peer.rtt = 16000;
	assert_false(rx_words_has_rtt(&peer));
	peer.rtt_dev = 1;
	assert_true(rx_words_has_rtt(&peer));
	peer = (struct sonde_rx_peer){.rtt = 8};
	assert_true(rx_words_has_rtt(&peer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_value),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_rtt),
		cmocka_unit_test(test_flags_and_security),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_place.h"
#include "record/rx_poll.h"

#include <arpa/inet.h>
#include <poll.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"
#include "record/notes.h"
#include "rx/rx_message.h"
#include "rx/rx_record.h"
#include "wire/measure.h"
#include "wire/note.h"
#include "wire/record.h"
#include "wire/rx_event.h"

#define EVERYTHING 0x7fu
#define PATIENCE_NS (60 * NS_PER_SEC)
#define RECORDS_MAX 4096

/* A server in this very thread, the poll of it, and the notes that come of that. */
struct scene {
	int fd;
	struct rx_poll_server server;
	struct rx_poll *poll;
	struct notes *notes;
	/* What it answers. */
	bool silent;
	bool refuses; /* as an endpoint that knows no debug packets does */
	struct sonde_rx_basic basic;
	struct sonde_rx_stats stats;
	uint32_t conns;
	uint32_t peers;
	unsigned int asked[6]; /* by what */
	/* What was noted. */
	struct {
		alignas(uint64_t) uint8_t bytes[sizeof(struct rx_counters)];
	} records[RECORDS_MAX];
	uint32_t ids[RECORDS_MAX];
	size_t count;
};

static struct scene scene;

/* The next round of a scene that needs one only: no machine is so busy that it is late for it. */
#define ONE_ROUND_NS (3600 * NS_PER_SEC)

static void begin_rounds(double rate, uint64_t period_ns)
{
	struct rx_poll_config config = {.servers = &scene.server,
					.count = 1,
					.period_ns = period_ns,
					.rate = rate,
					.all_conns = true};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	struct diag diag = {0};

	memset(&scene, 0, sizeof(scene));
	scene.basic = (struct sonde_rx_basic){.version = 'S', .calls_executed = 100};
	scene.fd = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(scene.fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(getsockname(scene.fd, (struct sockaddr *)&in, &len), 0);
	scene.server = (struct rx_poll_server){.name = "made.up:7000", .address.in = in};
	scene.notes = notes_new((const uint8_t *)"0123456789abcde");
	assert_int_equal(rx_poll_open(&config, scene.notes, &scene.poll, &diag), 0);
	rx_poll_want(scene.poll, EVERYTHING);
}

static void begin(double rate)
{
	begin_rounds(rate, RX_POLL_PERIOD_MIN);
}

static void end(void)
{
	rx_poll_close(scene.poll);
	notes_free(scene.notes);
	close(scene.fd);
}

static size_t answer_record(int32_t what, int32_t index, uint8_t *payload)
{
	struct sonde_rx_conn conn = {
		.cid = 4 * (uint32_t)index + 4, .host = 0xc0000201, .epoch = 1};
	struct sonde_rx_peer peer = {.host = 0xc0000201, .port = (uint16_t)(index + 1)};

	conn.calls[2].state = SONDE_RX_CALL_ACTIVE;
	if (what == RX_DEBUG_PEER) {
		if ((uint32_t)index >= scene.peers)
			peer = (struct sonde_rx_peer){.host = RX_DEBUG_END};
		rx_peer_pack(&peer, payload);
		return RX_PEER_BYTES;
	}
	if ((uint32_t)index >= scene.conns)
		conn = (struct sonde_rx_conn){.cid = RX_DEBUG_END};
	rx_conn_pack(&conn, payload);
	return RX_CONN_BYTES;
}

static size_t answer(int32_t what, int32_t index, uint8_t *payload)
{
	switch (what) {
	case RX_DEBUG_BASIC:
		rx_basic_pack(&scene.basic, payload);
		return RX_BASIC_BYTES;
	case RX_DEBUG_STATS:
		rx_stats_pack(&scene.stats, payload);
		return RX_STATS_BYTES;
	default:
		return answer_record(what, index, payload);
	}
}

/* Of what was asked, everything: never is there more than one question. */
static void serve(void)
{
	uint8_t packet[RX_PACKET_MAX_BYTES], again[RX_PACKET_MAX_BYTES];
	struct sonde_rx_header header;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	int32_t words[2];
	ssize_t got = recvfrom(scene.fd, packet, sizeof(packet), MSG_DONTWAIT,
			       (struct sockaddr *)&from, &len);

	if (got < 0)
		return;
	assert_int_equal(got, RX_REQUEST_MAX_BYTES);
	assert_int_equal(rx_header_unpack(packet, (size_t)got, &header), 0);
	memcpy(words, packet + RX_HEADER_BYTES, sizeof(words));
	scene.asked[ntohl((uint32_t)words[0])]++;
	if (scene.silent)
		return;
	assert_true(recv(scene.fd, again, sizeof(again), MSG_DONTWAIT) < 0);
	header.flags &= (uint8_t)~RX_FLAG_CLIENT_INITIATED;
	got = (ssize_t)answer((int32_t)ntohl((uint32_t)words[0]),
			      (int32_t)ntohl((uint32_t)words[1]), packet + RX_HEADER_BYTES);
	if (scene.refuses)
		header.type = RX_TYPE_ABORT;
	rx_header_pack(&header, packet);
	assert_true(sendto(scene.fd, packet, RX_HEADER_BYTES + (size_t)got, 0,
			   (struct sockaddr *)&from, len) > 0);
}

static size_t bytes_of(uint32_t id)
{
	static const size_t bytes[] = {record_bytes(rx_stats), record_bytes(rx_counters),
				       record_bytes(rx_conn),  record_bytes(rx_call),
				       record_bytes(rx_peer),  record_bytes(rx_list_end),
				       record_bytes(rx_silent)};

	return id == SONDE_LOSS ? sizeof(struct sonde_loss) : bytes[id - RX_STATS];
}

static void collect(void)
{
	size_t len, at = sizeof(struct packet_head);
	const uint8_t *packet = notes_packet(scene.notes, 0, &len);
	uint64_t head;

	while (packet && at < len) {
		uint32_t id;

		assert_true(scene.count < RECORDS_MAX);
		memcpy(&head, packet + at, sizeof(head));
		id = head & RECORD_ID_EXTENDED;
		scene.ids[scene.count] = id;
		memcpy(scene.records[scene.count++].bytes, packet + at, bytes_of(id));
		at += bytes_of(id);
	}
}

static size_t count_of(uint32_t id)
{
	size_t count = 0;

	for (size_t i = 0; i < scene.count; i++)
		count += scene.ids[i] == id;
	return count;
}

/* The @n-th with that id. */
static const void *get(uint32_t id, size_t n)
{
	for (size_t i = 0; i < scene.count; i++) {
		if (scene.ids[i] == id && !n--)
			return scene.records[i].bytes;
	}
	fail_msg("no record");
	return NULL;
}

/* Goes on until there are @count records of that id. */
static void until(uint32_t id, size_t count)
{
	uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;

	for (collect(); count_of(id) < count; collect()) {
		struct pollfd fds[] = {{rx_poll_fd(scene.poll), POLLIN, 0}, {scene.fd, POLLIN, 0}};

		assert_true(clock_monotonic_ns() < end_ns);
		assert_int_equal(rx_poll_run(scene.poll), 0);
		serve();
		assert_true(poll(fds, 2, 100) >= 0);
	}
}

static void all_that_it_tells_is_noted(void **state)
{
	const struct rx_list_end *list;
	const struct rx_stats *stats;
	const char *name;

	(void)state;
	begin_rounds(RX_POLL_RATE_MAX, ONE_ROUND_NS);
	scene.conns = 3;
	scene.peers = 2;
	scene.stats.words[SONDE_RX_STAT_SERVER_CONNS] = 3;
	until(RX_LIST, 2);
	stats = get(RX_STATS, 0);
	assert_int_equal(stats->round, 1);
	assert_int_equal(stats->calls_executed, 100);
	assert_string_equal(stats->server, "made.up:7000");
	assert_int_equal(((const struct rx_counters *)get(RX_COUNTERS, 0))->server_conns, 3);
	assert_int_equal(count_of(RX_CONN), 3);
	assert_int_equal(count_of(RX_CALL), 3);
	assert_int_equal(count_of(RX_PEER), 2);
	assert_int_equal(((const struct rx_conn *)get(RX_CONN, 2))->cid, 12);
	assert_int_equal(((const struct rx_call *)get(RX_CALL, 2))->channel, 2);
	assert_int_equal(((const struct rx_peer *)get(RX_PEER, 1))->peer_port, 2);
	list = get(RX_LIST, 0);
	assert_int_equal(list->what, RX_LIST_ALL_CONNS);
	assert_int_equal(list->result, RX_LIST_COMPLETE);
	assert_int_equal(list->records, 3);
	assert_int_equal(list->expected, 3);
	assert_int_equal(((const struct rx_list_end *)get(RX_LIST, 1))->what, RX_LIST_PEERS);
	assert_int_equal(count_of(SONDE_LOSS), 0);
	assert_int_equal(rx_poll_lost(scene.poll), 0);
	assert_true(rx_poll_account(scene.poll, 0, &name)->answered);
	assert_string_equal(name, "made.up:7000");
	assert_null(rx_poll_account(scene.poll, 1, &name));
	end();
}

static void only_what_is_wanted_is_asked(void **state)
{
	(void)state;
	begin(RX_POLL_RATE_MAX);
	rx_poll_want(scene.poll, 0);
	assert_int_equal(rx_poll_run(scene.poll), 0);
	assert_int_equal(recv(scene.fd, &(char){0}, 1, MSG_DONTWAIT), -1);
	rx_poll_want(scene.poll, 1u << (RX_STATS - RX_STATS));
	until(RX_STATS, 3);
	assert_int_equal(scene.asked[RX_DEBUG_STATS], 0);
	assert_int_equal(scene.asked[RX_DEBUG_ALL_CONN] + scene.asked[RX_DEBUG_PEER], 0);
	/* Rounds for which this machine was too busy are lost. */
	assert_int_equal(scene.count, count_of(RX_STATS) + count_of(SONDE_LOSS));
	end();
}

/* The second record of a list comes in a hundred seconds; rounds come. */
static void a_long_list_does_not_hold_up_rounds(void **state)
{
	(void)state;
	begin(RX_POLL_RATE_MIN);
	scene.conns = 1000;
	until(RX_STATS, 4);
	assert_int_equal(count_of(RX_CONN), 1);
	assert_int_equal(scene.asked[RX_DEBUG_ALL_CONN], 1);
	assert_int_equal(count_of(RX_LIST), 0);
	end();
}

static void a_list_beyond_reason_is_not_read(void **state)
{
	const struct rx_list_end *list;

	(void)state;
	begin_rounds(RX_POLL_RATE_MAX, ONE_ROUND_NS);
	scene.stats.words[SONDE_RX_STAT_PEERS] = RX_PLACE_LIST_MAX + 1;
	until(RX_LIST, 2);
	list = get(RX_LIST, 1);
	assert_int_equal(list->result, RX_LIST_TOO_LONG);
	assert_int_equal(list->expected, RX_PLACE_LIST_MAX + 1);
	assert_int_equal(scene.asked[RX_DEBUG_PEER], 0);
	assert_string_equal(((const struct sonde_loss *)get(SONDE_LOSS, 0))->measurement,
			    "rx.peer");
	assert_int_equal(rx_poll_lost(scene.poll), 1);
	end();
}

static void old_servers_are_not_asked_for_more(void **state)
{
	(void)state;
	begin_rounds(RX_POLL_RATE_MAX, ONE_ROUND_NS);
	scene.basic.version = 'L';
	scene.conns = 1;
	until(RX_LIST, 2);
	assert_int_equal(count_of(RX_COUNTERS), 0);
	assert_int_equal(scene.asked[RX_DEBUG_STATS], 0);
	assert_int_equal(scene.asked[RX_DEBUG_PEER], 0);
	assert_int_equal(scene.asked[RX_DEBUG_ALL_CONN], 0);
	assert_int_equal(((const struct rx_list_end *)get(RX_LIST, 0))->what, RX_LIST_CONNS);
	assert_int_equal(((const struct rx_list_end *)get(RX_LIST, 1))->result, RX_LIST_NOT_TOLD);
	assert_int_equal(rx_poll_lost(scene.poll), 0);
	end();
}

/* Each round is either told or lost. */
static void who_refuses_and_comes_back(void **state)
{
	const struct rx_silent *silent;
	const struct rx_stats *stats;
	uint64_t lost = 0;

	(void)state;
	begin(RX_POLL_RATE_MAX);
	scene.refuses = true;
	until(RX_SILENT, 2);
	silent = get(RX_SILENT, 1);
	assert_int_equal(silent->why, RX_SILENCE_REFUSED);
	assert_true(silent->missed >= 2 && silent->missed == silent->round);
	assert_true(silent->silent_ns > 0);
	scene.refuses = false;
	until(RX_STATS, 1);
	stats = get(RX_STATS, 0);
	for (size_t i = 0; i < count_of(SONDE_LOSS); i++)
		lost += ((const struct sonde_loss *)get(SONDE_LOSS, i))->count;
	assert_int_equal(stats->round, lost + 1);
	assert_int_equal(rx_poll_lost(scene.poll), lost);
	assert_string_equal(((const struct sonde_loss *)get(SONDE_LOSS, 0))->measurement,
			    "rx.stats");
	end();
}

static void who_is_silent_at_the_end_is_told(void **state)
{
	uint64_t end_ns;

	(void)state;
	begin(RX_POLL_RATE_MAX);
	scene.silent = true;
	assert_int_equal(rx_poll_run(scene.poll), 0);
	assert_int_equal(rx_poll_finish(scene.poll), 0);
	collect();
	assert_int_equal(scene.count, 0); /* it may still answer */
	end_ns = clock_monotonic_ns() + 600 * NS_PER_MS;
	while (clock_monotonic_ns() < end_ns)
		assert_true(poll(NULL, 0, 10) == 0);
	assert_int_equal(rx_poll_finish(scene.poll), 0);
	collect();
	assert_int_equal(((const struct rx_silent *)get(RX_SILENT, 0))->why, RX_SILENCE_NO_ANSWER);
	assert_int_equal(rx_poll_lost(scene.poll), 1);
	end();
}

static void counters_wrap_and_begin_anew(void **state)
{
	const struct rx_stats *stats;
	size_t round;

	(void)state;
	begin(RX_POLL_RATE_MAX);
	scene.basic.calls_executed = -16;
	until(RX_STATS, 1);
	scene.basic.calls_executed = 5;
	until(RX_STATS, 3);
	stats = get(RX_STATS, 2);
	assert_int_equal(stats->calls_executed, 0x100000005);
	assert_int_equal(stats->begun, 0);
	scene.basic.calls_executed = 2;
	round = count_of(RX_STATS);
	until(RX_STATS, round + 2);
	stats = get(RX_STATS, round + 1);
	assert_int_equal(stats->calls_executed, 2);
	assert_int_equal(stats->begun, 1);
	end();
}

/* What only the counters show concerns both. */
static void a_counter_that_goes_back_is_a_new_beginning(void **state)
{
	size_t round;

	(void)state;
	begin(RX_POLL_RATE_MAX);
	scene.stats.words[SONDE_RX_STAT_DATA_READ] = 1000;
	until(RX_COUNTERS, 1);
	scene.stats.words[SONDE_RX_STAT_DATA_READ] = 10;
	round = count_of(RX_STATS);
	until(RX_STATS, round + 3);
	assert_int_equal(((const struct rx_stats *)get(RX_STATS, round + 2))->begun, 1);
	assert_int_equal(
		((const struct rx_counters *)get(RX_COUNTERS, count_of(RX_COUNTERS) - 1))->data_read,
		10);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_it_tells_is_noted),
		cmocka_unit_test(only_what_is_wanted_is_asked),
		cmocka_unit_test(a_long_list_does_not_hold_up_rounds),
		cmocka_unit_test(a_list_beyond_reason_is_not_read),
		cmocka_unit_test(old_servers_are_not_asked_for_more),
		cmocka_unit_test(who_refuses_and_comes_back),
		cmocka_unit_test(who_is_silent_at_the_end_is_told),
		cmocka_unit_test(counters_wrap_and_begin_anew),
		cmocka_unit_test(a_counter_that_goes_back_is_a_new_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

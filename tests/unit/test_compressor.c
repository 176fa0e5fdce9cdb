// SPDX-License-Identifier: BSD-2-Clause
#include "trace/compressor.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "trace/frame_input.h"
#include "trace/stream_file.h"
#include "trace/stream_input.h"
#include "wire/record.h"

#define STREAMS 3u
#define PACKET_BYTES 40000u
#define PACKETS 300u /* of each stream: many times the queues */
#define QUEUE_BYTES (1u << 20)

struct fixture {
	char path[64];
	int dir;
	struct stream_file *streams[STREAMS];
	struct compressor *compressor;
	uint8_t packet[PACKET_BYTES];
};

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.path = "/tmp/sonde-compressor-XXXXXX"};
	if (!mkdtemp(fix.path))
		return -1;
	fix.dir = open(fix.path, O_RDONLY | O_DIRECTORY);
	for (uint32_t i = 0; i < STREAMS; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "s%u", i);
		if (stream_file_create_frames(fix.dir, fix.dir, name, &fix.streams[i]))
			return -1;
	}
	*state = &fix;
	return 0;
}

static int close_all(struct fixture *fix)
{
	int err = 0;

	compressor_free(fix->compressor);
	fix->compressor = NULL;
	for (uint32_t i = 0; i < STREAMS; i++) {
		int stream_err = stream_file_close(fix->streams[i]);

		err = err ?: stream_err;
		fix->streams[i] = NULL;
	}
	return err;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;
	char name[32];

	(void)close_all(fix);
	for (uint32_t i = 0; i < STREAMS; i++) {
		(void)snprintf(name, sizeof(name), "s%u.zst", i);
		(void)unlinkat(fix->dir, name, 0);
		(void)snprintf(name, sizeof(name), "s%u.zst.idx", i);
		(void)unlinkat(fix->dir, name, 0);
	}
	(void)fd_close(fix->dir);
	return rmdir(fix->path);
}

static void start(struct fixture *fix, unsigned int lanes, bool patient)
{
	const struct compressor_config config = {
		.level = 1,
		.lanes = lanes,
		.queue_bytes = QUEUE_BYTES,
		.patient = patient,
	};

	assert_int_equal(compressor_new(&config, &fix->compressor), 0);
}

static void make_packet(struct fixture *fix, uint32_t stream, uint32_t number)
{
	const struct packet_head head = {
		.magic = PACKET_MAGIC,
		.packet_bits = PACKET_BYTES * 8,
		.content_bits = PACKET_BYTES * 8,
		.cpu = stream,
		.sequence = number,
	};

	memset(fix->packet, (int)number, PACKET_BYTES);
	memcpy(fix->packet, &head, sizeof(head));
}

static int push_all(struct fixture *fix)
{
	int err = 0;

	for (uint32_t i = 0; i < PACKETS * STREAMS; i++) {
		make_packet(fix, i % STREAMS, i / STREAMS);
		err = compressor_push(fix->compressor, i % STREAMS, fix->streams[i % STREAMS],
				      fix->packet, PACKET_BYTES);
		memset(fix->packet, 0xee, PACKET_BYTES); /* it was borrowed for the call */
	}
	return err;
}

/* Each stream has all of its packets, in order. */
static void expect_all(struct fixture *fix)
{
	static uint8_t bytes[PACKET_BYTES];

	for (uint32_t i = 0; i < STREAMS; i++) {
		struct stream_input *input;
		uint64_t size;
		char name[16];

		(void)snprintf(name, sizeof(name), "s%u.zst", i);
		assert_int_equal(stream_open(fix->dir, name, &input), 0);
		assert_int_equal(input->ops->size(input, &size), 0);
		assert_int_equal(size, (uint64_t)PACKETS * PACKET_BYTES);
		for (uint32_t k = 0; k < PACKETS; k++) {
			make_packet(fix, i, k);
			assert_int_equal(input->ops->read(input, bytes, PACKET_BYTES,
							  (uint64_t)k * PACKET_BYTES),
					 PACKET_BYTES);
			assert_memory_equal(bytes, fix->packet, PACKET_BYTES);
		}
		input->ops->close(input);
	}
}

static struct compressor_totals totals(struct fixture *fix)
{
	struct compressor_totals totals;

	compressor_totals(fix->compressor, &totals);
	return totals;
}

static void every_packet_arrives_in_order(void **state)
{
	struct fixture *fix = *state;

	for (unsigned int lanes = 0; lanes <= 4; lanes += 2) {
		start(fix, lanes, false);
		assert_int_equal(push_all(fix), 0);
		assert_int_equal(compressor_flush(fix->compressor), 0);
		assert_int_equal(totals(fix).packets, PACKETS * STREAMS);
		assert_int_equal(totals(fix).plain_bytes, PACKETS * STREAMS * PACKET_BYTES);
		assert_int_equal(totals(fix).frame_bytes,
				 stream_file_bytes(fix->streams[0]) +
					 stream_file_bytes(fix->streams[1]) +
					 stream_file_bytes(fix->streams[2]));
		assert_int_equal(close_all(fix), 0);
		expect_all(fix);
		assert_int_equal(tear_down(state), 0);
		assert_int_equal(set_up(state), 0);
	}
}

static void who_is_patient_stores_nothing(void **state)
{
	struct fixture *fix = *state;

	start(fix, 1, true);
	assert_int_equal(push_all(fix), 0);
	assert_int_equal(compressor_flush(fix->compressor), 0);
	assert_int_equal(totals(fix).stored, 0);
	assert_int_equal(close_all(fix), 0);
	expect_all(fix);
}

/* Nobody waits for the thread: what has no room drives what waits out, not compressed. */
static void a_full_queue_is_stored(void **state)
{
	struct fixture *fix = *state;

	/* At the highest level a packet takes longer than the loop of this test. */
	const struct compressor_config config = {.level = 19, .lanes = 1, .queue_bytes = 64 << 10};

	assert_int_equal(compressor_new(&config, &fix->compressor), 0);
	assert_int_equal(push_all(fix), 0);
	assert_int_equal(compressor_flush(fix->compressor), 0);
	assert_true(totals(fix).stored > 0);
	assert_int_equal(close_all(fix), 0);
	expect_all(fix);
}

static void a_packet_longer_than_the_queue_goes_through(void **state)
{
	struct fixture *fix = *state;
	const size_t len = 2 * QUEUE_BYTES;
	uint8_t *packet = calloc(1, len);
	const struct packet_head head = {.magic = PACKET_MAGIC, .packet_bits = len * 8};

	assert_non_null(packet);
	memcpy(packet, &head, sizeof(head));
	start(fix, 1, false);
	assert_int_equal(compressor_push(fix->compressor, 0, fix->streams[0], packet, len), 0);
	assert_int_equal(compressor_flush(fix->compressor), 0);
	assert_int_equal(totals(fix).plain_bytes, len);
	free(packet);
}

/* The nearest thing to a full disk. */
static void an_error_stays_and_is_told(void **state)
{
	struct fixture *fix = *state;
	struct rlimit limit;
	struct stream_input *input;
	uint64_t size;
	int err;

	start(fix, 1, false);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 5000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	(void)push_all(fix);
	err = compressor_flush(fix->compressor);
	limit.rlim_cur = RLIM_INFINITY;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(compressor_flush(fix->compressor), -EFBIG);
	assert_true(totals(fix).refused > 0);
	assert_int_equal(totals(fix).refused % (PACKET_BYTES - sizeof(struct packet_head)), 0);
	assert_int_equal(close_all(fix), -EFBIG);
	assert_int_equal(stream_open(fix->dir, "s0.zst", &input), 0);
	assert_int_equal(input->ops->size(input, &size), 0);
	assert_int_equal(size % PACKET_BYTES, 0); /* whole packets, nothing torn */
	input->ops->close(input);
}

#define COMPRESSOR_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMPRESSOR_TEST(every_packet_arrives_in_order),
		COMPRESSOR_TEST(who_is_patient_stores_nothing),
		COMPRESSOR_TEST(a_full_queue_is_stored),
		COMPRESSOR_TEST(a_packet_longer_than_the_queue_goes_through),
		COMPRESSOR_TEST(an_error_stays_and_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "frames.h"

static void test_tcp(void **state)
{
	struct frame frame = frames_parsed(0xfffffffe, TCP_ACK | TCP_PSH, 100);

	(void)state;
	assert_int_equal(frame.kind, FRAME_DATA);
	assert_int_equal(frame.seq, 0xfffffffe);
	assert_int_equal(frame.payload, 100);
	assert_int_equal(frame.length, 154);
	assert_int_equal(frame.ip_length, 140);
	assert_int_equal(frame.flow.sport, 1000);
	assert_int_equal(frame.flow.dport, 80);
	assert_int_equal(frame.flow.family, AF_INET);
	assert_int_equal(frame.flow.saddr[3], 1);
	assert_int_equal(frames_parsed(1, TCP_SYN, 0).kind, FRAME_SYN);
	assert_int_equal(frames_parsed(1, TCP_SYN | TCP_ACK, 0).kind, FRAME_SYNACK);
	assert_int_equal(frames_parsed(1, TCP_ACK, 0).kind, FRAME_ACK);
	assert_int_equal(frames_parsed(1, TCP_ACK | TCP_FIN, 0).kind, FRAME_CLOSE);
	assert_int_equal(frames_parsed(1, TCP_RST, 0).kind, FRAME_CLOSE);
	assert_int_equal(frames_parsed(1, TCP_ACK | TCP_FIN, 5).kind, FRAME_DATA);
}

/* Wherever it is cut off, nothing behind its end is read: each lies at the end of its memory. */
static void test_cut(void **state)
{
	uint8_t bytes[FRAMES_TCP_V4 + 20];
	size_t length = frames_tcp(bytes, 1, TCP_ACK, 20);

	(void)state;
	for (size_t i = 0; i < length; i++) {
		uint8_t *copy = malloc(i ? i : 1);
		struct frame frame;

		memcpy(copy, bytes, i);
		frame_parse(&frame, copy, i);
		assert_int_equal(frame.kind, FRAME_OTHER);
		assert_int_equal(frame.length, i);
		free(copy);
	}
}

static void test_lengths_that_lie(void **state)
{
	uint8_t bytes[FRAMES_TCP_V4 + 20];
	size_t length = frames_tcp(bytes, 1, TCP_ACK, 20);
	struct frame frame;

	(void)state;
	bytes[46] = 15 << 4; /* a TCP header longer than what is there */
	frame_parse(&frame, bytes, length);
	assert_int_equal(frame.kind, FRAME_DATAGRAM);
	bytes[46] = 4 << 4; /* and one that is too short */
	frame_parse(&frame, bytes, length);
	assert_int_equal(frame.kind, FRAME_DATAGRAM);
	bytes[46] = 5 << 4;
	bytes[17]++; /* an IP packet longer than the frame */
	frame_parse(&frame, bytes, length);
	assert_int_equal(frame.kind, FRAME_OTHER);
	bytes[17]--;
	bytes[14] = 0x4f; /* an IP header of 60 bytes, which end before TCP's do */
	frame_parse(&frame, bytes, length);
	assert_int_equal(frame.kind, FRAME_DATAGRAM);
	bytes[14] = 0x44;
	frame_parse(&frame, bytes, length);
	assert_int_equal(frame.kind, FRAME_OTHER);
	bytes[14] = 0x45;
	bytes[17] = 45; /* bytes behind the packet are padding */
	frame_parse(&frame, bytes, length);
	assert_int_equal(frame.payload, 5);
	bytes[21] = 1; /* a later fragment has no ports */
	frame_parse(&frame, bytes, length);
	assert_int_equal(frame.kind, FRAME_DATAGRAM);
	assert_int_equal(frame.flow.sport, 0);
}

static void test_v6(void **state)
{
	uint8_t bytes[14 + 40 + 20 + 7] = {[12] = 0x86, [13] = 0xdd};
	struct frame frame;

	(void)state;
	bytes[14] = 0x60;
	bytes[15] = 0x20; /* ECT(0) */
	bytes[19] = 27;
	bytes[20] = IPPROTO_TCP;
	bytes[22 + 15] = 1;
	bytes[38 + 15] = 2;
	bytes[55] = 9;
	bytes[66] = 5 << 4;
	bytes[67] = TCP_ACK;
	frame_parse(&frame, bytes, sizeof(bytes));
	assert_int_equal(frame.kind, FRAME_DATA);
	assert_int_equal(frame.payload, 7);
	assert_int_equal(frame.flow.sport, 9);
	assert_int_equal(frame.flow.daddr[15], 2);
	assert_true(frame.is_ect);
	frame_mark_ce(&frame, bytes);
	assert_int_equal(bytes[15], 0x30);
	frame_parse(&frame, bytes, sizeof(bytes));
	assert_false(frame.is_ect);
	frame_parse(&frame, bytes, sizeof(bytes) - 1);
	assert_int_equal(frame.kind, FRAME_OTHER);
}

/* RFC 1071, over the IPv4 header */
static uint16_t checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

static void test_mark(void **state)
{
	uint8_t bytes[FRAMES_TCP_V4];
	size_t length = frames_tcp(bytes, 1, TCP_ACK, 0);
	struct frame frame;

	(void)state;
	for (unsigned int id = 0; id < 0x10000; id++) {
		uint16_t sum;

		bytes[15] = (uint8_t)(1 + id % 2); /* ECT(1), ECT(0) */
		bytes[18] = (uint8_t)(id >> 8);
		bytes[19] = (uint8_t)id;
		bytes[24] = bytes[25] = 0;
		sum = checksum(bytes + 14);
		bytes[24] = (uint8_t)(sum >> 8);
		bytes[25] = (uint8_t)sum;
		frame_parse(&frame, bytes, length);
		assert_true(frame.is_ect);
		frame_mark_ce(&frame, bytes);
		assert_int_equal(bytes[15], 3);
		assert_int_equal(checksum(bytes + 14), 0);
	}
}

static void test_flip(void **state)
{
	uint8_t bytes[FRAMES_TCP_V4 + 2], before[FRAMES_TCP_V4 + 2];
	size_t length = frames_tcp(bytes, 1, TCP_ACK, 1);
	struct frame frame;

	(void)state;
	frame_parse(&frame, bytes, length);
	memcpy(before, bytes, sizeof(before));
	frame_flip(&frame, bytes, 21 * 8); /* once around */
	assert_int_equal(bytes[34], before[34] ^ 1);
	frame_flip(&frame, bytes, 0);
	frame_flip(&frame, bytes, 21 * 8 - 1);
	assert_int_equal(bytes[length - 1], before[length - 1] ^ 0x80);
	assert_memory_equal(bytes, before, length - 1);
	frame_parse(&frame, bytes, 10); /* no IP: stays */
	frame_flip(&frame, bytes, 0);
	assert_memory_equal(bytes, before, length - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_lengths_that_lie),
		cmocka_unit_test(test_v6),
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_flip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

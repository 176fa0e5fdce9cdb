// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/pcap_file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/pcap.h"

static struct pcapng_block block_of(uint32_t type, const uint8_t *body, size_t len)
{
	return (struct pcapng_block){.type = type, .body = body, .len = len};
}

static int interface_of(uint8_t resolution, struct pcap_interface *ret)
{
	const uint8_t body[] = {
		1,  0, 0, 0, 0xff,	 0xff, 0,   0, /* Ethernet, of 65535 bytes */
		2,  0, 3, 0, 'e',	 't',  'h', 0, /* its name, padded */
		9,  0, 1, 0, resolution, 0,    0,   0, /* */
		14, 0, 8, 0, 7,		 0,    0,   0, 0, 0, 0, 0, /* 7 s later */
		0,  0, 0, 0,
	};
	const struct pcapng_block block = block_of(PCAPNG_INTERFACE, body, sizeof(body));

	return pcapng_block_interface(&block, ret);
}

static void test_interface(void **state)
{
	static const uint8_t plain[] = {113, 0, 0, 0, 0, 0, 0, 0};
	const struct pcapng_block block = block_of(PCAPNG_INTERFACE, plain, sizeof(plain));
	struct pcap_interface interface;

	(void)state;
	assert_int_equal(interface_of(9, &interface), 0);
	assert_int_equal(interface.link, PCAP_LINK_ETHERNET);
	assert_int_equal(interface.snaplen, 65535);
	assert_int_equal(interface.ticks, 1000000000);
	assert_int_equal(interface.offset_s, 7);
	assert_int_equal(interface_of(0x80 | 20, &interface), 0);
	assert_int_equal(interface.ticks, 1 << 20);
	assert_int_equal(interface_of(0, &interface), 0);
	assert_int_equal(interface.ticks, 1);
	assert_int_equal(interface_of(19, &interface), -EBADMSG);
	assert_int_equal(interface_of(0x80 | 63, &interface), -EBADMSG);

	assert_int_equal(pcapng_block_interface(&block, &interface), 0);
	assert_int_equal(interface.link, PCAP_LINK_SLL);
	assert_int_equal(interface.ticks, 1000000);
}

/* Options that say that they are longer than the block has them are not believed. */
static void test_short_blocks(void **state)
{
	static const uint8_t body[] = {
		1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 9, 0, 6, 0, 0, 0, 9, 0, 0xff, 0xff,
	};
	struct pcap_interface interface;
	struct pcapng_packet packet;
	uint32_t number;
	uint64_t dropped;

	(void)state;
	for (size_t len = 0; len <= sizeof(body); len += 4) {
		struct pcapng_block block = block_of(PCAPNG_INTERFACE, body, len);

		assert_int_equal(pcapng_block_interface(&block, &interface),
				 len < 8 ? -EBADMSG : 0);
		if (len >= 8)
			assert_int_equal(interface.ticks, 1000000);
		assert_int_equal(pcapng_block_dropped(&block, &number, &dropped),
				 len < 12 ? -EBADMSG : -ENOENT);
		block.type = PCAPNG_PACKET;
		if (len < 20)
			assert_int_equal(pcapng_block_packet(&block, &packet), -EBADMSG);
	}
}

static void test_packets(void **state)
{
	static const uint8_t body[] = {
		3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 'd', 'a', 't', 'a',
	};
	struct pcapng_block block = block_of(PCAPNG_PACKET, body, sizeof(body));
	struct pcapng_packet packet;

	(void)state;
	assert_int_equal(pcapng_block_packet(&block, &packet), 1);
	assert_int_equal(packet.interface, 3);
	assert_true(packet.has_time);
	assert_int_equal(packet.ticks, 1ull << 32 | 2);
	assert_int_equal(packet.captured, 4);
	assert_int_equal(packet.length, 9);
	assert_memory_equal(packet.data, "data", 4);
	block.len -= 4;
	assert_int_equal(pcapng_block_packet(&block, &packet), -EBADMSG);

	block = block_of(PCAPNG_PACKET_SIMPLE, body, sizeof(body));
	assert_int_equal(pcapng_block_packet(&block, &packet), 1);
	assert_false(packet.has_time);
	assert_int_equal(packet.captured, 3);
	block = block_of(4, body, sizeof(body));
	assert_int_equal(pcapng_block_packet(&block, &packet), 0);
}

static void test_dropped(void **state)
{
	static const uint8_t body[] = {
		1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 8, 0, 42, 0, 0, 0, 0, 0, 0, 0,
	};
	const struct pcapng_block block = block_of(PCAPNG_STATISTICS, body, sizeof(body));
	uint32_t interface;
	uint64_t dropped;

	(void)state;
	assert_int_equal(pcapng_block_dropped(&block, &interface, &dropped), 0);
	assert_int_equal(interface, 1);
	assert_int_equal(dropped, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interface),
		cmocka_unit_test(test_short_blocks),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

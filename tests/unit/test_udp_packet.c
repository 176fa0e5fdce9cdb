// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/udp_packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record_format/pcap/pcap_file.h"
#include "wire/pcap.h"

#define ETHERNET_BYTES 14u
#define PAYLOAD "payload"
#define PAYLOAD_BYTES 7u

static const uint8_t ethernet[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0};

static const uint8_t ipv4[] = {
	0x45, 0,    0,	  35,	0,   0,	  0,   0, 64, 17,
	0,    0,    192,  0,	2,   1,	  192, 0, 2,  2, /* IPv4 */
	0x1b, 0x5b, 0xc3, 0x50, 0,   15,  0,   0, /* 7003 to 50000 */
	'p',  'a',  'y',  'l',	'o', 'a', 'd',
};

static const uint8_t ipv6[] = {
	0x60, 0,    0,	  0,	0,   15 + 8, 0,	  64, /* hop-by-hop options follow */
	0x20, 1,    0xd,  0xb8, 0,   0,	     0,	  0,  0, 0, 0, 0, 0, 0, 0, 1, /* from */
	0x20, 1,    0xd,  0xb8, 0,   0,	     0,	  0,  0, 0, 0, 0, 0, 0, 0, 2, /* to */
	17,   0,    1,	  4,	0,   0,	     0,	  0, /* options */
	0x1b, 0x5b, 0xc3, 0x50, 0,   15,     0,	  0, /* UDP */
	'p',  'a',  'y',  'l',	'o', 'a',    'd',
};

/* Of @len bytes those that are there, in memory of their own, so that no byte behind is read unnoticed. */
static enum udp_verdict find(uint32_t link, const uint8_t *bytes, size_t there, size_t len,
			     struct udp_packet *ret)
{
	uint8_t *copy = malloc(there ?: 1);
	enum udp_verdict verdict;

	assert_non_null(copy);
	memcpy(copy, bytes, there);
	verdict = udp_packet_find(&(struct pcap_packet){.link = link,
							.captured = (uint32_t)there,
							.length = (uint32_t)len,
							.data = copy},
				  ret);
	if (verdict == UDP_FOUND && ret->captured == PAYLOAD_BYTES)
		assert_memory_equal(ret->payload, PAYLOAD, PAYLOAD_BYTES);
	ret->payload = NULL;
	free(copy);
	return verdict;
}

static size_t frame(uint8_t *to, const uint8_t *ip, size_t len)
{
	memcpy(to, ethernet, ETHERNET_BYTES);
	memcpy(to + ETHERNET_BYTES, ip, len);
	return ETHERNET_BYTES + len;
}

static void check_found(const struct udp_packet *udp, uint8_t last)
{
	assert_int_equal(udp->sport, 7003);
	assert_int_equal(udp->dport, 50000);
	assert_int_equal(udp->length, PAYLOAD_BYTES);
	assert_int_equal(udp->captured, PAYLOAD_BYTES);
	assert_int_equal(udp->daddr[15], last);
}

static void test_ipv4(void **state)
{
	static const uint8_t mapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
	uint8_t bytes[100];
	struct udp_packet udp;
	size_t len = frame(bytes, ipv4, sizeof(ipv4));

	(void)state;
	assert_int_equal(find(PCAP_LINK_ETHERNET, bytes, len, len, &udp), UDP_FOUND);
	check_found(&udp, 2);
	assert_memory_equal(udp.saddr, mapped, sizeof(mapped));
	assert_int_equal(find(PCAP_LINK_RAW, ipv4, sizeof(ipv4), sizeof(ipv4), &udp), UDP_FOUND);
	check_found(&udp, 2);
}

static void test_ipv6(void **state)
{
	uint8_t bytes[100];
	struct udp_packet udp;
	size_t len = frame(bytes, ipv6, sizeof(ipv6));

	(void)state;
	bytes[12] = 0x86;
	bytes[13] = 0xdd;
	assert_int_equal(find(PCAP_LINK_ETHERNET, bytes, len, len, &udp), UDP_FOUND);
	check_found(&udp, 2);
	assert_int_equal(find(PCAP_LINK_IPV6, ipv6, sizeof(ipv6), sizeof(ipv6), &udp), UDP_FOUND);
	check_found(&udp, 2);
}

/* Wherever a capture cuts, and whatever is told of what was there. */
static void test_cut_everywhere(void **state)
{
	uint8_t bytes[100];
	struct udp_packet udp;
	size_t len = frame(bytes, ipv4, sizeof(ipv4));

	(void)state;
	for (size_t there = 0; there < len; there++) {
		enum udp_verdict verdict = find(PCAP_LINK_ETHERNET, bytes, there, len, &udp);

		if (there >= len - PAYLOAD_BYTES) {
			assert_int_equal(verdict, UDP_FOUND);
			assert_int_equal(udp.length, PAYLOAD_BYTES);
			assert_int_equal(udp.captured, there - (len - PAYLOAD_BYTES));
		} else {
			assert_int_equal(verdict,
					 there < ETHERNET_BYTES + 20 ? UDP_OTHER : UDP_CUT);
		}
	}
	for (size_t there = 0; there < sizeof(ipv6); there++)
		assert_int_not_equal(find(PCAP_LINK_RAW, ipv6, there, sizeof(ipv6), &udp),
				     UDP_LINK_UNKNOWN);
}

static enum udp_verdict find_changed(size_t at, uint8_t value)
{
	uint8_t bytes[sizeof(ipv4)];
	struct udp_packet udp;

	memcpy(bytes, ipv4, sizeof(bytes));
	bytes[at] = value;
	return find(PCAP_LINK_RAW, bytes, sizeof(bytes), sizeof(bytes), &udp);
}

static void test_what_is_none(void **state)
{
	struct udp_packet udp;

	(void)state;
	assert_int_equal(find_changed(9, 6), UDP_OTHER); /* TCP */
	assert_int_equal(find_changed(0, 0x55), UDP_OTHER); /* IPv5 */
	assert_int_equal(find_changed(0, 0x44), UDP_OTHER); /* a header of 16 bytes */
	assert_int_equal(find_changed(3, 19), UDP_OTHER); /* less than its header */
	assert_int_equal(find_changed(25, 7), UDP_OTHER); /* less than that of UDP */
	assert_int_equal(find_changed(25, 16), UDP_OTHER); /* more than there is */
	assert_int_equal(find_changed(6, 0x20), UDP_FRAGMENT); /* more follow */
	assert_int_equal(find_changed(7, 1), UDP_FRAGMENT); /* some are in front */
	assert_int_equal(find_changed(6, 0x40), UDP_FOUND); /* not to be fragmented */
	assert_int_equal(find(105, ipv4, sizeof(ipv4), sizeof(ipv4), &udp), UDP_LINK_UNKNOWN);
}

/* Network cards that are to cut it up themselves get it without lengths. */
static void test_length_left_open(void **state)
{
	uint8_t bytes[sizeof(ipv4)];
	struct udp_packet udp;

	(void)state;
	memcpy(bytes, ipv4, sizeof(bytes));
	bytes[3] = 0;
	bytes[25] = 0;
	assert_int_equal(find(PCAP_LINK_RAW, bytes, sizeof(bytes), sizeof(bytes), &udp), UDP_FOUND);
	check_found(&udp, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_cut_everywhere),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_length_left_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

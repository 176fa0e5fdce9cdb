// SPDX-License-Identifier: BSD-2-Clause
#include "probe/inet_diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/buffer.h"

#define SEQUENCE 7

static int set_up(void **state)
{
	static struct buffer datagram;

	buffer_init(&datagram);
	*state = &datagram;
	return 0;
}

static int tear_down(void **state)
{
	buffer_fini(*state);
	return 0;
}

static void add_attribute(struct buffer *out, uint16_t type, const void *bytes, size_t len)
{
	struct rtattr head = {.rta_len = (uint16_t)(sizeof(head) + len), .rta_type = type};

	buffer_append(out, &head, sizeof(head));
	buffer_append(out, bytes, len);
	buffer_pad(out, 0, RTA_ALIGN(len) - len);
}

/* Where the message begins, for end_message. */
static size_t begin_message(struct buffer *out, uint16_t type, uint16_t flags)
{
	struct nlmsghdr head = {.nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = SEQUENCE};
	size_t at = out->len;

	buffer_append(out, &head, sizeof(head));
	return at;
}

static void end_message(struct buffer *out, size_t at)
{
	uint32_t len = (uint32_t)(out->len - at);

	memcpy(out->data + at, &len, sizeof(len));
}

static void add_identity(struct buffer *out, uint8_t family)
{
	struct inet_diag_msg msg = {
		.idiag_family = family,
		.idiag_state = 8,
		.id = {.idiag_sport = htons(80),
		       .idiag_dport = htons(40000),
		       .idiag_src = {htonl(0x0a000001)},
		       .idiag_dst = {htonl(0x0a000002), 0, 0, htonl(9)},
		       .idiag_cookie = {0x89abcdef, 0x01234567}},
		.idiag_uid = 33,
		.idiag_inode = 4711,
	};

	buffer_append(out, &msg, sizeof(msg));
}

/* Every number another one. @bytes of the kernel's struct tcp_info. */
static void add_info(struct buffer *out, size_t bytes)
{
	struct tcp_info known = {
		.tcpi_ca_state = 3,
		.tcpi_rto = 204000,
		.tcpi_snd_mss = 1448,
		.tcpi_unacked = 11,
		.tcpi_sacked = 12,
		.tcpi_lost = 13,
		.tcpi_retrans = 14,
		.tcpi_rcv_ssthresh = 15,
		.tcpi_rtt = 16,
		.tcpi_rttvar = 17,
		.tcpi_snd_ssthresh = 18,
		.tcpi_snd_cwnd = 19,
		.tcpi_reordering = 20,
		.tcpi_total_retrans = 21,
		.tcpi_pacing_rate = ~0ull,
		.tcpi_bytes_acked = 22,
		.tcpi_bytes_received = 23,
		.tcpi_delivered = 24,
		.tcpi_snd_wnd = 25,
	};
	uint32_t rcv_wnd = 26;
	uint8_t info[280] = {0};

	memcpy(info, &known, sizeof(known));
	memcpy(info + INET_INFO_RCV_WND_BYTES - 4, &rcv_wnd, sizeof(rcv_wnd));
	assert_true(bytes <= sizeof(info));
	add_attribute(out, INET_DIAG_INFO, info, bytes);
}

static void add_memory(struct buffer *out)
{
	uint32_t memory[SK_MEMINFO_VARS] = {101, 102, 103, 104, 105, 106, 107, 108, 109};

	add_attribute(out, INET_DIAG_SKMEMINFO, memory, sizeof(memory));
}

static void add_connection(struct buffer *out, uint8_t family, size_t info_bytes)
{
	size_t at = begin_message(out, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI);

	add_identity(out, family);
	add_info(out, info_bytes);
	add_memory(out);
	add_attribute(out, INET_DIAG_CONG, "cubic", 6);
	end_message(out, at);
}

static void add_verdict(struct buffer *out, uint16_t type, int32_t verdict)
{
	size_t at = begin_message(out, type, 0);

	buffer_append(out, &verdict, sizeof(verdict));
	end_message(out, at);
}

static struct inet_answer answer_of(const struct buffer *out)
{
	struct inet_answer answer;

	inet_answer_init(&answer, out->data, out->len, SEQUENCE);
	return answer;
}

static void a_connection_has_everything_at_its_place(void **state)
{
	static const uint8_t local[16] = {[10] = 0xff, 0xff, 10, 0, 0, 1};
	static const uint8_t remote[16] = {[10] = 0xff, 0xff, 10, 0, 0, 2};
	struct inet_answer answer;
	struct inet_socket s;

	add_connection(*state, AF_INET, 280);
	answer = answer_of(*state);
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_SOCKET);
	assert_true(s.cookie == 0x0123456789abcdefull);
	assert_int_equal(s.state, 8);
	assert_int_equal(s.family, AF_INET);
	assert_int_equal(s.lport, 80);
	assert_int_equal(s.rport, 40000);
	assert_memory_equal(s.saddr, local, 16);
	assert_memory_equal(s.daddr, remote, 16);
	assert_int_equal(s.uid, 33);
	assert_int_equal(s.inode, 4711);
	assert_int_equal(s.ca_state, 3);
	assert_int_equal(s.rto_us, 204000);
	assert_int_equal(s.mss, 1448);
	assert_int_equal(s.packets_out, 11);
	assert_int_equal(s.sacked_out, 12);
	assert_int_equal(s.lost_out, 13);
	assert_int_equal(s.retrans_out, 14);
	assert_int_equal(s.rcv_ssthresh, 15);
	assert_int_equal(s.srtt_us, 16);
	assert_int_equal(s.mdev_us, 17);
	assert_int_equal(s.snd_ssthresh, 18);
	assert_int_equal(s.snd_cwnd, 19);
	assert_int_equal(s.reordering, 20);
	assert_int_equal(s.total_retrans, 21);
	assert_true(s.pacing_rate == ~0ull);
	assert_int_equal(s.bytes_acked, 22);
	assert_int_equal(s.bytes_received, 23);
	assert_int_equal(s.delivered, 24);
	assert_int_equal(s.snd_wnd, 25);
	assert_int_equal(s.rcv_wnd, 26);
	assert_int_equal(s.rmem_alloc, 101);
	assert_int_equal(s.rcvbuf, 102);
	assert_int_equal(s.sndbuf, 104);
	assert_int_equal(s.wmem_queued, 106);
	assert_string_equal(s.ca_name, "cubic");
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_MORE);
}

static void an_address_of_version_6_is_taken_whole(void **state)
{
	static const uint8_t remote[16] = {10, 0, 0, 2, [15] = 9};
	struct inet_answer answer;
	struct inet_socket s;

	add_connection(*state, AF_INET6, 280);
	answer = answer_of(*state);
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_SOCKET);
	assert_memory_equal(s.daddr, remote, 16);
}

static void an_older_kernel_tells_less(void **state)
{
	struct inet_answer answer;
	struct inet_socket s;

	add_connection(*state, AF_INET, INET_INFO_LEAST_BYTES);
	add_connection(*state, AF_INET, INET_INFO_LEAST_BYTES - 4);
	answer = answer_of(*state);
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_SOCKET);
	assert_int_equal(s.snd_wnd, 25);
	assert_int_equal(s.rcv_wnd, 0);
	assert_int_equal(inet_answer_next(&answer, &s), -EBADMSG);
}

static void what_is_no_connection_is_passed_over(void **state)
{
	struct buffer *out = *state;
	struct inet_answer answer;
	struct inet_socket s;
	size_t at = begin_message(out, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI);

	add_identity(out, AF_INET); /* TIME_WAIT has no attributes */
	end_message(out, at);
	at = begin_message(out, NLMSG_NOOP, 0);
	end_message(out, at);
	add_connection(out, AF_INET, 280);
	add_verdict(out, NLMSG_DONE, 0);
	answer = answer_of(out);
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_SOCKET);
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_DONE);
}

static void answers_to_another_question_are_passed_over(void **state)
{
	struct inet_answer answer;
	struct inet_socket s;

	add_connection(*state, AF_INET, 280);
	answer = answer_of(*state);
	answer.sequence = SEQUENCE + 1;
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_MORE);
}

static void an_interruption_is_told(void **state)
{
	struct buffer *out = *state;
	struct inet_answer answer;
	struct inet_socket s;
	size_t at = begin_message(out, NLMSG_DONE, NLM_F_MULTI | NLM_F_DUMP_INTR);

	end_message(out, at);
	answer = answer_of(out);
	assert_false(answer.interrupted);
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_DONE);
	assert_true(answer.interrupted);
}

static void an_error_is_handed_through(void **state)
{
	struct inet_answer answer;
	struct inet_socket s;

	add_verdict(*state, NLMSG_ERROR, -ENOENT);
	add_verdict(*state, NLMSG_DONE, -ENOMEM);
	add_verdict(*state, NLMSG_ERROR, 5);
	answer = answer_of(*state);
	assert_int_equal(inet_answer_next(&answer, &s), -ENOENT);
	assert_int_equal(inet_answer_next(&answer, &s), -ENOMEM);
	assert_int_equal(inet_answer_next(&answer, &s), -EBADMSG);
}

/* Cut off anywhere, a message is refused, or is the end: never a socket. */
static void a_torn_datagram_has_no_connection(void **state)
{
	struct buffer *out = *state;
	struct inet_answer answer;
	struct inet_socket s;
	size_t whole;

	add_connection(out, AF_INET, 280);
	whole = out->len;
	for (out->len = 1; out->len < whole; out->len++) {
		answer = answer_of(out);
		assert_int_equal(inet_answer_next(&answer, &s), -EBADMSG);
	}
}

static void lengths_that_cannot_be_are_refused(void **state)
{
	static const uint32_t wrong[] = {0, 1, NLMSG_HDRLEN - 1, NLMSG_HDRLEN + 4, 1u << 31, ~0u};
	static const uint16_t wrong_attribute[] = {0, 3, 0xffff};
	struct buffer *out = *state;
	struct inet_answer answer;
	struct inet_socket s;

	add_connection(out, AF_INET, 280);
	for (size_t i = 0; i < 3; i++) {
		size_t at = NLMSG_HDRLEN + sizeof(struct inet_diag_msg);
		uint16_t old;

		memcpy(&old, out->data + at, sizeof(old));
		memcpy(out->data + at, &wrong_attribute[i], sizeof(old));
		answer = answer_of(out);
		assert_int_equal(inet_answer_next(&answer, &s), -EBADMSG);
		memcpy(out->data + at, &old, sizeof(old));
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		memcpy(out->data, &wrong[i], sizeof(wrong[i]));
		answer = answer_of(out);
		assert_int_equal(inet_answer_next(&answer, &s), -EBADMSG);
	}
}

static void a_name_without_an_end_is_cut(void **state)
{
	struct buffer *out = *state;
	struct inet_answer answer;
	struct inet_socket s;
	size_t at = begin_message(out, SOCK_DIAG_BY_FAMILY, 0);

	add_identity(out, AF_INET);
	add_info(out, 280);
	add_memory(out);
	add_attribute(out, INET_DIAG_CONG, "an_algorithm_with_a_long_name", 29);
	end_message(out, at);
	answer = answer_of(out);
	assert_int_equal(inet_answer_next(&answer, &s), INET_ANSWER_SOCKET);
	assert_string_equal(s.ca_name, "an_algorithm_wi");
}

#define ANSWER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ANSWER_TEST(a_connection_has_everything_at_its_place),
		ANSWER_TEST(an_address_of_version_6_is_taken_whole),
		ANSWER_TEST(an_older_kernel_tells_less),
		ANSWER_TEST(what_is_no_connection_is_passed_over),
		ANSWER_TEST(answers_to_another_question_are_passed_over),
		ANSWER_TEST(an_interruption_is_told),
		ANSWER_TEST(an_error_is_handed_through),
		ANSWER_TEST(a_torn_datagram_has_no_connection),
		ANSWER_TEST(lengths_that_cannot_be_are_refused),
		ANSWER_TEST(a_name_without_an_end_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_trace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/trace_class.h"

static const char head[] = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };"
			   "stream { event.header := struct { integer { size = 8; } id; }; };";
static const char event[] = "event { name = a; id = 0; };";

static int setup(void **state)
{
	static struct viewer_metadata metadata;

	viewer_metadata_init(&metadata);
	*state = &metadata;
	return 0;
}

static int teardown(void **state)
{
	viewer_metadata_fini(*state);
	return 0;
}

static void add(struct viewer_metadata *metadata, const void *bytes, size_t len)
{
	assert_int_equal(viewer_metadata_add(metadata, bytes, len, NULL), 0);
}

/* How many event classes there are now; -1: nothing new, or not enough. */
static int parse(struct viewer_metadata *metadata)
{
	struct ctf_trace_class *trace;
	int count;

	if (viewer_metadata_parse(metadata, &trace, NULL) != 1)
		return -1;
	count = (int)trace->event_count;
	ctf_trace_class_free(trace);
	return count;
}

/* In a packet with 5 bytes of padding; its length. */
static size_t put(uint8_t *to, const char *text, bool big)
{
	const uint32_t values[] = {0x75D11D57, (uint32_t)(37 + strlen(text)) * 8,
				   (uint32_t)(42 + strlen(text)) * 8};
	const size_t at[] = {0, 24, 28};

	memset(to, 0, 42 + strlen(text));
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < 4; j++)
			to[at[i] + j] = (uint8_t)(values[i] >> 8 * (big ? 3 - j : j));
	to[35] = 1;
	to[36] = 8;
	memcpy(to + 37, text, strlen(text));
	return 42 + strlen(text);
}

static void test_plain(void **state)
{
	struct viewer_metadata *metadata = *state;

	assert_int_equal(parse(metadata), -1);
	add(metadata, head, strlen(head));
	add(metadata, event, strlen(event) - 3);
	assert_int_equal(parse(metadata), -1); /* it breaks off */
	add(metadata, event + strlen(event) - 3, 3);
	assert_int_equal(parse(metadata), 1);
	assert_int_equal(parse(metadata), -1);
	add(metadata, "event { name = b; id = 1; };", 28);
	assert_int_equal(parse(metadata), 2);
}

static void expect_packets(struct viewer_metadata *metadata, bool big)
{
	uint8_t packets[600];
	size_t len = put(packets, head, big);

	len += put(packets + len, event, big);
	for (size_t i = 0; i < len; i++)
		add(metadata, packets + i, 1);
	assert_int_equal(parse(metadata), 1);
	assert_int_equal(metadata->text.len, strlen(head) + strlen(event));
	add(metadata, "event { name = b; id = 1; };", 28); /* from here on without */
	assert_int_equal(parse(metadata), 2);
}

static void test_packets(void **state)
{
	expect_packets(*state, false);
}

static void test_packets_of_the_other_order(void **state)
{
	expect_packets(*state, true);
}

static void test_what_is_wrong(void **state)
{
	struct viewer_metadata *metadata = *state;
	struct ctf_trace_class *trace;
	uint8_t packet[200];
	struct diag diag;
	size_t len = put(packet, event, false);

	packet[32] = 1; /* compressed */
	assert_int_equal(viewer_metadata_add(metadata, packet, len, &diag), -ENOTSUP);
	viewer_metadata_fini(metadata);
	viewer_metadata_init(metadata);
	add(metadata, "trace }", 7);
	assert_int_equal(viewer_metadata_parse(metadata, &trace, &diag), -EBADMSG);
}

static void test_continuation(void **state)
{
	struct viewer_metadata *metadata = *state, old;

	viewer_metadata_init(&old);
	add(metadata, head, strlen(head));
	assert_false(viewer_metadata_continues(metadata, &old)); /* of what was nothing */
	add(&old, head, strlen(head));
	assert_true(viewer_metadata_continues(metadata, &old));
	add(metadata, event, strlen(event));
	assert_true(viewer_metadata_continues(metadata, &old));
	assert_false(viewer_metadata_continues(&old, metadata));
	add(&old, "x", 1);
	assert_false(viewer_metadata_continues(metadata, &old));
	viewer_metadata_fini(&old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_plain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_packets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_packets_of_the_other_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_wrong, setup, teardown),
		cmocka_unit_test_setup_teardown(test_continuation, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

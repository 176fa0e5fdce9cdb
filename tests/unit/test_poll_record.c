// SPDX-License-Identifier: BSD-2-Clause
#include "record/poll_record.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "probe/catalogue.h"
#include "wire/measure.h"

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

static const struct event_class *full_class(void)
{
	return &catalogue_get(cat, TCP_POLL)->class;
}

static void nothing_is_there_that_nobody_tells(void **state)
{
	static const char *const untold[] = {"snd_una", "snd_nxt",    "write_seq", "snd_fack",
					     "rcv_nxt", "copied_seq", "pacing"};
	static struct poll_record record;

	(void)state;
	assert_int_equal(poll_record_init(&record, full_class(), INET_INFO_RCV_WND_BYTES), 0);
	for (size_t i = 0; i < sizeof(untold) / sizeof(*untold); i++)
		assert_int_equal(event_class_find(&record.class, untold[i]), -1);
	assert_int_equal(record.class.field_count,
			 full_class()->field_count - sizeof(untold) / sizeof(*untold));
	assert_true(event_class_find(&record.class, "rcv_wnd") >= 0);
	assert_int_equal(poll_record_init(&record, full_class(), INET_INFO_LEAST_BYTES), 0);
	assert_int_equal(event_class_find(&record.class, "rcv_wnd"), -1);
}

static void what_is_there_is_as_the_kernel_half_has_it(void **state)
{
	static struct poll_record record;
	uint32_t at = 0;

	(void)state;
	assert_int_equal(poll_record_init(&record, full_class(), INET_INFO_RCV_WND_BYTES), 0);
	assert_int_equal(record.class.id, TCP_POLL);
	assert_string_equal(record.class.name, "tcp.poll");
	for (size_t i = 0; i < record.class.field_count; i++) {
		const struct field *field = &record.class.fields[i];
		int same = event_class_find(full_class(), field->name);
		const struct field *full = &full_class()->fields[same];

		assert_int_equal(field->bits, full->bits);
		assert_int_equal(field->count, full->count);
		assert_ptr_equal(field->unit, full->unit);
		assert_ptr_equal(field->labels, full->labels);
		assert_int_equal(field->offset_bits, at);
		assert_int_equal(record.class.offsets[i], at);
		at += field->bits * field->count;
	}
	assert_int_equal(record.class.payload_bytes * 8, at);
}

static uint64_t packed(const struct poll_record *record, const uint8_t *payload, const char *name)
{
	const struct event event = {
		.class = &record->class,
		.payload = payload,
		.offsets = record->class.offsets,
	};

	return event_uint(&event, (size_t)event_class_find(&record->class, name));
}

static void fields_are_packed_where_the_class_has_them(void **state)
{
	static struct poll_record record;
	const struct poll_seen seen = {
		.callvalue = 1,
		.tcp_mem_pages = 2,
		.location = TCP_POLL,
		.netns = 4,
		.socket = {.cookie = 5,
			   .rcv_wnd = 6,
			   .ca_state = 7,
			   .lport = 8,
			   .saddr = {9},
			   .ca_name = "reno",
			   .uid = ~0u,
			   .inode = ~0u},
	};
	uint8_t payload[POLL_PAYLOAD_MAX];

	(void)state;
	memset(payload, 0x5a, sizeof(payload));
	assert_int_equal(poll_record_init(&record, full_class(), INET_INFO_RCV_WND_BYTES), 0);
	poll_record_pack(&record, &seen, payload);
	assert_int_equal(packed(&record, payload, "callvalue"), 1);
	assert_int_equal(packed(&record, payload, "tcp_mem_pages"), 2);
	assert_int_equal(packed(&record, payload, "location"), TCP_POLL);
	assert_int_equal(packed(&record, payload, "netns"), 4);
	assert_int_equal(packed(&record, payload, "cookie"), 5);
	assert_int_equal(packed(&record, payload, "rcv_wnd"), 6);
	assert_int_equal(packed(&record, payload, "ca_state"), 7);
	assert_int_equal(packed(&record, payload, "lport"), 8);
	assert_int_equal(packed(&record, payload, "saddr"), 9);
	assert_int_equal(packed(&record, payload, "rport"), 0);
	for (size_t i = record.class.payload_bytes; i < sizeof(payload); i++)
		assert_int_equal(payload[i], 0x5a);
}

static void a_class_that_lacks_something_is_refused(void **state)
{
	struct event_class class = *full_class();
	static struct poll_record record;

	(void)state;
	class.field_count--;
	assert_int_equal(poll_record_init(&record, &class, INET_INFO_RCV_WND_BYTES), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_there_that_nobody_tells),
		cmocka_unit_test(what_is_there_is_as_the_kernel_half_has_it),
		cmocka_unit_test(fields_are_packed_where_the_class_has_them),
		cmocka_unit_test(a_class_that_lacks_something_is_refused),
	};

	return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}

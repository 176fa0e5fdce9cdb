// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/relay_request.h"

#include <errno.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Recorded from babeltrace2 2.0.4. */
static const uint8_t connect_request[] = {
	0,   0,	  0,   0,   0,	 0,   0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 255, 255,
	255, 255, 255, 255, 255, 255, 0, 0,  0, 2, 0, 0, 0, 4, 0, 0, 0,	  1,
};
static const uint8_t packet_request[] = {
	0, 0, 0, 0, 0, 0,  0, 20, 0, 0, 0, 5, 0, 0, 0, 0, 0,  0,
	0, 0, 0, 0, 0, 65, 0, 0,  0, 0, 0, 0, 1, 2, 0, 0, 16, 0,
};

static void fields_are_found(void **state)
{
	struct relay_request request;

	(void)state;
	assert_int_equal(relay_request_parse(connect_request, sizeof(connect_request), &request),
			 36);
	assert_int_equal(request.command, LIVE_CONNECT);
	assert_int_equal(request.id, UINT64_MAX);
	assert_int_equal(request.major, 2);
	assert_int_equal(request.minor, 4);
	assert_int_equal(request.type, LIVE_TYPE_COMMAND);
	assert_int_equal(relay_request_parse(packet_request, sizeof(packet_request), &request), 36);
	assert_int_equal(request.command, LIVE_GET_PACKET);
	assert_int_equal(request.id, 65);
	assert_int_equal(request.offset, 258);
	assert_int_equal(request.len, 4096);
}

/* Whatever the request says of itself. */
static void the_command_tells_how_long_it_is(void **state)
{
	static const int bytes[] = {0, 20, 0, 20, 8, 20, 8, 8, 0, 8};
	struct relay_request request = {.id = 99};
	uint8_t wire[64];

	(void)state;
	memset(wire, 0xff, sizeof(wire));
	memset(wire + 8, 0, 4);
	for (uint8_t command = 1; command <= 9; command++) {
		size_t len = LIVE_REQUEST_BYTES + (size_t)bytes[command];

		wire[11] = command;
		assert_int_equal(relay_request_parse(wire, sizeof(wire), &request), len);
		assert_int_equal(relay_request_parse(wire, len, &request), len);
		assert_int_equal(relay_request_parse(wire, len - 1, &request), 0);
	}
}

static void unknown_commands_have_no_end(void **state)
{
	struct relay_request request;
	uint8_t wire[16] = {0};

	(void)state;
	assert_int_equal(relay_request_parse(wire, 15, &request), 0);
	assert_int_equal(relay_request_parse(wire, 16, &request), -ENOTSUP);
	wire[11] = 10;
	assert_int_equal(relay_request_parse(wire, 16, &request), -ENOTSUP);
	wire[8] = 0x80;
	wire[11] = 1;
	assert_int_equal(relay_request_parse(wire, 16, &request), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_found),
		cmocka_unit_test(the_command_tells_how_long_it_is),
		cmocka_unit_test(unknown_commands_have_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

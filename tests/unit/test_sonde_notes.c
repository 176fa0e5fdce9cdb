// SPDX-License-Identifier: BSD-2-Clause
#include "lib_fixture.h"

#include <errno.h>

/* Without an event: of 52 bytes, from 2 s to 1 s. */
static const uint8_t early_packet[52] = {
	0xc1, 0x1f, 0xfc, 0xc1, 0, 0,	 0,    0,    0,		  0x94, 0x35,	     0x77,
	0,    0,    0,	  0,	0, 0xca, 0x9a, 0x3b, [24] = 0xa0, 1,	[32] = 0xa0, 1,
};

static void test_environment(void **state)
{
	struct lib_fixture *fix = *state;
	const struct sonde_source *source;
	int64_t number = 7;

	fixture_open(fix, 0, 0);
	source = fix->source;
	assert_int_equal(sonde_env_count(source), 2);
	assert_string_equal(sonde_env_name(source, 0), "syscalls");
	assert_string_equal(sonde_env_name(source, 1), "answer");
	assert_null(sonde_env_name(source, 2));
	assert_string_equal(sonde_env_text(source, "syscalls"), "0 read,1 write");
	assert_null(sonde_env_text(source, "answer"));
	assert_null(sonde_env_text(source, "hostname"));
	assert_int_equal(sonde_env_number(source, "hostname", &number), -ENOENT);
	assert_int_equal(sonde_env_number(source, "syscalls", &number), -ENOENT);
	assert_int_equal(number, 7);
	assert_int_equal(sonde_env_number(source, "answer", &number), 0);
	assert_int_equal(number, 42);
}

/* Metadata with an attribute that events do not have, and a packet that ends before it begins. */
static void test_warnings(void **state)
{
	static const char extra[] = "event { id = 9; name = \"odd\"; strange = 1; };\n";
	struct lib_fixture *fix = *state;
	struct sonde_error error;
	char metadata[sizeof(fixture_metadata) + sizeof(extra)];

	fixture_add_other(fix, 1);
	fixture_open(fix, 0, 0);
	assert_null(sonde_warning(fix->source, 0));
	sonde_close(fix->source);
	fix->source = NULL;
	(void)snprintf(metadata, sizeof(metadata), "%s%s", fixture_metadata, extra);
	fixture_put_file(fix, "metadata", metadata, strlen(metadata));
	fixture_put_file(fix, "stream", early_packet, sizeof(early_packet));
	if (sonde_open(fix->dir, &fix->source, &error))
		fail_msg("%s", error.text);
	assert_non_null(sonde_warning(fix->source, 0));
	assert_non_null(
		strstr(sonde_warning(fix->source, 0), "unknown attribute 'strange' of the event"));
	assert_null(sonde_warning(fix->source, 1)); /* no packet has been read */
	fixture_expect_end(fix);
	assert_non_null(sonde_warning(fix->source, 1));
	assert_string_equal(sonde_warning(fix->source, 1),
			    "stream: packet at offset 0: its timestamp_end is before its "
			    "timestamp_begin");
	assert_null(sonde_warning(fix->source, 2));
	assert_null(sonde_problem(fix->source, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_environment),
		FIXTURE_TEST(test_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "ctf/metadata.h"
#include "session_fixture.h"

#define MORE "event { id = 2; stream_id = 7; name = \"more\"; };\n"

static void set_more(struct session_metadata *metadata, const char *more, int want)
{
	char text[sizeof(fixture_metadata) + 6000] = "";
	int err;

	strcat(strcpy(text, fixture_metadata), more);
	err = session_metadata_set(metadata, text, strlen(text), NULL);
	assert_int_equal(err, want);
}

static void packets_are_as_lttng_has_them(void **state)
{
	struct session_metadata metadata;
	struct cursor cur;

	(void)state;
	session_metadata_init(&metadata);
	set_more(&metadata, "", 0);
	assert_int_equal(metadata.format, LIVE_CTF_1_8);
	assert_string_equal(metadata.host, "there");
	assert_int_equal(metadata.wire.len, SESSION_METADATA_PACKET_BYTES);
	cursor_init(&cur, metadata.wire.data, metadata.wire.len);
	assert_int_equal(cursor_be32(&cur), CTF_METADATA_MAGIC); /* in the order of the trace */
	for (int i = 0; i < 16; i++)
		assert_int_equal(cursor_u8(&cur), i);
	assert_int_equal(cursor_be32(&cur), 0);
	assert_int_equal(cursor_be32(&cur), (37 + strlen(fixture_metadata)) * 8);
	assert_int_equal(cursor_be32(&cur), 4096 * 8);
	session_metadata_fini(&metadata);
}

static void what_comes_later_is_in_packets_of_its_own(void **state)
{
	struct session_metadata metadata;
	char *text;
	size_t len;

	(void)state;
	session_metadata_init(&metadata);
	set_more(&metadata, "", 0);
	set_more(&metadata, "", 0);
	assert_int_equal(metadata.wire.len, 4096);
	set_more(&metadata, MORE, 0);
	assert_int_equal(metadata.wire.len, 2 * 4096);
	assert_int_equal(session_metadata_piece(&metadata, 4096), 4096);
	assert_int_equal(metadata_packet_join(metadata.wire.data + 4096, 4096, &text, &len, NULL),
			 0);
	assert_int_equal(len, strlen(MORE));
	assert_memory_equal(text, MORE, len);
	free(text);
	assert_int_equal(metadata_packet_join(metadata.wire.data, 2 * 4096, &text, &len, NULL), 0);
	assert_int_equal(len, strlen(fixture_metadata) + strlen(MORE));
	free(text);
	session_metadata_fini(&metadata);
}

static void packets_may_come_in_as_well(void **state)
{
	struct session_metadata first, second;

	(void)state;
	session_metadata_init(&first);
	session_metadata_init(&second);
	set_more(&first, MORE, 0);
	assert_int_equal(session_metadata_set(&second, first.wire.data, first.wire.len, NULL), 0);
	assert_int_equal(second.wire.len, first.wire.len);
	assert_memory_equal(second.wire.data, first.wire.data, first.wire.len);
	session_metadata_fini(&first);
	session_metadata_fini(&second);
}

static void long_text_takes_several_packets(void **state)
{
	struct session_metadata metadata;
	char more[5001];

	(void)state;
	memset(more, '\n', 5000);
	more[5000] = 0;
	session_metadata_init(&metadata);
	set_more(&metadata, more, 0);
	assert_int_equal(metadata.wire.len, 2 * 4096);
	session_metadata_fini(&metadata);
}

static void only_what_goes_on_is_taken(void **state)
{
	struct session_metadata metadata;

	(void)state;
	session_metadata_init(&metadata);
	assert_int_equal(session_metadata_set(&metadata, "nonsense;", 9, NULL), -EBADMSG);
	assert_int_equal(metadata.wire.len, 0);
	set_more(&metadata, MORE, 0);
	set_more(&metadata, "", -EBADMSG);
	assert_int_equal(session_metadata_set(&metadata, "/* CTF 1.9 */", 13, NULL), -EBADMSG);
	assert_int_equal(metadata.wire.len, 4096);
	session_metadata_fini(&metadata);
}

/* Viewers do, and a trace may have so many that others would wait for it. */
static void event_classes_are_not_read(void **state)
{
	static const char text[] = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };"
				   "event { name = e; fields := bogus; };";
	struct session_metadata metadata;

	(void)state;
	session_metadata_init(&metadata);
	assert_int_equal(session_metadata_set(&metadata, text, strlen(text), NULL), 0);
	assert_int_equal(metadata.wire.len, 4096);
	session_metadata_fini(&metadata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_are_as_lttng_has_them),
		cmocka_unit_test(what_comes_later_is_in_packets_of_its_own),
		cmocka_unit_test(packets_may_come_in_as_well),
		cmocka_unit_test(long_text_takes_several_packets),
		cmocka_unit_test(only_what_goes_on_is_taken),
		cmocka_unit_test(event_classes_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

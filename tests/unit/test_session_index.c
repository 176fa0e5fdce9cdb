// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session_index.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "live/access/file_pool.h"
#include "live/session/session_file.h"

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };\n"
	"clock { name = c; };\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := t64;\n"
	"stream { packet.context := struct { t64 timestamp_begin; t64 timestamp_end; u64 content_size;\n"
	"	u64 packet_size; u64 events_discarded; }; event.header := struct { u32 id; }; };\n"
	"event { name = \"e\"; id = 0; };\n";

struct head {
	uint32_t magic;
	uint64_t begin, end, content, size, discarded;
} __attribute__((packed));

struct fixture {
	char path[32];
	int dir;
	struct ctf_trace_class *trace;
};

static int set_up(void **state)
{
	static struct fixture fix;

	strcpy(fix.path, "/tmp/sonde-index-XXXXXX");
	assert_non_null(mkdtemp(fix.path));
	fix.dir = open(fix.path, O_RDONLY | O_DIRECTORY);
	assert_true(fix.dir >= 0);
	assert_int_equal(metadata_read(metadata, strlen(metadata), &fix.trace, NULL), 0);
	*state = &fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	(void)unlinkat(fix->dir, "s", 0);
	(void)close(fix->dir);
	(void)rmdir(fix->path);
	ctf_trace_class_free(fix->trace);
	return 0;
}

/* A stream of these bytes. */
static void put(const struct fixture *fix, const void *bytes, size_t len)
{
	int fd = openat(fix->dir, "s", O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void put_packet(const struct fixture *fix, uint64_t begin, uint64_t bytes)
{
	char packet[4096] = {0};
	const struct head head = {0xC1FC1FC1,	    begin,     begin + 5,
				  8 * sizeof(head), 8 * bytes, begin / 10};

	memcpy(packet, &head, sizeof(head));
	put(fix, packet, bytes);
}

static const bool go_on;

static struct session_file *make(const struct fixture *fix, struct diag *diag)
{
	struct pool_folder *folder = pool_folder_new(NULL, dup(fix->dir), "");
	struct session_file *file;
	int index_fd;

	assert_int_equal(session_index_make(fix->dir, "s", fix->trace, &go_on, &index_fd, diag), 0);
	assert_int_equal(session_file_open(NULL, folder, "s", index_fd, &file), 0);
	pool_folder_unref(folder);
	return file;
}

static void expect(struct session_file *file, uint64_t i, uint64_t offset, uint64_t bytes,
		   uint64_t begin)
{
	struct session_packet packet;

	assert_int_equal(session_file_packet(file, i, &packet), 1);
	assert_int_equal(packet.offset, offset);
	assert_int_equal(packet.packet_bits, 8 * bytes);
	assert_int_equal(packet.content_bits, 8 * sizeof(struct head));
	assert_int_equal(packet.begin, begin);
	assert_int_equal(packet.end, begin + 5);
	assert_int_equal(packet.discarded, begin / 10);
	assert_int_equal(packet.class_id, 0);
}

static void packets_are_found_by_their_heads(void **state)
{
	struct session_file *file;
	struct diag diag;

	put_packet(*state, 100, 64);
	put_packet(*state, 200, 4096);
	put_packet(*state, 300, sizeof(struct head));
	file = make(*state, &diag);
	assert_string_equal(diag.text, "");
	assert_int_equal(session_file_entries(file), 3);
	expect(file, 0, 0, 64, 100);
	expect(file, 1, 64, 4096, 200);
	expect(file, 2, 4160, sizeof(struct head), 300);
	session_file_unref(file);
}

static void it_ends_where_there_is_no_packet(void **state)
{
	struct session_file *file;
	struct diag diag;

	put_packet(*state, 100, 64);
	put(*state, "no packet at all, but a text of some length", 44);
	file = make(*state, &diag);
	assert_non_null(strstr(diag.text, "packet at offset 64"));
	assert_int_equal(session_file_entries(file), 1);
	session_file_unref(file);
}

static void a_packet_that_is_cut_off_is_not_there(void **state)
{
	const struct head head = {0xC1FC1FC1, 200, 205, 8 * sizeof(head), 8 * 4096, 0};
	struct session_file *file;
	struct diag diag;

	put_packet(*state, 100, 64);
	put(*state, &head, sizeof(head));
	file = make(*state, &diag);
	assert_non_null(strstr(diag.text, "packet at offset 64: it is cut off"));
	assert_int_equal(session_file_entries(file), 1);
	session_file_unref(file);
	put(*state, &head, 10); /* and what follows */
	file = make(*state, &diag);
	assert_int_equal(session_file_entries(file), 1);
	session_file_unref(file);
}

static void an_empty_stream_has_none(void **state)
{
	struct session_file *file;
	struct diag diag;

	put(*state, "", 0);
	file = make(*state, &diag);
	assert_string_equal(diag.text, "");
	assert_int_equal(session_file_entries(file), 0);
	session_file_unref(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(packets_are_found_by_their_heads, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(it_ends_where_there_is_no_packet, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_packet_that_is_cut_off_is_not_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_empty_stream_has_none, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lib_fixture: a trace directory made by hand, with a field of every kind, for the tests of src/lib.
 *
 * Its one stream has one packet. Events are 1 s apart, the first at FIXTURE_FIRST_NS; of each its
 * test knows the number.
 */
#ifndef SONDE_TESTS_LIB_FIXTURE_H
#define SONDE_TESTS_LIB_FIXTURE_H

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sonde/sonde.h>

#include "base/io.h"

#define FIXTURE_SECOND 1000000000ll
#define FIXTURE_FIRST_NS (1001 * FIXTURE_SECOND)
#define FIXTURE_CPU 3
#define FIXTURE_TID 77

static const char fixture_metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; } := u8;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := s8;\n"
	"typealias integer { size = 8; align = 8; encoding = UTF8; } := text8;\n"
	"typealias integer { size = 16; align = 8; byte_order = be; } := be16;\n"
	"typealias integer { size = 32; align = 8; } := u32;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := s32;\n"
	"typealias integer { size = 64; align = 8; } := u64;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := s64;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	packet.header := struct { u32 magic; u32 stream_id; }; };\n"
	"env { syscalls = \"0 read,1 write\"; answer = 42; };\n"
	"clock { name = c; freq = 1000000000; offset_s = 1000; };\n"
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := time64;\n"
	"stream { id = 0; packet.context := struct { time64 timestamp_begin;\n"
	"	time64 timestamp_end; u64 content_size; u64 packet_size; u64 events_discarded;\n"
	"	u32 cpu_id; };\n"
	"	event.header := struct { u8 id; time64 timestamp; };\n"
	"	event.context := struct { u32 tid; }; };\n"
	"event {\n"
	"	/** one of each */\n"
	"	id = 1; name = \"all\"; fields := struct {\n"
	"	u64 whole; /** [bytes; system; hex] a number */\n"
	"	s8 small;\n"
	"	integer { size = 3; align = 1; } low;\n"
	"	integer { size = 5; align = 1; signed = true; } high;\n"
	"	floating_point { exp_dig = 8; mant_dig = 24; align = 8; } ratio;\n"
	"	enum : u8 { OFF = 0, ON = 1, MANY = 2 ... 9 } state;\n"
	"	u8 peer[16]; /** [; object; address] who */\n"
	"	be16 list[3];\n"
	"	u8 depth;\n"
	"	u32 stack[depth];\n"
	"	text8 comm[8];\n"
	"	string path;\n"
	"	s64 ret; /** [; object; result] what it returned */\n"
	"	s32 nr; /** [; object; syscall] which call */\n"
	"}; };\n"
	"event { id = 2; name = \"group.other\"; fields := struct { u32 value; }; };\n"
	"event { id = 3; name = \"sched.switch\"; fields := struct {\n"
	"	text8 prev_comm[16]; u32 next_tid; text8 next_comm[16]; }; };\n"
	"event { id = 4; name = \"shapes\"; context := struct { u32 place; };\n"
	"	fields := struct {\n"
	"	enum : u8 { number = 0, word = 1 } tag;\n"
	"	variant <tag> { u32 number; string word; } choice;\n"
	"	u8 n;\n"
	"	struct { u8 m; struct { enum : u8 { LOW = 7 } level; string s; } inner[m]; } pairs[n];\n"
	"	string words[2];\n"
	"	u8 last; }; };\n";

struct lib_fixture {
	char dir[64];
	struct sonde_source *source;
	uint8_t packet[2048];
	size_t len;
	uint64_t count;
};

static inline void fixture_put(struct lib_fixture *fix, const void *bytes, size_t len)
{
	assert_true(fix->len + len <= sizeof(fix->packet));
	memcpy(fix->packet + fix->len, bytes, len);
	fix->len += len;
}

#define FIXTURE_PUT(fix, type, value)                           \
	do {                                                    \
		type fixture_value = (type)(value);             \
		fixture_put(fix, &fixture_value, sizeof(type)); \
	} while (0)

static inline void fixture_head(struct lib_fixture *fix, uint8_t id)
{
	FIXTURE_PUT(fix, uint8_t, id);
	FIXTURE_PUT(fix, int64_t, ++fix->count * FIXTURE_SECOND);
	FIXTURE_PUT(fix, uint32_t, FIXTURE_TID);
}

static inline void fixture_add_all(struct lib_fixture *fix)
{
	static const uint8_t peer[16] = {[10] = 255, [11] = 255, [12] = 192, [13] = 0, 2, 9};

	fixture_head(fix, 1);
	FIXTURE_PUT(fix, uint64_t, UINT64_MAX - 1);
	FIXTURE_PUT(fix, int8_t, -5);
	FIXTURE_PUT(fix, uint8_t, 6 | (-3 & 31) << 3);
	FIXTURE_PUT(fix, float, -2.5f);
	FIXTURE_PUT(fix, uint8_t, 4);
	fixture_put(fix, peer, sizeof(peer));
	fixture_put(fix, "\x00\x01\x02\x03\xff\xff", 6);
	FIXTURE_PUT(fix, uint8_t, 2);
	FIXTURE_PUT(fix, uint32_t, 70000);
	FIXTURE_PUT(fix, uint32_t, 8);
	fixture_put(fix, "four\0\0\0\0", 8);
	fixture_put(fix, "/tmp/file", 10);
	FIXTURE_PUT(fix, int64_t, -2);
	FIXTURE_PUT(fix, int32_t, 1);
}

static inline void fixture_add_other(struct lib_fixture *fix, uint32_t value)
{
	fixture_head(fix, 2);
	FIXTURE_PUT(fix, uint32_t, value);
}

/* From now on the task of all events here has a name. */
static inline void fixture_add_switch(struct lib_fixture *fix)
{
	fixture_head(fix, 3);
	fixture_put(fix, "worker\0\0\0\0\0\0\0\0\0", 16);
	FIXTURE_PUT(fix, uint32_t, 5);
	fixture_put(fix, "fifteen letters", 16);
}

/* Of two pairs, the first has one item inside, the second none. */
static inline void fixture_add_shapes(struct lib_fixture *fix, bool word)
{
	fixture_head(fix, 4);
	FIXTURE_PUT(fix, uint32_t, 31);
	FIXTURE_PUT(fix, uint8_t, word);
	if (word)
		fixture_put(fix, "said", 5);
	else
		FIXTURE_PUT(fix, uint32_t, 1000);
	fixture_put(fix, "\x02\x01\x07in\0\x00one\0two\0\x63", 16);
}

static inline void fixture_put_file(const struct lib_fixture *fix, const char *name,
				    const void *bytes, size_t len)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", fix->dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, bytes, len), 0);
	assert_int_equal(fd_close(fd), 0);
}

/* Opens what was added. Before the packet @lost events were lost; of its end @torn bytes are. */
static inline void fixture_open(struct lib_fixture *fix, uint64_t lost, size_t torn)
{
	struct lib_fixture whole = {.len = 0};
	struct sonde_error error;

	FIXTURE_PUT(&whole, uint32_t, 0xc1fc1fc1);
	FIXTURE_PUT(&whole, uint32_t, 0);
	FIXTURE_PUT(&whole, int64_t, FIXTURE_SECOND);
	FIXTURE_PUT(&whole, int64_t, fix->count * FIXTURE_SECOND);
	FIXTURE_PUT(&whole, uint64_t, (52 + fix->len) * 8);
	FIXTURE_PUT(&whole, uint64_t, (52 + fix->len) * 8);
	FIXTURE_PUT(&whole, uint64_t, lost);
	FIXTURE_PUT(&whole, uint32_t, FIXTURE_CPU);
	assert_int_equal(whole.len, 52);
	fixture_put(&whole, fix->packet, fix->len);
	fixture_put_file(fix, "metadata", fixture_metadata, strlen(fixture_metadata));
	fixture_put_file(fix, "stream", whole.packet, whole.len - torn);
	if (sonde_open(fix->dir, &fix->source, &error))
		fail_msg("%s", error.text);
}

/* The next event, which there has to be. */
static inline const struct sonde_event *fixture_next(struct lib_fixture *fix)
{
	const struct sonde_event *event;
	struct sonde_error error;

	assert_int_equal(sonde_next(fix->source, &event, &error), 1);
	return event;
}

static inline void fixture_expect_end(struct lib_fixture *fix)
{
	const struct sonde_event *event;

	assert_int_equal(sonde_next(fix->source, &event, NULL), 0);
}

static inline int fixture_set_up(void **state)
{
	static struct lib_fixture fix;

	fix = (struct lib_fixture){.dir = "/tmp/sonde-lib-XXXXXX"};
	*state = &fix;
	return mkdtemp(fix.dir) ? 0 : -1;
}

static inline int fixture_remove_one(const char *path, const struct stat *st, int kind,
				     struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline int fixture_tear_down(void **state)
{
	struct lib_fixture *fix = *state;

	sonde_close(fix->source);
	return nftw(fix->dir, fixture_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define FIXTURE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

#endif /* SONDE_TESTS_LIB_FIXTURE_H */

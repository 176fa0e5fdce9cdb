// SPDX-License-Identifier: BSD-2-Clause
#include "trace/symbol_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "symbol/symbols.h"
#include "wire/note.h"
#include "wire/record.h"

#define EPOCH_NS 1000000000000ll /* where the clock of these traces begins */
#define PACKET_BYTES 1024u
#define KERNEL 0xffffffff81000000ull

#define HEAD                                                                                       \
	"/* CTF 1.8 */\n"                                                                          \
	"typealias integer { size = 8; } := u8;\n"                                                 \
	"typealias integer { size = 32; align = 32; } := u32;\n"                                   \
	"typealias integer { size = 64; align = 32; } := u64;\n"                                   \
	"trace { major = 1; minor = 8; byte_order = le;\n"                                         \
	"	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"                \
	"clock { name = monotonic; freq = 1000000000; offset_s = 1000; };\n"                       \
	"typealias integer { size = 32; align = 1; map = clock.monotonic.value; } := time32;\n"    \
	"typealias integer { size = 64; align = 32; map = clock.monotonic.value; } := time64;\n"   \
	"struct event_header { enum : integer { size = 10; align = 1; }\n"                         \
	"	{ compact = 0 ... 1022, extended = 1023 } id; variant <id> {\n"                          \
	"	struct { time32 timestamp; } compact;\n"                                                 \
	"	struct { u32 id; time64 timestamp; } extended; } v; } align(32);\n"                      \
	"stream { id = 0; packet.context := struct { time64 timestamp_begin;\n"                    \
	"	time64 timestamp_end; u64 content_size; u64 packet_size; u64 events_discarded;\n"        \
	"	u64 discarded_nested; u64 packet_seq_num; u64 name_packets; u32 cpu_id; u32 level; };\n" \
	"	event.header := struct event_header;\n"                                                  \
	"	event.context := struct { integer { size = 22; align = 1; } tid; }; };\n"

static const char metadata[] = HEAD
	"event { id = 4; name = \"sonde.symbol\"; fields := struct { u64 start; string name;\n"
	"	u32 size; }; };\n"
	"event { id = 5; name = \"sonde.mapping\"; fields := struct { u64 start; u64 end;\n"
	"	u64 offset; u64 age_ns; u8 build_id[20]; string path; u32 pid; }; };\n";
/* Another program's idea of what these are. */
static const char foreign[] = HEAD
	"event { id = 4; name = \"sonde.symbol\"; fields := struct { u32 start[2];\n"
	"	string name; u32 size; }; };\n"
	"event { id = 5; name = \"sonde.mapping\"; fields := struct { u64 start; u64 end;\n"
	"	u64 offset; u64 age_ns; u8 build_id[4]; string path; u32 pid; }; };\n";

struct fixture {
	char path[64];
	int dir;
	uint8_t packet[PACKET_BYTES];
	size_t len;
	struct symbols *symbols;
};

static int set_up(void **state)
{
	static struct fixture f;

	f = (struct fixture){.path = "/tmp/sonde-symbols-XXXXXX",
			     .len = sizeof(struct packet_head)};
	if (!mkdtemp(f.path))
		return -1;
	f.dir = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f.symbols = symbols_new();
	*state = &f;
	return f.dir < 0 || !f.symbols;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	(void)unlinkat(f->dir, "recorder", 0);
	(void)fd_close(f->dir);
	symbols_free(f->symbols);
	return rmdir(f->path);
}

static void put(struct fixture *f, const void *bytes, size_t len)
{
	assert_true(f->len + len <= PACKET_BYTES);
	memcpy(f->packet + f->len, bytes, len);
	f->len += len;
}

/* A text with its NUL, up to where the number behind it begins, and that number. */
static void put_end(struct fixture *f, const char *text, uint32_t number)
{
	put(f, text, strlen(text) + 1);
	f->len = (f->len + RECORD_ALIGN - 1) & ~(size_t)(RECORD_ALIGN - 1);
	put(f, &number, sizeof(number));
}

static uint64_t head_of(uint32_t id, uint32_t time_ns)
{
	return id | (uint64_t)time_ns << RECORD_TIME_SHIFT;
}

static void put_symbol(struct fixture *f, uint64_t start, uint32_t size, const char *name)
{
	const struct sonde_symbol note = {.head = head_of(4, 1000), .start = start};

	put(f, &note, offsetof(struct sonde_symbol, record_end));
	put_end(f, name, size);
}

static void put_mapping(struct fixture *f, uint32_t age_ns, const char *path, uint32_t pid)
{
	const struct sonde_mapping note = {
		.head = head_of(5, 1000),
		.start = 0x400000,
		.end = 0x401000,
		.offset = 0x1000,
		.age_ns = age_ns,
	};

	put(f, &note, offsetof(struct sonde_mapping, record_end));
	put_end(f, path, pid);
}

/* Into the recorder's stream, less @cut bytes at the end. */
static void write_notes(struct fixture *f, int flag, size_t cut)
{
	const struct packet_head head = {
		.magic = PACKET_MAGIC,
		.begin_ns = 1000,
		.end_ns = 1000,
		.content_bits = f->len * 8,
		.packet_bits = f->len * 8,
	};
	int fd = openat(f->dir, "recorder", O_WRONLY | O_CREAT | flag | O_CLOEXEC, 0600);

	memcpy(f->packet, &head, sizeof(head));
	assert_int_equal(write_all(fd, f->packet, f->len - cut), 0);
	(void)fd_close(fd);
}

static void write_rest(struct fixture *f, size_t cut)
{
	int fd = openat(f->dir, "recorder", O_WRONLY | O_APPEND | O_CLOEXEC, 0600);

	assert_int_equal(write_all(fd, f->packet + f->len - cut, cut), 0);
	(void)fd_close(fd);
}

/* The recorder's stream as it is so far, less @cut bytes at its end; what comes of it. */
static int read_notes(struct fixture *f, const char *text, size_t cut)
{
	struct ctf_trace_class *trace = NULL;
	int err;

	write_notes(f, O_TRUNC, cut);
	assert_int_equal(metadata_read(text, strlen(text), &trace, NULL), 0);
	err = symbol_notes_read(f->dir, trace, f->symbols, NULL);
	ctf_trace_class_free(trace);
	return err;
}

static const char *name_at(struct fixture *f, uint32_t pid, int64_t time_ns, uint64_t address)
{
	static char text[SYMBOL_TEXT_BYTES];
	struct symbol_place place;

	text[0] = 0;
	if (symbols_find(f->symbols, pid, EPOCH_NS + time_ns, address, &place))
		symbol_format(&place, text);
	return text;
}

static void notes_become_names(void **state)
{
	struct fixture *f = *state;

	put_symbol(f, KERNEL, 0x100, "tcp_ack");
	put_mapping(f, 600, "/no/such/first", 7);
	put_symbol(f, KERNEL + 0x100, 0x10, "next");
	put_mapping(f, 100, "/no/such/second", 7);
	assert_int_equal(read_notes(f, metadata, 0), 0);
	assert_string_equal(name_at(f, 0, 0, KERNEL + 0xff), "tcp_ack+0xff");
	assert_string_equal(name_at(f, 0, 0, KERNEL + 0x101), "next+0x1");
	assert_string_equal(name_at(f, 7, 899, 0x400001), "first+0x1001");
	assert_string_equal(name_at(f, 7, 900, 0x400001), "second+0x1001");
	assert_string_equal(name_at(f, 8, 900, 0x400001), "");
}

static void what_breaks_off_is_read_up_to_there(void **state)
{
	struct fixture *f = *state;

	put_symbol(f, KERNEL, 0x100, "tcp_ack");
	put_symbol(f, KERNEL + 0x100, 0x10, "next");
	assert_int_equal(read_notes(f, metadata, 6), 0);
	assert_string_equal(name_at(f, 0, 0, KERNEL), "tcp_ack+0x0");
	assert_string_equal(name_at(f, 0, 0, KERNEL + 0x100), "");
}

/* A recorder that has not begun yet, has begun, has gone on; a packet of which a part is there. */
static void what_grows_is_taken_in_as_it_comes(void **state)
{
	struct ctf_trace_class *trace = NULL;
	struct fixture *f = *state;
	struct symbol_notes *notes;

	assert_int_equal(metadata_read(metadata, sizeof(metadata) - 1, &trace, NULL), 0);
	notes = symbol_notes_new(f->dir, trace, f->symbols, NULL);
	assert_non_null(notes);
	assert_int_equal(symbol_notes_more(notes), 0);
	put_symbol(f, KERNEL, 0x100, "tcp_ack");
	write_notes(f, O_TRUNC, 0);
	assert_int_equal(symbol_notes_more(notes), 0);
	assert_int_equal(symbol_notes_more(notes), 0);
	assert_string_equal(name_at(f, 0, 0, KERNEL), "tcp_ack+0x0");
	assert_string_equal(name_at(f, 0, 0, KERNEL + 0x100), "");
	f->len = sizeof(struct packet_head);
	put_symbol(f, KERNEL + 0x100, 0x10, "next");
	put_mapping(f, 100, "/no/such/file", 7);
	write_notes(f, O_APPEND, 6);
	assert_int_equal(symbol_notes_more(notes), 0);
	assert_string_equal(name_at(f, 0, 0, KERNEL + 0x100), "");
	write_rest(f, 6);
	assert_int_equal(symbol_notes_more(notes), 0);
	assert_string_equal(name_at(f, 0, 0, KERNEL), "tcp_ack+0x0");
	assert_string_equal(name_at(f, 0, 0, KERNEL + 0x100), "next+0x0");
	assert_string_equal(name_at(f, 7, 1000, 0x400001), "file+0x1001");
	symbol_notes_free(notes);
	ctf_trace_class_free(trace);
}

static void other_forms_are_left_alone(void **state)
{
	struct fixture *f = *state;

	put_symbol(f, KERNEL, 0x100, "tcp_ack");
	assert_int_equal(read_notes(f, foreign, 0), 0);
	assert_int_equal(read_notes(f, HEAD "event { id = 4; name = \"x\"; };", 0), 0);
	assert_string_equal(name_at(f, 0, 0, KERNEL), "");
}

static void a_trace_without_a_recorder_has_none(void **state)
{
	struct ctf_trace_class *trace = NULL;
	struct fixture *f = *state;

	assert_int_equal(metadata_read(metadata, sizeof(metadata) - 1, &trace, NULL), 0);
	assert_int_equal(symbol_notes_read(f->dir, trace, f->symbols, NULL), 0);
	ctf_trace_class_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(notes_become_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_breaks_off_is_read_up_to_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_grows_is_taken_in_as_it_comes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(other_forms_are_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_trace_without_a_recorder_has_none, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

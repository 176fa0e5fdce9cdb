// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_bind.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "schema/event.h"
#include "schema/expr_code.h"
#include "schema/syscalls.h"

struct payload {
	uint64_t bytes;
	int64_t ret;
	double ratio;
	uint32_t srtt;
	int32_t prio;
	uint32_t state;
	uint32_t nr; /* 31 bits, and compat */
	uint32_t list[3];
	float half;
	uint32_t wait_us;
	uint32_t rto_us;
	uint32_t share;
	uint64_t flags;
	uint8_t saddr[16];
	uint8_t daddr[16];
	char disk[16];
	char path[24]; /* ends with a NUL */
};

#define AT(member) .offset_bits = 8 * offsetof(struct payload, member)
#define U(member, bits_) .name = #member, .bits = (bits_), .count = 1, AT(member)

static const struct field_label bits[] = {{INT64_MIN, -1, "HIGH"}, {0, INT64_MAX, "LOW"}};
static const struct field_label states[] = {{1, 1, "ESTABLISHED"},
					    {2, 3, "SYN"},
					    {4, 4, "FIN_WAIT1"},
					    {5, 5, "FIN_WAIT2"}};

static const struct field tcp_fields[] = {
	{U(bytes, 64), .unit = "bytes"},
	{U(ratio, 64), .kind = FIELD_FLOAT},
	{U(share, 32), .unit = "%"},
	{U(srtt, 32), .unit = "us/8"},
	{U(prio, 32), .is_signed = true},
	{U(state, 32), .labels = states, .label_count = 4},
	{.name = "list", .bits = 32, .count = 3, AT(list)},
	/* As many elements of `list` as `prio` tells. */
	{.name = "some", .bits = 32, .count = 0, .length = 1 + 4, AT(list)},
	{U(half, 32), .kind = FIELD_FLOAT, .unit = "ms"},
	{.name = "saddr", .bits = 8, .count = 16, .show = FIELD_SHOW_ADDRESS, AT(saddr)},
	{.name = "daddr", .bits = 8, .count = 16, .show = FIELD_SHOW_ADDRESS, AT(daddr)},
	{.name = "disk", .bits = 8, .count = 16, .kind = FIELD_TEXT, AT(disk)},
	{.name = "head.path", .bits = 8, .count = 1, .kind = FIELD_STRING, AT(path)},
	{U(wait_us, 32), .unit = "us"},
	{U(rto_us, 32), .unit = "ms"},
	{U(flags, 64), .labels = bits, .label_count = 2},
};
static const struct field exit_fields[] = {
	{U(ret, 64), .is_signed = true, .show = FIELD_SHOW_RESULT},
	{U(nr, 31), .is_signed = true, .show = FIELD_SHOW_SYSCALL},
	{.name = "compat",
	 .bits = 1,
	 .count = 1,
	 .offset_bits = 8 * offsetof(struct payload, nr) + 31},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t tcp_offsets[COUNT(tcp_fields)], exit_offsets[COUNT(exit_fields)];

static const struct event_class tcp_class = {.name = "tcp.ack",
					     .field_count = COUNT(tcp_fields),
					     .fields = tcp_fields,
					     .offsets = tcp_offsets,
					     .index = 0};
static const struct event_class exit_class = {.name = "sys.exit",
					      .field_count = COUNT(exit_fields),
					      .fields = exit_fields,
					      .offsets = exit_offsets,
					      .index = 1};
static const struct event_class *const classes[] = {&tcp_class, &exit_class};

static struct expr_scope scope = {.classes = classes, .class_count = 2};

static struct payload payload;
static struct event_facts facts;
static int64_t time_ns = 5000;
static int32_t cpu = 3, tid = 77;

static int set_up_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(tcp_fields); i++)
		tcp_offsets[i] = tcp_fields[i].offset_bits;
	for (size_t i = 0; i < COUNT(exit_fields); i++)
		exit_offsets[i] = exit_fields[i].offset_bits;
	scope.calls = syscalls_new("0 read,1 write,74 fsync", "3 read,118 fsync");
	return 0;
}

static int tear_down_all(void **state)
{
	(void)state;
	syscalls_free((struct syscalls *)scope.calls);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	memset(&payload, 0, sizeof(payload));
	facts = (struct event_facts){0};
	return 0;
}

static struct expr_code *bind(const char *text, struct expr **expr)
{
	struct expr_code *code = NULL;
	struct diag diag = {0};

	if (expr_parse(text, expr, &diag) || expr_bind(*expr, &scope, &code, &diag))
		fail_msg("%s: %s at %d", text, diag.text, (int)diag.offset);
	return code;
}

static bool holds_of(const struct event_class *class, const char *text)
{
	struct event event = {.class = class,
			      .payload = (const uint8_t *)&payload,
			      .offsets = class->offsets,
			      .time_ns = time_ns,
			      .cpu = cpu,
			      .tid = tid};
	struct expr *expr = NULL;
	struct expr_code *code = bind(text, &expr);
	bool holds = expr_matches(code, &event, &facts);

	expr_code_free(code);
	expr_free(expr);
	return holds;
}

static void yes(const char *text)
{
	if (!holds_of(&tcp_class, text))
		fail_msg("%s: does not hold", text);
}

static void no(const char *text)
{
	if (holds_of(&tcp_class, text))
		fail_msg("%s: holds", text);
}

static void bad(const char *text, int err, uint64_t at, const char *why)
{
	struct expr_code *code = NULL;
	struct expr *expr = NULL;
	struct diag diag = {0};

	assert_int_equal(expr_parse(text, &expr, &diag), 0);
	assert_int_equal(expr_bind(expr, &scope, &code, &diag), err);
	assert_null(code);
	if (!strstr(diag.text, why) || diag.offset != at)
		fail_msg("%s: '%s' at %d, want '%s' at %d", text, diag.text, (int)diag.offset, why,
			 (int)at);
	expr_free(expr);
}

static void unsigned_numbers(void **state)
{
	(void)state;
	payload.bytes = 65536;
	yes("bytes == 65536");
	yes("bytes == 64K");
	yes("bytes >= 64K && bytes <= 64K");
	no("bytes > 64K || bytes < 64K || bytes != 64K");
	yes("bytes > 65535 && bytes < 65537");
	yes("bytes > -1 && bytes != -1 && bytes >= -5");
	no("bytes < 0 || bytes == -65536");
	yes("bytes > 65535.5 && bytes < 65536.5 && bytes != 65536.5");
	yes("bytes >= 65535.5 && bytes <= 65536.5");
	no("bytes == 65536.5 || bytes >= 65536.5 || bytes <= 65535.5");
	yes("bytes in (1, 2, 65536) && bytes in 60000..70000 && bytes in 65536");
	no("bytes in (1, 2) || bytes in 1..5 || bytes in 70000..60000");
	payload.bytes = UINT64_MAX;
	yes("bytes == 0xffffffffffffffff && bytes > 1 && bytes >= 18446744073709551615");
	no("bytes < 18446744073709551615 || bytes > 18446744073709551615 || bytes == -1");
	yes("bytes");
	payload.bytes = 0;
	no("bytes");
	yes("!bytes && bytes == 0 && bytes <= 0 && bytes < 1");
	no("bytes < 0");
}

static void signed_numbers(void **state)
{
	(void)state;
	payload.prio = -5;
	yes("prio == -5 && prio < 0 && prio < -4 && prio <= -5 && prio > -6 && prio != 5");
	yes("prio > -5.5 && prio < -4.5 && prio >= -5.5 && prio <= -4.5");
	no("prio > 0 || prio >= -4 || prio < -5 || prio == 4294967291");
	yes("prio in -10..-1 && prio in (-5)");
	yes("prio < 18446744073709551615 && prio > -18446744073709551615");
	no("prio > 18446744073709551615");
	yes("prio");
}

/* srtt is in eighths of a microsecond, wait_us in microseconds. */
static void times_are_converted_exactly(void **state)
{
	(void)state;
	payload.srtt = 801; /* 100.125 us */
	payload.wait_us = 100;
	yes("srtt > 100us && srtt < 101us && srtt == 100125ns && srtt != 100us");
	yes("srtt > 100124ns && srtt < 100126ns && srtt >= 100124ns && srtt <= 100126ns");
	no("srtt == 100124ns || srtt == 100126ns || srtt <= 100124ns || srtt >= 100126ns");
	yes("srtt in 100us..101us");
	yes("srtt == 801"); /* a plain number is in the field's own unit */
	yes("wait_us == 100us && wait_us == 0.1ms && wait_us == 100000ns && wait_us < 1h");
	yes("wait_us < 100001ns && wait_us > 99999ns && wait_us >= 99999ns");
	no("wait_us >= 100001ns || wait_us <= 99999ns");
	payload.srtt = UINT32_MAX;
	yes("srtt < 1h && srtt > 500s");
}

static void two_fields(void **state)
{
	(void)state;
	payload.bytes = UINT64_MAX;
	payload.prio = -1;
	no("prio == bytes");
	yes("prio < bytes && bytes > prio && prio != bytes && bytes >= prio && prio <= bytes");
	payload.rto_us = 2; /* ms */
	payload.wait_us = 2000; /* us */
	payload.srtt = 16000; /* us/8 */
	yes("rto_us == wait_us && wait_us == srtt && srtt <= rto_us");
	payload.srtt++;
	yes("srtt > rto_us");
	yes("prio < wait_us"); /* one of them has no unit: as they are */
	payload.ratio = 2000.5;
	yes("ratio > wait_us && wait_us < ratio");
	strcpy(payload.disk, "sda");
	strcpy(payload.path, "sda");
	yes("disk == head.path && head.path ~ disk");
	no("disk != head.path");
	payload.saddr[15] = 1;
	yes("saddr != daddr");
	no("saddr == daddr");
	facts.comm = "sda";
	facts.comm_len = 3;
	yes("comm == disk && disk == comm");
	yes("event != disk");
	bad("disk == bytes", -EINVAL, 8, "different kinds");
	bad("disk < head.path", -EINVAL, 5, "cannot be compared so");
	bad("bytes ~ prio", -EINVAL, 6, "cannot be compared so");
}

static void floats(void **state)
{
	(void)state;
	payload.ratio = 0.5;
	payload.half = 1.5f;
	yes("ratio == 0.5 && ratio < 1 && ratio > -1 && ratio >= 0.5 && ratio <= 0.5");
	no("ratio < 0.5 || ratio > 0.5 || ratio != 0.5");
	yes("half == 1500us && half > 1ms && half < 2ms && half in 1ms..2ms");
	yes("ratio in (0.25, 0.5) && ratio in 0..1");
	yes("ratio");
	payload.ratio = NAN;
	no("ratio == 0.5 || ratio < 1 || ratio > 1 || ratio in 0..1 || ratio == ratio");
	yes("ratio != 0.5 && ratio != ratio");
	payload.ratio = INFINITY;
	yes("ratio >= 1000000");
	payload.ratio = 0;
	no("ratio");
}

static void percentages(void **state)
{
	(void)state;
	payload.share = 5;
	payload.ratio = 0.25;
	yes("share == 5% && share > 4.5% && share in 1%..5% && share < 6");
	yes("ratio == 25% && ratio > 24.9% && ratio in (20%..30%) && ratio < 1");
	no("share > 5% || ratio < 25%");
	bad("bytes > 5%", -EINVAL, 8, "is in bytes: this is a percentage");
	bad("prio > 5%", -EINVAL, 7, "whole number");
	bad("half > 5%", -EINVAL, 7, "is in ms");
}

static void labels(void **state)
{
	(void)state;
	payload.state = 1;
	yes("state == ESTABLISHED && state == \"ESTABLISHED\" && state == 1");
	no("state != ESTABLISHED || state == SYN || state ~ \"FIN*\"");
	payload.state = 3; /* a label of two values */
	yes("state == SYN && state != ESTABLISHED");
	payload.state = 5;
	yes("state ~ \"FIN_WAIT?\" && state in (SYN, FIN_WAIT2) && state in (SYN, 5)");
	no("state in (SYN, FIN_WAIT1)");
	no("state ~ \"nothing\"");
	payload.flags = UINT64_MAX;
	yes("flags == HIGH && flags != LOW");
	payload.flags = 1;
	yes("flags == LOW && flags != HIGH");
	bad("state == ESTABLISHD", -EINVAL, 9, "did you mean ESTABLISHED");
	bad("state == xyz", -EINVAL, 9, "never xyz");
	bad("state > SYN", -EINVAL, 8, "no order");
	bad("state ~ 5", -EINVAL, 8, "pattern");
	bad("bytes == SYN", -EINVAL, 9, "neither a number nor a field");
	bad("bytes == \"x\"", -EINVAL, 9, "and this is none");
}

static void texts(void **state)
{
	(void)state;
	strcpy(payload.disk, "nvme0n1");
	yes("disk == \"nvme0n1\" && disk == nvme0n1 && disk ~ \"nvme*\" && disk != \"sda\"");
	yes("disk in (sda, nvme0n1) && disk in \"nvme0n1\"");
	no("disk == \"nvme0\" || disk == \"nvme0n11\" || disk ~ \"nvme\" || disk != \"nvme0n1\"");
	yes("disk");
	memset(payload.disk, 'x', sizeof(payload.disk)); /* without a NUL */
	yes("disk == \"xxxxxxxxxxxxxxxx\" && disk ~ \"x*x\"");
	payload.disk[0] = '\0';
	no("disk");
	yes("disk == \"\"");
	strcpy(payload.path, "/a/b c");
	yes("head.path ~ \"/a/*\" && head.path == '/a/b c'");
	bad("disk == 5", -EINVAL, 8, "is a text");
	bad("disk < \"b\"", -EINVAL, 5, "no order");
}

static void addresses(void **state)
{
	static const uint8_t v4[16] = {[10] = 0xff, [11] = 0xff, 10, 1, 2, 3};
	static const uint8_t v6[16] = {0xfd, 0x99, [15] = 1};

	(void)state;
	memcpy(payload.saddr, v4, 16);
	memcpy(payload.daddr, v6, 16);
	yes("saddr == \"10.1.2.3\" && saddr == \"::ffff:10.1.2.3\" && saddr != \"10.1.2.4\"");
	yes("saddr in \"10.0.0.0/8\" && saddr in (\"192.168.0.0/16\", \"10.1.2.0/25\")");
	no("saddr in \"10.1.2.128/25\" || saddr == \"10.1.2.4\" || saddr in \"fd00::/8\"");
	yes("saddr in \"0.0.0.0/0\" && daddr in \"::/0\" && daddr in \"fd98::/15\"");
	no("daddr in \"0.0.0.0/0\" || daddr in \"fd98::/16\"");
	yes("daddr == \"fd99::1\"");
	yes("saddr == 10.1.2.3 && saddr in 10.0.0.0/8 && daddr == fd99::1 && 10.1.2.3 == saddr");
	yes("saddr in (fd00::/8, 10.1.2.0/25) && saddr == ::ffff:10.1.2.3 && saddr != ::");
	bad("bytes == 10.1.2.3", -EINVAL, 9, "is a number");
	bad("saddr == \"10.1.2\"", -EINVAL, 9, "is an address");
	bad("saddr in \"10.1.2.3/33\"", -EINVAL, 9, "is an address");
	bad("saddr in \"fd00::/129\"", -EINVAL, 9, "is an address");
	bad("saddr in \"fd00::/\"", -EINVAL, 9, "is an address");
	bad("saddr == 5", -EINVAL, 9, "is an address");
	bad("saddr < \"10.1.2.3\"", -EINVAL, 6, "compared with ==");
	bad("saddr", -EINVAL, 0, "is an address");
}

static void elements(void **state)
{
	(void)state;
	payload.list[2] = 7;
	yes("list[2] == 7 && list[0] == 0 && list[2] > list[1]");
	payload.prio = 3;
	yes("some[2] == 7 && some[0] == 0 && some[2] > list[1]");
	payload.prio = 2; /* the third is not there */
	no("some[2] == 7 || some[2] != 7 || some[2] > list[1] || some[2]");
	yes("some[1] == 0");
	bad("some == 7", -EINVAL, 0, "name one");
	bad("list == 7", -EINVAL, 0, "name one");
	bad("list[3] == 7", -EINVAL, 0, "name one");
	bad("disk[0] == 7", -EINVAL, 0, "no elements");
	bad("bytes[1] == 7", -EINVAL, 0, "no elements");
	bad("cpu[0] == 7", -EINVAL, 0, "no elements");
	bad("saddr[0] == 7", -EINVAL, 0, "no elements");
}

static void what_every_event_has(void **state)
{
	(void)state;
	yes("time == 5us && cpu == 3 && tid == 77 && event == \"tcp.ack\" && name ~ \"tcp.*\"");
	no("cpu != 3 || event == \"sys.exit\" || event ~ \"sys.*\"");
	yes("event in (\"tcp.ack\", \"tcp.none\") && event != \"tcp.none\" && event");
	bad("event == \"tcp.akc\"", -ENOENT, 9,
	    "no event is called 'tcp.akc': did you mean 'tcp.ack'");
	bad("bytes == 1 || event in (\"xyzzy\", \"b\")", -ENOENT, 24, "no event is called 'xyzzy'");
	bad("event ~ \"x*\"", -ENOENT, 8, "no event is called 'x*'");
	cpu = tid = -1; /* not known: nothing is true of it */
	no("cpu == -1 || cpu != 3 || cpu < 5 || tid == -1 || tid");
	cpu = 3;
	tid = 77;
	no("comm == nginx || comm != nginx || comm ~ \"*\"");
	facts.comm = "nginx: worker";
	facts.comm_len = 5;
	yes("comm == nginx && comm ~ \"ng*\" && comm");
	no("comm != nginx");
}

static void names_of_events(void **state)
{
	(void)state;
	yes("tcp.ack");
	no("sys.exit");
	no("!tcp.ack || tcp.ack && sys.exit");
	yes("tcp.ack && bytes == 0 || sys.exit");
	assert_true(holds_of(&exit_class, "sys.exit && !tcp.ack"));
}

static void values_that_follow(void **state)
{
	(void)state;
	assert_false(holds_of(&exit_class, "dur > 1ms"));
	assert_false(holds_of(&exit_class, "dur <= 1ms"));
	assert_false(holds_of(&exit_class, "dur != 1ms"));
	assert_true(holds_of(&exit_class, "!(dur > 1ms)"));
	facts.has = 1u << DERIVED_DUR;
	facts.derived[DERIVED_DUR] = 2000000;
	assert_true(holds_of(&exit_class, "sys.exit && dur > 1ms && dur == 2ms && dur == 2000000"));
	no("dur > 1ms"); /* tcp.ack has none */
	bad("service > 1ms", -ENOENT, 0, "'service' is a field of disk.complete");
}

static void calls_and_errors(void **state)
{
	(void)state;
	payload.nr = 74;
	payload.ret = -13;
	assert_true(holds_of(&exit_class, "nr == fsync && nr == 74 && nr ~ \"f*\" && !compat"));
	assert_true(holds_of(&exit_class, "nr in (read, fsync) && nr != read"));
	assert_true(holds_of(&exit_class, "ret == EACCES && ret < 0 && ret != ENOENT"));
	assert_true(holds_of(&exit_class, "ret in (EACCES, ENOENT) && ret ~ \"EACC*\""));
	assert_false(holds_of(&exit_class, "nr == read || nr == write"));
	payload.nr = 118 | 1u << 31;
	assert_true(holds_of(&exit_class, "nr == fsync && compat && nr == 118"));
	payload.nr = 74 | 1u << 31; /* of the other table */
	assert_false(holds_of(&exit_class, "nr == fsync"));
	bad("nr == fsnc", -EINVAL, 6, "unknown system call fsnc");
	bad("nr in (fsync, 3)", -EINVAL, 14, "together");
	bad("ret == EXYZ", -EINVAL, 7, "unknown error EXYZ");
}

static void unknown_names(void **state)
{
	(void)state;
	bad("byts > 5", -ENOENT, 0, "did you mean 'bytes'");
	bad("bytes > 1 && xyzzy", -ENOENT, 13, "is called 'xyzzy'");
	bad("tcp.akc", -ENOENT, 0, "did you mean 'tcp.ack'");
	bad("tcp.ack == 5", -ENOENT, 0, "no event and no field");
	bad("cpu == x", -EINVAL, 7, "'cpu' is a number");
	bad("time ~ x && dur == x", -EINVAL, 7, "'time' is a number");
	bad("dur == x", -EINVAL, 7, "'dur' is a number");
	bad("bytes > 10ms", -EINVAL, 8, "is in bytes: this is a time");
	bad("prio > 10ms", -EINVAL, 7, "no unit of time");
}

/* What no event of a class can satisfy is known beforehand, and what is needed is told. */
static void classes_are_told_apart(void **state)
{
	struct expr *expr = NULL;
	struct expr_code *code = bind("sys.exit && dur > 1s && comm == x", &expr);

	(void)state;
	assert_false(expr_may_match(code, &tcp_class));
	assert_true(expr_may_match(code, &exit_class));
	assert_int_equal(code->needs, 1u << DERIVED_DUR | EXPR_NEEDS_COMM);
	expr_code_free(code);
	expr_free(expr);
	code = bind("bytes > 5 || tcp.ack", &expr);
	assert_true(expr_may_match(code, &tcp_class));
	assert_false(expr_may_match(code, &exit_class));
	assert_int_equal(code->needs, 0);
	expr_code_free(code);
	expr_free(expr);
	code = bind("event ~ \"tcp.*\"", &expr);
	assert_int_equal(code->entries[0], EXPR_YES);
	assert_int_equal(code->entries[1], EXPR_NO);
	expr_code_free(code);
	expr_free(expr);
}

/* Of a list: the elements have a number and a text; of another they are texts; and of a third lists. */
static const struct field part_fields[] = {
	{.name = "id", .bits = 8, .count = 1, .is_signed = true},
	{.name = "word", .bits = 8, .count = 1, .kind = FIELD_STRING},
};
static const struct field text_fields[] = {
	{.name = "", .bits = 8, .count = 1, .kind = FIELD_STRING}};
static const struct field row_fields[] = {{.name = "", .bits = 8, .count = 2, .is_array = true}};
static const struct event_class parts_class = {.field_count = 2,
					       .fields = part_fields,
					       .offset_count = 2};
static const struct event_class text_class = {.field_count = 1,
					      .fields = text_fields,
					      .offset_count = 1};
static const struct event_class row_class = {.field_count = 1,
					     .fields = row_fields,
					     .offset_count = 1};
static const struct field list_fields[] = {
	{.name = "parts", .kind = FIELD_LIST, .bits = 8, .items = &parts_class, .count_at = 1 + 4},
	{.name = "words", .kind = FIELD_LIST, .bits = 8, .items = &text_class, .count = 2},
	{.name = "rows", .kind = FIELD_LIST, .bits = 8, .items = &row_class, .count = 2},
	{.name = "choice", .bits = 16, .count = 1, .optional = true},
};

/* What @text says of an event with @count parts, and with `choice` or without. */
static bool list_holds(const char *text, uint32_t count, bool chosen)
{
	static const uint8_t bytes[] = "\x07one\0\xf9two\0x\0yz\0\x01\x02\x03\x04\x05\x00";
	/* Fields, the count of parts, and where the parts, words and rows are. */
	const uint32_t offsets[] = {
		5, 9, 11, chosen ? 152 : EVENT_ABSENT, count, 0, 8, 40, 48, 80, 96, 120, 136};
	const struct event_class class = {
		.name = "list", .field_count = 4, .fields = list_fields, .optional = true};
	const struct event_class *const all[] = {&class};
	const struct expr_scope some = {.classes = all, .class_count = 1};
	const struct event event = {.class = &class, .payload = bytes, .offsets = offsets};
	struct expr_code *code = NULL;
	struct expr *expr = NULL;
	struct diag diag = {0};
	bool holds;

	if (expr_parse(text, &expr, &diag) || expr_bind(expr, &some, &code, &diag)) {
		expr_free(expr);
		fail_msg("%s: %s at %d", text, diag.text, (int)diag.offset);
	}
	holds = expr_matches(code, &event, &facts);
	expr_code_free(code);
	expr_free(expr);
	return holds;
}

static void lists(void **state)
{
	static const char *const true_ones[] = {
		"parts[0].id == 7 && parts[0].word == one",
		"parts[1].id == -7 && parts[1].word ~ \"t*\" && parts[1].id < parts[0].id",
		"words[0] == \"x\" && words[1] == \"yz\" && words[1] in (a, yz)",
		"rows[0][0] == 1 && rows[0][1] == 2 && rows[1][0] == 3 && rows[1][1] == 4",
		"rows[1][1] > rows[0][1] && parts[0].id in 5..9 && parts[0].id",
		"choice == 5 && choice",
	};
	static const char *const false_ones[] = {
		"parts[2].id == 7",	    "parts[2].id != 7", "parts[2].word != x",
		"parts[2].id < rows[0][0]", "words[0] == y",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(true_ones); i++)
		if (!list_holds(true_ones[i], 2, true))
			fail_msg("%s: does not hold", true_ones[i]);
	for (size_t i = 0; i < COUNT(false_ones); i++)
		if (list_holds(false_ones[i], 2, true))
			fail_msg("%s: holds", false_ones[i]);
	/* What is not there satisfies nothing. */
	assert_false(list_holds("parts[1].id == -7 || parts[1].id != -7", 1, true));
	assert_true(list_holds("parts[0].id == 7", 1, true));
	assert_false(list_holds("parts[0].word == one || parts[0].id", 0, true));
	assert_false(list_holds("choice == 5 || choice != 5 || choice < 9 || choice", 2, false));
	assert_true(list_holds("!(choice == 5)", 2, false));
}

static void bad_lists(void **state)
{
	static const struct {
		const char *text, *why;
	} bads[] = {
		{"parts == 1", "'parts' has elements: name one that is there, as parts[0]"},
		{"parts[0] == 1", "elements of 'parts' have parts: name one, as parts[0].id"},
		{"parts[0].wrd == x", "no element of 'parts' has 'wrd': did you mean 'word'?"},
		{"parts[0].xyzzy == x", "no element of 'parts' has 'xyzzy'"},
		{"parts[0][1] == x", "elements of 'parts' have parts: name one, as parts[0].id"},
		{"parts[0].id[0].x == 1", "elements of 'parts' have no parts"},
		{"words[2] == x", "'words' has elements: name one that is there"},
		{"words[0].x == x", "no element of 'words' has 'x'"},
		{"rows[0] == 1", "'rows' has elements"},
		{"rows[0][2] == 1", "'rows' has elements"},
		{"choice[0].x == 1", "elements of 'choice' have no parts"},
		{"words[0] > 5", "is a text"},
	};
	const struct event_class class = {.name = "list", .field_count = 4, .fields = list_fields};
	const struct event_class *const all[] = {&class};
	const struct expr_scope some = {.classes = all, .class_count = 1};

	(void)state;
	for (size_t i = 0; i < COUNT(bads); i++) {
		struct expr_code *code = NULL;
		struct expr *expr = NULL;
		struct diag diag = {0};

		assert_int_equal(expr_parse(bads[i].text, &expr, &diag), 0);
		assert_int_equal(expr_bind(expr, &some, &code, &diag), -EINVAL);
		if (!strstr(diag.text, bads[i].why))
			fail_msg("%s: '%s', want '%s'", bads[i].text, diag.text, bads[i].why);
		expr_free(expr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(unsigned_numbers, set_up),
		cmocka_unit_test_setup(signed_numbers, set_up),
		cmocka_unit_test_setup(times_are_converted_exactly, set_up),
		cmocka_unit_test_setup(two_fields, set_up),
		cmocka_unit_test_setup(floats, set_up),
		cmocka_unit_test_setup(percentages, set_up),
		cmocka_unit_test_setup(labels, set_up),
		cmocka_unit_test_setup(texts, set_up),
		cmocka_unit_test_setup(addresses, set_up),
		cmocka_unit_test_setup(elements, set_up),
		cmocka_unit_test_setup(lists, set_up),
		cmocka_unit_test_setup(bad_lists, set_up),
		cmocka_unit_test_setup(what_every_event_has, set_up),
		cmocka_unit_test_setup(names_of_events, set_up),
		cmocka_unit_test_setup(values_that_follow, set_up),
		cmocka_unit_test_setup(calls_and_errors, set_up),
		cmocka_unit_test_setup(unknown_names, set_up),
		cmocka_unit_test_setup(classes_are_told_apart, set_up),
	};

	return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_expr: any bytes as an expression. What can be read is bound to classes that have a field of
 * each kind, and asked of an event.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "schema/event.h"
#include "schema/expr_bind.h"
#include "schema/expr_code.h"
#include "schema/syscalls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAYLOAD_BYTES 120u

static const struct field_label states[] = {{1, 1, "ESTABLISHED"}, {2, 3, "SYN"}};
static const struct field_label halves[] = {{0, INT64_MAX, "LOW"}, {INT64_MIN, -1, "HIGH"}};

static const struct field fields[] = {
	{.name = "bytes", .bits = 64, .count = 1, .unit = "bytes"},
	{.name = "ret", .bits = 64, .count = 1, .is_signed = true, .show = FIELD_SHOW_RESULT},
	{.name = "ratio", .bits = 64, .count = 1, .kind = FIELD_FLOAT},
	{.name = "srtt", .bits = 32, .count = 1, .unit = "us/8"},
	{.name = "state", .bits = 32, .count = 1, .labels = states, .label_count = 2},
	{.name = "list", .bits = 16, .count = 4},
	{.name = "addr", .bits = 8, .count = 16, .show = FIELD_SHOW_ADDRESS},
	{.name = "disk", .bits = 8, .count = 16, .kind = FIELD_TEXT},
	{.name = "a.path", .bits = 8, .count = 1, .kind = FIELD_STRING},
	{.name = "nr", .bits = 31, .count = 1, .is_signed = true, .show = FIELD_SHOW_SYSCALL},
	{.name = "compat", .bits = 1, .count = 1},
	{.name = "share", .bits = 16, .count = 1, .unit = "%"},
	{.name = "flags", .bits = 64, .count = 1, .labels = halves, .label_count = 2},
	{.name = "big", .bits = 24, .count = 1, .is_signed = true, .big_endian = true},
	{.name = "depth", .bits = 8, .count = 1},
	{.name = "some", .bits = 13, .length = 15},
	{.name = "my-field", .bits = 32, .count = 1, .kind = FIELD_FLOAT, .unit = "ms"},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static const uint32_t offsets[FIELDS] = {0,   64,  128, 192, 224, 256, 320, 448, 576,
					 704, 735, 736, 752, 816, 840, 848, 928};
static const struct event_class sys_exit = {.name = "sys.exit",
					    .field_count = FIELDS,
					    .fields = fields,
					    .offsets = offsets};
static const struct event_class other = {.name = "tcp.ack", .index = 1};

/* Lists of elements with parts, and of texts; and a field that is not there. */
static const struct field part_fields[] = {
	{.name = "id", .bits = 8, .count = 1},
	{.name = "word", .bits = 8, .count = 1, .kind = FIELD_STRING},
};
static const struct field text_fields[] = {
	{.name = "", .bits = 8, .count = 1, .kind = FIELD_STRING}};
static const struct event_class parts = {.field_count = 2,
					 .fields = part_fields,
					 .offset_count = 2};
static const struct event_class texts = {.field_count = 1,
					 .fields = text_fields,
					 .offset_count = 1};
static const struct field list_fields[] = {
	{.name = "parts", .kind = FIELD_LIST, .bits = 8, .items = &parts, .count_at = 1 + 3},
	{.name = "words", .kind = FIELD_LIST, .bits = 8, .items = &texts, .count = 2},
	{.name = "choice", .bits = 16, .count = 1, .optional = true},
};
/* The fields, how many parts there are, and where these and the words are in the payload. */
static const uint32_t list_offsets[] = {4, 6, EVENT_ABSENT, 1, 0, 8, 704, 712};
static const struct event_class list = {.name = "list",
					.field_count = 3,
					.fields = list_fields,
					.offsets = list_offsets,
					.index = 2};

static void ask(const struct expr *expr)
{
	static const struct event_class *const classes[] = {&sys_exit, &other, &list};
	static const uint8_t payload[PAYLOAD_BYTES] = {
		1, [92] = 0xff, [94] = 5, [105] = 3, [107] = 0x5a};
	struct syscalls *calls = syscalls_new("0 read,1 write,257 openat", "3 read");
	const struct expr_scope scope = {.classes = classes, .class_count = 3, .calls = calls};
	const struct event_facts facts = {
		.has = 1u << DERIVED_DUR, .derived = {5000}, .comm = "init", .comm_len = 4};
	struct expr_code *code = NULL;
	struct diag diag = {0};

	if (expr_bind(expr, &scope, &code, &diag)) {
		if (diag.offset > strlen(expr->text))
			abort(); /* here, too */
		syscalls_free(calls);
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		const struct event event = {.class = classes[i],
					    .payload = payload,
					    .offsets = classes[i]->offsets,
					    .time_ns = 1700000000000000000};

		(void)expr_matches(code, &event, &facts);
	}
	expr_code_free(code);
	syscalls_free(calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1); /* exactly, so that a byte too far is seen */
	struct expr *expr = NULL;
	struct diag diag;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!expr_parse(text, &expr, &diag))
		ask(expr);
	else if (diag.offset > size)
		abort(); /* a caret has to point into it */
	expr_free(expr);
	free(text);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "schema/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t payload[] = {
	0x5a, 0xc3, 0x01, 0xfe, 0x80, 0x7f, 0xaa, 0x55, 0x13, 0x37, 0xf0, 0x0f,
	0x99, 0x66, 0xde, 0xad, 0xbe, 0xef, 0x42, 0x24, 0x81, 0x18, 0xe7, 0x7e,
};

/* CTF 1.8.3, 4.1.2, word by word: one bit after the other. */
static uint64_t read_slowly(uint32_t at, unsigned int bits, bool big)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < bits; i++) {
		uint8_t byte = payload[(at + i) / 8];
		uint64_t bit = byte >> (big ? 7 - (at + i) % 8 : (at + i) % 8) & 1;

		value |= bit << (big ? bits - 1 - i : i);
	}
	return value;
}

static uint64_t extend(uint64_t value, unsigned int bits)
{
	return bits < 64 && value >> (bits - 1) & 1 ? value | ~0ull << bits : value;
}

static void check_place(uint32_t at, unsigned int bits, bool big)
{
	struct field field = {.name = "f", .bits = (uint16_t)bits, .count = 1, .big_endian = big};
	const struct event_class class = {.field_count = 1, .fields = &field};
	const struct event event = {.class = &class, .payload = payload, .offsets = &at};
	uint64_t expected = read_slowly(at, bits, big);

	assert_true(event_element(&event, 0, 0) == expected);
	assert_true(event_uint(&event, 0) == expected);
	assert_true(event_element(&event, 0, 1) == read_slowly(at + bits, bits, big));
	field.is_signed = true;
	assert_true(event_element(&event, 0, 0) == extend(expected, bits));
	assert_true(event_uint(&event, 0) == extend(expected, bits));
}

static void test_any_width_at_any_bit(void **state)
{
	unsigned int bits;
	uint32_t at;

	(void)state;
	for (bits = 1; bits <= 64; bits++) {
		for (at = 0; at < 40; at++) {
			check_place(at, bits, false);
			check_place(at, bits, true);
		}
	}
}

/* The last byte that is read is the last that holds a bit of the field: ASan would tell. */
static void test_reads_no_byte_too_many(void **state)
{
	uint32_t end = 8 * sizeof(payload), at;
	unsigned int bits;

	(void)state;
	for (bits = 1; bits <= 64; bits++) {
		struct field field = {.name = "f", .bits = (uint16_t)bits, .count = 1};
		const struct event_class class = {.field_count = 1, .fields = &field};
		const struct event event = {.class = &class, .payload = payload, .offsets = &at};

		at = end - bits;
		assert_true(event_element(&event, 0, 0) == read_slowly(at, bits, false));
		field.big_endian = true;
		assert_true(event_element(&event, 0, 0) == read_slowly(at, bits, true));
	}
}

static void test_floats(void **state)
{
	static const uint8_t bytes[] = {
		0, 0, 0xc0, 0xbf, 0, 0, 0x20, 0x41, 0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18,
	};
	static const struct field fields[] = {
		{.name = "pair", .kind = FIELD_FLOAT, .bits = 32, .count = 2},
		{.name = "pi", .kind = FIELD_FLOAT, .bits = 64, .count = 1, .big_endian = true},
	};
	static const uint32_t offsets[] = {0, 64};
	const struct event_class class = {.field_count = 2, .fields = fields};
	const struct event event = {.class = &class, .payload = bytes, .offsets = offsets};
	double pi = event_float(&event, 1, 0);

	(void)state;
	assert_true(event_float(&event, 0, 0) == -1.5);
	assert_true(event_float(&event, 0, 1) == 10.0);
	assert_true(pi > 3.1415926535 && pi < 3.1415926536);
}

static void test_sequences(void **state)
{
	static const uint8_t bytes[] = {2, 3, 0x34, 0x12, 0x78, 0x56, 'a', 'b', 'c'};
	static const struct field fields[] = {
		{.name = "n", .bits = 8, .count = 1},
		{.name = "len", .bits = 8, .count = 1},
		{.name = "words", .bits = 16, .length = 1},
		{.name = "text", .kind = FIELD_TEXT, .bits = 8, .length = 2},
	};
	static const uint32_t offsets[] = {0, 8, 16, 48};
	const struct event_class class = {.field_count = 4, .fields = fields};
	const struct event event = {.class = &class, .payload = bytes, .offsets = offsets};
	size_t len;

	(void)state;
	assert_int_equal(event_count(&event, 0), 1);
	assert_int_equal(event_count(&event, 2), 2);
	assert_int_equal(event_element(&event, 2, 1), 0x5678);
	assert_memory_equal(event_text(&event, 3, &len), "abc", 3);
	assert_int_equal(len, 3);
	assert_int_equal(event_class_find_number(&class, "n"), 0);
	assert_int_equal(event_class_find_number(&class, "words"), -1);
}

static void test_texts(void **state)
{
	static const uint8_t bytes[] = "abcdnginx\0\0\0hello";
	static const struct field fields[] = {
		{.name = "full", .kind = FIELD_TEXT, .bits = 8, .count = 4},
		{.name = "padded", .kind = FIELD_TEXT, .bits = 8, .count = 8},
		{.name = "string", .kind = FIELD_STRING, .bits = 8, .count = 1},
	};
	static const uint32_t offsets[] = {0, 32, 96};
	const struct event_class class = {.field_count = 3, .fields = fields};
	const struct event event = {.class = &class, .payload = bytes, .offsets = offsets};
	size_t len;

	(void)state;
	assert_ptr_equal(event_text(&event, 0, &len), bytes);
	assert_int_equal(len, 4);
	assert_memory_equal(event_text(&event, 1, &len), "nginx", 5);
	assert_int_equal(len, 5);
	assert_string_equal(event_text(&event, 2, &len), "hello");
	assert_int_equal(len, 5);
	assert_int_equal(event_class_find(&class, "string"), 2);
	assert_int_equal(event_class_find(&class, "str"), -1);
	assert_int_equal(event_class_find_number(&class, "string"), -1);
	assert_int_equal(event_class_find_number(&class, "str"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_width_at_any_bit),
		cmocka_unit_test(test_reads_no_byte_too_many),
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

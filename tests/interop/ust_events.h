/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ust_events: a provider of LTTng-UST with every type of field that it has.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER sonde_test

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./ust_events.h"

#if !defined(SONDE_TESTS_UST_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SONDE_TESTS_UST_EVENTS_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* The macros of LTTng-UST are no C that clang-format knows. */
/* clang-format off */
LTTNG_UST_TRACEPOINT_ENUM(sonde_test, colour,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("RED", 0)
		lttng_ust_field_enum_range("GREENS", 1, 99)
		lttng_ust_field_enum_value("A BLUE", 100)
		lttng_ust_field_enum_auto("NEXT")
		lttng_ust_field_enum_range("OVER", 90, 100)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(sonde_test, integers,
	LTTNG_UST_TP_ARGS(uint64_t, x),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int8_t, s8, (int8_t)x)
		lttng_ust_field_integer(uint8_t, u8, (uint8_t)x)
		lttng_ust_field_integer(int16_t, s16, (int16_t)x)
		lttng_ust_field_integer(uint16_t, u16, (uint16_t)x)
		lttng_ust_field_integer(int32_t, s32, (int32_t)x)
		lttng_ust_field_integer(uint32_t, u32, (uint32_t)x)
		lttng_ust_field_integer(int64_t, s64, (int64_t)x)
		lttng_ust_field_integer(uint64_t, u64, x)
		lttng_ust_field_integer_hex(uint64_t, hex, x)
		lttng_ust_field_integer_hex(int16_t, shex, (int16_t)x)
		lttng_ust_field_integer_network(uint16_t, net16, (uint16_t)x)
		lttng_ust_field_integer_network(int32_t, net32, (int32_t)x)
		lttng_ust_field_integer_network_hex(uint64_t, net64, x)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(sonde_test, floats,
	LTTNG_UST_TP_ARGS(double, x),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_float(float, f, (float)x)
		lttng_ust_field_float(double, d, x)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(sonde_test, enums,
	LTTNG_UST_TP_ARGS(int, x),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(sonde_test, colour, int, colour, x)
		lttng_ust_field_enum(sonde_test, colour, uint8_t, small, (uint8_t)x)
		lttng_ust_field_enum(sonde_test, colour, int64_t, large, x)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(sonde_test, arrays,
	LTTNG_UST_TP_ARGS(uint64_t *, longs, uint8_t *, bytes, size_t, count),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint64_t, longs, longs, 4)
		lttng_ust_field_array_hex(uint8_t, bytes_hex, bytes, 8)
		lttng_ust_field_array_network(uint32_t, net, (uint32_t *)(void *)longs, 3)
		lttng_ust_field_array_network_hex(uint16_t, net_hex, (uint16_t *)(void *)longs, 2)
		lttng_ust_field_sequence(uint64_t, seq, longs, size_t, count)
		lttng_ust_field_sequence_hex(uint8_t, seq_hex, bytes, uint8_t, count)
		lttng_ust_field_sequence_network(uint16_t, seq_net, (uint16_t *)(void *)bytes, uint16_t,
			count)
		lttng_ust_field_sequence_network_hex(uint32_t, seq_net_hex, (uint32_t *)(void *)longs,
			uint32_t, count)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(sonde_test, texts,
	LTTNG_UST_TP_ARGS(const char *, text, size_t, len),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(text, text)
		lttng_ust_field_array_text(char, fixed, text, 8)
		lttng_ust_field_sequence_text(char, cut, text, size_t, len)
		lttng_ust_field_string(again, text)
		lttng_ust_field_integer(int, after, (int)len)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(sonde_test, nothing,
	LTTNG_UST_TP_ARGS(void),
	LTTNG_UST_TP_FIELDS()
)

LTTNG_UST_TRACEPOINT_EVENT(sonde_test, burst,
	LTTNG_UST_TP_ARGS(uint64_t, number),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, number, number)
		lttng_ust_field_string(padding, "a text that fills sub-buffers")
	)
)
/* What script/bench reads: 16 bytes with its head. */
LTTNG_UST_TRACEPOINT_EVENT(sonde_test, small,
	LTTNG_UST_TP_ARGS(uint64_t, number),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, number, number))
)
/* Likewise, with fields that only the event tells the length of, and a floating-point number. */
LTTNG_UST_TRACEPOINT_EVENT(sonde_test, rich,
	LTTNG_UST_TP_ARGS(uint64_t, number, const uint32_t *, items, size_t, count, const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_float(double, load, (double)number / 1000)
		lttng_ust_field_string(text, text)
		lttng_ust_field_sequence(uint32_t, items, items, size_t, count)
	)
)
/* clang-format on */

#endif /* SONDE_TESTS_UST_EVENTS_H */

#include <lttng/tracepoint-event.h>

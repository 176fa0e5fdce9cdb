// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_scalar.h"

#include <errno.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/json_range.h"
#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Section 5.3.4: what all bit arrays have. */
#define BIT_ARRAY                                                                 \
	{"length", JSON_WANT_UINT, true}, {"byte-order", JSON_WANT_STRING, true}, \
		{"bit-order", JSON_WANT_STRING, false},                           \
	{                                                                         \
		"alignment", JSON_WANT_UINT, false                                \
	}
/* Section 5.3.7: what all integers have. */
#define INTEGER                                            \
	{"preferred-display-base", JSON_WANT_UINT, false}, \
	{                                                  \
		"mappings", JSON_WANT_OBJECT, false        \
	}

int json_scalar_read_align(struct json_reader *reader, const struct json_place *place,
			   const json_t *object, const char *name, uint32_t *ret)
{
	const struct json_place inner = {.outer = place, .name = name};
	uint64_t align = json_reader_uint(object, name, 1);

	if (!align || align > CTF_ALIGN_MAX || (align & (align - 1)))
		return json_reader_fail(reader, -EBADMSG, &inner,
					"an alignment is a power of two and at most %u",
					CTF_ALIGN_MAX);
	*ret = (uint32_t)align;
	return 0;
}

static int read_length(struct json_reader *reader, const struct json_place *place,
		       const json_t *object, struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "length"};
	uint64_t length = json_reader_uint(object, "length", 0);

	if (!length)
		return json_reader_fail(reader, -EBADMSG, &inner, "this has to be above 0");
	if (length > 64)
		return json_reader_fail(reader, -ENOTSUP, &inner,
					"bit arrays of more than 64 bits cannot be read");
	type->size = (uint32_t)length;
	return 0;
}

static int read_order(struct json_reader *reader, const struct json_place *place,
		      const json_t *object, struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "byte-order"};
	const char *order = json_reader_string(object, "byte-order");

	if (!strcmp(order, "little-endian"))
		type->order = CTF_ORDER_LE;
	else if (!strcmp(order, "big-endian"))
		type->order = CTF_ORDER_BE;
	else
		return json_reader_fail(reader, -EBADMSG, &inner,
					"this has to be \"little-endian\" or \"big-endian\"");
	return 0;
}

/* Section 5.3.4: the order that a byte order has by itself is the only one that is in use. */
static int read_bit_order(struct json_reader *reader, const struct json_place *place,
			  const json_t *object, const struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "bit-order"};
	const char *order = json_reader_string(object, "bit-order");
	bool first_to_last;

	if (!order)
		return 0;
	first_to_last = !strcmp(order, "first-to-last");
	if (!first_to_last && strcmp(order, "last-to-first") != 0)
		return json_reader_fail(reader, -EBADMSG, &inner,
					"this has to be \"first-to-last\" or \"last-to-first\"");
	if (first_to_last != (type->order == CTF_ORDER_LE) && type->size > 1 && !type->boolean)
		return json_reader_fail(reader, -ENOTSUP, &inner,
					"bits in the other order than their bytes cannot be read");
	return 0;
}

static int read_bits(struct json_reader *reader, const struct json_place *place,
		     const json_t *object, struct ctf_type *type)
{
	int err = read_length(reader, place, object, type);

	err = err ? err : read_order(reader, place, object, type);
	err = err ? err : read_bit_order(reader, place, object, type);
	return err ? err : json_scalar_read_align(reader, place, object, "alignment", &type->align);
}

static int read_base(struct json_reader *reader, const struct json_place *place,
		     const json_t *object, struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "preferred-display-base"};
	uint64_t base = json_reader_uint(object, "preferred-display-base", 10);

	if (base != 2 && base != 8 && base != 10 && base != 16)
		return json_reader_fail(reader, -EBADMSG, &inner, "this has to be 2, 8, 10 or 16");
	type->base = (uint8_t)base;
	return 0;
}

static int read_mappings(struct json_reader *reader, const struct json_place *place,
			 const json_t *object, struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "mappings"};
	int err = json_range_read_labels(reader, &inner, json_object_get(object, "mappings"), type);

	if (type->label_count)
		type->kind = CTF_ENUM;
	return err;
}

static int read_integer(struct json_reader *reader, const struct json_place *place,
			const json_t *object, const struct json_property *properties, size_t count,
			bool is_signed, struct ctf_type **ret)
{
	struct ctf_type *type;
	int err = json_reader_check(reader, place, object, properties, count);

	err = err ? err : json_reader_type_new(reader, CTF_INTEGER, &type);
	if (err)
		return err;
	type->is_signed = is_signed;
	err = read_base(reader, place, object, type);
	*ret = type;
	return err ? err : read_mappings(reader, place, object, type);
}

int json_scalar_read_unsigned(struct json_reader *reader, const struct json_place *place,
			      const json_t *object, struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		BIT_ARRAY, INTEGER, {"roles", JSON_WANT_ARRAY, false}};
	int err = read_integer(reader, place, object, properties, COUNT(properties), false, ret);

	return err ? err : read_bits(reader, place, object, *ret);
}

int json_scalar_read_signed(struct json_reader *reader, const struct json_place *place,
			    const json_t *object, struct ctf_type **ret)
{
	static const struct json_property properties[] = {BIT_ARRAY, INTEGER};
	int err = read_integer(reader, place, object, properties, COUNT(properties), true, ret);

	return err ? err : read_bits(reader, place, object, *ret);
}

/* Section 5.3.10. In memory such a number has 64 bits. */
static void set_leb128(struct ctf_type *type)
{
	type->leb128 = true;
	type->size = 64;
	type->align = 8;
}

int json_scalar_read_leb128_unsigned(struct json_reader *reader, const struct json_place *place,
				     const json_t *object, struct ctf_type **ret)
{
	static const struct json_property properties[] = {INTEGER,
							  {"roles", JSON_WANT_ARRAY, false}};
	int err = read_integer(reader, place, object, properties, COUNT(properties), false, ret);

	if (!err)
		set_leb128(*ret);
	return err;
}

int json_scalar_read_leb128_signed(struct json_reader *reader, const struct json_place *place,
				   const json_t *object, struct ctf_type **ret)
{
	static const struct json_property properties[] = {INTEGER};
	int err = read_integer(reader, place, object, properties, COUNT(properties), true, ret);

	if (!err)
		set_leb128(*ret);
	return err;
}

static int read_plain(struct json_reader *reader, const struct json_place *place,
		      const json_t *object, enum ctf_kind kind, struct ctf_type **ret)
{
	static const struct json_property properties[] = {BIT_ARRAY};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : json_reader_type_new(reader, kind, ret);
	if (!err)
		(*ret)->base = 2;
	return err;
}

int json_scalar_read_bit_array(struct json_reader *reader, const struct json_place *place,
			       const json_t *object, struct ctf_type **ret)
{
	int err = read_plain(reader, place, object, CTF_INTEGER, ret);

	return err ? err : read_bits(reader, place, object, *ret);
}

static struct field_label *push_label(struct json_reader *reader, struct ctf_type *type)
{
	void *labels = type->labels;
	struct field_label *label =
		arena_push(&reader->trace->arena, &labels, &type->label_count, sizeof(*label));

	type->labels = labels;
	return label;
}

/* Section 5.3.6: no bit is set, or any. */
int json_scalar_read_boolean(struct json_reader *reader, const struct json_place *place,
			     const json_t *object, struct ctf_type **ret)
{
	static const struct field_label values[] = {
		{0, 0, "false"}, {1, INT64_MAX, "true"}, {INT64_MIN, -1, "true"}};
	int err = read_plain(reader, place, object, CTF_ENUM, ret);

	if (err)
		return err;
	(*ret)->boolean = true;
	(*ret)->base = 10;
	for (size_t i = 0; i < COUNT(values); i++) {
		struct field_label *label = push_label(reader, *ret);

		if (!label)
			return json_reader_no_memory(reader);
		*label = values[i];
	}
	return read_bits(reader, place, object, *ret);
}

/* A flag that is one bit is the label of the value in which no other bit is set. */
static int set_flag(struct json_reader *reader, struct ctf_type *type,
		    const struct field_label *bits)
{
	struct field_label *label;

	if (bits->first != bits->last)
		return 0;
	label = push_label(reader, type);
	if (!label)
		return json_reader_no_memory(reader);
	*label = (struct field_label){(int64_t)(1ull << bits->first),
				      (int64_t)(1ull << bits->first), bits->name};
	return 0;
}

static int set_flags(struct json_reader *reader, const struct json_place *place,
		     struct ctf_type *type)
{
	const struct field_label *bits = type->labels;
	size_t count = type->label_count;
	int err = 0;

	type->labels = NULL;
	type->label_count = 0;
	for (size_t i = 0; i < count && !err; i++) {
		if ((uint64_t)bits[i].last >= type->size)
			return json_reader_fail(reader, -EBADMSG, place,
						"'%.60s' has a bit that is not there",
						bits[i].name);
		err = set_flag(reader, type, &bits[i]);
	}
	if (type->label_count)
		type->kind = CTF_ENUM;
	return err;
}

/* Section 5.3.5. Read with the ranges of bits as its labels at first. */
int json_scalar_read_bit_map(struct json_reader *reader, const struct json_place *place,
			     const json_t *object, struct ctf_type **ret)
{
	static const struct json_property properties[] = {BIT_ARRAY,
							  {"flags", JSON_WANT_OBJECT, true}};
	const struct json_place inner = {.outer = place, .name = "flags"};
	const json_t *flags = json_object_get(object, "flags");
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : json_reader_type_new(reader, CTF_INTEGER, ret);
	if (err)
		return err;
	(*ret)->base = 2;
	if (!json_object_size(flags))
		return json_reader_fail(reader, -EBADMSG, &inner, "there has to be a flag");
	err = read_bits(reader, place, object, *ret);
	err = err ? err : json_range_read_labels(reader, &inner, flags, *ret);
	return err ? err : set_flags(reader, &inner, *ret);
}

int json_scalar_read_float(struct json_reader *reader, const struct json_place *place,
			   const json_t *object, struct ctf_type **ret)
{
	const struct json_place inner = {.outer = place, .name = "length"};
	uint64_t length = json_reader_uint(object, "length", 0);
	int err = read_plain(reader, place, object, CTF_FLOAT, ret);

	if (err)
		return err;
	if (length == 16 || length == 128 || (length > 128 && length % 32 == 0))
		return json_reader_fail(
			reader, -ENOTSUP, &inner,
			"only floating-point numbers of 32 and 64 bits can be read");
	if (length != 32 && length != 64)
		return json_reader_fail(reader, -EBADMSG, &inner,
					"no floating-point number has this length");
	(*ret)->base = 10;
	return read_bits(reader, place, object, *ret);
}

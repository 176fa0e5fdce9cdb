// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_range.h"

#include <errno.h>

#include "ctf/arena.h"
#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

/* Any integer from INT64_MIN to UINT64_MAX. */
struct bound {
	int64_t value;
	bool negative;
};

static bool is_below(struct bound a, struct bound b)
{
	if (a.negative != b.negative)
		return a.negative;
	return a.negative ? a.value < b.value : (uint64_t)a.value < (uint64_t)b.value;
}

static int read_bounds(struct json_reader *reader, const struct json_place *place,
		       const json_t *range, struct bound *low, struct bound *high)
{
	if (!json_is_array(range) || json_array_size(range) != 2 ||
	    !json_reader_number(json_array_get(range, 0), &low->value, &low->negative) ||
	    !json_reader_number(json_array_get(range, 1), &high->value, &high->negative))
		return json_reader_fail(reader, -EBADMSG, place,
					"a range is an array of two integers");
	if (is_below(*high, *low))
		return json_reader_fail(reader, -EBADMSG, place, "the range ends before it begins");
	return 0;
}

int json_range_read(struct json_reader *reader, const struct json_place *place, const json_t *set,
		    size_t i, bool is_signed, struct json_range *ret)
{
	const struct json_place inner = {.outer = place, .index = i};
	const struct bound zero = {0, false}, most = {INT64_MAX, false};
	struct bound low, high;
	int err = read_bounds(reader, &inner, json_array_get(set, i), &low, &high);

	if (err)
		return err;
	if (is_signed ? is_below(most, low) : high.negative)
		return 0;
	if (is_signed && is_below(most, high))
		high = most;
	if (!is_signed && low.negative)
		low = zero;
	*ret = (struct json_range){low.value, high.value};
	return 1;
}

int json_range_check(struct json_reader *reader, const struct json_place *place, const json_t *set)
{
	if (!json_is_array(set) || !json_array_size(set))
		return json_reader_fail(reader, -EBADMSG, place,
					"this has to be an array of one or more ranges");
	return 0;
}

static int add_label(struct json_reader *reader, struct ctf_type *type, const char *name,
		     const struct json_range *range)
{
	void *labels = type->labels;
	struct field_label *label =
		arena_push(&reader->trace->arena, &labels, &type->label_count, sizeof(*label));

	if (!label)
		return json_reader_no_memory(reader);
	type->labels = labels;
	*label = (struct field_label){range->first, range->last, name};
	return 0;
}

/* Values above INT64_MAX are a label of their own, so that no range ends below where it begins. */
static int add_labels(struct json_reader *reader, struct ctf_type *type, const char *name,
		      const struct json_range *range)
{
	const struct json_range low = {range->first, INT64_MAX}, high = {INT64_MIN, range->last};
	int err;

	if (range->first <= range->last)
		return add_label(reader, type, name, range);
	err = add_label(reader, type, name, &low);
	return err ? err : add_label(reader, type, name, &high);
}

static bool is_negative(const json_t *range)
{
	int64_t low;
	bool negative;

	return json_reader_number(json_array_get(range, 0), &low, &negative) && negative;
}

static int read_label(struct json_reader *reader, const struct json_place *place, const char *name,
		      const json_t *set, struct ctf_type *type)
{
	const char *copy;
	int err = json_range_check(reader, place, set);

	err = err ? err : json_reader_copy(reader, name, &copy);
	for (size_t i = 0; i < json_array_size(set) && !err; i++) {
		struct json_range range = {0};

		err = json_range_read(reader, place, set, i, type->is_signed, &range);
		if (err >= 0 && !type->is_signed && is_negative(json_array_get(set, i)))
			json_reader_breach(reader, place,
					   "an unsigned field has no values below 0");
		if (err > 0)
			err = add_labels(reader, type, copy, &range);
	}
	return err;
}

int json_range_read_labels(struct json_reader *reader, const struct json_place *place,
			   const json_t *names, struct ctf_type *type)
{
	/* jansson's iterators take no const; nothing is changed. */
	json_t *object = (json_t *)names, *set;
	const char *name;
	int err = 0;

	json_object_foreach(object, name, set)
	{
		const struct json_place inner = {.outer = place, .name = name};

		err = read_label(reader, &inner, name, set, type);
		if (err)
			return err;
	}
	return 0;
}

bool json_range_conflict(const struct ctf_choice *a, const struct ctf_choice *b, bool is_signed)
{
	if (a->member == b->member)
		return false;
	if (is_signed)
		return a->first <= b->last && b->first <= a->last;
	return (uint64_t)a->first <= (uint64_t)b->last && (uint64_t)b->first <= (uint64_t)a->last;
}

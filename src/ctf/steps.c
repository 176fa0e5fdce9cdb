// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/steps.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "ctf/type.h"
#include "schema/event.h"
#include "wire/ctf.h"

static uint64_t mask_of(unsigned int size)
{
	return size >= 64 ? UINT64_MAX : (1ull << size) - 1;
}

static uint64_t get_little(const uint8_t *bytes, unsigned int skip, unsigned int size)
{
	unsigned int count = (skip + size + 7) / 8;
	uint64_t value = bytes[0] >> skip;

	for (unsigned int i = 1; i < count; i++)
		value |= (uint64_t)bytes[i] << (8 * i - skip);
	return value & mask_of(size);
}

static uint64_t get_big(const uint8_t *bytes, unsigned int skip, unsigned int size)
{
	unsigned int end = skip + size, count = (end + 7) / 8, left = count * 8 - end;
	uint64_t value = bytes[0] & (0xffu >> skip);

	if (count == 1)
		return value >> left;
	for (unsigned int i = 1; i + 1 < count; i++)
		value = value << 8 | bytes[i];
	return value << (8 - left) | bytes[count - 1] >> left;
}

uint64_t bits_get(const uint8_t *bytes, uint64_t at, unsigned int size, bool big_endian)
{
	unsigned int skip = at & 7;

	bytes += at >> 3;
	return big_endian ? get_big(bytes, skip, size) : get_little(bytes, skip, size);
}

uint64_t bits_sign(uint64_t value, unsigned int size)
{
	uint64_t sign = 1ull << (size - 1);

	return size >= 64 ? value : (value ^ sign) - sign;
}

uint64_t bits_clock(uint64_t clock, uint64_t value, unsigned int size)
{
	uint64_t mask = mask_of(size);

	if (size >= 64)
		return value;
	return clock + ((value - clock) & mask);
}

static void keep_value(const struct ctf_stepper *stepper, const struct ctf_step *step)
{
	uint64_t value = bits_get(stepper->data, stepper->pos - stepper->window_begin, step->size,
				  step->big_endian);

	if (step->is_signed)
		value = bits_sign(value, step->size);
	stepper->slots[step->slot] = value;
}

/* Moves behind @bits that begin here, where a field does. */
static int take(struct ctf_stepper *stepper, const struct ctf_step *step, uint64_t bits,
		uint32_t *offsets)
{
	if (stepper->pos > stepper->end || bits > stepper->end - stepper->pos)
		return -ENODATA;
	if (stepper->pos + bits - stepper->base > CTF_EVENT_MAX_BYTES * 8ull)
		return -E2BIG;
	if (step->slot)
		keep_value(stepper, step);
	if (step->field != CTF_NO_FIELD)
		offsets[step->field] = (uint32_t)(stepper->pos - stepper->base);
	stepper->pos += bits;
	return 0;
}

/* Two byte orders number the bits of a byte from two ends (CTF 1.8.3, 4.1.5). */
static int take_bits(struct ctf_stepper *stepper, const struct ctf_step *step, uint32_t *offsets)
{
	if (step->bits && stepper->pos & 7 && stepper->any &&
	    stepper->big_endian != step->big_endian)
		return -EILSEQ;
	stepper->any = true;
	stepper->big_endian = step->big_endian;
	return take(stepper, step, step->bits, offsets);
}

static int take_leb128(struct ctf_stepper *stepper, const struct ctf_step *step, uint32_t *offsets)
{
	const uint64_t at = stepper->pos;
	uint64_t value;
	int bytes;

	if (at > stepper->end)
		return -ENODATA;
	bytes = leb128_get(stepper->data + (at - stepper->window_begin) / 8,
			   (size_t)((stepper->end - at) / 8), step->is_signed, &value);
	if (bytes < 0)
		return bytes;
	if (at + LEB128_MAX_BYTES * 8 - stepper->base > CTF_EVENT_MAX_BYTES * 8ull)
		return -E2BIG;
	if (step->slot)
		stepper->slots[step->slot] = value;
	if (step->field != CTF_NO_FIELD)
		offsets[step->field] = (uint32_t)(at - stepper->base);
	stepper->pos += (uint64_t)bytes * 8;
	return 0;
}

static int take_string(struct ctf_stepper *stepper, const struct ctf_step *step, uint32_t *offsets)
{
	const uint8_t *start, *end;

	if (stepper->pos > stepper->end)
		return -ENODATA;
	start = stepper->data + (stepper->pos - stepper->window_begin) / 8;
	end = memchr(start, 0, (size_t)((stepper->end - stepper->pos) / 8));
	return end ? take(stepper, step, (uint64_t)(end + 1 - start) * 8, offsets) : -ENODATA;
}

/* The length of a sequence or a list; if no field has it, the frame does. */
static int find_count(const struct ctf_stepper *stepper, const struct ctf_step *step,
		      const struct event_class *class, uint32_t *offsets, uint32_t *ret)
{
	const struct field *field = &class->fields[step->field];
	uint64_t count = step->from ? stepper->slots[step->from] : step->count;

	if (count > CTF_SEQUENCE_MAX)
		return -E2BIG;
	*ret = (uint32_t)count;
	if (field->count_at)
		offsets[field->count_at - 1] = (uint32_t)count;
	return 0;
}

static int take_sequence(struct ctf_stepper *stepper, const struct ctf_step *step,
			 const struct event_class *class, uint32_t *offsets)
{
	uint32_t count;
	int err = find_count(stepper, step, class, offsets, &count);

	return err ?: take(stepper, step, (uint64_t)count * step->bits, offsets);
}

static int take_list(struct ctf_stepper *stepper, const struct ctf_step *step,
		     const struct event_class *class, uint32_t *offsets)
{
	const size_t stride = step->items->offset_count;
	uint32_t *item = stepper->pool;
	uint32_t count;
	int err = find_count(stepper, step, class, offsets, &count);

	if (!err && count > stepper->room / (stride ?: 1))
		err = -ENOBUFS;
	if (err)
		return err;
	offsets[step->field] = (uint32_t)(item - offsets);
	stepper->pool += count * stride;
	stepper->room -= count * stride;
	/* Items without fields take no bits: behind the first, nothing moves any more. */
	if (!stride && count)
		count = 1;
	for (; count && !err; count--, item += stride)
		err = ctf_steps_run(stepper, &step->inner[0], step->items, item);
	return err;
}

static int take_chosen(struct ctf_stepper *stepper, const struct ctf_step *step,
		       const struct event_class *class, uint32_t *offsets);

/* @offsets of fields that may be absent say so already. */
static int run_steps(struct ctf_stepper *stepper, const struct ctf_steps *steps,
		     const struct event_class *class, uint32_t *offsets)
{
	int err = 0;

	stepper->steps += steps->count;
	if (stepper->steps > CTF_STEPS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < steps->count && !err; i++) {
		const struct ctf_step *step = &steps->steps[i];

		stepper->pos = (stepper->pos + step->align - 1) & ~((uint64_t)step->align - 1);
		switch (step->kind) {
		case CTF_STEP_BITS:
			err = take_bits(stepper, step, offsets);
			break;
		case CTF_STEP_LEB128:
			err = take_leb128(stepper, step, offsets);
			break;
		case CTF_STEP_STRING:
			err = take_string(stepper, step, offsets);
			break;
		case CTF_STEP_SEQUENCE:
			err = take_sequence(stepper, step, class, offsets);
			break;
		case CTF_STEP_LIST:
			err = take_list(stepper, step, class, offsets);
			break;
		case CTF_STEP_CHOICE:
			err = take_chosen(stepper, step, class, offsets);
			break;
		}
	}
	return err;
}

static int take_chosen(struct ctf_stepper *stepper, const struct ctf_step *step,
		       const struct event_class *class, uint32_t *offsets)
{
	int chosen = ctf_choose(step->choices, step->choice_count, stepper->slots[step->from],
				step->is_signed);

	if (chosen < 0)
		return step->optional ? 0 : -EBADMSG;
	return run_steps(stepper, &step->inner[chosen], class, offsets);
}

int ctf_steps_run(struct ctf_stepper *stepper, const struct ctf_steps *steps,
		  const struct event_class *class, uint32_t *offsets)
{
	if (class->optional)
		memset(offsets, 0xff, class->field_count * sizeof(*offsets));
	return run_steps(stepper, steps, class, offsets);
}

int ctf_steps_run_on(struct ctf_stepper *stepper, const struct ctf_steps *steps,
		     const struct event_class *class, uint32_t *offsets)
{
	return run_steps(stepper, steps, class, offsets);
}

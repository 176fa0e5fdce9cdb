// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/byte_plan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/trace_class.h"
#include "schema/event.h"
#include "wire/ctf.h"

enum byte_op_kind {
	BYTE_RUN, /* fields at fixed places */
	BYTE_STRING,
	BYTE_SEQUENCE,
};

/* A field of a run. */
struct byte_place {
	uint32_t field;
	uint32_t bits; /* from the start of the run */
};

/* A number of a run that a length or the task needs. */
struct byte_value {
	uint32_t byte; /* from the start of the run */
	uint16_t slot; /* where it is kept */
	uint8_t size; /* bits: 8, 16, 32 or 64 */
	bool swap; /* its byte order is not the host's */
	uint32_t sign; /* its highest bit, if that is a sign and there are more above; else 0 */
};

struct ctf_byte_op {
	enum byte_op_kind kind;
	uint32_t align; /* bytes, from the start of the packet: a power of two */
	uint32_t bytes; /* of a run; of one element of a sequence */
	uint32_t field; /* a string or a sequence */
	uint16_t slot; /* where the length of a sequence is kept */
	struct byte_place *places; /* of a run, and so the values */
	size_t place_count;
	struct byte_value *values;
	size_t value_count;
};

/* What is being made. */
struct build {
	struct arena *arena;
	const struct event_class *class;
	struct ctf_byte_plan *plan;
	bool has_value[2 * CTF_SLOTS_MAX]; /* slots that a number up to here is kept in */
};

/* The operation at the end of the plan as long as @align holds in it too; else a new one. */
static struct ctf_byte_op *add_op(struct build *build, enum byte_op_kind kind, uint32_t align)
{
	struct ctf_byte_plan *plan = build->plan;
	struct ctf_byte_op *op = plan->count ? &plan->ops[plan->count - 1] : NULL;
	void *ops = plan->ops;

	if (op && kind == BYTE_RUN && op->kind == BYTE_RUN && align <= op->align)
		return op;
	op = arena_push(build->arena, &ops, &plan->count, sizeof(*op));
	if (!op)
		return NULL;
	plan->ops = ops;
	op->kind = kind;
	op->align = align;
	return op;
}

static int add_place(struct build *build, struct ctf_byte_op *run, uint32_t field)
{
	void *places = run->places;
	struct byte_place *place =
		arena_push(build->arena, &places, &run->place_count, sizeof(*place));

	if (!place)
		return -ENOMEM;
	run->places = places;
	*place = (struct byte_place){.field = field, .bits = run->bytes * 8};
	return 0;
}

static int add_value(struct build *build, struct ctf_byte_op *run, const struct ctf_step *step)
{
	void *values = run->values;
	struct byte_value *value =
		arena_push(build->arena, &values, &run->value_count, sizeof(*value));

	if (!value)
		return -ENOMEM;
	run->values = values;
	*value = (struct byte_value){
		.byte = run->bytes,
		.slot = step->slot,
		.size = step->size,
		.swap = step->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.sign = step->is_signed && step->size < 64 ? 1u << (step->size - 1) : 0,
	};
	build->has_value[step->slot] = true;
	return 0;
}

/* Whether one load has the number. */
static bool is_word(const struct ctf_step *step)
{
	return step->size == step->bits &&
	       (step->size == 8 || step->size == 16 || step->size == 32 || step->size == 64);
}

/* The next four: 1 = added, 0 = no operation on bytes does that, or -ENOMEM. */
static int add_bits(struct build *build, const struct ctf_step *step, uint32_t align)
{
	struct ctf_byte_op *op;
	int err = 0;

	if (step->bits % 8 || (step->slot && !is_word(step)))
		return 0;
	op = add_op(build, BYTE_RUN, align);
	if (!op)
		return -ENOMEM;
	op->bytes = (op->bytes + align - 1) & ~(align - 1);
	if (step->field != CTF_NO_FIELD)
		err = add_place(build, op, step->field);
	if (!err && step->slot)
		err = add_value(build, op, step);
	op->bytes += step->bits / 8;
	return err ?: op->bytes <= CTF_EVENT_MAX_BYTES;
}

static int add_string(struct build *build, const struct ctf_step *step, uint32_t align)
{
	struct ctf_byte_op *op = add_op(build, BYTE_STRING, align);

	if (!op)
		return -ENOMEM;
	op->field = step->field;
	return step->field != CTF_NO_FIELD;
}

static int add_sequence(struct build *build, const struct ctf_step *step, uint32_t align)
{
	struct ctf_byte_op *op;

	/* A length that is not a field of the event, or of the headers, has to be kept with the offsets. */
	if (step->bits % 8 || !step->from || !build->has_value[step->from] ||
	    build->class->fields[step->field].count_at)
		return 0;
	op = add_op(build, BYTE_SEQUENCE, align);
	if (!op)
		return -ENOMEM;
	op->field = step->field;
	op->bytes = step->bits / 8;
	op->slot = step->from;
	return 1;
}

static int add_step(struct build *build, const struct ctf_step *step)
{
	const uint32_t align = step->align > 8 ? step->align / 8 : 1;

	switch (step->kind) {
	case CTF_STEP_BITS:
		return add_bits(build, step, align);
	case CTF_STEP_STRING:
		return add_string(build, step, align);
	case CTF_STEP_SEQUENCE:
		return add_sequence(build, step, align);
	default:
		return 0;
	}
}

int byte_plan_make(struct arena *arena, const struct ctf_layout *layout,
		   const struct ctf_byte_plan **ret)
{
	struct build build = {.arena = arena, .class = &layout->class};
	int more = 1;

	*ret = NULL;
	build.plan = arena_alloc(arena, sizeof(*build.plan));
	if (!build.plan)
		return -ENOMEM;
	for (size_t i = 0; i < layout->steps.count && more > 0; i++)
		more = add_step(&build, &layout->steps.steps[i]);
	if (more > 0)
		*ret = build.plan;
	return more < 0 ? more : 0;
}

/* No call in here: it is the innermost loop of most events. */
static inline uint64_t load(const struct byte_value *value, const uint8_t *p)
{
	uint64_t word = *p;
	uint16_t half;
	uint32_t whole;

	if (value->size == 64) {
		memcpy(&word, p, sizeof(word));
		return value->swap ? __builtin_bswap64(word) : word;
	}
	if (value->size == 32) {
		memcpy(&whole, p, sizeof(whole));
		word = value->swap ? __builtin_bswap32(whole) : whole;
	} else if (value->size == 16) {
		memcpy(&half, p, sizeof(half));
		word = value->swap ? __builtin_bswap16(half) : half;
	}
	return (word ^ value->sign) - value->sign;
}

/* A run at @p, @bits from the start of the event. */
static inline void take_run(const struct ctf_byte_op *op, const uint8_t *p, uint32_t bits,
			    uint64_t *slots, uint32_t *offsets)
{
	for (size_t i = 0; i < op->place_count; i++)
		offsets[op->places[i].field] = bits + op->places[i].bits;
	for (size_t i = 0; i < op->value_count; i++)
		slots[op->values[i].slot] = load(&op->values[i], p + op->values[i].byte);
}

/* The bytes of a sequence; SIZE_MAX where it has too many elements. */
static inline size_t sequence_bytes(const struct ctf_byte_op *op, const uint64_t *slots)
{
	const uint64_t count = slots[op->slot];

	return count > CTF_SEQUENCE_MAX ? SIZE_MAX : (size_t)count * op->bytes;
}

const uint8_t *byte_plan_run(const struct ctf_byte_plan *plan, const uint8_t *payload, uint64_t at,
			     const uint8_t *end, uint64_t *slots, uint32_t *offsets)
{
	const struct ctf_byte_op *op = plan->ops, *const last = op + plan->count;
	const uint8_t *p = payload;
	size_t bytes;

	for (; op < last; op++) {
		if (op->align > 1) {
			bytes = -(at + (size_t)(p - payload)) & (op->align - 1);
			if (bytes > (size_t)(end - p))
				return NULL;
			p += bytes;
		}
		switch (op->kind) {
		case BYTE_RUN:
			bytes = op->bytes;
			if (bytes > (size_t)(end - p))
				return NULL;
			take_run(op, p, (uint32_t)(p - payload) * 8, slots, offsets);
			p += bytes;
			break;
		case BYTE_STRING:
			offsets[op->field] = (uint32_t)(p - payload) * 8;
			p = memchr(p, 0, (size_t)(end - p));
			if (!p)
				return NULL;
			p++;
			break;
		case BYTE_SEQUENCE:
			offsets[op->field] = (uint32_t)(p - payload) * 8;
			bytes = sequence_bytes(op, slots);
			if (bytes > (size_t)(end - p))
				return NULL;
			p += bytes;
			break;
		}
	}
	return p - payload <= CTF_EVENT_MAX_BYTES ? p : NULL;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/head_plan.h"

#include <errno.h>

#include "base/clock.h"
#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/byte_plan.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "ctf/walk.h"

#define WORD_BITS 64u
#define TASK_BITS 32u
#define HEAD_BITS_MAX 65535u
#define SLOTS_SPARE 1024u /* ids that may be missing between existing ones */

/* What is being made. */
struct scan {
	struct ctf_head_plan *plan;
	uint64_t pos; /* bits from the start of the event */
	uint32_t align; /* bits: of all that is inside */
	bool has_id, has_time;
	struct ctf_place task;
};

static uint64_t mask_of(uint32_t bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static void align_to(struct scan *scan, uint32_t align)
{
	scan->pos = walk_align(scan->pos, align);
	if (align > scan->align)
		scan->align = align;
}

/* A load of @word bits that has @size bits from @at on in it; false: none. */
static bool place_at(struct ctf_place *place, const struct ctf_type *type, uint64_t at,
		     uint32_t word)
{
	const bool big_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint64_t end = at + type->size, byte = 0;

	/* From the start of the event, where that will do: the id is there too. */
	if (end > word)
		byte = word == TASK_BITS ? (end + 7) / 8 - 4 : at / 8;
	if (end - byte * 8 > word || at < byte * 8 || byte > UINT32_MAX)
		return false;
	*place = (struct ctf_place){
		.mask = mask_of(type->size),
		.byte = (uint32_t)byte,
		.shift = (uint8_t)(type->big_endian ? word - (end - byte * 8) : at - byte * 8),
		.swap = type->big_endian != big_host,
	};
	return true;
}

static bool scan_time(struct scan *scan, const struct ctf_type *type)
{
	if (scan->has_time)
		return false;
	scan->has_time = true;
	return place_at(&scan->plan->time, type, scan->pos, WORD_BITS);
}

static bool scan_number(struct scan *scan, const struct ctf_member *member)
{
	const struct ctf_type *type = member->type;
	bool good = true;

	if (type->leb128)
		return false;
	align_to(scan, type->align);
	if (member->role == CTF_ROLE_ID) {
		good = !scan->has_id && !type->is_signed && !type->clock && type->size <= 32 &&
		       place_at(&scan->plan->id, type, scan->pos, WORD_BITS);
		scan->has_id = true;
		scan->plan->id_slot = (uint16_t)member->slot;
	} else if (member->role != CTF_ROLE_END && (type->clock || member->role == CTF_ROLE_TIME ||
						    member->role == CTF_ROLE_BEGIN)) {
		good = !member->slot && scan_time(scan, type);
	} else if (member->role == CTF_ROLE_TID) {
		good = !type->is_signed || type->size == TASK_BITS;
		good = good && !member->slot && type->size <= TASK_BITS &&
		       place_at(&scan->task, type, scan->pos, TASK_BITS);
	} else {
		good = !member->slot;
	}
	scan->pos += type->size;
	return good;
}

static bool scan_type(struct scan *scan, const struct ctf_type *type);

static bool scan_member(struct scan *scan, const struct ctf_member *member)
{
	return ctf_type_is_number(member->type) ? scan_number(scan, member) :
						  scan_type(scan, member->type);
}

/* The first form of a header is the short one. */
static bool scan_variant(struct scan *scan, const struct ctf_type *type)
{
	const struct ctf_reference *ref = type->ref;

	if (!ref || !ref->choice_count || ref->is_signed || !scan->plan->id_slot ||
	    ref->slot != scan->plan->id_slot || scan->plan->last_id != UINT64_MAX)
		return false;
	scan->plan->first_id = (uint64_t)ref->choices[0].first;
	scan->plan->last_id = (uint64_t)ref->choices[0].last;
	return scan_member(scan, &type->members[ref->choices[0].member]);
}

static bool scan_array(struct scan *scan, const struct ctf_type *type)
{
	const struct ctf_type *element = type->element;

	if (!ctf_type_has_size(element))
		return false;
	align_to(scan, type->align);
	for (uint32_t i = 0; i < type->count && scan->pos <= HEAD_BITS_MAX; i++) {
		align_to(scan, element->align);
		scan->pos += element->size;
	}
	return true;
}

static bool scan_type(struct scan *scan, const struct ctf_type *type)
{
	bool good = true;

	align_to(scan, type->align);
	switch (type->kind) {
	case CTF_STRUCT:
		for (size_t i = 0; i < type->member_count && good; i++)
			good = scan_member(scan, &type->members[i]);
		return good;
	case CTF_VARIANT:
		return scan_variant(scan, type);
	case CTF_ARRAY:
		return scan_array(scan, type);
	case CTF_FLOAT:
		scan->pos += type->size;
		return true;
	default:
		return false;
	}
}

/* Id and time are loaded of each event, even if no bit of the load is used. */
static uint32_t reach_of(const struct ctf_place *place)
{
	return place->byte + WORD_BITS / 8;
}

static uint32_t task_reach(const struct ctf_place *task)
{
	return task->mask ? task->byte + TASK_BITS / 8 : 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The task from the event itself, after the fields of the head. */
static bool place_task(struct ctf_place *task, const struct ctf_layout *layout, uint64_t payload)
{
	const struct ctf_type type = {
		.size = layout->tid_bits,
		.big_endian = layout->tid_big_endian,
	};

	if (!layout->tid_bits)
		return true;
	return layout->tid_bits <= TASK_BITS &&
	       (!layout->tid_signed || layout->tid_bits == TASK_BITS) &&
	       place_at(task, &type, payload + layout->tid_offset, TASK_BITS);
}

/* The bytes to the next event, where all events of the class have as many. */
static void find_stride(const struct ctf_head_plan *plan, const struct ctf_layout *layout,
			const struct ctf_place *task, struct ctf_head_slot *slot)
{
	uint64_t payload = slot->bytes * 8ull;
	uint64_t end = walk_align(payload + layout->bits, plan->align);

	if (!layout->class.fixed || layout->align_max > plan->align ||
	    payload % layout->align_max || end % 8 || !end || end / 8 > UINT32_MAX ||
	    !place_task(&slot->task, layout, payload))
		return;
	slot->stride = (uint32_t)(end / 8);
	if (task_reach(&slot->task) <= slot->stride)
		return;
	slot->task = *task;
	slot->stride = 0;
}

/* 0 or -ENOMEM. */
static int fill_slot(struct arena *arena, const struct ctf_head_plan *plan,
		     const struct ctf_layout *layout, const struct ctf_place *task,
		     struct ctf_head_slot *slot)
{
	uint64_t payload = walk_align(plan->head_bits, layout->align);

	*slot = (struct ctf_head_slot){
		.layout = layout,
		.class = &layout->class,
		.offsets = layout->class.offsets,
		.task = *task,
	};
	if (layout->align > plan->align || payload % 8)
		return 0;
	slot->bytes = (uint32_t)(payload / 8);
	find_stride(plan, layout, task, slot);
	return layout->class.fixed ? 0 : byte_plan_make(arena, layout, &slot->bytes_plan);
}

/* 0 = the ids are too far apart for a table. */
static size_t count_slots(const struct ctf_head_plan *plan, const struct ctf_stream_class *stream)
{
	uint64_t count = 0;

	for (size_t i = 0; i < stream->event_count; i++)
		if (stream->events[i]->id <= plan->last_id)
			count = stream->events[i]->id + 1;
	return count <= 4 * stream->event_count + SLOTS_SPARE ? (size_t)count : 0;
}

static int fill_slots(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		      struct ctf_head_plan *plan, const struct ctf_place *task)
{
	int err = 0;

	plan->slots = arena_alloc(&trace->arena, plan->slot_count * sizeof(*plan->slots));
	if (!plan->slots)
		return -ENOMEM;
	for (size_t i = 0; i < stream->event_count && !err; i++) {
		const struct ctf_event_decl *event = stream->events[i];

		if (event->id >= plan->first_id && event->id < plan->slot_count)
			err = fill_slot(&trace->arena, plan, event->layout, task,
					&plan->slots[event->id]);
	}
	return err;
}

static bool scan_head(struct scan *scan, const struct ctf_stream_class *stream)
{
	if (stream->event_header && !scan_type(scan, stream->event_header))
		return false;
	scan->task = (struct ctf_place){.mask = 0}; /* headers know nothing of tasks */
	if (stream->head_has_context && !scan_type(scan, stream->event_context))
		return false;
	/* Places hold from the start of an event, so that must be aligned for all of them. */
	return stream->header_align % 8 == 0 && scan->align <= stream->header_align &&
	       scan->pos <= HEAD_BITS_MAX && !(scan->pos % 8);
}

int head_plan_make(struct ctf_trace_class *trace, struct ctf_stream_class *stream,
		   struct diag *diag)
{
	struct ctf_head_plan plan = {.last_id = UINT64_MAX, .align = stream->header_align}, *made;
	struct scan scan = {.plan = &plan};

	if (stream->shows_packet || !scan_head(&scan, stream))
		return 0;
	plan.head_bits = (uint32_t)scan.pos;
	plan.reach = larger(reach_of(&plan.id), reach_of(&plan.time));
	plan.reach = larger(plan.reach, task_reach(&scan.task));
	plan.reach = larger(plan.reach, plan.head_bits / 8);
	plan.is_ns = !stream->clock || stream->clock->freq == NS_PER_SEC;
	plan.base_ns = stream->clock ? (uint64_t)stream->clock->offset_ns : 0;
	plan.slot_count = count_slots(&plan, stream);
	if (!plan.slot_count)
		return 0;
	made = arena_alloc(&trace->arena, sizeof(*made));
	if (!made || fill_slots(trace, stream, &plan, &scan.task))
		return diag_set(diag, -ENOMEM, "out of memory");
	*made = plan;
	stream->plan = made;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/compact.h"

#include <errno.h>

#include "base/clock.h"
#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"

/* A little-endian unsigned bit field of the given role, packed against what is before it. */
static bool is_bits(const struct ctf_member *member, enum ctf_role role, uint32_t size)
{
	const struct ctf_type *type = member->type;

	return ctf_type_is_number(type) && member->role == role && type->size == size &&
	       type->align == 1 && !type->is_signed && !type->big_endian;
}

/* Ids below the extended one choose a member that is nothing but the 32 bits of the time. */
static bool is_short_time(const struct ctf_type *variant)
{
	const struct ctf_reference *ref = variant->ref;
	const struct ctf_type *chosen;

	if (!ref || !ref->choice_count || ref->choices[0].first != 0 ||
	    ref->choices[0].last != RECORD_ID_EXTENDED - 1)
		return false;
	chosen = variant->members[ref->choices[0].member].type;
	return chosen->kind == CTF_STRUCT && chosen->member_count == 1 && chosen->align == 1 &&
	       is_bits(&chosen->members[0], CTF_ROLE_TIME, RECORD_TIME_BITS) &&
	       chosen->members[0].type->clock;
}

static bool is_compact(const struct ctf_stream_class *stream)
{
	const struct ctf_type *header = stream->event_header, *context = stream->event_context;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !header || !context || !stream->clock)
		return false;
	return stream->clock->freq == NS_PER_SEC && header->align <= 8 * RECORD_ALIGN &&
	       header->member_count == 2 &&
	       is_bits(&header->members[0], CTF_ROLE_ID, RECORD_ID_BITS) &&
	       header->members[0].slot && header->members[1].type->kind == CTF_VARIANT &&
	       header->members[1].type->ref->slot == header->members[0].slot &&
	       is_short_time(header->members[1].type) && context->member_count == 1 &&
	       context->align == 1 && is_bits(&context->members[0], CTF_ROLE_TID, RECORD_TID_BITS);
}

static void fill_slot(struct ctf_compact_slot *slot, const struct ctf_event_decl *event,
		      uint32_t header_align)
{
	const struct ctf_layout *layout = event->layout;
	uint64_t bits = 8 * RECORD_HEAD_BYTES + (uint64_t)layout->bits;

	if (event->context || layout->align > 8 * RECORD_ALIGN)
		return;
	slot->class = &layout->class;
	slot->offsets = layout->class.offsets;
	slot->layout = layout;
	slot->walked = !layout->class.fixed;
	bits = (bits + header_align - 1) & ~((uint64_t)header_align - 1);
	if (layout->class.fixed && !(bits % (8 * RECORD_ALIGN)))
		slot->stride = (uint32_t)(bits / 8);
}

int compact_make(struct ctf_trace_class *trace, struct ctf_stream_class *stream, struct diag *diag)
{
	struct ctf_compact *compact;

	if (!is_compact(stream))
		return 0;
	compact = arena_alloc(&trace->arena, sizeof(*compact));
	if (!compact)
		return diag_set(diag, -ENOMEM, "out of memory");
	stream->compact = compact;
	stream->head_has_context = true;
	return 0;
}

void compact_fill(struct ctf_stream_class *stream)
{
	for (size_t i = 0; stream->compact && i < stream->event_count; i++) {
		const struct ctf_event_decl *event = stream->events[i];

		if (event->id < RECORD_ID_EXTENDED)
			fill_slot(&stream->compact->slots[event->id], event, stream->header_align);
	}
}

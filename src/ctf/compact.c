// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/compact.h"

#include "base/clock.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/record.h"

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

bool compact_is(const struct ctf_stream_class *stream)
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

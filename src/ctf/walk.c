// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/walk.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "ctf/steps.h"

void walk_reset(struct walk *walk)
{
	walk->seen = 0;
	walk->any = false;
	walk->uuid = NULL;
}

/* Moves behind @bits bits that begin at the next multiple of @align. */
static int take(struct walk *walk, uint32_t align, uint64_t bits, uint64_t *at)
{
	uint64_t pos = walk_align(walk->pos, align);

	if (pos > walk->end || bits > walk->end - pos)
		return -ENODATA;
	*at = pos;
	walk->pos = pos + bits;
	return 0;
}

/* The end of a packet is not the time of an event, so it must not move the clock. */
static void note_number(struct walk *walk, const struct ctf_member *member, uint64_t value,
			unsigned int size)
{
	const struct ctf_type *type = member->type;
	enum ctf_role role = member->role;

	if (role != CTF_ROLE_END &&
	    (type->clock || role == CTF_ROLE_TIME || role == CTF_ROLE_BEGIN)) {
		walk->clock = bits_clock(walk->clock, value, size);
		if (role == CTF_ROLE_BEGIN)
			value = walk->clock;
	}
	if (type->is_signed && !type->leb128)
		value = bits_sign(value, size);
	if (member->slot)
		walk->slots[member->slot] = value;
	walk->values[role] = value;
	walk->seen |= 1u << role;
}

/* Each byte of one is 7 bits of a clock (CTF 2, section 6.3). */
static int walk_leb128(struct walk *walk, const struct ctf_member *member)
{
	uint64_t at, value;
	int bytes, err = take(walk, 8, 0, &at);

	if (err)
		return err;
	bytes = leb128_get(walk->data + (at - walk->base) / 8, (walk->end - at) / 8,
			   member->type->is_signed, &value);
	if (bytes < 0)
		return bytes;
	note_number(walk, member, value, (unsigned int)bytes * 7);
	return take(walk, 8, (uint64_t)bytes * 8, &at);
}

static int walk_number(struct walk *walk, const struct ctf_member *member)
{
	const struct ctf_type *type = member->type;
	uint64_t at;
	int err;

	if (type->leb128)
		return walk_leb128(walk, member);
	err = take(walk, type->align, type->size, &at);
	if (err)
		return err;
	if (at & 7 && walk->any && walk->big_endian != type->big_endian)
		return -EILSEQ;
	walk->any = true;
	walk->big_endian = type->big_endian;
	note_number(walk, member,
		    bits_get(walk->data, at - walk->base, type->size, type->big_endian),
		    type->size);
	return 0;
}

/* One step more: 0 or -E2BIG. */
static int spend(struct walk *walk)
{
	return walk_may_spend(++walk->steps, walk->pos) ? 0 : -E2BIG;
}

static int walk_members(struct walk *walk, const struct ctf_type *type)
{
	uint64_t at;
	int err = take(walk, type->align, 0, &at);

	for (size_t i = 0; i < type->member_count && !err; i++) {
		const struct ctf_member *member = &type->members[i];

		if (ctf_type_is_number(member->type)) {
			err = spend(walk) ?: walk_number(walk, member);
			continue;
		}
		err = walk_type(walk, member->type);
		if (!err && member->role == CTF_ROLE_UUID && member->type->kind == CTF_ARRAY &&
		    member->type->count == CTF_UUID_BYTES && member->type->element->size == 8 &&
		    !(walk->pos & 7))
			walk->uuid = walk->data + (walk->pos - walk->base) / 8 - CTF_UUID_BYTES;
	}
	return err;
}

static int walk_elements(struct walk *walk, const struct ctf_type *type, uint64_t count)
{
	const struct ctf_type *element = type->element;
	uint64_t at, stride, before;
	int err = take(walk, type->align, 0, &at);

	if (err || !count)
		return err;
	if (count > CTF_EVENT_MAX_BYTES * 8ull)
		return -E2BIG;
	if (ctf_type_has_size(element)) {
		stride = walk_align(element->size, element->align);
		return take(walk, element->align, (count - 1) * stride + element->size, &at);
	}
	/* Where one takes no bits, none behind it does: nothing was read that could make a difference. */
	for (uint64_t i = 0; i < count && !err; i++) {
		before = walk->pos;
		err = walk_type(walk, element);
		if (walk->pos == before)
			break;
	}
	return err;
}

static int walk_chosen(struct walk *walk, const struct ctf_type *type)
{
	const struct ctf_reference *ref = type->ref;
	int chosen =
		ctf_choose(ref->choices, ref->choice_count, walk->slots[ref->slot], ref->is_signed);
	const struct ctf_member *member;

	if (chosen < 0)
		return type->optional ? 0 : -EBADMSG;
	member = &type->members[chosen];
	return ctf_type_is_number(member->type) ? walk_number(walk, member) :
						  walk_type(walk, member->type);
}

static int walk_string(struct walk *walk)
{
	uint64_t at;
	int err = take(walk, 8, 0, &at);
	const uint8_t *start, *end;

	if (err)
		return err;
	start = walk->data + (at - walk->base) / 8;
	end = memchr(start, 0, (size_t)((walk->end - at) / 8));
	return end ? take(walk, 8, (uint64_t)(end + 1 - start) * 8, &at) : -ENODATA;
}

int walk_type(struct walk *walk, const struct ctf_type *type)
{
	const struct ctf_member nameless = {.type = type};
	uint64_t at;

	if (!type)
		return 0;
	if (spend(walk))
		return -E2BIG;
	if (type->no_bits)
		return take(walk, type->align, 0, &at);
	if (type->leb128)
		return walk_leb128(walk, &nameless);
	switch (type->kind) {
	case CTF_STRUCT:
		return walk_members(walk, type);
	case CTF_ARRAY:
		return walk_elements(walk, type, type->count);
	case CTF_SEQUENCE:
		return walk_elements(walk, type, walk->slots[type->ref->slot]);
	case CTF_VARIANT:
		return walk_chosen(walk, type);
	case CTF_STRING:
		return walk_string(walk);
	default:
		return take(walk, type->align, type->size, &at);
	}
}

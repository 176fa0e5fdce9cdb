// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/flatten_find.h"

#include <errno.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/flatten_state.h"
#include "ctf/reference.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"

/* A number of the event, by its path from the outermost scope. */
struct flatten_number {
	const char *path;
	size_t len;
	uint32_t hash;
	const struct ctf_type *type;
	struct ctf_steps *steps; /* its step is one of these */
	size_t step;
	uint32_t field; /* 1 + its index in its frame; 0 = not a field */
	uint32_t lists; /* around it: as many as around another of the same frame */
	/* Of what a variant may choose, seen from behind it: */
	struct flatten_number *other; /* the same one in the option before; NULL = none */
	size_t options; /* that have it; 0 = not of a variant */
};

static const char *const scopes[] = {"event.fields.", "event.context.", "stream.event.context."};
#define SCOPES (sizeof(scopes) / sizeof(scopes[0]))

static uint32_t hash_of(const char *text, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

int flatten_find_offer(struct flatten *flatten, const struct ctf_type *type, bool is_field)
{
	struct arena *arena = &flatten->trace->arena;
	void *numbers = flatten->numbers;
	struct flatten_number *number;

	if (!flatten->refers)
		return 0;
	number = arena_push(arena, &numbers, &flatten->number_count, sizeof(*number));
	if (!number)
		return -ENOMEM;
	flatten->numbers = numbers;
	*number = (struct flatten_number){
		.path = arena_text(arena, flatten->path, flatten->path_len),
		.len = flatten->path_len,
		.hash = hash_of(flatten->path, flatten->path_len),
		.type = type,
		.steps = flatten->steps,
		.step = flatten->steps->count - 1,
		.field = is_field ? (uint32_t)flatten->frame.count : 0,
		.lists = flatten->lists,
	};
	return number->path ? 0 : -ENOMEM;
}

/* The latest wins, where a careless structure has two of the name. */
static const struct flatten_number *number_at(const struct flatten *flatten, const char *path,
					      size_t len)
{
	uint32_t hash = hash_of(path, len);

	for (size_t i = flatten->number_count; i > 0; i--) {
		const struct flatten_number *number = &flatten->numbers[i - 1];

		if (number->hash == hash && number->len == len && !memcmp(number->path, path, len))
			return number;
	}
	return NULL;
}

/* Members go without the underscore that keeps them apart from keywords; so do paths to them. */
static size_t plain_path(const char *path, char *ret, size_t room)
{
	size_t len = 0;

	while (*path && len + 1 < room) {
		if (path[0] == '_' && path[1] && path[1] != '.')
			path++;
		while (*path && *path != '.' && len + 1 < room)
			ret[len++] = *path++;
		if (*path && len + 1 < room)
			ret[len++] = *path++;
	}
	ret[len] = '\0';
	return len;
}

/* @path behind the first @scope bytes of @before. */
static const struct flatten_number *number_in(const struct flatten *flatten, const char *before,
					      size_t scope, const char *path, size_t len)
{
	char text[2 * CTF_NAME_MAX_BYTES];

	if (scope + len > sizeof(text))
		return NULL;
	memcpy(text, before, scope);
	memcpy(text + scope, path, len);
	return number_at(flatten, text, scope + len);
}

static const struct flatten_number *find_number(const struct flatten *flatten, const char *path,
						size_t len)
{
	const struct flatten_number *found = NULL;
	size_t scope = flatten->path_len;

	for (size_t i = 0; i < SCOPES; i++) {
		if (!strncmp(path, scopes[i], strlen(scopes[i])))
			return number_at(flatten, path, len);
	}
	while (!found && scope > flatten->scope_len) {
		do
			scope--;
		while (flatten->path[scope - 1] != '.');
		found = number_in(flatten, flatten->path, scope, path, len);
	}
	for (size_t i = 0; i < SCOPES && !found; i++)
		found = number_in(flatten, scopes[i], strlen(scopes[i]), path, len);
	return found;
}

static int keep_value(struct flatten *flatten, const struct flatten_number *number, uint16_t *slot)
{
	struct ctf_step *step = &number->steps->steps[number->step];

	if (!step->slot) {
		if (flatten->slot_next >= 2 * CTF_SLOTS_MAX)
			return -E2BIG;
		step->slot = flatten->slot_next++;
	}
	*slot = step->slot;
	return 0;
}

/* Whichever option is chosen, the value is in one slot. -ENOENT: two of them are kept in two. */
static int keep_shared(struct flatten *flatten, const struct flatten_number *number, uint16_t *slot)
{
	int err = keep_value(flatten, number, slot);

	for (number = number->other; number && !err; number = number->other) {
		struct ctf_step *step = &number->steps->steps[number->step];

		if (step->slot && step->slot != *slot)
			err = -ENOENT;
		step->slot = *slot;
	}
	return err;
}

/* The path of @number from behind the variant, whose own path has @at bytes: without the
 * name of the option, of @len bytes. */
static int cut_option(struct flatten *flatten, struct flatten_number *number, size_t at, size_t len)
{
	char path[CTF_NAME_MAX_BYTES];

	if (len > number->len - at)
		len = number->len - at;
	memcpy(path, number->path, at);
	memcpy(path + at, number->path + at + len, number->len - at - len);
	number->len -= len;
	number->path = arena_text(&flatten->trace->arena, path, number->len);
	number->hash = hash_of(path, number->len);
	number->field = 0;
	return number->path ? 0 : -ENOMEM;
}

/* The one of those from @first to @own that is called like @number, and is of its sign. */
static struct flatten_number *find_shared(struct flatten *flatten, size_t first, size_t own,
					  const struct flatten_number *number)
{
	for (size_t i = first; i < own; i++) {
		struct flatten_number *shared = &flatten->numbers[i];

		if (shared->hash == number->hash && shared->len == number->len &&
		    !memcmp(shared->path, number->path, number->len) &&
		    shared->type->is_signed == number->type->is_signed)
			return shared;
	}
	return NULL;
}

/* Puts @number and those that it stands for in front of @shared. */
static int join(struct flatten *flatten, struct flatten_number *shared,
		const struct flatten_number *number, size_t options)
{
	struct flatten_number *before = arena_alloc(&flatten->trace->arena, sizeof(*before));
	struct flatten_number *last = shared;

	if (!before)
		return -ENOMEM;
	*before = *shared;
	*shared = *number;
	while (last->other)
		last = last->other;
	last->other = before;
	shared->options = options;
	return 0;
}

int flatten_find_share(struct flatten *flatten, const char *option, size_t before, size_t first,
		       size_t own)
{
	int err = 0;

	for (size_t i = own; i < flatten->number_count && !err; i++) {
		struct flatten_number *number = &flatten->numbers[i], *shared;

		err = cut_option(flatten, number, flatten->path_len, strlen(option) + 1);
		if (err || !before) {
			number->options = 1;
			continue;
		}
		shared = find_shared(flatten, first, own, number);
		if (shared && shared->options == before)
			err = join(flatten, shared, number, before + 1);
	}
	if (before)
		flatten->number_count = own;
	return err;
}

void flatten_find_settle(struct flatten *flatten, size_t first, size_t options)
{
	size_t kept = first;

	for (size_t i = first; i < flatten->number_count; i++) {
		if (flatten->numbers[i].options != options)
			continue;
		flatten->numbers[kept] = flatten->numbers[i];
		flatten->numbers[kept++].options = 0;
	}
	flatten->number_count = kept;
}

static int find_in_heads(struct flatten *flatten, const char *path, struct flatten_value *ret)
{
	const struct ctf_member *member;
	int err = reference_find(flatten->trace, flatten->stream, path, &member);

	if (!err)
		*ret = (struct flatten_value){member->type, (uint16_t)member->slot, {0}};
	return err;
}

int flatten_find(struct flatten *flatten, const struct ctf_type *type, struct flatten_value *ret)
{
	const struct flatten_number *number;
	struct flatten_value value = {0};
	char path[CTF_NAME_MAX_BYTES];
	size_t len = plain_path(type->ref->path, path, sizeof(path));
	int err;

	number = find_number(flatten, path, len);
	if (number) {
		value.type = number->type;
		if (number->field)
			value.place =
				(struct field_ref){number->field, flatten->lists - number->lists};
		err = keep_shared(flatten, number, &value.slot);
	} else {
		err = find_in_heads(flatten, type->ref->path, &value);
	}
	if (!err && type->kind == CTF_VARIANT && !type->ref->has_ranges &&
	    value.type->kind != CTF_ENUM)
		err = -ENOENT;
	if (err)
		return err;
	reference_check(flatten->trace, type, value.type);
	*ret = value;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_location.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/arena.h"
#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

/* The names from an outermost structure to the field. */
struct location {
	enum json_origin origin;
	const char *names[CTF_DEPTH_MAX];
	size_t count;
};

static const struct json_property properties[] = {
	{"origin", JSON_WANT_STRING, false},
	{"path", JSON_WANT_ARRAY, true},
};

static int fail(struct json_reader *reader, const struct json_place *place, const char *what)
{
	return json_reader_fail(reader, -EBADMSG, place, "%s", what);
}

static int read_origin(struct json_reader *reader, const struct json_place *place, const char *name,
		       struct location *location)
{
	const struct json_place inner = {.outer = place, .name = "origin"};

	location->origin = json_origin_find(name);
	if (location->origin == JSON_NOWHERE)
		return json_reader_fail(reader, -EBADMSG, &inner, "unknown origin '%.60s'", name);
	return 0;
}

/* Without an origin it begins at the structure around: the names that lead there come first. */
static void push_frames(struct location *location, const struct json_root *root)
{
	const struct json_frame *frame;
	size_t count = 0, i;

	for (frame = root->frame; frame && frame->outer; frame = frame->outer)
		count++;
	location->origin = root->origin;
	location->count = i = count;
	for (frame = root->frame; frame && frame->outer; frame = frame->outer)
		location->names[--i] = frame->outer->member;
}

static int push_name(struct json_reader *reader, const struct json_place *place,
		     const json_t *element, const struct json_root *root, struct location *location)
{
	if (json_is_string(element)) {
		if (strchr(json_string_value(element), '.'))
			return json_reader_fail(reader, -ENOTSUP, place,
						"a path to a name with a dot cannot be read");
		if (location->count >= CTF_DEPTH_MAX)
			return fail(reader, place, "the path is too long");
		location->names[location->count++] = json_string_value(element);
		return 0;
	}
	if (!json_is_null(element))
		return fail(reader, place, "this has to be a name or null");
	if (location->count)
		location->count--;
	else if (root->origin != JSON_NOWHERE)
		return fail(reader, place, "no structure is around this one");
	return 0;
}

static int read_path(struct json_reader *reader, const struct json_place *place, const json_t *path,
		     const struct json_root *root, struct location *location)
{
	const struct json_place inner = {.outer = place, .name = "path"};
	size_t count = json_array_size(path);
	int err = 0;

	if (!count || json_is_null(json_array_get(path, count - 1)))
		return fail(reader, &inner, "a path has to end with a name");
	for (size_t i = 0; i < count && !err; i++) {
		const struct json_place at = {.outer = &inner, .index = i};

		err = push_name(reader, &at, json_array_get(path, i), root, location);
	}
	return err;
}

/* Names are as they are: those of TSDL would lose an underscore in front. */
static int member_of(const struct ctf_type *type, const char *name)
{
	for (size_t i = 0; i < type->member_count; i++) {
		if (!strcmp(type->members[i].name, name))
			return (int)i;
	}
	return -1;
}

static int descend(struct json_reader *reader, const struct json_place *place,
		   const struct ctf_type *type, const struct location *location, size_t from,
		   const struct ctf_type **ret);

/* Whatever a variant chooses has to have the field (section 6.4.2). */
static int descend_options(struct json_reader *reader, const struct json_place *place,
			   const struct ctf_type *type, const struct location *location,
			   size_t from, const struct ctf_type **ret)
{
	const struct ctf_type *found;
	int err = 0;

	if (type->optional)
		return json_reader_fail(reader, -ENOTSUP, place,
					"a length or a selector that is optional cannot be read");
	for (size_t i = 0; i < type->member_count && !err; i++) {
		err = descend(reader, place, type->members[i].type, location, from, &found);
		if (err)
			return err;
		if (i &&
		    (found->is_signed != (*ret)->is_signed || found->boolean != (*ret)->boolean))
			return fail(reader, place,
				    "the options of a variant have other kinds of it");
		*ret = found;
	}
	return 0;
}

/* Depth is that of types. */
static int descend(struct json_reader *reader, const struct json_place *place,
		   const struct ctf_type *type, const struct location *location, size_t from,
		   const struct ctf_type **ret)
{
	int member;

	if (type->kind == CTF_VARIANT)
		return descend_options(reader, place, type, location, from, ret);
	if (from == location->count) {
		*ret = type;
		return ctf_type_is_number(type) ?
			       0 :
			       fail(reader, place, "the field is not an integer");
	}
	member = type->kind == CTF_STRUCT ? member_of(type, location->names[from]) : -1;
	if (member < 0)
		return json_reader_fail(reader, -EBADMSG, place,
					"no field '%.60s' stands there, before this one",
					location->names[from]);
	return descend(reader, place, type->members[member].type, location, from + 1, ret);
}

/*
 * The innermost structure being read that all of the way leads through, and in *@from how many
 * names lead to it: the field is in there, whatever arrays and variants are around.
 */
static const struct json_frame *common_frame(const struct json_root *root,
					     const struct location *location, size_t *from)
{
	const struct json_frame *frames[CTF_DEPTH_MAX + 1], *frame;
	size_t count = 0, i = 0;

	for (frame = root->frame; frame && count <= CTF_DEPTH_MAX; frame = frame->outer)
		frames[count++] = frame;
	if (!count)
		return NULL;
	while (i + 1 < count && i + 1 < location->count &&
	       !strcmp(frames[count - 1 - i]->member, location->names[i]))
		i++;
	*from = i;
	return frames[count - 1 - i];
}

/* Whether a structure further in has a field of that name, which would be found first. */
static bool is_hidden(const struct json_root *root, const struct json_frame *found,
		      const char *name)
{
	for (const struct json_frame *frame = root->frame; frame != found; frame = frame->outer) {
		if (member_of(frame->type, name) >= 0)
			return true;
	}
	return false;
}

static int set_path(struct json_reader *reader, struct ctf_type *type, const char *prefix,
		    const struct location *location, size_t from)
{
	struct buffer text;
	int err = 0;

	buffer_init(&text);
	buffer_string(&text, prefix);
	for (size_t i = from; i < location->count; i++) {
		if (i > from)
			buffer_char(&text, '.');
		if (location->names[i][0] == '_' && location->names[i][1])
			buffer_char(&text, '_');
		buffer_string(&text, location->names[i]);
	}
	type->ref = arena_alloc(&reader->trace->arena, sizeof(*type->ref));
	if (type->ref && !buffer_error(&text))
		type->ref->path = arena_text(&reader->trace->arena, text.data, text.len);
	if (!type->ref || !type->ref->path)
		err = json_reader_no_memory(reader);
	buffer_fini(&text);
	return err;
}

static int resolve_near(struct json_reader *reader, const struct json_place *place,
			const struct location *location, const struct json_root *root,
			struct ctf_type *type, const struct ctf_type **target)
{
	size_t from = 0;
	const struct json_frame *frame = common_frame(root, location, &from);
	int err;

	if (!frame)
		return fail(reader, place, "no structure is around this field");
	err = descend(reader, place, frame->type, location, from, target);
	if (err)
		return err;
	if (is_hidden(root, frame, location->names[from]))
		return set_path(reader, type, json_origin_path(root->origin), location, 0);
	return set_path(reader, type, "", location, from);
}

static int resolve_far(struct json_reader *reader, const struct json_place *place,
		       const struct location *location, const struct json_root *root,
		       struct ctf_type *type, const struct ctf_type **target)
{
	const struct ctf_type *outermost = root->roots[location->origin];
	int err;

	if (location->origin > root->origin || !outermost)
		return json_reader_fail(reader, -EBADMSG, place, "no %s before this field",
					json_origin_name(location->origin));
	err = descend(reader, place, outermost, location, 0, target);
	return err ? err : set_path(reader, type, json_origin_path(location->origin), location, 0);
}

int json_location_read(struct json_reader *reader, const struct json_place *place,
		       const json_t *value, struct json_root *root, struct ctf_type *type,
		       const struct ctf_type **target)
{
	struct location location = {.origin = JSON_NOWHERE};
	const char *origin;
	int err = json_reader_check(reader, place, value, properties,
				    sizeof(properties) / sizeof(*properties));

	root->bound = true;
	*target = NULL;
	if (err)
		return err;
	origin = json_reader_string(value, "origin");
	if (origin)
		err = read_origin(reader, place, origin, &location);
	else
		push_frames(&location, root);
	err = err ? err : read_path(reader, place, json_object_get(value, "path"), root, &location);
	if (err)
		return err;
	if (root->origin == JSON_NOWHERE)
		return 0;
	if (location.origin == root->origin)
		return resolve_near(reader, place, &location, root, type, target);
	return resolve_far(reader, place, &location, root, type, target);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_location_write.h"

#include <errno.h>
#include <string.h>

#include "ctf/json_writer.h"

/* What is behind a variant's name is in each of its options. */
static const struct ctf_type *option_of(const struct ctf_type *type)
{
	while (type && type->kind == CTF_VARIANT && !type->optional && type->member_count)
		type = type->members[0].type;
	return type;
}

/* The number at "a.b.c" inside @type, or NULL. */
static const struct ctf_type *descend(const struct ctf_type *type, const char *path)
{
	while (type && type->kind == CTF_STRUCT) {
		size_t len = strcspn(path, ".");
		int i = ctf_type_member(type, path, len);

		if (i < 0)
			return NULL;
		type = option_of(type->members[i].type);
		if (!path[len])
			return ctf_type_is_number(type) ? type : NULL;
		path += len + 1;
	}
	return NULL;
}

/* The names that lead there, as the members have them. */
static void write_names(struct json_writer *writer, const struct ctf_type *type, const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ".");
		const struct ctf_member *member = &type->members[ctf_type_member(type, path, len)];

		json_writer_string(writer, member->name);
		if (!path[len])
			break;
		buffer_char(writer->out, ',');
		path += len + 1;
		type = option_of(member->type);
	}
	buffer_string(writer->out, "]}");
}

static const struct ctf_type *write_far(struct json_writer *writer, const char *name,
					enum json_origin origin, const char *path)
{
	const struct ctf_type *found = descend(writer->roots[origin], path);

	if (!found)
		return NULL;
	json_writer_name(writer, name);
	buffer_format(writer->out, "{\"origin\":\"%s\",\"path\":[", json_origin_name(origin));
	write_names(writer, writer->roots[origin], path);
	return found;
}

static const struct ctf_type *write_near(struct json_writer *writer, const char *name,
					 const char *path)
{
	for (size_t up = 0; up < writer->depth; up++) {
		size_t at = writer->depth - 1 - up;
		const struct ctf_type *frame = writer->frames[at];
		int first = ctf_type_member(frame, path, strcspn(path, "."));
		const struct ctf_type *found = descend(frame, path);

		/* What stands behind is not meant. */
		if (!found || (size_t)first > writer->members[at])
			continue;
		json_writer_name(writer, name);
		buffer_string(writer->out, "{\"path\":[");
		for (size_t i = 0; i < up; i++)
			buffer_string(writer->out, "null,");
		write_names(writer, frame, path);
		return found;
	}
	return NULL;
}

static const struct ctf_type *write_any(struct json_writer *writer, const char *name,
					const char *path)
{
	const struct ctf_type *found;

	for (int i = 0; i < JSON_NOWHERE; i++) {
		const char *prefix = json_origin_path((enum json_origin)i);
		size_t len = strlen(prefix);

		if (!strncmp(path, prefix, len))
			return write_far(writer, name, (enum json_origin)i, path + len);
	}
	found = write_near(writer, name, path);
	for (int i = (int)writer->origin - 1; i >= 0 && !found; i--)
		found = write_far(writer, name, (enum json_origin)i, path);
	return found;
}

int json_location_write(struct json_writer *writer, const char *name, const struct ctf_type *type,
			const struct ctf_type **target)
{
	*target = type->ref ? write_any(writer, name, type->ref->path) : NULL;
	return *target ? 0 : json_writer_fail(writer, type, "a reference to what is not there");
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_role.h"

#include <errno.h>
#include <string.h>

#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

static const struct role {
	const char *name;
	enum json_origin origin; /* where it may be */
	enum ctf_role role;
} roles[] = {
	{"data-stream-class-id", JSON_PACKET_HEADER, CTF_ROLE_STREAM},
	{"data-stream-id", JSON_PACKET_HEADER, CTF_ROLE_INSTANCE},
	{"metadata-stream-uuid", JSON_PACKET_HEADER, CTF_ROLE_UUID},
	{"packet-magic-number", JSON_PACKET_HEADER, CTF_ROLE_MAGIC},
	{"default-clock-timestamp", JSON_PACKET_CONTEXT, CTF_ROLE_BEGIN},
	{"discarded-event-record-counter-snapshot", JSON_PACKET_CONTEXT, CTF_ROLE_DISCARDED},
	{"packet-content-length", JSON_PACKET_CONTEXT, CTF_ROLE_CONTENT},
	{"packet-end-default-clock-timestamp", JSON_PACKET_CONTEXT, CTF_ROLE_END},
	{"packet-sequence-number", JSON_PACKET_CONTEXT, CTF_ROLE_SEQUENCE},
	{"packet-total-length", JSON_PACKET_CONTEXT, CTF_ROLE_PACKET},
	{"default-clock-timestamp", JSON_EVENT_HEADER, CTF_ROLE_TIME},
	{"event-record-class-id", JSON_EVENT_HEADER, CTF_ROLE_ID},
};

/* -EBADMSG if it has none of that name, or not in this place. */
static int find_role(struct json_reader *reader, const struct json_place *place, const char *name,
		     enum json_origin origin, const struct role **ret)
{
	const struct role *found = NULL;

	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		if (strcmp(roles[i].name, name))
			continue;
		found = &roles[i];
		if (origin == JSON_NOWHERE || found->origin == origin) {
			*ret = found;
			return 0;
		}
	}
	return json_reader_fail(reader, -EBADMSG, place,
				found ? "role '%.60s' is not valid here" : "unknown role '%.60s'",
				name);
}

static int check_class(struct json_reader *reader, const struct json_place *place,
		       const struct role *role, const struct ctf_type *type)
{
	if (role->role == CTF_ROLE_UUID) {
		if (type->kind != CTF_ARRAY || type->count != CTF_UUID_BYTES)
			return json_reader_fail(reader, -EBADMSG, place,
						"'%s' is for a BLOB of 16 bytes", role->name);
		if (!reader->trace->has_uuid)
			return json_reader_fail(reader, -EBADMSG, place,
						"the preamble has no 'uuid' to compare with");
		return 0;
	}
	if (!ctf_type_is_number(type))
		return json_reader_fail(reader, -EBADMSG, place, "'%s' is for unsigned integers",
					role->name);
	if (role->role == CTF_ROLE_MAGIC && (type->size != 32 || type->leb128))
		return json_reader_fail(reader, -EBADMSG, place,
					"'%s' is for unsigned integers of 32 bits", role->name);
	return 0;
}

static bool is_time(enum ctf_role role)
{
	return role == CTF_ROLE_BEGIN || role == CTF_ROLE_END || role == CTF_ROLE_TIME;
}

/* The length of the content is that of the packet by default; an instance is not used. */
static int add_role(struct json_reader *reader, const struct json_place *place, enum ctf_role role,
		    enum ctf_role *ret)
{
	bool length = role == CTF_ROLE_CONTENT || role == CTF_ROLE_PACKET;

	if (*ret == role || role == CTF_ROLE_INSTANCE) {
		*ret = *ret == CTF_ROLE_NONE ? role : *ret;
	} else if (*ret == CTF_ROLE_NONE || *ret == CTF_ROLE_INSTANCE) {
		*ret = role;
	} else if (length && (*ret == CTF_ROLE_CONTENT || *ret == CTF_ROLE_PACKET)) {
		*ret = CTF_ROLE_PACKET;
	} else {
		return json_reader_fail(reader, -ENOTSUP, place,
					"a field of these two roles cannot be read yet");
	}
	return 0;
}

static int read_one(struct json_reader *reader, const struct json_place *place, const json_t *name,
		    const struct json_root *root, struct ctf_type *type, enum ctf_role *ret)
{
	const struct role *role = NULL;
	int err;

	if (!json_is_string(name))
		return json_reader_fail(reader, -EBADMSG, place, "a role is a string");
	err = find_role(reader, place, json_string_value(name), root->origin, &role);
	err = err ? err : check_class(reader, place, role, type);
	if (err)
		return err;
	if (is_time(role->role) && root->origin != JSON_NOWHERE) {
		if (!root->clock)
			return json_reader_fail(reader, -EBADMSG, place,
						"the data stream class has no default clock");
		type->clock = root->clock;
	}
	return add_role(reader, place, role->role, ret);
}

int json_role_read(struct json_reader *reader, const struct json_place *place, const json_t *object,
		   struct json_root *root, struct ctf_type *type, enum ctf_role *ret)
{
	const json_t *names = json_object_get(object, "roles");
	const struct json_place inner = {.outer = place, .name = "roles"};
	int err = 0;

	*ret = CTF_ROLE_NONE;
	for (size_t i = 0; i < json_array_size(names) && !err; i++) {
		const struct json_place at = {.outer = &inner, .index = i};

		root->bound = true;
		err = read_one(reader, &at, json_array_get(names, i), root, type, ret);
	}
	return err;
}

static const char *name_of(enum ctf_role role, enum json_origin origin)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		if (roles[i].role == role && roles[i].origin == origin)
			return roles[i].name;
	}
	return NULL;
}

/* Whether the class of @member may have the role that its name stands for in CTF 1.8. */
static bool may_have(const struct ctf_trace_class *trace, enum ctf_role role,
		     const struct ctf_type *type, bool first)
{
	switch (role) {
	case CTF_ROLE_UUID:
		return trace->has_uuid && type->kind == CTF_ARRAY &&
		       type->count == CTF_UUID_BYTES && type->element->size == 8 &&
		       type->element->align == 8 && ctf_type_is_number(type->element);
	case CTF_ROLE_MAGIC:
		return first && ctf_type_is_number(type) && type->size == 32 && !type->is_signed;
	default:
		return ctf_type_is_number(type) && !type->boolean;
	}
}

/* Whatever a clock of CTF 1.8 is mapped to moves it, but for the end of a packet. */
static enum ctf_role role_in(enum json_origin origin, const struct ctf_member *member)
{
	if (member->role == CTF_ROLE_END && origin == JSON_PACKET_CONTEXT)
		return CTF_ROLE_END;
	if (!member->type->clock && !is_time(member->role))
		return member->role;
	if (origin == JSON_PACKET_CONTEXT)
		return CTF_ROLE_BEGIN;
	return origin == JSON_EVENT_HEADER ? CTF_ROLE_TIME : CTF_ROLE_NONE;
}

const char *json_role_name(const struct ctf_trace_class *trace, enum json_origin origin,
			   const struct ctf_member *member, bool has_clock, bool first)
{
	enum ctf_role role = role_in(origin, member);

	if (is_time(role) && !has_clock)
		return NULL;
	return may_have(trace, role, member->type, first) ? name_of(role, origin) : NULL;
}

bool json_role_has_time(const struct ctf_type *type)
{
	bool has = false;

	for (size_t i = 0; type && i < type->member_count && !has; i++)
		has = is_time(type->members[i].role) || json_role_has_time(type->members[i].type);
	return has || (type && type->element && json_role_has_time(type->element));
}

enum ctf_role json_role_by_name(const char *name)
{
	enum ctf_role role = ctf_role_find(name);

	switch (role) {
	case CTF_ROLE_CPU:
	case CTF_ROLE_LEVEL:
	case CTF_ROLE_NESTED:
	case CTF_ROLE_RECURSION:
	case CTF_ROLE_NAME_PACKETS:
	case CTF_ROLE_TID:
		return role;
	default:
		return CTF_ROLE_NONE;
	}
}

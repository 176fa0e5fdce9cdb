// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_class.h"

#include <errno.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/json_bytes.h"
#include "ctf/json_doc.h"
#include "ctf/json_location.h"
#include "ctf/json_range.h"
#include "ctf/json_reader.h"
#include "ctf/json_role.h"
#include "ctf/json_scalar.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int push_member(struct json_reader *reader, const struct json_place *place,
		       struct ctf_type *type, const char *name, const struct json_found *found,
		       struct ctf_member **ret)
{
	void *members = type->members;
	struct ctf_member *member;

	if (type->member_count >= CTF_FIELDS_MAX)
		return json_reader_fail(reader, -E2BIG, place, "there are more than %u members",
					CTF_FIELDS_MAX);
	member = arena_push(&reader->trace->arena, &members, &type->member_count, sizeof(*member));
	if (!member)
		return json_reader_no_memory(reader);
	type->members = members;
	member->type = found->type;
	member->role = found->role;
	if (member->role == CTF_ROLE_NONE && ctf_type_is_number(found->type))
		member->role = json_role_by_name(name);
	member->line = reader->fragment;
	member->doc.scope = FIELD_SCOPE_OBJECT;
	*ret = member;
	return json_reader_copy(reader, name, &member->name);
}

static int read_member(struct json_reader *reader, const struct json_place *place,
		       const json_t *value, struct json_root *root, struct json_frame *frame,
		       struct ctf_type *type)
{
	static const struct json_property properties[] = {
		{"name", JSON_WANT_STRING, true},
		{"field-class", JSON_WANT_CLASS, true},
	};
	const struct json_place inner = {.outer = place, .name = "field-class"};
	struct json_found found;
	struct ctf_member *member;
	int err = json_reader_check(reader, place, value, properties, COUNT(properties));

	if (err)
		return err;
	frame->member = json_reader_string(value, "name");
	if (!*frame->member)
		return json_reader_fail(reader, -EBADMSG, place, "the member has no name");
	err = json_class_read(reader, &inner, json_object_get(value, "field-class"), root, &found);
	err = err ? err : push_member(reader, place, type, frame->member, &found, &member);
	err = err ? err : json_doc_read(reader, value, &member->doc);
	if (!err && !member->doc.text && found.type->media_type &&
	    strcmp(found.type->media_type, JSON_BYTES_MEDIA_TYPE) != 0)
		member->doc.text = found.type->media_type;
	return err;
}

/* Names have to be unique: @names has those before. */
static int check_name(struct json_reader *reader, const struct json_place *place, json_t *names,
		      const char *name)
{
	if (json_object_get(names, name))
		return json_reader_fail(reader, -EBADMSG, place, "another one is called '%.60s'",
					name);
	return json_object_set_new(names, name, json_true()) ? json_reader_no_memory(reader) : 0;
}

static int read_members(struct json_reader *reader, const struct json_place *place,
			const json_t *members, struct json_root *root, struct ctf_type *type)
{
	struct json_frame frame = {.outer = root->frame, .type = type};
	json_t *names = json_object();
	int err = names ? 0 : json_reader_no_memory(reader);

	root->frame = &frame;
	for (size_t i = 0; i < json_array_size(members) && !err; i++) {
		const struct json_place at = {.outer = place, .index = i};

		err = read_member(reader, &at, json_array_get(members, i), root, &frame, type);
		err = err ? err : check_name(reader, &at, names, frame.member);
	}
	root->frame = frame.outer;
	json_decref(names);
	return err;
}

static int read_structure(struct json_reader *reader, const struct json_place *place,
			  const json_t *object, struct json_root *root, struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"member-classes", JSON_WANT_ARRAY, false},
		{"minimum-alignment", JSON_WANT_UINT, false},
	};
	const struct json_place inner = {.outer = place, .name = "member-classes"};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : json_reader_type_new(reader, CTF_STRUCT, ret);
	err = err ? err :
		    json_scalar_read_align(reader, place, object, "minimum-alignment",
					   &(*ret)->align);
	return err ? err :
		     read_members(reader, &inner, json_object_get(object, "member-classes"), root,
				  *ret);
}

/* Elements have no names by which a role could be kept. */
static int read_element(struct json_reader *reader, const struct json_place *place,
			const json_t *object, struct json_root *root, struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "element-field-class"};
	struct json_found found;
	int err = json_scalar_read_align(reader, place, object, "minimum-alignment", &type->align);

	err = err ? err :
		    json_class_read(reader, &inner, json_object_get(object, inner.name), root,
				    &found);
	if (!err && found.role != CTF_ROLE_NONE && root->origin != JSON_NOWHERE)
		return json_reader_fail(reader, -ENOTSUP, &inner,
					"elements of an array that have a role cannot be read");
	type->element = found.type;
	return err;
}

static int read_static_array(struct json_reader *reader, const struct json_place *place,
			     const json_t *object, struct json_root *root, struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"element-field-class", JSON_WANT_CLASS, true},
		{"minimum-alignment", JSON_WANT_UINT, false},
		{"length", JSON_WANT_UINT, true},
	};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : json_reader_type_new(reader, CTF_ARRAY, ret);
	err = err ? err : json_bytes_read_count(reader, place, object, &(*ret)->count);
	return err ? err : read_element(reader, place, object, root, *ret);
}

static int read_dynamic_array(struct json_reader *reader, const struct json_place *place,
			      const json_t *object, struct json_root *root, struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"element-field-class", JSON_WANT_CLASS, true},
		{"minimum-alignment", JSON_WANT_UINT, false},
		{"length-field-location", JSON_WANT_OBJECT, true},
	};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : json_reader_type_new(reader, CTF_SEQUENCE, ret);
	err = err ? err : json_bytes_read_length(reader, place, object, root, *ret);
	return err ? err : read_element(reader, place, object, root, *ret);
}

/* In the definition of an alias the selector is not known yet; any sign will do. */
static bool is_signed_tag(const struct ctf_type *target)
{
	return target && target->is_signed;
}

static int add_choice(struct json_reader *reader, struct ctf_reference *ref, size_t member,
		      const struct json_range *range)
{
	void *choices = ref->choices;
	struct ctf_choice *choice =
		arena_push(&reader->trace->arena, &choices, &ref->choice_count, sizeof(*choice));

	if (!choice)
		return json_reader_no_memory(reader);
	ref->choices = choices;
	*choice = (struct ctf_choice){range->first, range->last, member};
	return 0;
}

/* Section 5.3.23: ranges of two options must not intersect. */
static int check_overlap(struct json_reader *reader, const struct json_place *place,
			 const struct ctf_reference *ref, size_t member,
			 const struct json_range *range)
{
	const struct ctf_choice wanted = {range->first, range->last, member};

	for (size_t i = 0; i < ref->choice_count; i++) {
		if (json_range_conflict(&ref->choices[i], &wanted, ref->is_signed))
			return json_reader_fail(reader, -EBADMSG, place,
						"a range is that of another option, too");
	}
	return 0;
}

/* The ranges of the selector that choose @member of @type. */
static int read_ranges(struct json_reader *reader, const struct json_place *place,
		       const json_t *object, struct ctf_type *type, size_t member)
{
	const struct json_place inner = {.outer = place, .name = "selector-field-ranges"};
	const json_t *set = json_object_get(object, inner.name);
	struct json_range range;
	int err = json_range_check(reader, &inner, set);

	for (size_t i = 0; i < json_array_size(set) && !err; i++) {
		err = json_range_read(reader, &inner, set, i, type->ref && type->ref->is_signed,
				      &range);
		if (err <= 0 || !type->ref) {
			err = err < 0 ? err : 0;
			continue;
		}
		if (type->ref->choice_count >= CTF_CHOICES_MAX)
			return json_reader_fail(reader, -E2BIG, &inner,
						"there are more than %u ranges", CTF_CHOICES_MAX);
		err = check_overlap(reader, &inner, type->ref, member, &range);
		err = err ? err : add_choice(reader, type->ref, member, &range);
	}
	return err;
}

static int read_selector(struct json_reader *reader, const struct json_place *place,
			 const json_t *object, struct json_root *root, struct ctf_type *type,
			 const struct ctf_type **target)
{
	const struct json_place inner = {.outer = place, .name = "selector-field-location"};
	int err = json_location_read(reader, &inner, json_object_get(object, inner.name), root,
				     type, target);

	if (!err && type->ref) {
		type->ref->has_ranges = true;
		type->ref->is_signed = is_signed_tag(*target);
	}
	return err;
}

/* A boolean selects by being true, an integer by ranges. */
static int read_enabling(struct json_reader *reader, const struct json_place *place,
			 const json_t *object, struct ctf_type *type, const struct ctf_type *target)
{
	static const struct json_range set = {1, -1}; /* to UINT64_MAX */
	bool has_ranges = json_object_get(object, "selector-field-ranges");

	if (target && target->boolean && !has_ranges)
		return add_choice(reader, type->ref, 0, &set);
	if (target && target->boolean)
		return json_reader_fail(reader, -EBADMSG, place,
					"a boolean selects without 'selector-field-ranges'");
	if (!target && !has_ranges)
		return 0;
	return read_ranges(reader, place, object, type, 0);
}

static int read_optional(struct json_reader *reader, const struct json_place *place,
			 const json_t *object, struct json_root *root, struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"field-class", JSON_WANT_CLASS, true},
		{"selector-field-location", JSON_WANT_OBJECT, true},
		{"selector-field-ranges", JSON_WANT_ARRAY, false},
	};
	const struct json_place inner = {.outer = place, .name = "field-class"};
	const char *name = root->frame ? root->frame->member : "";
	const struct ctf_type *target;
	struct json_found found;
	struct ctf_member *member;
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : json_reader_type_new(reader, CTF_VARIANT, ret);
	if (err)
		return err;
	(*ret)->optional = true;
	err = read_selector(reader, place, object, root, *ret, &target);
	err = err ? err : read_enabling(reader, place, object, *ret, target);
	err = err ? err :
		    json_class_read(reader, &inner, json_object_get(object, "field-class"), root,
				    &found);
	return err ? err : push_member(reader, place, *ret, name, &found, &member);
}

static int read_option(struct json_reader *reader, const struct json_place *place,
		       const json_t *value, struct json_root *root, json_t *names,
		       struct ctf_type *type)
{
	static const struct json_property properties[] = {
		{"name", JSON_WANT_STRING, false},
		{"field-class", JSON_WANT_CLASS, true},
		{"selector-field-ranges", JSON_WANT_ARRAY, true},
	};
	const struct json_place inner = {.outer = place, .name = "field-class"};
	const char *name = json_reader_string(value, "name");
	struct json_found found;
	struct ctf_member *member;
	char number[24];
	int err = json_reader_check(reader, place, value, properties, COUNT(properties));

	(void)snprintf(number, sizeof(number), "%zu", place->index);
	name = name && *name ? name : number;
	err = err ? err : check_name(reader, place, names, name);
	err = err ? err : read_ranges(reader, place, value, type, type->member_count);
	err = err ? err :
		    json_class_read(reader, &inner, json_object_get(value, "field-class"), root,
				    &found);
	err = err ? err : push_member(reader, place, type, name, &found, &member);
	return err ? err : json_doc_read(reader, value, &member->doc);
}

static int read_options(struct json_reader *reader, const struct json_place *place,
			const json_t *options, struct json_root *root, struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "options"};
	json_t *names = json_object();
	int err = names ? 0 : json_reader_no_memory(reader);

	if (!err && !json_array_size(options))
		err = json_reader_fail(reader, -EBADMSG, &inner, "there has to be an option");
	for (size_t i = 0; i < json_array_size(options) && !err; i++) {
		const struct json_place at = {.outer = &inner, .index = i};

		err = read_option(reader, &at, json_array_get(options, i), root, names, type);
	}
	json_decref(names);
	return err;
}

static int read_variant(struct json_reader *reader, const struct json_place *place,
			const json_t *object, struct json_root *root, struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"options", JSON_WANT_ARRAY, true},
		{"selector-field-location", JSON_WANT_OBJECT, true},
	};
	const struct json_place inner = {.outer = place, .name = "selector-field-location"};
	const struct ctf_type *target;
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : json_reader_type_new(reader, CTF_VARIANT, ret);
	err = err ? err : read_selector(reader, place, object, root, *ret, &target);
	if (!err && target && target->boolean)
		err = json_reader_fail(reader, -EBADMSG, &inner,
				       "a boolean cannot choose of a variant");
	return err ? err :
		     read_options(reader, place, json_object_get(object, "options"), root, *ret);
}

/* Section 5.3; one of the two functions is given. */
static const struct kind {
	const char *name;
	json_scalar_fn *scalar;
	json_bytes_fn *placed;
} kinds[] = {
	{"fixed-length-bit-array", json_scalar_read_bit_array, NULL},
	{"fixed-length-bit-map", json_scalar_read_bit_map, NULL},
	{"fixed-length-boolean", json_scalar_read_boolean, NULL},
	{"fixed-length-unsigned-integer", json_scalar_read_unsigned, NULL},
	{"fixed-length-signed-integer", json_scalar_read_signed, NULL},
	{"fixed-length-floating-point-number", json_scalar_read_float, NULL},
	{"variable-length-unsigned-integer", json_scalar_read_leb128_unsigned, NULL},
	{"variable-length-signed-integer", json_scalar_read_leb128_signed, NULL},
	{"null-terminated-string", NULL, json_bytes_read_string},
	{"static-length-string", NULL, json_bytes_read_static_string},
	{"static-length-blob", NULL, json_bytes_read_static_blob},
	{"dynamic-length-string", NULL, json_bytes_read_dynamic_string},
	{"dynamic-length-blob", NULL, json_bytes_read_dynamic_blob},
	{"structure", NULL, read_structure},
	{"static-length-array", NULL, read_static_array},
	{"dynamic-length-array", NULL, read_dynamic_array},
	{"optional", NULL, read_optional},
	{"variant", NULL, read_variant},
};

static int find_kind(struct json_reader *reader, const struct json_place *place,
		     const json_t *object, const struct kind **ret)
{
	const char *type = json_reader_string(object, "type");

	if (!type)
		return json_reader_fail(reader, -EBADMSG, place,
					"a field class has to have a 'type', which is a string");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, type))
			continue;
		*ret = &kinds[i];
		return 0;
	}
	return json_reader_fail(reader, -EBADMSG, place, "unknown field class '%.60s'", type);
}

static int read_object(struct json_reader *reader, const struct json_place *place,
		       const json_t *object, struct json_root *root, struct json_found *ret)
{
	const struct kind *kind = NULL;
	struct ctf_type *type = NULL;
	int err = find_kind(reader, place, object, &kind);

	if (err)
		return err;
	err = kind->scalar ? kind->scalar(reader, place, object, &type) :
			     kind->placed(reader, place, object, root, &type);
	err = err ? err : json_reader_type_done(reader, place, type);
	err = err ? err : json_role_read(reader, place, object, root, type, &ret->role);
	if (!err)
		ret->type = type;
	return err;
}

/* One whose meaning depends on the place costs its values each time that it is read. */
static int read_alias(struct json_reader *reader, const struct json_place *place, const char *name,
		      struct json_root *root, struct json_found *ret)
{
	const json_t *index = json_object_get(reader->alias_names, name);
	const struct json_alias *alias;

	if (!index)
		return json_reader_fail(reader, -EBADMSG, place,
					"no field class before this one is called '%.60s'", name);
	alias = &reader->aliases[json_integer_value(index)];
	if (alias->type) {
		*ret = (struct json_found){alias->type, CTF_ROLE_NONE};
		return 0;
	}
	reader->expanded += alias->values;
	if (reader->expanded > CTF_JSON_EXPANDED_MAX)
		return json_reader_fail(reader, -E2BIG, place,
					"field classes of other names are used too often");
	return read_object(reader, place, alias->class, root, ret);
}

int json_class_read(struct json_reader *reader, const struct json_place *place, const json_t *value,
		    struct json_root *root, struct json_found *ret)
{
	int err;

	if (reader->depth >= CTF_DEPTH_MAX)
		return json_reader_fail(reader, -E2BIG, place,
					"field classes are nested deeper than %u", CTF_DEPTH_MAX);
	reader->depth++;
	err = json_is_string(value) ?
		      read_alias(reader, place, json_string_value(value), root, ret) :
		      read_object(reader, place, value, root, ret);
	reader->depth--;
	return err;
}

int json_class_read_root(struct json_reader *reader, const struct json_place *outer,
			 const json_t *object, const char *property, struct json_root *root,
			 const struct ctf_type **ret)
{
	const struct json_place place = {.outer = outer, .name = property};
	const json_t *value = json_object_get(object, property);
	struct json_found found = {0};
	int err;

	if (!value)
		return 0;
	err = json_class_read(reader, &place, value, root, &found);
	if (err)
		return err;
	if (found.type->kind != CTF_STRUCT)
		return json_reader_fail(reader, -EBADMSG, &place, "this has to be a structure");
	root->roots[root->origin] = found.type;
	*ret = found.type;
	return 0;
}

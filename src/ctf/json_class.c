// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_class.h"

#include <errno.h>
#include <string.h>

#include "ctf/json_bytes.h"
#include "ctf/json_compound.h"
#include "ctf/json_reader.h"
#include "ctf/json_role.h"
#include "ctf/json_scalar.h"
#include "wire/ctf.h"

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
	{"structure", NULL, json_compound_read_structure},
	{"static-length-array", NULL, json_compound_read_static_array},
	{"dynamic-length-array", NULL, json_compound_read_dynamic_array},
	{"optional", NULL, json_compound_read_optional},
	{"variant", NULL, json_compound_read_variant},
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
	return json_reader_fail(reader, -EBADMSG, place, "there is no field class '%.60s'", type);
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

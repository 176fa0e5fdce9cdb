// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_bytes.h"

#include <errno.h>
#include <string.h>

#include "ctf/json_location.h"
#include "ctf/json_reader.h"
#include "ctf/type.h"
#include "wire/ctf.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

int json_bytes_read_count(struct json_reader *reader, const struct json_place *place,
			  const json_t *object, uint32_t *ret)
{
	const struct json_place inner = {.outer = place, .name = "length"};
	uint64_t count = json_reader_uint(object, "length", 0);

	if (count > CTF_ARRAY_MAX)
		return json_reader_fail(reader, -E2BIG, &inner, "more than %u cannot be read",
					CTF_ARRAY_MAX);
	*ret = (uint32_t)count;
	return 0;
}

int json_bytes_read_length(struct json_reader *reader, const struct json_place *place,
			   const json_t *object, struct json_root *root, struct ctf_type *type)
{
	const struct json_place inner = {.outer = place, .name = "length-field-location"};
	const struct ctf_type *target;
	int err = json_location_read(reader, &inner, json_object_get(object, inner.name), root,
				     type, &target);

	if (!err && target && (target->is_signed || target->boolean))
		return json_reader_fail(reader, -EBADMSG, &inner,
					"the field is not an unsigned integer");
	return err;
}

/* Section 5.3.11. */
static int check_encoding(struct json_reader *reader, const struct json_place *place,
			  const json_t *object)
{
	static const char *const wide[] = {"utf-16be", "utf-16le", "utf-32be", "utf-32le"};
	const struct json_place inner = {.outer = place, .name = "encoding"};
	const char *encoding = json_reader_string(object, "encoding");

	if (!encoding || !strcmp(encoding, "utf-8"))
		return 0;
	for (size_t i = 0; i < COUNT(wide); i++) {
		if (!strcmp(encoding, wide[i]))
			return json_reader_fail(reader, -ENOTSUP, &inner,
						"of strings only those in UTF-8 can be read");
	}
	return json_reader_fail(reader, -EBADMSG, &inner, "unknown encoding '%.60s'", encoding);
}

int json_bytes_read_string(struct json_reader *reader, const struct json_place *place,
			   const json_t *object, struct json_root *root, struct ctf_type **ret)
{
	static const struct json_property properties[] = {{"encoding", JSON_WANT_STRING, false}};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	(void)root;
	err = err ? err : check_encoding(reader, place, object);
	err = err ? err : json_reader_type_new(reader, CTF_STRING, ret);
	if (err)
		return err;
	(*ret)->is_text = true;
	(*ret)->align = 8;
	return 0;
}

static int make_bytes(struct json_reader *reader, const struct json_place *place,
		      enum ctf_kind kind, bool is_text, struct ctf_type **ret)
{
	struct ctf_type *element;
	int err = json_reader_type_new(reader, CTF_INTEGER, &element);

	err = err ? err : json_reader_type_new(reader, kind, ret);
	if (err)
		return err;
	element->size = 8;
	element->align = 8;
	element->base = 10;
	element->is_text = is_text;
	(*ret)->element = element;
	return json_reader_type_done(reader, place, element);
}

int json_bytes_read_static_string(struct json_reader *reader, const struct json_place *place,
				  const json_t *object, struct json_root *root,
				  struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"length", JSON_WANT_UINT, true},
		{"encoding", JSON_WANT_STRING, false},
	};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	(void)root;
	err = err ? err : check_encoding(reader, place, object);
	err = err ? err : make_bytes(reader, place, CTF_ARRAY, true, ret);
	return err ? err : json_bytes_read_count(reader, place, object, &(*ret)->count);
}

int json_bytes_read_dynamic_string(struct json_reader *reader, const struct json_place *place,
				   const json_t *object, struct json_root *root,
				   struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"length-field-location", JSON_WANT_OBJECT, true},
		{"encoding", JSON_WANT_STRING, false},
	};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : check_encoding(reader, place, object);
	err = err ? err : make_bytes(reader, place, CTF_SEQUENCE, true, ret);
	return err ? err : json_bytes_read_length(reader, place, object, root, *ret);
}

/* Section 5.3.15. */
static int read_media_type(struct json_reader *reader, const json_t *object, struct ctf_type *type)
{
	const char *text = json_reader_string(object, "media-type");

	return json_reader_copy(reader, text ? text : JSON_BYTES_MEDIA_TYPE, &type->media_type);
}

int json_bytes_read_static_blob(struct json_reader *reader, const struct json_place *place,
				const json_t *object, struct json_root *root, struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"length", JSON_WANT_UINT, true},
		{"media-type", JSON_WANT_STRING, false},
		{"roles", JSON_WANT_ARRAY, false},
	};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	(void)root;
	err = err ? err : make_bytes(reader, place, CTF_ARRAY, false, ret);
	err = err ? err : read_media_type(reader, object, *ret);
	return err ? err : json_bytes_read_count(reader, place, object, &(*ret)->count);
}

int json_bytes_read_dynamic_blob(struct json_reader *reader, const struct json_place *place,
				 const json_t *object, struct json_root *root,
				 struct ctf_type **ret)
{
	static const struct json_property properties[] = {
		{"length-field-location", JSON_WANT_OBJECT, true},
		{"media-type", JSON_WANT_STRING, false},
	};
	int err = json_reader_check(reader, place, object, properties, COUNT(properties));

	err = err ? err : make_bytes(reader, place, CTF_SEQUENCE, false, ret);
	err = err ? err : read_media_type(reader, object, *ret);
	return err ? err : json_bytes_read_length(reader, place, object, root, *ret);
}

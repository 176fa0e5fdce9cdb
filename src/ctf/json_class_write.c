// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_class_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/json_bytes.h"
#include "ctf/json_doc.h"
#include "ctf/json_labels_write.h"
#include "ctf/json_location_write.h"
#include "ctf/json_range.h"
#include "ctf/json_role.h"
#include "ctf/json_writer.h"
#include "ctf/reference.h"
#include "ctf/trace_class.h"

static int write_class(struct json_writer *writer, const struct ctf_type *type, const char *role);

/* ,"NAME":{ the class } */
static int write_inner(struct json_writer *writer, const char *name, const struct ctf_type *type,
		       const char *role)
{
	json_writer_name(writer, name);
	return write_class(writer, type, role);
}

static void write_bits(struct json_writer *writer, const struct ctf_type *type)
{
	json_writer_uint(writer, "length", type->size);
	json_writer_text(writer, "byte-order", type->big_endian ? "big-endian" : "little-endian");
	if (type->align > 1)
		json_writer_uint(writer, "alignment", type->align);
}

static int write_integer(struct json_writer *writer, const struct ctf_type *type, const char *role)
{
	static const char *const names[2][2] = {
		{"fixed-length-unsigned-integer", "fixed-length-signed-integer"},
		{"variable-length-unsigned-integer", "variable-length-signed-integer"},
	};
	int err = 0;

	if (role && type->is_signed)
		return json_writer_fail(writer, type, "a signed integer with a role");
	json_writer_begin(writer, type->boolean ? "fixed-length-boolean" :
						  names[type->leb128][type->is_signed]);
	if (!type->leb128)
		write_bits(writer, type);
	if (type->boolean)
		goto out;
	if (type->base && type->base != 10)
		json_writer_uint(writer, "preferred-display-base", type->base);
	if (type->label_count)
		err = json_labels_write(writer, type);
	if (role)
		buffer_format(writer->out, ",\"roles\":[\"%s\"]", role);
out:
	json_writer_end(writer);
	return err;
}

static int write_float(struct json_writer *writer, const struct ctf_type *type)
{
	json_writer_begin(writer, "fixed-length-floating-point-number");
	write_bits(writer, type);
	json_writer_end(writer);
	return 0;
}

static int write_string(struct json_writer *writer)
{
	json_writer_begin(writer, "null-terminated-string");
	json_writer_end(writer);
	return 0;
}

/* As flatten takes them for text. */
static bool is_text(const struct ctf_type *element)
{
	return element->kind == CTF_INTEGER && element->is_text && element->size == 8 &&
	       element->align == 8;
}

static bool is_bytes(const struct ctf_type *element)
{
	return element->kind == CTF_INTEGER && element->size == 8 && element->align == 8;
}

static int write_element(struct json_writer *writer, const struct ctf_type *type)
{
	int err = write_inner(writer, "element-field-class", type->element, NULL);

	if (type->align > type->element->align)
		json_writer_uint(writer, "minimum-alignment", type->align);
	return err;
}

/* What an array is, or with a length that is told elsewhere a sequence. */
static int write_array(struct json_writer *writer, const struct ctf_type *type, const char *role)
{
	bool text = is_text(type->element), dynamic = type->kind == CTF_SEQUENCE;
	bool blob = !text && is_bytes(type->element) && (role || type->media_type);
	const char *what = text ? "string" : blob ? "blob" : "array";
	const struct ctf_type *length;
	int err = 0;

	buffer_format(writer->out, "{\"type\":\"%s-length-%s\"", dynamic ? "dynamic" : "static",
		      what);
	if (dynamic)
		err = json_location_write(writer, "length-field-location", type, &length);
	else
		json_writer_uint(writer, "length", type->count);
	if (blob && type->media_type && strcmp(type->media_type, JSON_BYTES_MEDIA_TYPE) != 0)
		json_writer_text(writer, "media-type", type->media_type);
	if (blob && role)
		buffer_format(writer->out, ",\"roles\":[\"%s\"]", role);
	if (!err && !text && !blob)
		err = write_element(writer, type);
	json_writer_end(writer);
	return err;
}

void json_class_write_doc(struct json_writer *writer, const struct ctf_doc *doc)
{
	if (!doc->text && !doc->unit && !doc->has_show && !doc->hidden &&
	    doc->scope == FIELD_SCOPE_OBJECT)
		return;
	buffer_string(writer->out, ",\"attributes\":{\"" JSON_DOC_NAMESPACE "\":{\"scope\":");
	json_writer_string(writer, field_scope_name(doc->scope));
	if (doc->text)
		json_writer_text(writer, "text", doc->text);
	if (doc->unit)
		json_writer_text(writer, "unit", doc->unit);
	if (doc->hidden)
		json_writer_text(writer, "show", CTF_DOC_HIDDEN);
	else if (doc->has_show)
		json_writer_text(writer, "show", field_show_name(doc->show));
	buffer_string(writer->out, "}}");
}

/* What an optional field may be; in TSDL the option before it is nothing. */
static const struct ctf_member *content_of(const struct ctf_type *optional)
{
	return &optional->members[optional->member_count - 1];
}

/* A BLOB's type is its description where it has no other, and need not be told twice. In TSDL an
 * optional field's description is that of the option. */
static void write_member_doc(struct json_writer *writer, const struct ctf_member *member)
{
	const struct ctf_type *type = member->type;
	struct ctf_doc doc = member->doc;

	if (type->optional && type->ref && !type->ref->has_ranges)
		doc = content_of(type)->doc;
	if (doc.text && doc.text == member->type->media_type)
		doc.text = NULL;
	json_class_write_doc(writer, &doc);
}

static const char *role_of(const struct json_writer *writer, const struct ctf_member *member,
			   bool first)
{
	return json_role_name(writer->trace, writer->origin, member, writer->has_clock, first);
}

static int write_member(struct json_writer *writer, const struct ctf_member *member, bool first)
{
	int err;

	buffer_string(writer->out, "{\"name\":");
	json_writer_string(writer, member->name);
	err = write_inner(writer, "field-class", member->type, role_of(writer, member, first));
	write_member_doc(writer, member);
	json_writer_end(writer);
	return err;
}

static int write_struct(struct json_writer *writer, const struct ctf_type *type)
{
	const size_t depth = writer->depth;
	int err = 0;

	json_writer_begin(writer, "structure");
	json_writer_name(writer, "member-classes");
	buffer_char(writer->out, '[');
	writer->frames[writer->depth++] = type;
	for (size_t i = 0; i < type->member_count && !err; i++) {
		if (i)
			buffer_char(writer->out, ',');
		writer->members[depth] = i;
		err = write_member(writer, &type->members[i], !depth && !i);
	}
	writer->depth = depth;
	buffer_char(writer->out, ']');
	if (type->align > 1)
		json_writer_uint(writer, "minimum-alignment", type->align);
	json_writer_end(writer);
	return err;
}

/* The ranges that choose @member. False: there are none. */
static bool write_ranges(struct json_writer *writer, const struct ctf_choice *choices, size_t count,
			 size_t member, bool is_signed)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (choices[i].member != member)
			continue;
		buffer_string(writer->out, any ? "," : "\"selector-field-ranges\":[");
		json_writer_range(writer, choices[i].first, choices[i].last, is_signed);
		any = true;
	}
	if (any)
		buffer_char(writer->out, ']');
	return any;
}

static int check_choices(struct json_writer *writer, const struct ctf_type *type, size_t count)
{
	if (count > CTF_CHOICES_MAX)
		return json_writer_fail(writer, type, "a variant of so many ranges");
	return count ? 0 : json_writer_fail(writer, type, "a variant that nothing selects");
}

/* What no value selects is never there. */
static int write_options(struct json_writer *writer, const struct ctf_type *type,
			 const struct ctf_choice *choices, size_t count, bool is_signed)
{
	bool any = false;
	int err = 0;

	buffer_string(writer->out, ",\"options\":[");
	for (size_t i = 0; i < type->member_count && !err; i++) {
		const struct ctf_member *member = &type->members[i];
		size_t before = writer->out->len;

		buffer_string(writer->out, any ? ",{" : "{");
		if (!write_ranges(writer, choices, count, i, is_signed)) {
			writer->out->len = before;
			continue;
		}
		any = true;
		json_writer_text(writer, "name", member->name);
		err = write_inner(writer, "field-class", member->type,
				  role_of(writer, member, false));
		write_member_doc(writer, member);
		json_writer_end(writer);
	}
	buffer_char(writer->out, ']');
	return err;
}

static int write_optional(struct json_writer *writer, const struct ctf_type *type,
			  const struct ctf_type *selector, const struct ctf_choice *choices,
			  size_t count)
{
	const struct ctf_member *content = content_of(type);

	if (!selector->boolean) {
		buffer_char(writer->out, ',');
		if (!write_ranges(writer, choices, count, (size_t)(content - type->members),
				  selector->is_signed))
			return json_writer_fail(writer, type, "a field that is never there");
	}
	return write_inner(writer, "field-class", content->type, role_of(writer, content, false));
}

static int write_variant(struct json_writer *writer, const struct ctf_type *type)
{
	const struct ctf_type *selector;
	struct ctf_choice *choices;
	size_t count;
	int err;

	json_writer_begin(writer, type->optional ? "optional" : "variant");
	err = json_location_write(writer, "selector-field-location", type, &selector);
	if (!err && reference_choices(&writer->arena, type, selector, &choices, &count))
		return json_writer_no_memory(writer);
	if (!err && type->optional) {
		err = write_optional(writer, type, selector, choices, count);
	} else if (!err) {
		err = check_choices(writer, type, count);
		err = err ? err : write_options(writer, type, choices, count, selector->is_signed);
	}
	json_writer_end(writer);
	return err;
}

/* Types are no deeper than CTF_DEPTH_MAX. */
static int write_class(struct json_writer *writer, const struct ctf_type *type, const char *role)
{
	switch (type->kind) {
	case CTF_FLOAT:
		return write_float(writer, type);
	case CTF_STRING:
		return write_string(writer);
	case CTF_STRUCT:
		return write_struct(writer, type);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return write_array(writer, type, role);
	case CTF_VARIANT:
		return write_variant(writer, type);
	default:
		return write_integer(writer, type, role);
	}
}

int json_class_write_root(struct json_writer *writer, const char *name, enum json_origin origin,
			  const struct ctf_type *type)
{
	writer->origin = origin;
	writer->roots[origin] = type;
	writer->depth = 0;
	return type ? write_inner(writer, name, type, NULL) : 0;
}

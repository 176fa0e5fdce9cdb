// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_class_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/json_bytes.h"
#include "ctf/json_doc.h"
#include "ctf/json_range.h"
#include "ctf/json_role.h"
#include "ctf/json_writer.h"
#include "ctf/reference.h"
#include "ctf/trace_class.h"

/* A label by its place among those of the type. */
struct entry {
	const struct field_label *label;
	size_t index;
	size_t first; /* of the same name */
};

static int compare_names(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	int order = strcmp(left->label->name, right->label->name);

	return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_places(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

/* Names in the order in which they appear first, so that the first label of a value stays so. */
static void sort_entries(struct entry *entries, size_t count)
{
	qsort(entries, count, sizeof(*entries), compare_names);
	for (size_t i = 0; i < count; i++) {
		bool same = i && !strcmp(entries[i].label->name, entries[i - 1].label->name);

		entries[i].first = same ? entries[i - 1].first : entries[i].index;
	}
	qsort(entries, count, sizeof(*entries), compare_places);
}

static void write_entries(struct json_writer *writer, const struct entry *entries, size_t count,
			  bool is_signed)
{
	for (size_t i = 0; i < count; i++) {
		const struct field_label *label = entries[i].label;
		bool same = i && entries[i].first == entries[i - 1].first;

		if (!same) {
			buffer_string(writer->out, i ? "]," : "");
			json_writer_string(writer, label->name);
			buffer_string(writer->out, ":[");
		} else {
			buffer_char(writer->out, ',');
		}
		json_writer_range(writer, label->first, label->last, is_signed);
	}
	buffer_char(writer->out, ']');
}

/* ,"mappings":{...}: the labels of an integer (CTF 2, section 5.3.7.1). One name has all of its ranges in one place. */
static int write_labels(struct json_writer *writer, const struct ctf_type *type)
{
	struct entry *entries = calloc(type->label_count, sizeof(*entries));

	if (!entries)
		return json_writer_no_memory(writer);
	for (size_t i = 0; i < type->label_count; i++)
		entries[i] = (struct entry){.label = &type->labels[i], .index = i};
	sort_entries(entries, type->label_count);
	json_writer_name(writer, "mappings");
	buffer_char(writer->out, '{');
	write_entries(writer, entries, type->label_count, type->is_signed);
	buffer_char(writer->out, '}');
	free(entries);
	return 0;
}

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

/*
 * The field location (CTF 2, section 5.3.1) that is what a path of TSDL means (CTF 1.8.3, section 7.3.2), to which
 * @type refers, as property @name: looked for in the structures around, then in those before. *@target is the
 * number it means; -ENOTSUP without one.
 */
static int write_location(struct json_writer *writer, const char *name, const struct ctf_type *type,
			  const struct ctf_type **target)
{
	*target = type->ref ? write_any(writer, name, type->ref->path) : NULL;
	return *target ? 0 : json_writer_fail(writer, type, "a reference to what is not there");
}

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
		err = write_labels(writer, type);
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

/* An array, or, if its length is a field elsewhere, a sequence. */
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
		err = write_location(writer, "length-field-location", type, &length);
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

/* A BLOB's type is its description where it has no other, and need not be written twice. In TSDL an
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

/* The ranges that choose @member. False: none. */
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
	err = write_location(writer, "selector-field-location", type, &selector);
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

/* Types are at most CTF_DEPTH_MAX deep. */
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

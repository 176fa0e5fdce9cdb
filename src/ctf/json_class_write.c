// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_class_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/json_bytes.h"
#include "ctf/json_doc.h"
#include "ctf/json_range.h"
#include "ctf/json_role.h"
#include "ctf/reference.h"
#include "ctf/trace_class.h"

int json_class_writer_no_memory(struct json_class_writer *writer)
{
	return diag_set(writer->diag, -ENOMEM, "out of memory");
}

/* -ENOTSUP: @what of @type has no form in CTF 2. */
static int fail(struct json_class_writer *writer, const struct ctf_type *type, const char *what)
{
	(void)diag_set(writer->diag, -ENOTSUP, "metadata %s %u: CTF 2 has no form for %s",
		       writer->trace->place, type->line, what);
	if (writer->diag)
		writer->diag->line = type->line;
	return -ENOTSUP;
}

static void begin_class(struct json_class_writer *writer, const char *name, const char *type)
{
	json_writer_object(&writer->json, name);
	json_writer_string(&writer->json, "type", type);
}

static void write_range(struct json_class_writer *writer, int64_t first, int64_t last,
			bool is_signed)
{
	const int64_t ends[] = {first, last};

	json_writer_array(&writer->json, NULL);
	for (size_t i = 0; i < 2; i++) {
		if (is_signed)
			json_writer_int(&writer->json, NULL, ends[i]);
		else
			json_writer_uint(&writer->json, NULL, (uint64_t)ends[i]);
	}
	json_writer_end(&writer->json);
}

static void write_role(struct json_class_writer *writer, const char *role)
{
	json_writer_array(&writer->json, "roles");
	json_writer_string(&writer->json, NULL, role);
	json_writer_end(&writer->json);
}

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

static void write_entries(struct json_class_writer *writer, const struct entry *entries,
			  size_t count, bool is_signed)
{
	for (size_t i = 0; i < count; i++) {
		const struct field_label *label = entries[i].label;
		bool same = i && entries[i].first == entries[i - 1].first;

		if (i && !same)
			json_writer_end(&writer->json);
		if (!same)
			json_writer_array(&writer->json, label->name);
		write_range(writer, label->first, label->last, is_signed);
	}
	json_writer_end(&writer->json);
}

/* ,"mappings":{...}: the labels of an integer (CTF 2, section 5.3.7.1). One name has all of its ranges in one place. */
static int write_labels(struct json_class_writer *writer, const struct ctf_type *type)
{
	struct entry *entries = calloc(type->label_count, sizeof(*entries));

	if (!entries)
		return json_class_writer_no_memory(writer);
	for (size_t i = 0; i < type->label_count; i++)
		entries[i] = (struct entry){.label = &type->labels[i], .index = i};
	sort_entries(entries, type->label_count);
	json_writer_object(&writer->json, "mappings");
	write_entries(writer, entries, type->label_count, type->is_signed);
	json_writer_end(&writer->json);
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
static void write_names(struct json_class_writer *writer, const struct ctf_type *type,
			const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ".");
		const struct ctf_member *member = &type->members[ctf_type_member(type, path, len)];

		json_writer_string(&writer->json, NULL, member->name);
		if (!path[len])
			break;
		path += len + 1;
		type = option_of(member->type);
	}
	json_writer_end(&writer->json);
	json_writer_end(&writer->json);
}

static const struct ctf_type *write_far(struct json_class_writer *writer, const char *name,
					enum json_origin origin, const char *path)
{
	const struct ctf_type *found = descend(writer->roots[origin], path);

	if (!found)
		return NULL;
	json_writer_object(&writer->json, name);
	json_writer_string(&writer->json, "origin", json_origin_name(origin));
	json_writer_array(&writer->json, "path");
	write_names(writer, writer->roots[origin], path);
	return found;
}

static const struct ctf_type *write_near(struct json_class_writer *writer, const char *name,
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
		json_writer_object(&writer->json, name);
		json_writer_array(&writer->json, "path");
		for (size_t i = 0; i < up; i++)
			json_writer_null(&writer->json, NULL);
		write_names(writer, frame, path);
		return found;
	}
	return NULL;
}

static const struct ctf_type *write_any(struct json_class_writer *writer, const char *name,
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
static int write_location(struct json_class_writer *writer, const char *name,
			  const struct ctf_type *type, const struct ctf_type **target)
{
	*target = type->ref ? write_any(writer, name, type->ref->path) : NULL;
	return *target ? 0 : fail(writer, type, "a reference to what is not there");
}

static int write_class(struct json_class_writer *writer, const char *name,
		       const struct ctf_type *type, const char *role);

static void write_bits(struct json_class_writer *writer, const struct ctf_type *type)
{
	json_writer_uint(&writer->json, "length", type->size);
	json_writer_string(&writer->json, "byte-order",
			   type->big_endian ? "big-endian" : "little-endian");
	if (type->align > 1)
		json_writer_uint(&writer->json, "alignment", type->align);
}

static int write_integer(struct json_class_writer *writer, const char *name,
			 const struct ctf_type *type, const char *role)
{
	static const char *const names[2][2] = {
		{"fixed-length-unsigned-integer", "fixed-length-signed-integer"},
		{"variable-length-unsigned-integer", "variable-length-signed-integer"},
	};
	int err = 0;

	if (role && type->is_signed)
		return fail(writer, type, "a signed integer with a role");
	begin_class(writer, name,
		    type->boolean ? "fixed-length-boolean" : names[type->leb128][type->is_signed]);
	if (!type->leb128)
		write_bits(writer, type);
	if (type->boolean)
		goto out;
	if (type->base && type->base != 10)
		json_writer_uint(&writer->json, "preferred-display-base", type->base);
	if (type->label_count)
		err = write_labels(writer, type);
	if (role)
		write_role(writer, role);
out:
	json_writer_end(&writer->json);
	return err;
}

static int write_float(struct json_class_writer *writer, const char *name,
		       const struct ctf_type *type)
{
	begin_class(writer, name, "fixed-length-floating-point-number");
	write_bits(writer, type);
	json_writer_end(&writer->json);
	return 0;
}

static int write_string(struct json_class_writer *writer, const char *name)
{
	begin_class(writer, name, "null-terminated-string");
	json_writer_end(&writer->json);
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

static int write_element(struct json_class_writer *writer, const struct ctf_type *type)
{
	int err = write_class(writer, "element-field-class", type->element, NULL);

	if (type->align > type->element->align)
		json_writer_uint(&writer->json, "minimum-alignment", type->align);
	return err;
}

/* An array, or, if its length is a field elsewhere, a sequence. */
static int write_array(struct json_class_writer *writer, const char *name,
		       const struct ctf_type *type, const char *role)
{
	bool text = is_text(type->element), dynamic = type->kind == CTF_SEQUENCE;
	bool blob = !text && is_bytes(type->element) && (role || type->media_type);
	const char *what = text ? "string" : blob ? "blob" : "array";
	const struct ctf_type *length;
	char kind[32];
	int err = 0;

	(void)snprintf(kind, sizeof(kind), "%s-length-%s", dynamic ? "dynamic" : "static", what);
	begin_class(writer, name, kind);
	if (dynamic)
		err = write_location(writer, "length-field-location", type, &length);
	else
		json_writer_uint(&writer->json, "length", type->count);
	if (blob && type->media_type && strcmp(type->media_type, JSON_BYTES_MEDIA_TYPE) != 0)
		json_writer_string(&writer->json, "media-type", type->media_type);
	if (blob && role)
		write_role(writer, role);
	if (!err && !text && !blob)
		err = write_element(writer, type);
	json_writer_end(&writer->json);
	return err;
}

void json_class_write_doc(struct json_class_writer *writer, const struct ctf_doc *doc)
{
	if (!doc->text && !doc->unit && !doc->has_show && !doc->hidden &&
	    doc->scope == FIELD_SCOPE_OBJECT)
		return;
	json_writer_object(&writer->json, "attributes");
	json_writer_object(&writer->json, JSON_DOC_NAMESPACE);
	json_writer_string(&writer->json, "scope", field_scope_name(doc->scope));
	if (doc->text)
		json_writer_string(&writer->json, "text", doc->text);
	if (doc->unit)
		json_writer_string(&writer->json, "unit", doc->unit);
	if (doc->hidden)
		json_writer_string(&writer->json, "show", CTF_DOC_HIDDEN);
	else if (doc->has_show)
		json_writer_string(&writer->json, "show", field_show_name(doc->show));
	json_writer_end(&writer->json);
	json_writer_end(&writer->json);
}

/* What an optional field may be; in TSDL the option before it is nothing. */
static const struct ctf_member *content_of(const struct ctf_type *optional)
{
	return &optional->members[optional->member_count - 1];
}

/* A BLOB's type is its description where it has no other, and need not be written twice. In TSDL an
 * optional field's description is that of the option. */
static void write_member_doc(struct json_class_writer *writer, const struct ctf_member *member)
{
	const struct ctf_type *type = member->type;
	struct ctf_doc doc = member->doc;

	if (type->optional && type->ref && !type->ref->has_ranges)
		doc = content_of(type)->doc;
	if (doc.text && doc.text == member->type->media_type)
		doc.text = NULL;
	json_class_write_doc(writer, &doc);
}

static const char *role_of(const struct json_class_writer *writer, const struct ctf_member *member,
			   bool first)
{
	return json_role_name(writer->trace, writer->origin, member, writer->has_clock, first);
}

static int write_member(struct json_class_writer *writer, const struct ctf_member *member,
			bool first)
{
	int err;

	json_writer_object(&writer->json, NULL);
	json_writer_string(&writer->json, "name", member->name);
	err = write_class(writer, "field-class", member->type, role_of(writer, member, first));
	write_member_doc(writer, member);
	json_writer_end(&writer->json);
	return err;
}

static int write_struct(struct json_class_writer *writer, const char *name,
			const struct ctf_type *type)
{
	const size_t depth = writer->depth;
	int err = 0;

	begin_class(writer, name, "structure");
	json_writer_array(&writer->json, "member-classes");
	writer->frames[writer->depth++] = type;
	for (size_t i = 0; i < type->member_count && !err; i++) {
		writer->members[depth] = i;
		err = write_member(writer, &type->members[i], !depth && !i);
	}
	writer->depth = depth;
	json_writer_end(&writer->json);
	if (type->align > 1)
		json_writer_uint(&writer->json, "minimum-alignment", type->align);
	json_writer_end(&writer->json);
	return err;
}

static bool is_selected(const struct ctf_choice *choices, size_t count, size_t member)
{
	size_t i = 0;

	while (i < count && choices[i].member != member)
		i++;
	return i < count;
}

/* The ranges that choose @member. */
static void write_ranges(struct json_class_writer *writer, const struct ctf_choice *choices,
			 size_t count, size_t member, bool is_signed)
{
	json_writer_array(&writer->json, "selector-field-ranges");
	for (size_t i = 0; i < count; i++) {
		if (choices[i].member == member)
			write_range(writer, choices[i].first, choices[i].last, is_signed);
	}
	json_writer_end(&writer->json);
}

static int check_choices(struct json_class_writer *writer, const struct ctf_type *type,
			 size_t count)
{
	if (count > CTF_CHOICES_MAX)
		return fail(writer, type, "a variant of so many ranges");
	return count ? 0 : fail(writer, type, "a variant that nothing selects");
}

/* What no value selects is never there. */
static int write_options(struct json_class_writer *writer, const struct ctf_type *type,
			 const struct ctf_choice *choices, size_t count, bool is_signed)
{
	int err = 0;

	json_writer_array(&writer->json, "options");
	for (size_t i = 0; i < type->member_count && !err; i++) {
		const struct ctf_member *member = &type->members[i];

		if (!is_selected(choices, count, i))
			continue;
		json_writer_object(&writer->json, NULL);
		write_ranges(writer, choices, count, i, is_signed);
		json_writer_string(&writer->json, "name", member->name);
		err = write_class(writer, "field-class", member->type,
				  role_of(writer, member, false));
		write_member_doc(writer, member);
		json_writer_end(&writer->json);
	}
	json_writer_end(&writer->json);
	return err;
}

static int write_optional(struct json_class_writer *writer, const struct ctf_type *type,
			  const struct ctf_type *selector, const struct ctf_choice *choices,
			  size_t count)
{
	const struct ctf_member *content = content_of(type);
	const size_t member = (size_t)(content - type->members);

	if (!selector->boolean && !is_selected(choices, count, member))
		return fail(writer, type, "a field that is never there");
	if (!selector->boolean)
		write_ranges(writer, choices, count, member, selector->is_signed);
	return write_class(writer, "field-class", content->type, role_of(writer, content, false));
}

static int write_variant(struct json_class_writer *writer, const char *name,
			 const struct ctf_type *type)
{
	const struct ctf_type *selector;
	struct ctf_choice *choices;
	size_t count;
	int err;

	begin_class(writer, name, type->optional ? "optional" : "variant");
	err = write_location(writer, "selector-field-location", type, &selector);
	if (!err && reference_choices(&writer->arena, type, selector, &choices, &count))
		return json_class_writer_no_memory(writer);
	if (!err && type->optional) {
		err = write_optional(writer, type, selector, choices, count);
	} else if (!err) {
		err = check_choices(writer, type, count);
		err = err ? err : write_options(writer, type, choices, count, selector->is_signed);
	}
	json_writer_end(&writer->json);
	return err;
}

/* Types are at most CTF_DEPTH_MAX deep. */
static int write_class(struct json_class_writer *writer, const char *name,
		       const struct ctf_type *type, const char *role)
{
	switch (type->kind) {
	case CTF_FLOAT:
		return write_float(writer, name, type);
	case CTF_STRING:
		return write_string(writer, name);
	case CTF_STRUCT:
		return write_struct(writer, name, type);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return write_array(writer, name, type, role);
	case CTF_VARIANT:
		return write_variant(writer, name, type);
	default:
		return write_integer(writer, name, type, role);
	}
}

int json_class_write_root(struct json_class_writer *writer, const char *name,
			  enum json_origin origin, const struct ctf_type *type)
{
	writer->origin = origin;
	writer->roots[origin] = type;
	writer->depth = 0;
	return type ? write_class(writer, name, type, NULL) : 0;
}

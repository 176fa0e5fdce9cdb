// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

/* A payload half flattened. */
struct builder {
	struct arena *arena;
	const struct ctf_event_decl *decl;
	struct diag *diag;
	struct field *fields;
	uint32_t *aligns;
	size_t count;
	uint64_t offset; /* bits, as long as the layout is fixed */
	bool fixed;
	uint32_t lead; /* alignment of structures that begin where the next field does */
	char name[CTF_NAME_MAX_BYTES];
	size_t name_len;
};

static int no_memory(struct builder *builder)
{
	return diag_set(builder->diag, -ENOMEM, "out of memory");
}

static int fail(struct builder *builder, int err, const struct ctf_type *type, const char *what)
{
	(void)diag_set(builder->diag, err, "line %u: event '%s': field '%s' %s", type->line,
		       builder->decl->name, builder->name, what);
	if (builder->diag)
		builder->diag->line = type->line;
	return err;
}

static enum field_show show_of(const struct ctf_type *number)
{
	switch (number->base) {
	case 2:
		return FIELD_SHOW_BINARY;
	case 8:
		return FIELD_SHOW_OCTAL;
	case 16:
		return FIELD_SHOW_HEX;
	default:
		return FIELD_SHOW_DECIMAL;
	}
}

/* What the comment says, but never an address where there are not sixteen whole bytes. */
static void set_doc(struct field *field, const struct ctf_doc *doc)
{
	field->text = doc->text;
	field->unit = doc->unit;
	field->scope = doc->scope;
	if (!doc->has_show)
		return;
	if (doc->show == FIELD_SHOW_ADDRESS && !(field->kind == FIELD_INT && field->count == 16 &&
						 field->bits == 8 && field->align_bits % 8 == 0))
		return;
	field->show = doc->show;
}

/* Whether @name is what @path leads to, whose parts may have the underscore of ctf_member. */
static bool path_is(const char *name, const char *path)
{
	for (;;) {
		size_t len;

		if (path[0] == '_' && path[1] && path[1] != '.')
			path++;
		len = strcspn(path, ".");
		if (strncmp(name, path, len))
			return false;
		name += len;
		path += len;
		if (!*path || *name != '.')
			return !*path && !*name;
		name++;
		path++;
	}
}

/* Room for one more field at the end of both arrays. */
static struct field *push_field(struct builder *builder)
{
	void *fields = builder->fields, *aligns = builder->aligns;
	size_t count = builder->count;
	struct field *field = arena_push(builder->arena, &fields, &count, sizeof(*field));
	uint32_t *align;

	builder->fields = fields;
	count = builder->count;
	align = arena_push(builder->arena, &aligns, &count, sizeof(*align));
	builder->aligns = aligns;
	if (!field || !align)
		return NULL;
	builder->count = count;
	return field;
}

static int add_field(struct builder *builder, const struct ctf_type *type, uint32_t count,
		     uint32_t length, enum field_kind kind, const struct ctf_doc *doc)
{
	uint32_t align = type->align > builder->lead ? type->align : builder->lead;
	uint32_t bits = kind == FIELD_STRING ? 8 : type->size;
	struct field *field;

	if (builder->count >= CTF_FIELDS_MAX)
		return fail(builder, -E2BIG, type, "is one too many");
	field = push_field(builder);
	if (!field)
		return no_memory(builder);
	*field = (struct field){
		.name = arena_text(builder->arena, builder->name, builder->name_len),
		.kind = kind,
		.show = show_of(type),
		.is_signed = type->is_signed,
		.big_endian = type->big_endian,
		.bits = (uint16_t)bits,
		.align_bits = (uint16_t)type->align,
		.count = count,
		.length = length,
		.labels = type->labels,
		.label_count = type->label_count,
	};
	if (!field->name)
		return no_memory(builder);
	set_doc(field, doc);
	builder->aligns[builder->count - 1] = align;
	builder->lead = 1;
	if (field_varies(field))
		builder->fixed = false;
	if (!builder->fixed)
		return 0;
	builder->offset = (builder->offset + align - 1) & ~((uint64_t)align - 1);
	field->offset_bits = (uint32_t)builder->offset;
	builder->offset += (uint64_t)count * bits;
	if (builder->offset > CTF_EVENT_MAX_BYTES * 8ull)
		return fail(builder, -E2BIG, type, "makes the event too large");
	return 0;
}

static int flatten(struct builder *builder, const struct ctf_type *type, const struct ctf_doc *doc);

/* Appends to the dotted name; the caller cuts it back to the length it had. */
static int push_name(struct builder *builder, const char *name, const struct ctf_type *type)
{
	const char *dot = builder->name_len ? "." : "";
	size_t room = sizeof(builder->name) - builder->name_len;
	int len = snprintf(builder->name + builder->name_len, room, "%s%s", dot, name);

	if (len < 0 || (size_t)len >= room)
		return fail(builder, -E2BIG, type, "has too long a name");
	builder->name_len += (size_t)len;
	return 0;
}

static void cut_name(struct builder *builder, size_t len)
{
	builder->name_len = len;
	builder->name[len] = '\0';
}

static int flatten_struct(struct builder *builder, const struct ctf_type *type)
{
	size_t len = builder->name_len;
	int err = 0;

	if (type->align > builder->lead)
		builder->lead = type->align;
	for (size_t i = 0; i < type->member_count && !err; i++) {
		const struct ctf_member *member = &type->members[i];

		err = push_name(builder, member->name, member->type);
		err = err ? err : flatten(builder, member->type, &member->doc);
		cut_name(builder, len);
	}
	return err;
}

/* Elements that are no plain numbers become fields of their own: "name[0]", "name[1]". */
static int flatten_elements(struct builder *builder, const struct ctf_type *type,
			    const struct ctf_doc *doc)
{
	size_t len = builder->name_len;
	int err = 0;

	if (type->count > CTF_FIELDS_MAX)
		return fail(builder, -E2BIG, type, "has too many elements");
	for (uint32_t i = 0; i < type->count && !err; i++) {
		char index[16];
		size_t room = sizeof(builder->name) - len;
		int add = snprintf(index, sizeof(index), "[%u]", i);

		if (add < 0 || (size_t)add >= room)
			return fail(builder, -E2BIG, type, "has too long a name");
		memcpy(builder->name + len, index, (size_t)add + 1);
		builder->name_len = len + (size_t)add;
		err = flatten(builder, type->element, doc);
		cut_name(builder, len);
	}
	return err;
}

/* Elements that lie side by side and can be told apart by their number alone. */
static bool is_plain(const struct ctf_type *element)
{
	return (ctf_type_is_number(element) || element->kind == CTF_FLOAT) &&
	       !(element->size % element->align);
}

static enum field_kind kind_of(const struct ctf_type *element)
{
	if (element->kind == CTF_FLOAT)
		return FIELD_FLOAT;
	if (element->kind == CTF_INTEGER && element->is_text && element->size == 8 &&
	    element->align >= 8)
		return FIELD_TEXT;
	return FIELD_INT;
}

static int flatten_array(struct builder *builder, const struct ctf_type *type,
			 const struct ctf_doc *doc)
{
	const struct ctf_type *element = type->element;

	/* An array without elements still aligns what is behind it. */
	if (type->align > builder->lead)
		builder->lead = type->align;
	if (!type->count)
		return 0;
	if (!is_plain(element))
		return flatten_elements(builder, type, doc);
	return add_field(builder, element, type->count, 0, kind_of(element), doc);
}

/* The integer field whose flattened name is the @scope bytes of ours and @path, or NULL. */
static const struct field *field_at(const struct builder *builder, size_t scope, const char *path)
{
	for (size_t i = 0; i < builder->count; i++) {
		const struct field *field = &builder->fields[i];

		if (!strncmp(field->name, builder->name, scope) &&
		    path_is(field->name + scope, path))
			return field->kind == FIELD_INT && !field_is_many(field) ? field : NULL;
	}
	return NULL;
}

/*
 * CTF 1.8.3, 7.3.2: the length is a field before the sequence, looked for in the structure that
 * holds the sequence, then in those around it; "event.fields." begins at the outermost.
 */
static const struct field *find_length(const struct builder *builder, const char *path)
{
	static const char root[] = "event.fields.";
	size_t scope = builder->name_len;
	const struct field *found = NULL;

	if (!strncmp(path, root, sizeof(root) - 1))
		return field_at(builder, 0, path + sizeof(root) - 1);
	while (!found && scope) {
		do
			scope--;
		while (scope && builder->name[scope - 1] != '.');
		found = field_at(builder, scope, path);
	}
	return found;
}

static int flatten_sequence(struct builder *builder, const struct ctf_type *type,
			    const struct ctf_doc *doc)
{
	const struct ctf_type *element = type->element;
	const struct field *length = find_length(builder, type->ref->path);
	char text[64];

	if (!length)
		return fail(builder, -ENOTSUP, type,
			    "is a sequence, and no integer before it in the event is its length");
	if (!is_plain(element)) {
		(void)snprintf(text, sizeof(text),
			       "is a sequence of type %s, which cannot be read yet",
			       ctf_type_name(element->kind));
		return fail(builder, -ENOTSUP, type, text);
	}
	return add_field(builder, element, 0, (uint32_t)(length - builder->fields) + 1,
			 kind_of(element), doc);
}

static int flatten(struct builder *builder, const struct ctf_type *type, const struct ctf_doc *doc)
{
	char text[64];

	switch (type->kind) {
	case CTF_INTEGER:
	case CTF_ENUM:
		return add_field(builder, type, 1, 0, FIELD_INT, doc);
	case CTF_FLOAT:
		return add_field(builder, type, 1, 0, FIELD_FLOAT, doc);
	case CTF_STRING:
		return add_field(builder, type, 1, 0, FIELD_STRING, doc);
	case CTF_STRUCT:
		return flatten_struct(builder, type);
	case CTF_ARRAY:
		return flatten_array(builder, type, doc);
	case CTF_SEQUENCE:
		return flatten_sequence(builder, type, doc);
	default:
		(void)snprintf(text, sizeof(text), "is a %s, which cannot be read yet",
			       ctf_type_name(type->kind));
		return fail(builder, -ENOTSUP, type, text);
	}
}

static uint32_t *copy_offsets(const struct builder *builder)
{
	uint32_t *offsets = arena_alloc(builder->arena, (builder->count + 1) * sizeof(*offsets));

	for (size_t i = 0; offsets && i < builder->count; i++)
		offsets[i] = builder->fields[i].offset_bits;
	return offsets;
}

static enum event_role role_of(const char *name)
{
	static const struct {
		const char *name;
		enum event_role role;
	} roles[] = {
		{"sonde.task", EVENT_ROLE_TASK},
		{"sonde.symbol", EVENT_ROLE_SYMBOL},
		{"sonde.mapping", EVENT_ROLE_MAPPING},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (!strcmp(roles[i].name, name))
			return roles[i].role;
	}
	return EVENT_ROLE_PLAIN;
}

int ctf_layout_make(struct arena *arena, const struct ctf_event_decl *decl, struct ctf_layout **ret,
		    struct diag *diag)
{
	static const struct ctf_doc no_doc;
	struct builder builder = {
		.arena = arena, .decl = decl, .diag = diag, .fixed = true, .lead = 1};
	struct ctf_layout *layout = arena_alloc(arena, sizeof(*layout));
	uint32_t *offsets;
	int err = layout ? 0 : no_memory(&builder);

	if (!err && decl->fields)
		err = flatten(&builder, decl->fields, &no_doc);
	if (err)
		return err;
	offsets = copy_offsets(&builder);
	if (!offsets)
		return no_memory(&builder);
	layout->class = (struct event_class){
		.id = (uint32_t)decl->id,
		.name = decl->name,
		.text = decl->text,
		.role = role_of(decl->name),
		.fixed = builder.fixed,
		.payload_bytes = builder.fixed ? (uint32_t)((builder.offset + 7) / 8) : 0,
		.field_count = builder.count,
		.fields = builder.fields,
		.offsets = offsets,
	};
	layout->align = decl->fields ? decl->fields->align : 1;
	layout->payload_bits = (uint32_t)builder.offset;
	layout->aligns = builder.aligns;
	*ret = layout;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_text.h"

#include "base/buffer.h"
#include "ctf/metadata_field.h"
#include "ctf/natural_node.h"
#include "ctf/type.h"

static void write_type(struct buffer *out, const struct natural_node *node, unsigned int depth);

/* Of what is an array of arrays, the outermost comes first. */
static void write_brackets(struct buffer *out, const struct natural_node *node)
{
	if (node->kind != NATURAL_LIST && node->kind != NATURAL_FIELD)
		return;
	if (node->path)
		buffer_format(out, "[%s]", node->path);
	else if (field_is_many(&node->field))
		buffer_format(out, "[%u]", node->field.count);
	if (node->kind == NATURAL_LIST)
		write_brackets(out, node->inner);
}

/* The variant that it is, or of which it is an array. */
static bool is_optional(const struct natural_node *node)
{
	while (node->kind == NATURAL_LIST)
		node = node->inner;
	return node->kind == NATURAL_VARIANT && node->variant->optional;
}

static void write_doc(struct buffer *out, const struct natural_node *node)
{
	bool is_field = node->kind == NATURAL_FIELD || node->kind == NATURAL_LIST;

	if (node->kind == NATURAL_LENGTH || node->kind == NATURAL_TAG)
		buffer_string(out, "; /** [; object; " CTF_DOC_HIDDEN "] */\n");
	else if (is_optional(node))
		buffer_string(out, "; /** [; object; " CTF_DOC_OPTIONAL "] */\n");
	else if (is_field)
		metadata_doc(out, &node->field);
	else
		buffer_string(out, ";\n");
}

static void write_members(struct buffer *out, const struct natural_node *node, unsigned int depth)
{
	for (node = node->inner; node; node = node->next) {
		buffer_pad(out, '\t', depth + 1);
		write_type(out, node, depth + 1);
		buffer_format(out, " %s", node->name);
		write_brackets(out, node);
		write_doc(out, node);
	}
	buffer_pad(out, '\t', depth);
	buffer_char(out, '}');
}

/* A tag of our own numbers the options. */
static void write_tag(struct buffer *out, const struct natural_node *node)
{
	unsigned int value = 0;

	buffer_format(out, "enum : integer { size = %u; align = 8; signed = false; } {",
		      node->bits);
	for (const struct natural_node *option = node->of->inner; option; option = option->next)
		buffer_format(out, "%s \"%s\" = %u", value ? "," : "", option->name, value),
			value++;
	buffer_string(out, " }");
}

static void write_type(struct buffer *out, const struct natural_node *node, unsigned int depth)
{
	switch (node->kind) {
	case NATURAL_FIELD:
		metadata_type(out, &node->field);
		break;
	case NATURAL_LIST:
		write_type(out, node->inner, depth);
		break;
	case NATURAL_STRUCT:
		buffer_string(out, "struct {\n");
		write_members(out, node, depth);
		break;
	case NATURAL_VARIANT:
		buffer_format(out, "variant <%s> {\n", node->path);
		write_members(out, node, depth);
		break;
	case NATURAL_TAG:
		write_tag(out, node);
		break;
	case NATURAL_LENGTH:
		buffer_string(out, "u32");
		break;
	case NATURAL_TASK:
		buffer_string(out, "s32");
		break;
	}
}

void natural_text_write(struct buffer *out, const struct natural_node *root)
{
	write_type(out, root, 1);
}

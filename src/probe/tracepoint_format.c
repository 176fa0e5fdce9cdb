// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

#define DATA_LOC "__data_loc "
#define REL_LOC "__rel_loc "

struct parse {
	struct tracepoint_format *format;
	unsigned int line;
	bool has_id;
	struct diag *diag;
};

static int fail(const struct parse *p, int err, const char *what)
{
	diag_set(p->diag, err, "line %u of its format: %s", p->line, what);
	if (p->diag)
		p->diag->line = p->line;
	return err;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The number behind "@key:" in @text up to the next semicolon; false without one. */
static bool take_number(char **text, const char *key, uint32_t limit, uint32_t *ret)
{
	size_t len = strlen(key);
	char *at = *text + strspn(*text, "\t "), *end;
	unsigned long value;

	if (strncmp(at, key, len) || at[len] != ':')
		return false;
	at += len + 1 + strspn(at + len + 1, " ");
	if (*at < '0' || *at > '9')
		return false;
	value = strtoul(at, &end, 10);
	if (value > limit || (*end != ';' && *end))
		return false;
	*ret = (uint32_t)value;
	*text = *end ? end + 1 : end;
	return true;
}

static void trim_end(char *start, char *end)
{
	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = 0;
}

/* "char comm[16]": cuts the brackets off. false where they do not pair. */
static bool take_brackets(char *decl, struct format_field *field)
{
	char *end = decl + strlen(decl), *open;

	if (end == decl || end[-1] != ']')
		return true;
	open = strchr(decl, '[');
	if (!open)
		return false;
	end[-1] = 0;
	field->brackets = open + 1;
	trim_end(decl, open);
	return !strpbrk(field->brackets, "[]");
}

/* "unsigned long addr": the name is the last word. */
static bool take_name(char *decl, struct format_field *field)
{
	char *end = decl + strlen(decl), *name = end;

	while (name > decl && is_word(name[-1]))
		name--;
	if (name == end || name == decl || (*name >= '0' && *name <= '9'))
		return false;
	field->name = name;
	/* "void *data": the colon in front of it makes room for a NUL behind the type. */
	memmove(decl - 1, decl, (size_t)(name - decl));
	trim_end(decl - 1, name - 1);
	field->type = decl - 1;
	return is_word(*field->type);
}

/* "char[] name": of what lies elsewhere the brackets stand behind the type. */
static bool take_type_brackets(char *type, struct format_field *field)
{
	size_t len = strlen(type);

	if (len < 2 || strcmp(type + len - 2, "[]"))
		return !strpbrk(type, "[]");
	field->brackets = "";
	trim_end(type, type + len - 2);
	return *type && !strpbrk(type, "[]");
}

/* "const char *name", "u8 fsid[16]", "__data_loc char[] name". */
static bool take_declaration(char *decl, struct format_field *field)
{
	char *type;

	if (!take_brackets(decl, field) || !take_name(decl, field))
		return false;
	type = (char *)field->type;
	if (!strncmp(type, DATA_LOC, strlen(DATA_LOC))) {
		field->place = FORMAT_DATA_LOC;
		field->type += strlen(DATA_LOC);
	} else if (!strncmp(type, REL_LOC, strlen(REL_LOC))) {
		field->place = FORMAT_REL_LOC;
		field->type += strlen(REL_LOC);
	}
	if (field->place != FORMAT_INSIDE && (field->brackets || field->size != 4))
		return false;
	return take_type_brackets((char *)field->type, field) &&
	       (field->place != FORMAT_INSIDE || !field->brackets || field->brackets[0]);
}

static bool is_known_name(const struct tracepoint_format *format, const char *name)
{
	for (size_t i = 0; i < format->field_count; i++) {
		if (!strcmp(format->fields[i].name, name))
			return true;
	}
	return false;
}

/* Where the fields so far end. */
static uint32_t end_of(const struct tracepoint_format *format)
{
	const struct format_field *last = format->fields + format->field_count - 1;

	return format->field_count ? last->offset + (uint32_t)last->size : FORMAT_COMMON_BYTES;
}

static int keep_field(struct parse *p, const struct format_field *field)
{
	struct tracepoint_format *format = p->format;

	if (!strncmp(field->name, "common_", 7))
		return 0;
	if (!field->size)
		return 0; /* a flexible array: nothing of it is there */
	if (field->offset < end_of(format))
		return fail(p, -EBADMSG, "a field overlaps the one before it");
	if (is_known_name(format, field->name))
		return fail(p, -EBADMSG, "two fields have the same name");
	if (format->field_count == FORMAT_FIELD_MAX)
		return fail(p, -E2BIG, "more fields than sonde takes");
	format->fields[format->field_count++] = *field;
	return 0;
}

/* "\tfield:unsigned int len;\toffset:16;\tsize:4;\tsigned:0;" */
static int take_field(struct parse *p, char *line)
{
	char *decl = strchr(line, ':') + 1, *rest = strchr(decl, ';');
	uint32_t offset, size, is_signed = 0;
	struct format_field field = {0};

	if (!rest)
		return fail(p, -EBADMSG, "a field without an end");
	*rest++ = 0;
	if (!take_number(&rest, "offset", FORMAT_BYTES_MAX, &offset) ||
	    !take_number(&rest, "size", FORMAT_BYTES_MAX, &size) ||
	    offset + size > FORMAT_BYTES_MAX)
		return fail(p, -EBADMSG,
			    "a field needs an offset and a size, of at most 8192 bytes");
	(void)take_number(&rest, "signed", 1, &is_signed); /* missing before 2.6.36 */
	field.offset = (uint16_t)offset;
	field.size = (uint16_t)size;
	field.is_signed = is_signed;
	if (!take_declaration(decl, &field))
		return fail(p, -EBADMSG, "the declaration of a field is not understood");
	return keep_field(p, &field);
}

static int take_line(struct parse *p, char *line)
{
	char *text = line + strspn(line, "\t ");

	if (!strncmp(text, "field:", 6) || !strncmp(text, "field special:", 14))
		return take_field(p, text);
	if (!strncmp(text, "print fmt:", 10)) {
		p->format->print = text + 10 + strspn(text + 10, " ");
		return 0;
	}
	if (!strncmp(text, "ID:", 3)) {
		p->has_id = take_number(&text, "ID", INT32_MAX, &p->format->id);
	}
	return 0; /* "name:", "format:", and what later kernels may add */
}

int tracepoint_format_parse(char *text, struct tracepoint_format *ret, struct diag *diag)
{
	struct parse p = {.format = ret, .diag = diag};
	int err = 0;

	*ret = (struct tracepoint_format){.print = ""};
	for (char *line = text, *next; !err && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		p.line++;
		err = take_line(&p, line);
	}
	if (!err && !p.has_id)
		return diag_set(diag, -EBADMSG, "the format has no ID");
	return err;
}

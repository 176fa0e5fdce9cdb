/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata_field: TSDL for the fields of one event class, and for the names and texts in it.
 *
 * Dotted names become structures again, wherever fields that share the part before a dot follow
 * each other. The types that it names (u8, u32, ...) are those that metadata_write declares.
 */
#ifndef SONDE_CTF_METADATA_FIELD_H
#define SONDE_CTF_METADATA_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct event_class;
struct field;

/* A string literal: quotes, backslashes and control characters escaped. */
void metadata_string(struct buffer *out, const char *text);
/* Inside a comment nothing may look like its end. NULL = nothing. */
void metadata_comment(struct buffer *out, const char *text);
/*
 * A name: what no identifier may have becomes an underscore. Readers drop an underscore in front
 * (CTF 1.8.3, 7.3.2), which keeps a name apart from keywords; one that begins with its own gets
 * another.
 */
void metadata_name(struct buffer *out, const char *name, size_t len);

/* What leads to the field of this name from the outermost structure. */
void metadata_path(struct buffer *out, const char *name);
/* Whether @text can be written as an identifier, and has no other meaning. */
bool metadata_is_name(const char *text);
/* Whether @text, or NULL, is a UUID as RFC 4122, section 3, has it: 8-4-4-4-12 digits. */
bool metadata_is_uuid(const char *text);

/* The type of one element of a field, and, behind the declaration, what the field means. */
void metadata_type(struct buffer *out, const struct field *field);
void metadata_doc(struct buffer *out, const struct field *field);

/* The members of the structure that is the context, of the one that is the payload. */
void metadata_context(struct buffer *out, const struct event_class *class);
void metadata_fields(struct buffer *out, const struct event_class *class);
/* On what bits field @i begins: its own alignment, or that of a structure that begins with it. */
uint32_t metadata_field_align(const struct event_class *class, size_t i);

#endif /* SONDE_CTF_METADATA_FIELD_H */

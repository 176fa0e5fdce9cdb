// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/diag.h"
#include "ctf/block_parse.h"
#include "ctf/json_metadata.h"
#include "ctf/parser.h"
#include "ctf/resolve.h"
#include "ctf/trace_class.h"
#include "ctf/type_parse.h"
#include "wire/ctf.h"

struct head {
	uint64_t content_bytes; /* head included, like the next */
	uint64_t packet_bytes;
};

static bool is_big(const char *bytes)
{
	struct cursor cur;

	cursor_init(&cur, bytes, 4);
	return cursor_be32(&cur) == CTF_METADATA_MAGIC;
}

bool metadata_packet_is(const char *bytes, size_t len)
{
	struct cursor cur;

	if (len < 4)
		return false;
	cursor_init(&cur, bytes, 4);
	return is_big(bytes) || cursor_le32(&cur) == CTF_METADATA_MAGIC;
}

static int fail(struct diag *diag, int err, size_t at, const char *what)
{
	(void)diag_set(diag, err, "the metadata packet at offset %zu %s", at, what);
	if (diag)
		diag->offset = at;
	return err;
}

static bool is_known(unsigned int major, unsigned int minor)
{
	return (major == 1 && minor == 8) || (major == 2 && minor == 0);
}

static int parse_head(const char *bytes, size_t len, size_t at, struct head *ret, struct diag *diag)
{
	struct cursor cur;
	unsigned int major;
	bool big;

	if (len - at < CTF_METADATA_HEAD_BYTES || !metadata_packet_is(bytes + at, len - at))
		return fail(diag, -EBADMSG, at, "has no head");
	big = is_big(bytes + at);
	cursor_init(&cur, bytes + at, len - at);
	cursor_skip(&cur, 4 + CTF_UUID_BYTES + 4);
	ret->content_bytes = (big ? cursor_be32(&cur) : cursor_le32(&cur)) / 8;
	ret->packet_bytes = (big ? cursor_be32(&cur) : cursor_le32(&cur)) / 8;
	if (cursor_u8(&cur) || cursor_u8(&cur))
		return fail(diag, -ENOTSUP, at, "is compressed or encrypted");
	cursor_skip(&cur, 1);
	major = cursor_u8(&cur);
	if (!is_known(major, cursor_u8(&cur)))
		return fail(diag, -ENOTSUP, at, "is of another version than 1.8 and 2.0");
	if (ret->content_bytes < CTF_METADATA_HEAD_BYTES || ret->packet_bytes < ret->content_bytes)
		return fail(diag, -EBADMSG, at, "has sizes that cannot be");
	return 0;
}

int metadata_packet_bytes(const char *bytes, size_t len, size_t *ret, struct diag *diag)
{
	struct head head = {0};
	int err = parse_head(bytes, len, 0, &head, diag);

	if (!err)
		*ret = (size_t)head.packet_bytes;
	return err;
}

int metadata_packet_join(const char *bytes, size_t len, char **ret, size_t *ret_len,
			 struct diag *diag)
{
	char *text = malloc(len + 1);
	size_t text_len = 0, at = 0;
	int err = 0;

	if (!text)
		return diag_set(diag, -ENOMEM, "out of memory");
	while (at < len) {
		struct head head = {0};
		size_t content;

		err = parse_head(bytes, len, at, &head, diag);
		if (err)
			break;
		content = head.content_bytes < len - at ? (size_t)head.content_bytes : len - at;
		content -= CTF_METADATA_HEAD_BYTES;
		memcpy(text + text_len, bytes + at + CTF_METADATA_HEAD_BYTES, content);
		text_len += content;
		at += head.packet_bytes < len - at ? (size_t)head.packet_bytes : len - at;
	}
	/* After a valid packet, other bytes are treated as a truncated text. */
	if (err && !text_len) {
		free(text);
		return err;
	}
	*ret = text;
	*ret_len = text_len;
	return 0;
}

static int parse_top(struct parser *parser)
{
	if (type_parse_is_declaration(parser))
		return type_parse_declaration(parser);
	return block_parse(parser);
}

static int parse_all(struct parser *parser)
{
	int err = parser_advance(parser);

	while (!err && parser->token.kind != TOKEN_END)
		err = parse_top(parser);
	return err;
}

/* Whatever was declared before the text broke off can be read with. */
static int accept_cut(struct ctf_trace_class *trace, const struct diag *diag, int err)
{
	if (err != -ENODATA || !(trace->event_count + trace->skipped_events))
		return err;
	trace->cut = true;
	(void)snprintf(trace->cut_text, sizeof(trace->cut_text), "%.200s", diag->text);
	return 0;
}

/*
 * A text that breaks off inside a word, a number or a mark of several characters seems to be wrong at its very end:
 * whether that is so. The parser is one token ahead at most.
 */
static bool breaks_off(const struct lexer *lexer)
{
	const char last = lexer->text[lexer->len - 1];

	return lexer->at + 1 >= lexer->len &&
	       (isalnum((unsigned char)last) || memchr("_$:./", last, 5));
}

static int parse_text(const char *text, size_t len, struct ctf_trace_class *trace,
		      struct diag *diag)
{
	struct scope scope;
	struct parser parser = {.trace = trace, .scope = &scope, .diag = diag};
	int err;

	if (json_metadata_is(text, len))
		return accept_cut(trace, diag, json_metadata_read(text, len, trace, diag));
	scope_init(&scope, NULL);
	lexer_init(&parser.lexer, text, len);
	err = parse_all(&parser);
	if (err == -EBADMSG && breaks_off(&parser.lexer))
		err = -ENODATA;
	return accept_cut(trace, diag, err);
}

static int read_metadata(const char *text, size_t len, bool without_events,
			 struct ctf_trace_class **ret, struct diag *diag)
{
	struct diag own = {.text = ""};
	struct ctf_trace_class *trace = NULL;
	char *joined = NULL;
	int err;

	diag = diag ? diag : &own;
	if (!len)
		return diag_set(diag, -ENODATA, "the metadata is empty");
	if (metadata_packet_is(text, len)) {
		err = metadata_packet_join(text, len, &joined, &len, diag);
		if (err)
			return err;
		text = joined;
	}
	trace = ctf_trace_class_new();
	if (!trace) {
		err = diag_set(diag, -ENOMEM, "out of memory");
		goto out;
	}
	trace->without_events = without_events;
	err = parse_text(text, len, trace, diag);
	err = err ? err : resolve_trace(trace, diag);
	if (err)
		goto out;
	*ret = trace;
	trace = NULL;
out:
	ctf_trace_class_free(trace);
	free(joined);
	return err;
}

int metadata_read(const char *text, size_t len, struct ctf_trace_class **ret, struct diag *diag)
{
	return read_metadata(text, len, false, ret, diag);
}

int metadata_read_head(const char *text, size_t len, struct ctf_trace_class **ret,
		       struct diag *diag)
{
	return read_metadata(text, len, true, ret, diag);
}

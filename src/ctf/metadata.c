// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/block_parse.h"
#include "ctf/json_metadata.h"
#include "ctf/metadata_packet.h"
#include "ctf/parser.h"
#include "ctf/resolve.h"
#include "ctf/trace_class.h"
#include "ctf/type_parse.h"

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

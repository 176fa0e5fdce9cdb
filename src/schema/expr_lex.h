/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_lex: the words of an expression, one at a time.
 */
#ifndef SONDE_SCHEMA_EXPR_LEX_H
#define SONDE_SCHEMA_EXPR_LEX_H

#include <stddef.h>
#include <stdint.h>

#include "schema/expr_number.h"

struct diag;

enum expr_token_kind {
	TOKEN_END,
	/* A name: letters, digits, '_', and '.' or ':' between them; or anything in backquotes, which
	 * are part of it. */
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_TEXT, /* in quotes, which are part of it */
	TOKEN_ADDRESS, /* of IPv4 or IPv6, with or without "/bits" */
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_EQUAL,
	TOKEN_DIFFERENT,
	TOKEN_LESS,
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER,
	TOKEN_GREATER_EQUAL,
	TOKEN_LIKE, /* ~ */
	TOKEN_IN, /* the word */
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_OPEN_INDEX,
	TOKEN_CLOSE_INDEX,
	TOKEN_COMMA,
	TOKEN_RANGE, /* .. */
	TOKEN_POINT, /* behind the element of a list */
	TOKEN_MINUS,
};

struct expr_token {
	enum expr_token_kind kind;
	size_t at; /* bytes from the start */
	size_t len;
	struct expr_number number;
};

/* The token at *@at or behind blanks there; *@at moves past it. -EINVAL: no valid token, the diag
 * says why, and its offset where. */
int expr_lex(const char *text, size_t *at, struct expr_token *ret, struct diag *diag);

#endif /* SONDE_SCHEMA_EXPR_LEX_H */

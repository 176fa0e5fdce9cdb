/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lexer: cuts metadata text (TSDL, CTF 1.8.3 section C) into tokens.
 *
 * Keywords are plain identifiers here: the parser knows where a word is one. Comments are dropped,
 * but for one of the form "/" "** ... *" "/" in front of a token, which that token carries along.
 */
#ifndef SONDE_CTF_LEXER_H
#define SONDE_CTF_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct diag;

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_STRING, /* start and len are what is between the quotes, escapes as written */
	TOKEN_ASSIGN_TYPE, /* := */
	TOKEN_RANGE, /* ... */
	TOKEN_MARK, /* one of {}[]()<>;,=:.*+- : `value` is the character */
};

struct token {
	enum token_kind kind;
	unsigned int line;
	const char *start; /* in the text */
	size_t len;
	bool has_nul; /* a string has the byte 0 inside, which ends it for C */
	uint64_t value; /* of a number, or the character of a mark */
	const char *doc; /* inside of the first doc comment in front of it; NULL = none */
	size_t doc_len;
};

struct lexer {
	const char *text;
	size_t len;
	size_t at;
	unsigned int line;
};

/* Borrows @text, which need not end with a NUL. */
void lexer_init(struct lexer *lexer, const char *text, size_t len);
/* 0 with the next token (TOKEN_END at the end, again and again), -EBADMSG or -E2BIG. */
int lexer_next(struct lexer *lexer, struct token *ret, struct diag *diag);
/* The text that a string token stands for; NULL = no memory. Escapes were checked already. */
char *token_unescape(const struct token *token, struct arena *arena);

#endif /* SONDE_CTF_LEXER_H */

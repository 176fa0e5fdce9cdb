// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/lexer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "wire/ctf.h"

void lexer_init(struct lexer *lexer, const char *text, size_t len)
{
	*lexer = (struct lexer){.text = text, .len = len, .line = 1};
}

static int peek(const struct lexer *lexer, size_t ahead)
{
	size_t at = lexer->at + ahead;

	return at < lexer->len ? (unsigned char)lexer->text[at] : -1;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static int digit_value(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static int fail(const struct lexer *lexer, struct diag *diag, int err, const char *what)
{
	(void)diag_set(diag, err, "%s", what);
	if (diag) {
		diag->line = lexer->line;
		diag->offset = lexer->at;
	}
	return err;
}

static bool skip_line_comment(struct lexer *lexer)
{
	while (lexer->at < lexer->len && lexer->text[lexer->at] != '\n')
		lexer->at++;
	return true;
}

static void note_doc(struct token *token, const char *start, size_t len)
{
	if (token->doc)
		return;
	while (len && strchr(" \t\r\n*", *start) && *start) {
		start++;
		len--;
	}
	while (len && strchr(" \t\r\n*", start[len - 1]) && start[len - 1])
		len--;
	token->doc = start;
	token->doc_len = len;
}

/* At the slash of a block comment. */
static bool skip_block_comment(struct lexer *lexer, struct token *token)
{
	size_t start = lexer->at + 2;

	for (size_t i = start; i + 1 < lexer->len; i++) {
		if (lexer->text[i] == '*' && lexer->text[i + 1] == '/') {
			if (i > start && lexer->text[start] == '*')
				note_doc(token, lexer->text + start, i - start);
			lexer->at = i + 2;
			return true;
		}
		if (lexer->text[i] == '\n')
			lexer->line++;
	}
	lexer->at = lexer->len;
	return false;
}

static int skip_blanks(struct lexer *lexer, struct token *token, struct diag *diag)
{
	for (;;) {
		int c = peek(lexer, 0);

		if (c == '\n')
			lexer->line++;
		if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
			lexer->at++;
		} else if (c == '/' && peek(lexer, 1) == '/') {
			skip_line_comment(lexer);
		} else if (c == '/' && peek(lexer, 1) == '*') {
			if (!skip_block_comment(lexer, token))
				return fail(lexer, diag, -ENODATA, "the comment does not end");
		} else {
			return 0;
		}
	}
}

static int lex_word(struct lexer *lexer, struct token *token, struct diag *diag)
{
	size_t start = lexer->at;

	while (is_word_start(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
		lexer->at++;
	token->kind = TOKEN_WORD;
	token->len = lexer->at - start;
	if (token->len > CTF_TOKEN_MAX_BYTES)
		return fail(lexer, diag, -E2BIG, "the word is too long");
	return 0;
}

/* Decimal, 0x hexadecimal, 0b binary or 0 octal, with C's suffixes. */
static int lex_number(struct lexer *lexer, struct token *token, struct diag *diag)
{
	int base = 10, prefix = 0;
	size_t digits = 0;

	if (peek(lexer, 0) == '0' && (peek(lexer, 1) | 0x20) == 'x')
		base = 16, prefix = 2;
	else if (peek(lexer, 0) == '0' && (peek(lexer, 1) | 0x20) == 'b')
		base = 2, prefix = 2;
	else if (peek(lexer, 0) == '0')
		base = 8;
	lexer->at += (size_t)prefix;
	for (; digit_value(peek(lexer, 0)) < base; lexer->at++, digits++) {
		uint64_t digit = (uint64_t)digit_value(peek(lexer, 0));

		if (__builtin_mul_overflow(token->value, (uint64_t)base, &token->value) ||
		    __builtin_add_overflow(token->value, digit, &token->value))
			return fail(lexer, diag, -EBADMSG, "the number does not fit 64 bits");
	}
	while (peek(lexer, 0) > 0 && strchr("uUlL", peek(lexer, 0)))
		lexer->at++;
	if (!digits || is_word_start(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
		return fail(lexer, diag, -EBADMSG, "this is not a number");
	token->kind = TOKEN_NUMBER;
	return 0;
}

/* Bytes that the escape behind a backslash takes, and what it stands for; 0 = no such escape. */
static size_t escape_parse(const char *text, size_t len, char *ret)
{
	static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *named = len && text[0] ? strchr(names, text[0]) : NULL;
	unsigned int value = 0;
	size_t i = 0;

	if (named) {
		*ret = values[named - names];
		return 1;
	}
	if (len && text[0] == 'x') {
		for (i = 1; i < len && i < 3 && digit_value(text[i]) < 16; i++)
			value = value * 16 + (unsigned int)digit_value(text[i]);
		*ret = (char)value;
		return i > 1 ? i : 0;
	}
	for (; i < len && i < 3 && digit_value(text[i]) < 8; i++)
		value = value * 8 + (unsigned int)digit_value(text[i]);
	*ret = (char)value;
	return i;
}

/* A string, or a character constant, which is taken as a string of its own. */
static int lex_string(struct lexer *lexer, struct token *token, struct diag *diag)
{
	char quote = lexer->text[lexer->at++];
	char ignored;

	token->kind = TOKEN_STRING;
	token->start = lexer->text + lexer->at;
	for (;;) {
		int c = peek(lexer, 0);
		size_t take;

		if (c < 0)
			return fail(lexer, diag, -ENODATA, "the string does not end");
		if (c == quote)
			break;
		token->has_nul |= !c;
		lexer->at++;
		if (c == '\n')
			lexer->line++;
		if (c != '\\')
			continue;
		if (lexer->at == lexer->len)
			return fail(lexer, diag, -ENODATA, "the string does not end");
		take = escape_parse(lexer->text + lexer->at, lexer->len - lexer->at, &ignored);
		if (!take)
			return fail(lexer, diag, -EBADMSG, "the string has an unknown escape");
		lexer->at += take;
	}
	token->len = (size_t)(lexer->text + lexer->at - token->start);
	lexer->at++;
	if (token->len > CTF_TOKEN_MAX_BYTES)
		return fail(lexer, diag, -E2BIG, "the string is too long");
	return 0;
}

static int lex_mark(struct lexer *lexer, struct token *token, struct diag *diag)
{
	int c = peek(lexer, 0);

	if (c == ':' && peek(lexer, 1) == '=') {
		token->kind = TOKEN_ASSIGN_TYPE;
		lexer->at += 2;
	} else if (c == '.' && peek(lexer, 1) == '.' && peek(lexer, 2) == '.') {
		token->kind = TOKEN_RANGE;
		lexer->at += 3;
	} else if (c > 0 && strchr("{}[]()<>;,=:.*+-", c)) {
		token->kind = TOKEN_MARK;
		token->value = (uint64_t)c;
		lexer->at++;
	} else {
		char text[64];

		(void)snprintf(text, sizeof(text), "no token of metadata begins with byte 0x%02x",
			       c);
		return fail(lexer, diag, -EBADMSG, text);
	}
	token->len = (size_t)(lexer->text + lexer->at - token->start);
	return 0;
}

int lexer_next(struct lexer *lexer, struct token *ret, struct diag *diag)
{
	struct token token = {0};
	int err = skip_blanks(lexer, &token, diag);
	int c = peek(lexer, 0);

	if (err)
		return err;
	token.line = lexer->line;
	token.start = lexer->text + lexer->at;
	if (c < 0)
		token.kind = TOKEN_END;
	else if (c == 'L' && (peek(lexer, 1) == '"' || peek(lexer, 1) == '\''))
		lexer->at++, err = lex_string(lexer, &token, diag);
	else if (is_word_start(c))
		err = lex_word(lexer, &token, diag);
	else if (is_digit(c))
		err = lex_number(lexer, &token, diag);
	else if (c == '"' || c == '\'')
		err = lex_string(lexer, &token, diag);
	else
		err = lex_mark(lexer, &token, diag);
	if (err)
		return err;
	*ret = token;
	return 0;
}

char *token_unescape(const struct token *token, struct arena *arena)
{
	char *text = arena_alloc(arena, token->len + 1);
	size_t len = 0;

	if (!text)
		return NULL;
	for (size_t i = 0; i < token->len;) {
		if (token->start[i] != '\\') {
			text[len++] = token->start[i++];
			continue;
		}
		i++;
		i += escape_parse(token->start + i, token->len - i, &text[len++]);
	}
	return text;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_lex.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/diag.h"

/* The longer ones first. */
static const struct {
	const char *text;
	enum expr_token_kind kind;
} signs[] = {
	{"&&", TOKEN_AND},	 {"||", TOKEN_OR},	   {"==", TOKEN_EQUAL},
	{"!=", TOKEN_DIFFERENT}, {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
	{"..", TOKEN_RANGE},	 {"<", TOKEN_LESS},	   {">", TOKEN_GREATER},
	{"!", TOKEN_NOT},	 {"~", TOKEN_LIKE},	   {"(", TOKEN_OPEN},
	{")", TOKEN_CLOSE},	 {"[", TOKEN_OPEN_INDEX},  {"]", TOKEN_CLOSE_INDEX},
	{",", TOKEN_COMMA},	 {".", TOKEN_POINT},	   {"-", TOKEN_MINUS},
};

/* Operators of other languages. */
static const struct {
	char sign;
	const char *why;
} mistakes[] = {
	{'=', "'=' is not an operator: use == for equal, ~ for a pattern"},
	{'&', "'&' is not an operator: use && for and"},
	{'|', "'|' is not an operator: use || for or"},
	{'*', "a pattern goes in quotes, behind ~"},
};

static int fail(struct diag *diag, size_t at, const char *why)
{
	(void)diag_set(diag, -EINVAL, "%s", why);
	if (diag)
		diag->offset = at;
	return -EINVAL;
}

static bool begins_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool in_word(char c)
{
	return begins_word(c) || is_digit(c);
}

static size_t word_len(const char *text)
{
	size_t len = 1;

	while (in_word(text[len]) ||
	       ((text[len] == '.' || text[len] == ':') && in_word(text[len + 1])))
		len++;
	return len;
}

/* With both quotes; 0: the closing one is missing. A backslash takes the next byte along. */
static size_t text_len(const char *text)
{
	size_t len = 1;

	while (text[len] && text[len] != text[0])
		len += text[len] == '\\' && text[len + 1] ? 2 : 1;
	return text[len] ? len + 1 : 0;
}

/*
 * An address, 0 if it is not one: 10.0.0.1, fd00::/8. A text that could be a name as well is a name,
 * unless it has all parts of an address.
 */
static size_t address_len(const char *text)
{
	size_t len = strspn(text, "0123456789abcdefABCDEF:."), digits;
	char copy[INET6_ADDRSTRLEN];
	uint8_t address[16];

	if (len < 2 || len >= sizeof(copy))
		return 0;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (inet_pton(AF_INET, copy, address) != 1 && inet_pton(AF_INET6, copy, address) != 1)
		return 0;
	if (text[len] == '/') {
		digits = strspn(text + len + 1, "0123456789");
		len += digits ? 1 + digits : 0;
	}
	return in_word(text[len]) ? 0 : len;
}

static int lex_sign(const char *text, struct expr_token *token, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		token->len = strlen(signs[i].text);
		token->kind = signs[i].kind;
		if (!strncmp(text, signs[i].text, token->len))
			return 0;
	}
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		if (*text == mistakes[i].sign)
			return fail(diag, token->at, mistakes[i].why);
	}
	return fail(diag, token->at, "this is nothing that expressions have");
}

static int lex_number(const char *text, struct expr_token *token, struct diag *diag)
{
	int len = expr_number_parse(text, strlen(text), &token->number, diag);

	if (len < 0) {
		if (diag)
			diag->offset += token->at;
		return len;
	}
	token->kind = TOKEN_NUMBER;
	token->len = (size_t)len;
	if (in_word(text[len]) || (text[len] == '.' && is_digit(text[len + 1])))
		return fail(diag, token->at, "this is neither a number nor an address");
	return 0;
}

int expr_lex(const char *text, size_t *at, struct expr_token *ret, struct diag *diag)
{
	struct expr_token token = {.at = *at + strspn(text + *at, " \t\r\n")};
	const char *p = text + token.at;
	int err = 0;

	token.len = address_len(p);
	if (token.len) {
		token.kind = TOKEN_ADDRESS;
	} else if (begins_word(*p)) {
		token.len = word_len(p);
		token.kind = token.len == 2 && !memcmp(p, "in", 2) ? TOKEN_IN : TOKEN_WORD;
	} else if (is_digit(*p)) {
		err = lex_number(p, &token, diag);
	} else if (*p == '"' || *p == '\'' || *p == '`') {
		token.kind = *p == '`' ? TOKEN_WORD : TOKEN_TEXT;
		token.len = text_len(p);
		if (!token.len)
			return fail(diag, token.at, "the closing quote is missing");
	} else if (*p) {
		err = lex_sign(p, &token, diag);
	}
	if (err)
		return err;
	*at = token.at + token.len;
	*ret = token;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "schema/expr_lex.h"

struct parser {
	struct expr *expr;
	struct diag *diag;
	size_t at; /* behind `token` */
	struct expr_token token; /* the next one */
	size_t pool_len;
	unsigned int depth;
};

static const struct {
	enum expr_token_kind token;
	enum expr_operator op;
	enum expr_operator mirrored; /* with its sides exchanged */
} operators[] = {
	{TOKEN_EQUAL, EXPR_EQUAL, EXPR_EQUAL},
	{TOKEN_DIFFERENT, EXPR_DIFFERENT, EXPR_DIFFERENT},
	{TOKEN_LESS, EXPR_LESS, EXPR_GREATER},
	{TOKEN_LESS_EQUAL, EXPR_LESS_EQUAL, EXPR_GREATER_EQUAL},
	{TOKEN_GREATER, EXPR_GREATER, EXPR_LESS},
	{TOKEN_GREATER_EQUAL, EXPR_GREATER_EQUAL, EXPR_LESS_EQUAL},
	{TOKEN_LIKE, EXPR_LIKE, EXPR_LIKE},
	{TOKEN_IN, EXPR_IN, EXPR_IN},
};
#define OPERATORS (sizeof(operators) / sizeof(operators[0]))

static int fail(struct parser *parser, size_t at, int err, const char *why)
{
	(void)diag_set(parser->diag, err, "%s", why);
	if (parser->diag)
		parser->diag->offset = at;
	return err;
}

static int advance(struct parser *parser)
{
	return expr_lex(parser->expr->text, &parser->at, &parser->token, parser->diag);
}

static int expect(struct parser *parser, enum expr_token_kind kind, const char *why)
{
	if (parser->token.kind != kind)
		return fail(parser, parser->token.at, -EINVAL, why);
	return advance(parser);
}

static int add_node(struct parser *parser, const struct expr_node *node, uint32_t *ret)
{
	struct expr *expr = parser->expr;

	if (expr->node_count == EXPR_MAX_NODES) {
		free(node->members);
		return fail(parser, node->at, -E2BIG, "the expression is too long");
	}
	expr->nodes[expr->node_count] = *node;
	*ret = (uint32_t)expr->node_count++;
	return 0;
}

/*
 * A copy of what is between quotes, or of a name, with a NUL behind it. Only a quote and a backslash
 * lose the backslash in front of them: others are the pattern's. The pool is twice as long as the
 * expression: no token takes more than itself and a NUL.
 */
static void keep_text(struct parser *parser, const char *text, size_t len, bool quoted,
		      struct expr_value *value)
{
	char *start = parser->expr->pool + parser->pool_len, *out = start;

	for (size_t i = 0; i < len; i++) {
		if (quoted && text[i] == '\\' && i + 1 < len && strchr("\"'`", text[i + 1]))
			i++;
		*out++ = text[i];
	}
	*out = '\0';
	value->text = start;
	value->len = (size_t)(out - start);
	parser->pool_len += value->len + 1;
}

/* "[3]" behind a name; -1 without one. */
static int parse_element(struct parser *parser, int32_t *ret)
{
	const struct expr_number *number = &parser->token.number;
	int err;

	*ret = -1;
	if (parser->token.kind != TOKEN_OPEN_INDEX)
		return 0;
	err = advance(parser);
	if (err)
		return err;
	if (parser->token.kind != TOKEN_NUMBER || number->parts != 1 || number->is_time ||
	    number->is_percent || number->value > INT32_MAX)
		return fail(parser, parser->token.at, -EINVAL, "which element? Give its number");
	*ret = (int32_t)number->value;
	err = advance(parser);
	return err ?: expect(parser, TOKEN_CLOSE_INDEX, "']' is missing here");
}

/* The text between quotes, or a plain word. */
static void keep_token(struct parser *parser, struct expr_value *value)
{
	const char *text = parser->expr->text + parser->token.at;
	size_t len = parser->token.len;

	if (strchr("\"'`", *text))
		keep_text(parser, text + 1, len - 2, true, value);
	else
		keep_text(parser, text, len, false, value);
}

/* ".b[2]", or "[2]" alone, behind the element of a list. */
static int parse_step(struct parser *parser, struct expr_value *value)
{
	struct expr_step *step = &value->steps[value->step_count];
	struct expr_value name = {.text = ""};
	int err = 0;

	if (value->step_count == EXPR_MAX_STEPS)
		return fail(parser, parser->token.at, -E2BIG, "too many lists in lists");
	if (parser->token.kind == TOKEN_POINT) {
		err = advance(parser);
		if (!err && parser->token.kind != TOKEN_WORD)
			return fail(parser, parser->token.at, -EINVAL,
				    "here should be the name of a part");
		if (!err)
			keep_token(parser, &name);
		err = err ?: advance(parser);
	}
	step->name = name.text;
	value->step_count++;
	return err ?: parse_element(parser, &step->element);
}

/* What is meant of the thing that a name stands for. */
static int parse_place(struct parser *parser, struct expr_value *value)
{
	int err = parse_element(parser, &value->element);
	int32_t element = value->element;

	while (!err && element >= 0 &&
	       (parser->token.kind == TOKEN_POINT || parser->token.kind == TOKEN_OPEN_INDEX)) {
		err = parse_step(parser, value);
		element = err ? -1 : value->steps[value->step_count - 1].element;
	}
	return err;
}

static int parse_value(struct parser *parser, struct expr_value *ret)
{
	struct expr_value value = {.at = parser->token.at, .element = -1};
	bool negative = parser->token.kind == TOKEN_MINUS;
	int err = negative ? advance(parser) : 0;

	if (err)
		return err;
	switch (parser->token.kind) {
	case TOKEN_NUMBER:
		value.kind = EXPR_NUMBER;
		value.number = parser->token.number;
		if (negative)
			value.number.value = -value.number.value;
		break;
	case TOKEN_WORD:
	case TOKEN_TEXT:
	case TOKEN_ADDRESS:
		if (negative)
			return fail(parser, parser->token.at, -EINVAL, "'-' needs a number");
		value.kind = parser->token.kind == TOKEN_WORD ? EXPR_NAME : EXPR_TEXT;
		keep_token(parser, &value);
		break;
	default:
		return fail(parser, parser->token.at, -EINVAL,
			    "here should be a field, a number or a text in quotes");
	}
	err = advance(parser);
	if (!err && value.kind == EXPR_NAME)
		err = parse_place(parser, &value);
	*ret = value;
	return err;
}

static int parse_member(struct parser *parser, struct expr_member *member)
{
	int err = parse_value(parser, &member->low);

	member->high = member->low;
	if (err || parser->token.kind != TOKEN_RANGE)
		return err;
	if (member->low.kind != EXPR_NUMBER)
		return fail(parser, parser->token.at, -EINVAL, "ranges are of numbers");
	member->is_range = true;
	err = advance(parser) ?: parse_value(parser, &member->high);
	if (!err && member->high.kind != EXPR_NUMBER)
		return fail(parser, member->high.at, -EINVAL, "ranges are of numbers");
	return err;
}

static int add_member(struct parser *parser, struct expr_node *node)
{
	struct expr_member *more =
		reallocarray(node->members, node->member_count + 1, sizeof(*more));

	if (!more)
		return fail(parser, node->at, -ENOMEM, "no memory");
	node->members = more;
	more += node->member_count++;
	*more = (struct expr_member){0};
	return parse_member(parser, more);
}

static int parse_set(struct parser *parser, struct expr_node *node)
{
	int err;

	if (parser->token.kind != TOKEN_OPEN)
		return add_member(parser, node);
	do {
		err = advance(parser) ?: add_member(parser, node);
	} while (!err && parser->token.kind == TOKEN_COMMA);
	return err ?: expect(parser, TOKEN_CLOSE, "',' or ')' is missing here");
}

/* "1s < dur" is "dur > 1s". */
static int put_name_left(struct parser *parser, struct expr_node *node, size_t op)
{
	struct expr_value right = node->members[0].low;

	if (node->left.kind == EXPR_NAME)
		return 0;
	if (node->op == EXPR_IN || node->op == EXPR_LIKE || right.kind != EXPR_NAME)
		return fail(parser, node->left.at, -EINVAL,
			    "here should be a field: this is compared with nothing of the event");
	node->op = operators[op].mirrored;
	node->members[0].low = node->members[0].high = node->left;
	node->left = right;
	return 0;
}

static int parse_comparison(struct parser *parser, uint32_t *ret)
{
	struct expr_node node = {.kind = EXPR_TRUTH, .at = parser->token.at};
	int err = parse_value(parser, &node.left);
	size_t i;

	if (err)
		return err;
	for (i = 0; i < OPERATORS && operators[i].token != parser->token.kind; i++)
		;
	if (i == OPERATORS) {
		if (node.left.kind != EXPR_NAME)
			return fail(parser, node.left.at, -EINVAL, "this is compared with nothing");
		return add_node(parser, &node, ret);
	}
	node.kind = EXPR_COMPARE;
	node.at = parser->token.at;
	node.op = operators[i].op;
	if (node.op == EXPR_IN)
		err = advance(parser) ?: parse_set(parser, &node);
	else
		err = advance(parser) ?: add_member(parser, &node);
	if (!err && node.op != EXPR_IN && node.members[0].is_range)
		err = fail(parser, node.members[0].low.at, -EINVAL, "a range goes behind 'in'");
	err = err ?: put_name_left(parser, &node, i);
	if (err) {
		free(node.members);
		return err;
	}
	return add_node(parser, &node, ret);
}

static int parse_either(struct parser *parser, uint32_t *ret);

static int parse_one(struct parser *parser, uint32_t *ret)
{
	struct expr_node node = {.kind = EXPR_NOT, .at = parser->token.at};
	int err;

	if (parser->token.kind != TOKEN_NOT && parser->token.kind != TOKEN_OPEN)
		return parse_comparison(parser, ret);
	if (parser->depth == EXPR_MAX_DEPTH)
		return fail(parser, node.at, -E2BIG, "the expression is too deep");
	parser->depth++;
	if (parser->token.kind == TOKEN_NOT) {
		err = advance(parser) ?: parse_one(parser, &node.first);
		err = err ?: add_node(parser, &node, ret);
	} else {
		err = advance(parser) ?: parse_either(parser, ret);
		err = err ?: expect(parser, TOKEN_CLOSE, "')' or an operator is missing here");
	}
	parser->depth--;
	return err;
}

static int parse_both(struct parser *parser, uint32_t *ret)
{
	int err = parse_one(parser, ret);

	while (!err && parser->token.kind == TOKEN_AND) {
		struct expr_node node = {.kind = EXPR_AND, .at = parser->token.at, .first = *ret};

		err = advance(parser) ?: parse_one(parser, &node.second);
		err = err ?: add_node(parser, &node, ret);
	}
	return err;
}

static int parse_either(struct parser *parser, uint32_t *ret)
{
	int err = parse_both(parser, ret);

	while (!err && parser->token.kind == TOKEN_OR) {
		struct expr_node node = {.kind = EXPR_OR, .at = parser->token.at, .first = *ret};

		err = advance(parser) ?: parse_both(parser, &node.second);
		err = err ?: add_node(parser, &node, ret);
	}
	return err;
}

/* Reports text after a complete comparison that is not an operator: known operators of other
 * languages get a hint. */
static int fail_trailing(struct parser *parser)
{
	static const char *const words[][2] = {
		{"and", "'and' is not an operator: use &&"},
		{"or", "'or' is not an operator: use ||"},
		{"matches", "'matches' is not an operator: use ~"},
		{"contains", "'contains' is not an operator: use ~ with *'s around"},
	};
	const char *text = parser->expr->text + parser->token.at;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (parser->token.len == strlen(words[i][0]) &&
		    !memcmp(text, words[i][0], parser->token.len))
			return fail(parser, parser->token.at, -EINVAL, words[i][1]);
	}
	return fail(parser, parser->token.at, -EINVAL, "here should be an operator, or the end");
}

static int parse_all(struct parser *parser)
{
	int err = advance(parser);

	if (!err && parser->token.kind == TOKEN_END)
		return fail(parser, 0, -EINVAL, "the expression is empty");
	err = err ?: parse_either(parser, &parser->expr->root);
	return !err && parser->token.kind != TOKEN_END ? fail_trailing(parser) : err;
}

int expr_parse(const char *text, struct expr **ret, struct diag *diag)
{
	struct expr *expr = calloc(1, sizeof(*expr));
	struct parser parser = {.expr = expr, .diag = diag};
	int err = -ENOMEM;

	if (!expr)
		return diag_set(diag, -ENOMEM, "no memory");
	if (strlen(text) > EXPR_MAX_BYTES) {
		err = diag_set(diag, -E2BIG, "the expression has more than %u bytes",
			       EXPR_MAX_BYTES);
		goto fail;
	}
	expr->text = strdup(text);
	expr->pool = malloc(2 * strlen(text) + 1);
	expr->nodes = calloc(EXPR_MAX_NODES, sizeof(*expr->nodes));
	if (!expr->text || !expr->pool || !expr->nodes) {
		diag_set(diag, -ENOMEM, "no memory");
		goto fail;
	}
	err = parse_all(&parser);
	if (err)
		goto fail;
	*ret = expr;
	return 0;

fail:
	expr_free(expr);
	return err;
}

void expr_free(struct expr *expr)
{
	if (!expr)
		return;
	for (size_t i = 0; i < expr->node_count; i++)
		free(expr->nodes[i].members);
	free(expr->nodes);
	free(expr->pool);
	free(expr->text);
	free(expr);
}

static const char *name_among(const struct expr_node *node, size_t *i)
{
	bool of_event;

	if (node->kind != EXPR_TRUTH && node->kind != EXPR_COMPARE)
		return NULL;
	if (!(*i)--)
		return node->left.text;
	of_event = !strcmp(node->left.text, "event") && node->op != EXPR_LIKE;
	for (size_t m = 0; m < node->member_count; m++) {
		enum expr_value_kind kind = node->members[m].low.kind;

		if ((kind == EXPR_NAME || (kind == EXPR_TEXT && of_event)) && !(*i)--)
			return node->members[m].low.text;
	}
	return NULL;
}

const char *expr_name(const struct expr *expr, size_t i)
{
	for (size_t n = 0; n < expr->node_count; n++) {
		const char *name = name_among(&expr->nodes[n], &i);

		if (name)
			return name;
	}
	return NULL;
}

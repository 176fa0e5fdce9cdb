// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static struct expr *parse(const char *text)
{
	struct expr *expr = NULL;
	struct diag diag = {0};

	if (expr_parse(text, &expr, &diag))
		fail_msg("%s: %s at %d", text, diag.text, (int)diag.offset);
	return expr;
}

/* The tree with all parentheses, operators by number. */
static void write_node(const struct expr *expr, uint32_t i, char *out)
{
	const struct expr_node *node = &expr->nodes[i];

	out += strlen(out);
	switch (node->kind) {
	case EXPR_NOT:
		strcpy(out, "!");
		write_node(expr, node->first, out);
		break;
	case EXPR_AND:
	case EXPR_OR:
		strcpy(out, "(");
		write_node(expr, node->first, out);
		strcat(out, node->kind == EXPR_AND ? " && " : " || ");
		write_node(expr, node->second, out);
		strcat(out, ")");
		break;
	case EXPR_TRUTH:
		strcpy(out, node->left.text);
		break;
	case EXPR_COMPARE:
		sprintf(out, "%s<%d>%zu", node->left.text, node->op, node->member_count);
		break;
	}
}

static void expect(const char *text, const char *want)
{
	struct expr *expr = parse(text);
	char got[512] = "";

	write_node(expr, expr->root, got);
	assert_string_equal(got, want);
	expr_free(expr);
}

static void expect_bad(const char *text, uint64_t at, const char *why)
{
	struct expr *expr = NULL;
	struct diag diag = {0};

	assert_true(expr_parse(text, &expr, &diag) < 0);
	assert_null(expr);
	if (!strstr(diag.text, why) || diag.offset != at)
		fail_msg("%s: '%s' at %d, want '%s' at %d", text, diag.text, (int)diag.offset, why,
			 (int)at);
}

static void what_binds_closer(void **state)
{
	(void)state;
	expect("a || b && c", "(a || (b && c))");
	expect("a && b || c", "((a && b) || c)");
	expect("(a || b) && c", "((a || b) && c)");
	expect("a && b && c", "((a && b) && c)");
	expect("!a && b", "(!a && b)");
	expect("!(a && b)", "!(a && b)");
	expect("!!a", "!!a");
	expect("!a == 1", "!a<0>1");
}

static void comparisons(void **state)
{
	(void)state;
	expect("a == 1", "a<0>1");
	expect("a!=1", "a<1>1");
	expect("a<1", "a<2>1");
	expect("a<=1", "a<3>1");
	expect("a>1", "a<4>1");
	expect("a>=1", "a<5>1");
	expect("a ~ \"x*\"", "a<6>1");
	expect("a in (1, 2, 3..4)", "a<7>3");
	expect("a in 3..4", "a<7>1");
	expect("a in \"10.0.0.0/8\"", "a<7>1");
	/* The other way round. */
	expect("1 == a", "a<0>1");
	expect("1 < a", "a<4>1");
	expect("1 <= a", "a<5>1");
	expect("1ms > a", "a<2>1");
	expect("'x' != a", "a<1>1");
}

static void values(void **state)
{
	struct expr *expr =
		parse("tcp.x_1[3] in (-5, -1.5s..2s, \"a\\\"b\\*\", 'it\\'s', kernel:g:e)");
	const struct expr_node *node = &expr->nodes[expr->root];

	(void)state;
	assert_string_equal(node->left.text, "tcp.x_1");
	assert_int_equal(node->left.element, 3);
	assert_int_equal(node->member_count, 5);
	assert_int_equal(node->members[0].low.number.value, -5);
	assert_false(node->members[0].is_range);
	assert_true(node->members[1].is_range);
	assert_int_equal(node->members[1].low.number.value, -15000000000);
	assert_int_equal(node->members[1].low.number.parts, 10);
	assert_int_equal(node->members[1].high.number.value, 2000000000);
	assert_string_equal(node->members[2].low.text, "a\"b\\*");
	assert_string_equal(node->members[3].low.text, "it's");
	assert_string_equal(node->members[4].low.text, "kernel:g:e");
	assert_int_equal(node->members[4].low.element, -1);
	expr_free(expr);
}

static void addresses(void **state)
{
	static const char *const texts[] = {
		"10.1.2.3",	   "10.0.0.0/8",     "::1", "::", "fd00::/16",
		"1:2:3:4:5:6:7:8", "::ffff:10.0.0.1"};
	struct expr *expr = parse("10.1.2.3 == a || a in (10.0.0.0/8,::1, ::,fd00::/16, "
				  "1:2:3:4:5:6:7:8 , ::ffff:10.0.0.1)");
	const struct expr_node *in = &expr->nodes[expr->nodes[expr->root].second];

	(void)state;
	assert_string_equal(expr->nodes[expr->nodes[expr->root].first].members[0].low.text,
			    texts[0]);
	assert_int_equal(in->member_count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(in->members[i].low.kind, EXPR_TEXT);
		assert_string_equal(in->members[i].low.text, texts[i + 1]);
	}
	expr_free(expr);
	/* What only looks so is a name, or a range. */
	expect("cafe.bad == 1 && fade:ace", "(cafe.bad<0>1 && fade:ace)");
	expect("a in 1..2", "a<7>1");
	expect("a in (1.5..2.5)", "a<7>1");
}

static void names_in_backquotes(void **state)
{
	struct expr *expr = parse("`my event` && `in`[2] == `a\\`b`");
	const struct expr_node *compare = &expr->nodes[1];

	(void)state;
	assert_string_equal(expr->nodes[0].left.text, "my event");
	assert_string_equal(compare->left.text, "in");
	assert_int_equal(compare->left.element, 2);
	assert_int_equal(compare->members[0].low.kind, EXPR_NAME);
	assert_string_equal(compare->members[0].low.text, "a`b");
	expr_free(expr);
}

/* Of what `event` is compared with too: whoever waits for an event wants it recorded. */
static void names_of_events(void **state)
{
	struct expr *expr = parse("event in (\"a.b\", c) && event ~ \"x*\" && comm == \"y\"");

	(void)state;
	assert_string_equal(expr_name(expr, 0), "event");
	assert_string_equal(expr_name(expr, 1), "a.b");
	assert_string_equal(expr_name(expr, 2), "c");
	assert_string_equal(expr_name(expr, 3), "event");
	assert_string_equal(expr_name(expr, 4), "comm");
	assert_null(expr_name(expr, 5));
	expr_free(expr);
}

static void elements_of_lists(void **state)
{
	struct expr *expr = parse("a.b[1].c.d[2][3].`in` == x[4][5].y");
	const struct expr_node *node = &expr->nodes[expr->root];
	const struct expr_value *right = &node->members[0].low;

	(void)state;
	assert_string_equal(node->left.text, "a.b");
	assert_int_equal(node->left.element, 1);
	assert_int_equal(node->left.step_count, 3);
	assert_string_equal(node->left.steps[0].name, "c.d");
	assert_int_equal(node->left.steps[0].element, 2);
	assert_string_equal(node->left.steps[1].name, "");
	assert_int_equal(node->left.steps[1].element, 3);
	assert_string_equal(node->left.steps[2].name, "in");
	assert_int_equal(node->left.steps[2].element, -1);
	assert_string_equal(right->text, "x");
	assert_int_equal(right->step_count, 2);
	assert_string_equal(right->steps[1].name, "y");
	expr_free(expr);
}

static void names_in_order(void **state)
{
	struct expr *expr = parse("disk.complete && service > 1ms || a < b");

	(void)state;
	assert_string_equal(expr_name(expr, 0), "disk.complete");
	assert_string_equal(expr_name(expr, 1), "service");
	assert_string_equal(expr_name(expr, 2), "a");
	assert_string_equal(expr_name(expr, 3), "b");
	assert_null(expr_name(expr, 4));
	assert_null(expr_name(expr, 5));
	expr_free(expr);
}

static void errors_point_at_it(void **state)
{
	(void)state;
	expect_bad("", 0, "empty");
	expect_bad("  ", 0, "empty");
	expect_bad("a &&", 4, "should be a field");
	expect_bad("a && )", 5, "should be a field");
	expect_bad("a b", 2, "operator, or the end");
	expect_bad("a = 1", 2, "use == for equal");
	expect_bad("a & b", 2, "use && for and");
	expect_bad("a | b", 2, "use || for or");
	expect_bad("a ~ x*", 5, "quotes");
	expect_bad("a == 10.0.0", 5, "neither a number nor an address");
	expect_bad("a == 10.0.0.256", 5, "neither a number nor an address");
	expect_bad("a == 10.0.0.1x", 5, "neither a number nor an address");
	expect_bad("a == `x", 5, "closing quote");
	expect_bad("a == 10.0.0.1..10.0.0.9", 5, "neither a number nor an address");
	expect_bad("a[5%]", 2, "number");
	expect_bad("a.", 1, "operator, or the end");
	expect_bad("a[1].", 5, "name of a part");
	expect_bad("a[1].5", 5, "name of a part");
	expect_bad("a[1].b.", 6, "operator, or the end");
	expect_bad("a[1].b[x]", 7, "number");
	expect_bad("a[1][2][3][4][5][6]", 16, "lists in lists");
	expect_bad("a and b", 2, "use &&");
	expect_bad("(a == 1) or b", 9, "use ||");
	expect_bad("a =~ b", 2, "~ for a pattern");
	expect_bad("a contains 'x'", 2, "use ~");
	expect_bad("a andb", 2, "operator, or the end");
	expect_bad("x::1", 1, "operator, or the end");
	expect_bad("a == \"x", 5, "closing quote");
	expect_bad("(a", 2, "')'");
	expect_bad("a in (1, 2", 10, "','");
	expect_bad("a in ()", 6, "should be a field");
	expect_bad("a == 1..2", 5, "behind 'in'");
	expect_bad("a in \"x\"..\"y\"", 8, "of numbers");
	expect_bad("a in 1..x", 8, "of numbers");
	expect_bad("1 == 2", 0, "should be a field");
	expect_bad("1", 0, "compared with nothing");
	expect_bad("\"x\" in (a)", 0, "should be a field");
	expect_bad("a > 5parsec", 5, "no such unit");
	expect_bad("a[x]", 2, "number");
	expect_bad("a[1", 3, "']'");
	expect_bad("a == -b", 6, "'-' needs");
	expect_bad("a $ 1", 2, "nothing that");
	expect_bad("a == 1 == 2", 7, "operator, or the end");
}

static void limits(void **state)
{
	char text[EXPR_MAX_BYTES + 10];
	struct expr *expr;

	(void)state;
	memset(text, '!', sizeof(text));
	text[EXPR_MAX_DEPTH] = 'a';
	text[EXPR_MAX_DEPTH + 1] = '\0';
	expr_free(parse(text));
	memset(text, '(', 100);
	text[100] = '\0';
	expect_bad(text, EXPR_MAX_DEPTH, "too deep");
	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(expr_parse(text, &expr, NULL), -E2BIG);
	for (size_t i = 0; i < EXPR_MAX_NODES; i++)
		memcpy(text + 3 * i, "a||", 3);
	memcpy(text + 3 * EXPR_MAX_NODES, "a", 2);
	assert_int_equal(expr_parse(text, &expr, NULL), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_binds_closer),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(values),
		cmocka_unit_test(addresses),
		cmocka_unit_test(names_in_backquotes),
		cmocka_unit_test(names_of_events),
		cmocka_unit_test(elements_of_lists),
		cmocka_unit_test(names_in_order),
		cmocka_unit_test(errors_point_at_it),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

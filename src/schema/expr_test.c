// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_test.h"

#include <errno.h>
#include <string.h>

#include "base/glob.h"
#include "schema/expr_member.h"

/* Two values of the event. */
static int make_two(struct expr_making *m, const struct expr_value *right, enum expr_side_kind kind)
{
	bool numbers = m->kind <= SIDE_FLOAT && kind <= SIDE_FLOAT;
	bool ordered = m->node->op >= EXPR_LESS && m->node->op <= EXPR_GREATER_EQUAL;

	if (!numbers && m->kind != kind)
		return expr_making_fail(m, right->at, "'%s' and '%s' are of different kinds",
					m->node->left.text, right->text);
	if ((ordered && !numbers) || (m->node->op == EXPR_LIKE && m->kind != SIDE_TEXT))
		return expr_making_fail(m, m->node->at, "'%s' and '%s' cannot be compared so",
					m->node->left.text, right->text);
	if (numbers)
		m->test.kind = m->kind == SIDE_FLOAT || kind == SIDE_FLOAT ? EXPR_TEST_TWO_FLOATS :
									     EXPR_TEST_TWO_NUMBERS;
	else
		m->test.kind = kind == SIDE_TEXT ? EXPR_TEST_TWO_TEXTS : EXPR_TEST_TWO_ADDRESSES;
	return 0;
}

/* True where the right side is one value of the event too: made, or *err. */
static bool try_two(struct expr_making *m, int *err)
{
	const struct expr_value *right = &m->node->members[0].low;
	enum expr_side_kind kind = SIDE_NUMBER;

	if (m->node->op == EXPR_IN || right->kind != EXPR_NAME)
		return false;
	*err = expr_side_find(m->class, right, m->binder->scope->pids, &m->test.right, &kind,
			      m->binder->diag);
	if (*err == -ENOENT)
		return false;
	*err = *err ?: make_two(m, right, kind);
	return true;
}

static void start_pool(struct expr_making *m)
{
	const struct expr_code *code = m->binder->code;
	struct expr_test *test = &m->test;

	switch (m->kind) {
	case SIDE_NUMBER:
		test->kind = EXPR_TEST_RANGES;
		test->first = (uint32_t)code->range_count;
		break;
	case SIDE_FLOAT:
		test->kind = EXPR_TEST_FLOATS;
		test->first = (uint32_t)code->span_count;
		break;
	case SIDE_TEXT:
		test->kind = m->node->op == EXPR_LIKE ? EXPR_TEST_GLOBS : EXPR_TEST_TEXTS;
		test->first = (uint32_t)code->text_count;
		break;
	case SIDE_ADDRESS:
		test->kind = EXPR_TEST_PREFIXES;
		test->first = (uint32_t)code->prefix_count;
		break;
	}
	test->invert = m->node->op == EXPR_DIFFERENT;
}

/* By number a call is what its field says; by name it is that of one of the tables. */
static void choose_call_numbers(struct expr_making *m)
{
	if (m->test.left.source == EXPR_FROM_CALL &&
	    (!m->node->member_count || m->node->members[0].low.kind == EXPR_NUMBER)) {
		m->test.left.source = EXPR_FROM_FIELD;
		m->test.left.is_signed = m->test.left.class->fields[m->test.left.field].is_signed;
	}
}

/* What can be asked faster than in general, where it is always there: calls; an integer and one range. */
static void simplify(struct expr_making *m)
{
	struct expr_test *test = &m->test;

	if (test->kind != EXPR_TEST_RANGES || test->left.optional || test->left.depth)
		return;
	if (test->left.source == EXPR_FROM_CALL)
		test->kind = EXPR_TEST_CALLS;
	if (test->count != 1 || test->left.source != EXPR_FROM_FIELD || !test->left.bits ||
	    test->left.counted)
		return;
	test->kind = EXPR_TEST_RANGE;
	test->range = m->binder->code->ranges[test->first];
}

static int make_members(struct expr_making *m)
{
	int err = 0;

	start_pool(m);
	for (size_t i = 0; !err && i < m->node->member_count; i++)
		err = expr_member_add(m, &m->node->members[i]);
	return err;
}

/* Not 0, not empty. */
static int make_truth(struct expr_making *m)
{
	start_pool(m);
	m->test.invert = true;
	return expr_member_add_zero(m);
}

static int add_test(struct expr_making *m, uint32_t *ret)
{
	struct expr_code *code = m->binder->code;
	struct expr_test *tests = expr_pool_grown(code->tests, code->test_count, sizeof(*tests));

	if (!tests)
		return -ENOMEM;
	code->tests = tests;
	tests[code->test_count] = m->test;
	*ret = (uint32_t)code->test_count++;
	return 0;
}

static void note_needs(struct expr_code *code, const struct expr_side *side)
{
	if (side->source == EXPR_FROM_DERIVED)
		code->needs |= 1u << side->field;
	if (side->source == EXPR_FROM_COMM)
		code->needs |= EXPR_NEEDS_COMM;
	if (side->source == EXPR_FROM_PID)
		code->needs |= EXPR_NEEDS_PID;
}

static bool text_fits(const struct expr_making *m, const struct expr_text *text)
{
	const char *name = m->test.left.name;

	if (m->test.kind == EXPR_TEST_GLOBS)
		return glob_match(text->text, text->len, name, strlen(name));
	return text->len == strlen(name) && !memcmp(text->text, name, text->len);
}

/* What is the same for all events of the class is known: no test is left of it. */
static bool is_known(const struct expr_making *m, bool *holds)
{
	const struct expr_code *code = m->binder->code;
	const struct expr_side *left = &m->test.left;
	const bool text = left->source == EXPR_FROM_NAME || left->source == EXPR_FROM_TEXT;

	if (text ? m->test.kind != EXPR_TEST_TEXTS && m->test.kind != EXPR_TEST_GLOBS :
		   left->source != EXPR_FROM_NUMBER || m->test.kind != EXPR_TEST_RANGES)
		return false;
	*holds = m->test.invert;
	for (uint32_t i = m->test.first; i < m->test.first + m->test.count; i++) {
		if (text ? text_fits(m, &code->texts[i]) :
			   (uint64_t)left->number - code->ranges[i].first <= code->ranges[i].width)
			*holds = !m->test.invert;
	}
	return true;
}

/* A name alone, of a class and of nothing in this one: whether it is this one. -ENOENT: of none. */
static int class_name(const struct expr_making *m, uint32_t yes, uint32_t no, uint32_t *ret)
{
	const struct expr_scope *scope = m->binder->scope;
	const char *name = m->node->left.text;

	if (m->node->kind != EXPR_TRUTH)
		return -ENOENT;
	for (size_t i = 0; i < scope->class_count; i++) {
		if (strcmp(scope->classes[i]->name, name) != 0)
			continue;
		*ret = strcmp(m->class->name, name) ? no : yes;
		return 0;
	}
	return -ENOENT;
}

int expr_test_make(struct expr_binder *binder, const struct expr_node *node,
		   const struct event_class *class, uint32_t yes, uint32_t no, uint32_t *ret)
{
	struct expr_making m = {.binder = binder, .node = node, .class = class};
	bool holds;
	int err = expr_side_find(class, &node->left, binder->scope->pids, &m.test.left, &m.kind,
				 binder->diag);

	binder->unmatched = false;
	if (err == -ENOENT)
		return class_name(&m, yes, no, ret);
	if (err)
		return err;
	m.test.op = node->op;
	m.test.yes = yes;
	m.test.no = no;
	choose_call_numbers(&m);
	if (node->kind == EXPR_TRUTH)
		err = make_truth(&m);
	else if (!try_two(&m, &err))
		err = make_members(&m);
	if (err)
		return err;
	simplify(&m);
	note_needs(binder->code, &m.test.left);
	if (m.test.kind >= EXPR_TEST_TWO_NUMBERS)
		note_needs(binder->code, &m.test.right);
	if (is_known(&m, &holds)) {
		binder->unmatched = m.test.left.source == EXPR_FROM_NAME &&
				    node->kind == EXPR_COMPARE && holds == m.test.invert;
		*ret = holds ? yes : no;
		return 0;
	}
	return add_test(&m, ret);
}

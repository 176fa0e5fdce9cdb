// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/glob.h"
#include "base/nearest.h"
#include "schema/calls.h"
#include "schema/event.h"
#include "schema/expr_code.h"
#include "schema/expr_member.h"
#include "schema/expr_side.h"
#include "schema/origin.h"

struct bind {
	const struct expr *expr;
	const struct expr_scope *scope;
	struct expr_code *code;
	struct diag *diag; /* of the current class; NULL = not wanted */
	bool unmatched; /* of the last test: the class's name is not what it is compared with */
	bool bound[EXPR_MAX_NODES]; /* the comparison means something in some class */
};

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
static bool try_two(const struct bind *bind, struct expr_making *m, int *err)
{
	const struct expr_value *right = &m->node->members[0].low;
	enum expr_side_kind kind = SIDE_NUMBER;

	if (m->node->op == EXPR_IN || right->kind != EXPR_NAME)
		return false;
	*err = expr_side_find(m->class, right, bind->scope->pids, &m->test.right, &kind, m->diag);
	if (*err == -ENOENT)
		return false;
	*err = *err ?: make_two(m, right, kind);
	return true;
}

static void start_pool(struct expr_making *m)
{
	const struct expr_code *code = m->code;
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
	test->range = m->code->ranges[test->first];
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
	struct expr_code *code = m->code;
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
	if (side->source == EXPR_FROM_TID)
		code->needs |= EXPR_NEEDS_TID;
	if (side->source == EXPR_FROM_COMM)
		code->needs |= EXPR_NEEDS_COMM;
	if (side->source == EXPR_FROM_PID)
		code->needs |= EXPR_NEEDS_PID;
	if (side->source == EXPR_FROM_CGROUP || side->source == EXPR_FROM_CONTAINER)
		code->needs |= EXPR_NEEDS_CGROUP;
	if (side->source == EXPR_FROM_STACK)
		code->needs |= EXPR_NEEDS_STACK;
	if (side->source == EXPR_FROM_PATH)
		code->needs |= EXPR_NEEDS_PATH;
	if (side->source == EXPR_FROM_TASK || side->source == EXPR_FROM_TASK_PID ||
	    side->source == EXPR_FROM_TASK_COMM)
		code->needs |= EXPR_NEEDS_TASK;
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
	const struct expr_code *code = m->code;
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

/* sys.enter is the entry of any system call. */
static bool is_called(const struct event_class *class, const char *name)
{
	return !strcmp(class->name, name) || (!strcmp(name, CALLS_ENTRY) && calls_is_entry(class));
}

/* A name alone, of a class and of nothing in this one: whether it is this one. -ENOENT: of none. */
static int class_name(const struct bind *bind, const struct expr_making *m, uint32_t yes,
		      uint32_t no, uint32_t *ret)
{
	const struct expr_scope *scope = bind->scope;
	const char *name = m->node->left.text;

	if (m->node->kind != EXPR_TRUTH)
		return -ENOENT;
	for (size_t i = 0; i < scope->class_count; i++) {
		if (!is_called(scope->classes[i], name))
			continue;
		*ret = is_called(m->class, name) ? yes : no;
		return 0;
	}
	return -ENOENT;
}

/*
 * The entry of @node (EXPR_TRUTH or EXPR_COMPARE) for @class, from which evaluation continues at @yes or @no,
 * appended to the code. -ENOENT: the class does not have what is asked for; -EINVAL: what it has
 * cannot be compared with that. -ENOMEM.
 */
static int make_test(struct bind *bind, const struct expr_node *node,
		     const struct event_class *class, uint32_t yes, uint32_t no, uint32_t *ret)
{
	struct expr_making m = {.code = bind->code,
				.calls = bind->scope->calls,
				.diag = bind->diag,
				.node = node,
				.class = class};
	bool holds;
	int err = expr_side_find(class, &node->left, bind->scope->pids, &m.test.left, &m.kind,
				 bind->diag);

	bind->unmatched = false;
	if (err == -ENOENT)
		return class_name(bind, &m, yes, no, ret);
	if (err)
		return err;
	m.test.op = node->op;
	m.test.yes = yes;
	m.test.no = no;
	choose_call_numbers(&m);
	if (node->kind == EXPR_TRUTH)
		err = make_truth(&m);
	else if (!try_two(bind, &m, &err))
		err = make_members(&m);
	if (err)
		return err;
	simplify(&m);
	note_needs(bind->code, &m.test.left);
	if (m.test.kind >= EXPR_TEST_TWO_NUMBERS)
		note_needs(bind->code, &m.test.right);
	if (is_known(&m, &holds)) {
		bind->unmatched = m.test.left.source == EXPR_FROM_NAME &&
				  node->kind == EXPR_COMPARE && holds == m.test.invert;
		*ret = holds ? yes : no;
		return 0;
	}
	return add_test(&m, ret);
}

/*
 * The entry of a part of the tree for one class. Later tests are made first, so that each test
 * knows its successors, and known results leave no test.
 */
static int place(struct bind *bind, uint32_t number, const struct event_class *class, uint32_t yes,
		 uint32_t no, uint32_t *ret)
{
	const struct expr_node *node = &bind->expr->nodes[number];
	uint32_t second;
	int err;

	switch (node->kind) {
	case EXPR_NOT:
		return place(bind, node->first, class, no, yes, ret);
	case EXPR_AND:
		err = place(bind, node->second, class, yes, no, &second);
		return err ?: place(bind, node->first, class, second, no, ret);
	case EXPR_OR:
		err = place(bind, node->second, class, yes, no, &second);
		return err ?: place(bind, node->first, class, yes, second, ret);
	case EXPR_TRUTH:
	case EXPR_COMPARE:
		break;
	}
	err = make_test(bind, node, class, yes, no, ret);
	if (err == -ENOMEM)
		return err;
	if (err)
		*ret = no; /* what this class does not have satisfies no comparison */
	else
		/* A comparison "differs" with a missing value is not a mistake. */
		bind->bound[number] |= !bind->unmatched || node->op == EXPR_DIFFERENT;
	return 0;
}

static void offer_names(struct nearest *near, const struct expr_scope *scope)
{
	const char *name;

	for (size_t i = 0; i < scope->class_count; i++) {
		const struct event_class *class = scope->classes[i];

		nearest_offer(near, class->name);
		for (size_t f = 0; f < class->field_count; f++)
			nearest_offer(near, class->fields[f].name);
		for (int d = 0; d < DERIVED_COUNT; d++) {
			if (derived_has((enum derived)d, class->name))
				nearest_offer(near, derived_fields[d].name);
		}
		for (int part = 0; part < ORIGIN_PART_COUNT; part++) {
			if (origin_has(class->origin, (enum origin_part)part))
				nearest_offer(near, origin_names[part]);
		}
	}
	for (size_t i = 0; (name = expr_side_builtin(i, scope->pids)); i++)
		nearest_offer(near, name);
}

/* The class that would have a derived value called @name, or NULL. */
static const char *deriving(const char *name)
{
	for (int d = 0; d < DERIVED_COUNT; d++) {
		if (!strcmp(derived_fields[d].name, name))
			return derived_fields[d].event;
	}
	return NULL;
}

static int fail_unknown(const struct bind *bind, const struct expr_value *value, struct diag *diag)
{
	const char *event = deriving(value->text);
	struct nearest near;

	nearest_init(&near, value->text);
	offer_names(&near, bind->scope);
	if (near.name)
		(void)diag_set(diag, -ENOENT,
			       "no event and no field is called '%s': did you mean '%s'?",
			       value->text, near.name);
	else if (event)
		(void)diag_set(diag, -ENOENT,
			       "'%s' is a field of %s, and the source has no such event",
			       value->text, event);
	else
		(void)diag_set(diag, -ENOENT, "no event and no field is called '%s'", value->text);
	if (diag)
		diag->offset = value->at;
	return -ENOENT;
}

/* `event` is compared with what none is called. */
static int fail_event(const struct bind *bind, const struct expr_node *node, struct diag *diag)
{
	const struct expr_scope *scope = bind->scope;
	const struct expr_value *value = &node->members[0].low;
	struct nearest near;

	nearest_init(&near, value->text);
	for (size_t i = 0; i < scope->class_count; i++)
		nearest_offer(&near, scope->classes[i]->name);
	if (near.name && node->op != EXPR_LIKE)
		(void)diag_set(diag, -ENOENT, "no event is called '%s': did you mean '%s'?",
			       value->text, near.name);
	else
		(void)diag_set(diag, -ENOENT, "no event is called '%s'", value->text);
	if (diag)
		diag->offset = value->at;
	return -ENOENT;
}

/* Why the comparison means nothing anywhere: as in the first class that has its name at all. */
static int explain(struct bind *bind, const struct expr_node *node, struct diag *diag)
{
	const struct expr_scope *scope = bind->scope;
	uint32_t entry;

	bind->diag = diag;
	for (size_t i = 0; i < scope->class_count; i++) {
		int err = make_test(bind, node, scope->classes[i], EXPR_YES, EXPR_NO, &entry);

		if (err == -EINVAL || err == -ENOMEM)
			return err;
		if (!err && bind->unmatched)
			return fail_event(bind, node, diag);
	}
	return fail_unknown(bind, &node->left, diag);
}

static int check_bound(struct bind *bind, struct diag *diag)
{
	const struct expr *expr = bind->expr;

	for (size_t i = 0; i < expr->node_count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		if ((node->kind == EXPR_TRUTH || node->kind == EXPR_COMPARE) && !bind->bound[i])
			return explain(bind, node, diag);
	}
	return 0;
}

int expr_bind(const struct expr *expr, const struct expr_scope *scope, struct expr_code **ret,
	      struct diag *diag)
{
	struct expr_code *code = calloc(1, sizeof(*code));
	struct bind *bind = calloc(1, sizeof(*bind));
	int err = -ENOMEM;

	if (!code || !bind)
		goto out;
	code->class_count = scope->class_count;
	code->entries = calloc(scope->class_count ?: 1, sizeof(*code->entries));
	if (!code->entries)
		goto out;
	bind->expr = expr;
	bind->scope = scope;
	bind->code = code;
	err = 0;
	for (size_t i = 0; !err && i < scope->class_count; i++)
		err = place(bind, expr->root, scope->classes[i], EXPR_YES, EXPR_NO,
			    &code->entries[i]);
	err = err ?: check_bound(bind, diag);

out:
	if (err == -ENOMEM)
		(void)diag_set(diag, err, "no memory");
	if (err)
		expr_code_free(code);
	else
		*ret = code;
	free(bind);
	return err;
}

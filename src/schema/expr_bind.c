// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/nearest.h"
#include "schema/event.h"
#include "schema/expr_side.h"
#include "schema/expr_test.h"
#include "schema/origin.h"

struct bind {
	struct expr_binder binder;
	bool bound[EXPR_MAX_NODES]; /* the comparison means something in some class */
};

/*
 * The entry of a part of the tree for one class. What comes next is made first, so that each test
 * knows where to go on, and what is known beforehand leaves no test.
 */
static int place(struct bind *bind, uint32_t number, const struct event_class *class, uint32_t yes,
		 uint32_t no, uint32_t *ret)
{
	const struct expr_node *node = &bind->binder.expr->nodes[number];
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
	err = expr_test_make(&bind->binder, node, class, yes, no, ret);
	if (err == -ENOMEM)
		return err;
	if (err)
		*ret = no; /* what this class does not have satisfies no comparison */
	else
		/* To differ from what is not there is no mistake. */
		bind->bound[number] |= !bind->binder.unmatched || node->op == EXPR_DIFFERENT;
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
			if (!strcmp(derived_fields[d].event, class->name))
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
	offer_names(&near, bind->binder.scope);
	if (near.name)
		(void)diag_set(diag, -ENOENT,
			       "no event and no field is called '%s': did you mean '%s'?",
			       value->text, near.name);
	else if (event)
		(void)diag_set(diag, -ENOENT, "'%s' is known of %s, and there is none", value->text,
			       event);
	else
		(void)diag_set(diag, -ENOENT, "no event and no field is called '%s'", value->text);
	if (diag)
		diag->offset = value->at;
	return -ENOENT;
}

/* `event` is compared with what none is called. */
static int fail_event(const struct bind *bind, const struct expr_node *node, struct diag *diag)
{
	const struct expr_scope *scope = bind->binder.scope;
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
	const struct expr_scope *scope = bind->binder.scope;
	uint32_t entry;

	bind->binder.diag = diag;
	for (size_t i = 0; i < scope->class_count; i++) {
		int err = expr_test_make(&bind->binder, node, scope->classes[i], EXPR_YES, EXPR_NO,
					 &entry);

		if (err == -EINVAL || err == -ENOMEM)
			return err;
		if (!err && bind->binder.unmatched)
			return fail_event(bind, node, diag);
	}
	return fail_unknown(bind, &node->left, diag);
}

static int check_bound(struct bind *bind, struct diag *diag)
{
	const struct expr *expr = bind->binder.expr;

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
	bind->binder = (struct expr_binder){.expr = expr, .scope = scope, .code = code};
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_weights: the stacks of events, each with what it weighs: 1, the time that followed from it, or the value
 * of a field. Flame graphs, folded stacks and profiles are made of them.
 *
 * What sched.switch weighs in ns is the time that the task was off the CPU: until it is switched to
 * again. After a loss of events it is not known, and not counted; nor is the time of tasks that are still
 * off the CPU at the end.
 */
#ifndef SONDE_ANALYSE_STACK_WEIGHTS_H
#define SONDE_ANALYSE_STACK_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/stack_tree.h"

struct analysis;
struct derive;
struct diag;
struct event;
struct stack_place;

struct stack_weights_request {
	const char *weight; /* "samples", "ns", or a field; NULL = ns of sched.switch, else samples */
	bool diff; /* of the first SOURCE on side 0, of the second on side 1 */
};

struct stack_weights {
	const struct analysis *analysis;
	struct stack_weights_request request;
	struct stack_place *places; /* by event_class.index */
	struct derive *derive; /* NULL: nothing needs it */
	struct map off; /* trace and tid -> struct off_cpu: tasks that are off the CPU */
	struct stack_tree tree;
	const char *event; /* all are of this class; NULL = of several */
	const char *unit; /* "samples", "events", "ns", a field's; NULL = none */
	uint64_t period_ns; /* of cpu.sample; 0 = not known */
	uint64_t stacks[STACK_TREE_SIDES]; /* that were counted */
	uint64_t cut; /* of these: the event says that there were more frames */
	uint64_t unfinished; /* whose time off the CPU has no end in the trace */
	int64_t first_ns, last_ns;
};

/*
 * 0; -ENOENT with the diag: no event has a stack, or none of those has what is to be weighed; -ENOMEM. After
 * a failure fini is due all the same. Borrows @analysis and @request's text.
 */
int stack_weights_init(struct stack_weights *sw, const struct analysis *analysis,
		       const struct stack_weights_request *request, struct diag *diag);
void stack_weights_fini(struct stack_weights *sw);
/* Every event in order; @shown: it may count. 0 or -ENOMEM. */
int stack_weights_take(struct stack_weights *sw, const struct event *event, bool shown);
/* Once all have been taken: sums up the tree. */
void stack_weights_end(struct stack_weights *sw);

#endif /* SONDE_ANALYSE_STACK_WEIGHTS_H */

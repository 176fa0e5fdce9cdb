/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks: which measurements have the stack of the task that runs with their events (--stack). They get a field more in
 * front of the others, its id (wire/stack.h); the kernel half takes the stacks (probe/stack.bpf.h).
 */
#ifndef SONDE_PROBE_STACKS_H
#define SONDE_PROBE_STACKS_H

#include <stdbool.h>

struct catalogue;
struct diag;
struct measurement;

/* Why events of @m cannot have stacks, or NULL. */
const char *stacks_reason(const struct measurement *m);
/* It records its stacks in fields of its own: cpu.sample. */
bool stacks_are_own(const struct measurement *m);
/*
 * Gives stacks to what @pattern means: @sides, bits 1 << enum stack_side. @wanted by class.index: what is recorded.
 * -ENOENT with the diag: @pattern means nothing of that; -EINVAL: none of it can have stacks.
 */
int stacks_choose(struct catalogue *cat, const bool *wanted, const char *pattern,
		  unsigned int sides, struct diag *diag);
/* Some measurement has them, other than as fields of its own. */
bool stacks_any(const struct catalogue *cat);
/* Some measurement has those of programs, as --stack or @detail (--detail full) says. */
bool stacks_unwind(const struct catalogue *cat, bool detail);
/* Adds the field to the classes, once no more fields are left out. 0 or -ENOMEM. */
int stacks_describe(struct catalogue *cat);

#endif /* SONDE_PROBE_STACKS_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacked: a source whose events have their stacks as fields, as cpu.sample has them: in a trace, an event has the id of
 * a stack, and the frames are in a sonde.stack before it (wire/stack.h). source/source puts it over each source.
 *
 * An id is a hash of what it stands for, so a stack that was met once stays right. Which of them is not known, because
 * what has it was lost, is said by the field stack_state; it is never another's.
 */
#ifndef SONDE_SOURCE_STACKED_H
#define SONDE_SOURCE_STACKED_H

struct event_source;

/* Takes over *@source, and puts one in its place; where it has no such events, and never will, it is unchanged. 0, or
 * -ENOMEM, and then it stays, too. */
int stacked_add(struct event_source **source);

#endif /* SONDE_SOURCE_STACKED_H */

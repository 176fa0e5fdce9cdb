/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait_texts: what off_waits is told of events as texts: the file that a system call is about, and stacks. Each text is kept once,
 * until the end.
 *
 * Only what was asked for is worked out: it takes much longer than all else about a wait.
 */
#ifndef SONDE_ANALYSE_WAIT_TEXTS_H
#define SONDE_ANALYSE_WAIT_TEXTS_H

#include <stdbool.h>

#include "analyse/stack_text.h"
#include "analyse/tally.h"
#include "schema/derived.h"

struct analysis;
struct derive;
struct event;

struct wait_texts {
	const struct analysis *analysis;
	struct tally kept; /* its keys are the texts */
	bool stacks, waker_stacks;
	struct derive *derive; /* of files; NULL: they are not wanted */
	struct event_facts facts;
	char stack[STACK_TEXT_MAX + 1];
};

/* @files, @stacks, @waker_stacks: what is wanted. 0 or -ENOMEM; fini is due all the same. Borrows @analysis. */
int wait_texts_init(struct wait_texts *texts, const struct analysis *analysis, bool files,
		    bool stacks, bool waker_stacks);
void wait_texts_fini(struct wait_texts *texts);
/* Every event, in the order of time. */
void wait_texts_follow(struct wait_texts *texts, const struct event *event);
/* Of the event that was followed last: NULL: not known, not wanted, or beyond the number that is kept. */
const char *wait_texts_file(struct wait_texts *texts);
const char *wait_texts_stack(struct wait_texts *texts, const struct event *event);
const char *wait_texts_waker_stack(struct wait_texts *texts, const struct event *event);

#endif /* SONDE_ANALYSE_WAIT_TEXTS_H */

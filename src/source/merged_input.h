/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merged_input: one of several SOURCEs that are read as one: what it gave last, and whether there is
 * more, none, or nothing yet.
 */
#ifndef SONDE_SOURCE_MERGED_INPUT_H
#define SONDE_SOURCE_MERGED_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/source.h"
#include "source/merged.h"

struct diag;
struct problem_list;

struct merged_input {
	char *name;
	struct event_source *source;
	const struct event *events; /* what it gave last, from `at` on not passed on yet */
	size_t at;
	size_t count;
	bool ended;
	bool waits; /* it had nothing when it was asked last */
	bool stale; /* it is to be renewed */
	int64_t until_ns; /* of one that waits: the others go so far without it */
	uint64_t ask_ns; /* of one that waits: not to be asked before, if no other source needs it */
	bool seeks; /* to `span`, before it is asked for more */
	source_stop_fn *is_stopped; /* NULL: it is not stopped */
	struct source_span span;
	bool *taught; /* of `span`, by event_class.index of the source */
	size_t problems; /* reported so far */
	size_t missing; /* likewise */
	size_t breaches;
};

/* The diag has the name. 0 or -errno. */
int merged_input_open(struct merged_input *input, const char *name,
		      const struct merged_opener *opener, struct diag *diag);
void merged_input_close(struct merged_input *input);

/* Asks for more events, once all earlier ones are used up; it waits @patience_ns at most. 0 or -errno. */
int merged_input_ask(struct merged_input *input, uint64_t patience_ns);
/* What has nothing may be asked, by the way, at @now_ns. */
static inline bool merged_input_is_due(const struct merged_input *input, uint64_t now_ns)
{
	return !input->ended && !input->stale && input->at == input->count &&
	       (!input->waits || input->ask_ns <= now_ns);
}

/* As source_ops.renew, also for one that cannot: with @again it is opened again. 0 or -errno with the diag. */
int merged_input_renew(struct merged_input *input, bool again, const struct merged_opener *opener,
		       struct diag *diag);
/* As source_ops.seek; @taught by the numbers of the whole, to which @classes lead. */
void merged_input_seek(struct merged_input *input, const struct source_span *span,
		       const struct event_class *const *classes);
/* As source_ops.stop_when, also after it was opened again. */
void merged_input_stop_when(struct merged_input *input, source_stop_fn *is_stopped);
/* Adds its new problems to @problems, after its name. */
void merged_input_tell(struct merged_input *input, struct problem_list *problems);
/* The same of what is missing in it (schema/trace_end.h). */
void merged_input_tell_missing(struct merged_input *input, struct problem_list *missing);
/* The same of where it breaks the standard of its format. */
void merged_input_tell_breaches(struct merged_input *input, struct problem_list *breaches);

#endif /* SONDE_SOURCE_MERGED_INPUT_H */

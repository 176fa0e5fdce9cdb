/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * problem_list: what could not be read of a trace, in sentences, for source_ops.problem.
 */
#ifndef SONDE_SCHEMA_PROBLEM_LIST_H
#define SONDE_SCHEMA_PROBLEM_LIST_H

#include <stddef.h>

/* After so many sentences only a last one follows, which says that more were skipped. */
#define PROBLEM_LIST_MAX 1000u

struct problem_list {
	char **texts;
	size_t count;
};

void problem_list_init(struct problem_list *list);
void problem_list_fini(struct problem_list *list);
/* Out of memory loses the sentence, never the reading. */
void problem_list_add(struct problem_list *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What @from has from the @at-th on, each behind "@name: " unless @name is NULL; @at becomes its count. */
void problem_list_take(struct problem_list *list, const struct problem_list *from, size_t *at,
		       const char *name);
/* NULL behind the last. Borrowed until the list is gone. */
const char *problem_list_get(const struct problem_list *list, size_t i);

#endif /* SONDE_SCHEMA_PROBLEM_LIST_H */

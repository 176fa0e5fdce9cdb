/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cell: cells of tables, and titles, that name a task or a system call, safe for terminals.
 */
#ifndef SONDE_OUTPUT_CELL_H
#define SONDE_OUTPUT_CELL_H

#include <stdbool.h>
#include <stdint.h>

struct names;
struct table;
struct task_names;

#define CELL_TEXT_BYTES 256u

struct cell_text {
	char text[CELL_TEXT_BYTES];
};

/* What the two below write, for titles. */
struct cell_text cell_text_task(const struct task_names *names, int32_t tid);
struct cell_text cell_text_call(const struct names *names, int64_t nr, bool compat);
/* "nginx:42"; "(others)" where @tid is below 0. */
void cell_task(struct table *table, const struct task_names *names, int32_t tid);
/* "read"; "(others)" where @nr is below 0. @names: made with escape_terminal. */
void cell_call(struct table *table, const struct names *names, int64_t nr, bool compat);

#endif /* SONDE_OUTPUT_CELL_H */

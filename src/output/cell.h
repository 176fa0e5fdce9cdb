/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cell: what names a task, safe for terminals, or a system call in text.
 */
#ifndef SONDE_OUTPUT_CELL_H
#define SONDE_OUTPUT_CELL_H

#include <stdbool.h>
#include <stdint.h>

struct names;
struct task_names;

#define CELL_TEXT_BYTES 256u

struct cell_text {
	char text[CELL_TEXT_BYTES];
};

/* "nginx:42"; "(others)" where @tid is below 0. */
struct cell_text cell_text_task(const struct task_names *names, int32_t tid);
/* "read"; "(others)" where @nr is below 0. Escaped as @names are. */
struct cell_text cell_text_call(const struct names *names, int64_t nr, bool compat);

#endif /* SONDE_OUTPUT_CELL_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cost_table: what recording costs, as people see it: at the end of `sonde record` and in `sonde
 * status`.
 */
#ifndef SONDE_CLI_COST_TABLE_H
#define SONDE_CLI_COST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/cost.h"

struct buffer;

#define COST_LINES_MAX 256

/* One line: a row of the account under its label. */
struct cost_line {
	char label[COST_LABEL_BYTES];
	struct cost_sum sum;
};

/*
 * A line for each that ran, the dearest first, at most @shown, and their sum; then the recorder, which
 * writes @bytes_per_s. @lines is sorted.
 */
void cost_table(struct buffer *out, struct cost_line *lines, size_t count, uint32_t cpus,
		size_t shown, uint64_t bytes_per_s);

#endif /* SONDE_CLI_COST_TABLE_H */

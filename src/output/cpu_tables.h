/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu_tables: tables of what the CPUs were at when sampled, for the report "cpu" and for `sonde stats`.
 */
#ifndef SONDE_OUTPUT_CPU_TABLES_H
#define SONDE_OUTPUT_CPU_TABLES_H

#include "output/report_table.h"

struct sample_stats;

/* Members of one object, "states.user" and so on; a row is a struct sample_stats. */
extern const struct report_table cpu_states;

#define CPU_FUNCTION_COLUMNS 9u
extern const struct report_column cpu_function_columns[CPU_FUNCTION_COLUMNS];
/* A row is a struct function_count, its owner a struct sample_stats. */
void cpu_function_fill(const struct report_rows *rows, const void *from, struct report_row *row);
/* Ranked; hidden in text where all CPUs were idle. 0 or -ENOMEM. */
int cpu_function_rows(const struct sample_stats *stats, struct report_rows *ret);

#endif /* SONDE_OUTPUT_CPU_TABLES_H */

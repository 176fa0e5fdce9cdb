/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_cpu: the report "cpu": what the samples of the CPUs say: in which state, in which processes
 * and functions (analyse/sample_stats); and the stacks in the form that flame graphs are drawn from.
 */
#ifndef SONDE_OUTPUT_REPORT_CPU_H
#define SONDE_OUTPUT_REPORT_CPU_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct json_writer;
struct sample_stats;

/* The table of functions, @rows of them at most, 0 = all: `sonde stats` has it too. 0 or -ENOMEM. */
int report_cpu_functions(const struct sample_stats *stats, size_t rows, struct buffer *out);
/* The same as the member @key, an array, of the object that is open. */
int report_cpu_functions_json(const struct sample_stats *stats, size_t rows, const char *key,
			      struct json_writer *json);
/* The member "states" of a JSON object. */
void report_cpu_states_json(const struct sample_stats *stats, struct json_writer *json);

#endif /* SONDE_OUTPUT_REPORT_CPU_H */

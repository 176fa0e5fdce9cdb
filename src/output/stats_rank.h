/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats_rank: the counts in the order of their weight, for both forms of output: the busiest
 * classes, tasks, system calls and connections first, equal ones in a fixed order.
 */
#ifndef SONDE_OUTPUT_STATS_RANK_H
#define SONDE_OUTPUT_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct class_count;
struct conn_count;
struct ranked_call;
struct stats;
struct task_count;

/*
 * Each returns an array that the caller frees, with *@count entries, or NULL for no memory. The
 * entries borrow from @stats.
 */
const struct class_count **stats_rank_classes(const struct stats *stats, size_t *count);
const struct task_count **stats_rank_tasks(const struct stats *stats, size_t *count);
/* By time on a CPU, the idle tasks left out. */
const struct task_count **stats_rank_running(const struct stats *stats, size_t *count);
struct ranked_call *stats_rank_calls(const struct stats *stats, size_t *count);
const struct conn_count **stats_rank_conns(const struct stats *stats, size_t *count);

#endif /* SONDE_OUTPUT_STATS_RANK_H */

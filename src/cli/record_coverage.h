/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_coverage: what of the measurements that were asked for is not measured, or only in part, and why.
 *
 * `sonde record` says so before it begins and in its summary, one sentence on stderr for all measurements that have the
 * same reason, and by STATUS_PARTIAL.
 */
#ifndef SONDE_CLI_RECORD_COVERAGE_H
#define SONDE_CLI_RECORD_COVERAGE_H

#include <stdbool.h>

struct catalogue;
struct filter_config;

/* Those that run where the current task is another one, so that a filter by task misses events of its tasks. How many. */
unsigned int record_coverage_blinded(const struct catalogue *cat, const bool *wanted,
				     const struct filter_config *filter, bool say);
/* Those that miss something here, since their best hook is not there, or a privilege. Which hooks the kernel refuses
 * is known once they are loaded. How many. */
unsigned int record_coverage_lesser(const struct catalogue *cat, const bool *wanted, bool say);
/* What is not known of their events, since a program that serves them cannot run; which these are is known once they
 * are loaded. How many programs. */
unsigned int record_coverage_unknown(const struct catalogue *cat, bool say);
/* Those that cannot run here. How many. */
unsigned int record_coverage_unusable(const struct catalogue *cat, const bool *wanted);

#endif /* SONDE_CLI_RECORD_COVERAGE_H */

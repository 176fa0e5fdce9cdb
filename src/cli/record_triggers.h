/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_triggers: what `sonde record` does for --snapshot-on and --stop-on before it begins, and
 * what it says of them at the end.
 */
#ifndef SONDE_CLI_RECORD_TRIGGERS_H
#define SONDE_CLI_RECORD_TRIGGERS_H

#include <stdbool.h>

#include "cli/record_request.h"

struct catalogue;
struct recording_totals;

/*
 * Makes the triggers of @req, NULL if it has none, and adds to @wanted, and where it has to be
 * to @cat, what they ask for. -1 = go on; else the exit status, and why was said.
 */
int record_triggers_open(const struct record_request *req, struct catalogue *cat, bool *wanted,
			 struct triggers **ret);
/* Whether what they ask for can be recorded here: -1, or as above. */
int record_triggers_usable(const struct triggers *triggers, const struct catalogue *cat,
			   const bool *wanted);
/* How often each of them fired. NULL is fine. */
void record_triggers_summary(const struct triggers *triggers,
			     const struct recording_totals *totals);

#endif /* SONDE_CLI_RECORD_TRIGGERS_H */

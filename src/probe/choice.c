// SPDX-License-Identifier: BSD-2-Clause
#include "probe/choice.h"

#include <errno.h>
#include <stddef.h>

#include "probe/catalogue.h"
#include "probe/tracepoints.h"

int choice_mark(struct catalogue *cat, const char *pattern, bool *wanted, struct diag *diag)
{
	int err = tracepoints_add(cat, pattern, diag);

	return err ? err : choice_mark_known(cat, pattern, wanted, diag);
}

int choice_mark_known(const struct catalogue *cat, const char *pattern, bool *wanted,
		      struct diag *diag)
{
	bool any = false;

	for (size_t i = 0; i < cat->count; i++) {
		if (!measurement_matches(&cat->items[i], pattern))
			continue;
		wanted[i] = true;
		any = true;
	}
	if (any)
		return 0;
	catalogue_no_match(cat, pattern, diag);
	return -ENOENT;
}

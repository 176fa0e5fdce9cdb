// SPDX-License-Identifier: BSD-2-Clause
#include "probe/choice.h"

#include <errno.h>
#include <stddef.h>

#include "base/diag.h"
#include "probe/call_classes.h"
#include "probe/catalogue.h"
#include "probe/tracepoints.h"

/* Whether @pattern means single calls of @m, and not @m. */
static bool means_calls(const struct measurement *m, const char *pattern)
{
	return m->calls && !measurement_matches(m, pattern) &&
	       call_classes_matches(m->calls, pattern);
}

/* Marks @m where @pattern means some of its calls, and these; or all of them with @m itself. */
static bool mark_calls(struct measurement *m, const char *pattern, bool *wanted)
{
	if (!m->calls)
		return false;
	if (measurement_matches(m, pattern))
		call_classes_choose_all(m->calls);
	else if (call_classes_choose(m->calls, pattern))
		return wanted[m->class.index] = true;
	return false;
}

int choice_mark(struct catalogue *cat, const char *pattern, bool *wanted, struct diag *diag)
{
	int err = tracepoints_add(cat, pattern, diag);
	bool any = false;

	if (err)
		return err;
	for (size_t i = 0; i < cat->count; i++)
		any |= mark_calls(&cat->items[i], pattern, wanted);
	err = choice_mark_known(cat, pattern, wanted, diag);
	return err == -ENOENT && any ? 0 : err;
}

int choice_mark_running(struct catalogue *cat, const char *pattern, bool *wanted, struct diag *diag)
{
	int err = tracepoints_add(cat, pattern, diag);

	for (size_t i = 0; !err && i < cat->count; i++) {
		if (means_calls(&cat->items[i], pattern))
			err = diag_set(
				diag, -EINVAL,
				"'%s' is a single system call, and these are chosen when the "
				"recording starts: switch %s, which has all of them",
				pattern, cat->items[i].name);
	}
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

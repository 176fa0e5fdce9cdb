// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_coverage.h"

#include <stdio.h>
#include <string.h>

#include "probe/catalogue.h"
#include "wire/filter.h"

/* --netns tests the task's namespace too, but for packets that of their device. */
static bool is_blinded(const struct measurement *m, const struct filter_config *filter)
{
	bool by_task = filter->by_pid || filter->comm_count || filter->uid_count ||
		       filter->cgroup_count;
	bool by_netns = filter->netns_count && strcmp(m->group, "net");

	return m->context && (by_task || by_netns);
}

unsigned int record_coverage_blinded(const struct catalogue *cat, const bool *wanted,
				     const struct filter_config *filter, bool say)
{
	unsigned int count = 0;

	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (!wanted[i] || !is_blinded(m, filter) || !measurement_usable(m))
			continue;
		count++;
		if (say)
			fprintf(stderr,
				"sonde record: %s is measured in part: with a filter by task it "
				"misses %s (context: %s)\n",
				m->name, m->misses, m->context);
	}
	return count;
}

unsigned int record_coverage_lesser(const struct catalogue *cat, const bool *wanted, bool say)
{
	unsigned int count = 0;

	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		const char *reason = "";
		const struct hook *hook =
			wanted[i] && measurement_usable(m) ? measurement_lesser(m, &reason) : NULL;

		if (!hook)
			continue;
		count++;
		if (say)
			fprintf(stderr, "sonde record: %s is measured in part: %s misses %s (%s)\n",
				m->name, hook->section, hook->misses, reason);
	}
	return count;
}

unsigned int record_coverage_unusable(const struct catalogue *cat, const bool *wanted)
{
	unsigned int count = 0;

	for (size_t i = 0; i < cat->count; i++)
		count += wanted[i] && !measurement_internal(&cat->items[i]) &&
			 !measurement_usable(&cat->items[i]);
	return count;
}

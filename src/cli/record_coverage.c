// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_coverage.h"

#include <stdio.h>
#include <string.h>

#include "probe/catalogue.h"
#include "wire/filter.h"

/* What makes a measurement incomplete. */
struct in_part {
	const char *by; /* what misses something */
	const char *misses;
	const char *kind, *why;
};

/* Whether @m is measured in part, and then why. */
typedef bool in_part_of(const struct measurement *m, const struct filter_config *filter,
			struct in_part *ret);

/* --netns tests the task's namespace too, but for packets that of their device. */
static bool is_blinded(const struct measurement *m, const struct filter_config *filter,
		       struct in_part *ret)
{
	bool by_task = filter->by_pid || filter->comm_count || filter->uid_count ||
		       filter->cgroup_count;
	bool by_netns = filter->netns_count && strcmp(m->group, "net");

	if (!m->context || !(by_task || by_netns) || !measurement_usable(m))
		return false;
	*ret = (struct in_part){"with a filter by task it", m->misses, "context: ", m->context};
	return true;
}

static bool is_lesser(const struct measurement *m, const struct filter_config *unused,
		      struct in_part *ret)
{
	const char *reason = "";
	const struct hook *hook = measurement_usable(m) ? measurement_lesser(m, &reason) : NULL;

	(void)unused;
	if (!hook)
		return false;
	*ret = (struct in_part){hook->section, hook->misses, "", reason};
	return true;
}

static bool is_same(const struct in_part *one, const struct in_part *other)
{
	return !strcmp(one->by, other->by) && !strcmp(one->misses, other->misses) &&
	       !strcmp(one->why, other->why);
}

/* Whether the sentence about @i's reason was said when an earlier one was met. */
static bool is_said(const struct catalogue *cat, const bool *wanted, size_t i, in_part_of *find,
		    const struct filter_config *filter, const struct in_part *part)
{
	struct in_part earlier;

	for (size_t j = 0; j < i; j++)
		if (wanted[j] && find(&cat->items[j], filter, &earlier) && is_same(&earlier, part))
			return true;
	return false;
}

/* One sentence for all from @first on that have this reason. */
static void say_in_part(const struct catalogue *cat, const bool *wanted, size_t first,
			in_part_of *find, const struct filter_config *filter,
			const struct in_part *part)
{
	unsigned int count = 0;

	fputs("sonde record: ", stderr);
	for (size_t i = first; i < cat->count; i++) {
		struct in_part other;

		if (wanted[i] && find(&cat->items[i], filter, &other) && is_same(&other, part))
			fprintf(stderr, "%s%s", count++ ? ", " : "", cat->items[i].name);
	}
	fprintf(stderr, " %s measured in part: %s misses %s (%s%s)\n", count > 1 ? "are" : "is",
		part->by, part->misses, part->kind, part->why);
}

static unsigned int coverage(const struct catalogue *cat, const bool *wanted, in_part_of *find,
			     const struct filter_config *filter, bool say)
{
	unsigned int count = 0;

	for (size_t i = 0; i < cat->count; i++) {
		struct in_part part;

		if (!wanted[i] || !find(&cat->items[i], filter, &part))
			continue;
		count++;
		if (say && !is_said(cat, wanted, i, find, filter, &part))
			say_in_part(cat, wanted, i, find, filter, &part);
	}
	return count;
}

unsigned int record_coverage_blinded(const struct catalogue *cat, const bool *wanted,
				     const struct filter_config *filter, bool say)
{
	return coverage(cat, wanted, is_blinded, filter, say);
}

unsigned int record_coverage_lesser(const struct catalogue *cat, const bool *wanted, bool say)
{
	return coverage(cat, wanted, is_lesser, NULL, say);
}

unsigned int record_coverage_unknown(const struct catalogue *cat, bool say)
{
	unsigned int count = 0;

	for (size_t i = 0; i < cat->service_count; i++) {
		const struct service *service = &cat->services[i];

		if (!service->is_needed || service->hook.usable || !service->hook.misses)
			continue;
		count++;
		if (say)
			fprintf(stderr, "sonde record: it is not known %s (%s: %s)\n",
				service->hook.misses, service->hook.section, service->hook.reason);
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

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/sieve.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/gap.h"
#include "analyse/where.h"

/* What there is to do with events of a class. */
enum heed {
	HEED_LEARN = 1 << 0, /* names, what waits at a disk, what later values follow from */
	HEED_ASK = 1 << 1, /* the expression */
	HEED_PASS = 1 << 2, /* whatever the expression says */
	HEED_SHOWN = 1 << 3,
	HEED_ROUTINE = 1 << 4, /* what is routine does not pass */
};

static bool teaches(const struct analysis *analysis, const struct event_class *class)
{
	return analysis->queues || task_names_has(analysis->names, class) ||
	       known_has(analysis->known, class->index) ||
	       (analysis->derives && derive_takes(analysis->derives->derive, class));
}

static bool may_be_routine(const struct sieve *sieve, const struct event_class *class)
{
	struct gap_fields fields;

	gap_fields_find(&fields, class);
	return fields.state && select_is_brief(sieve->analysis->select);
}

/* Few events may be. */
static bool is_routine(const struct event *event)
{
	struct gap_fields fields;

	gap_fields_find(&fields, event->class);
	return gap_is_routine(&fields, event);
}

static uint8_t heed_class(const struct sieve *sieve, const struct event_class *class)
{
	unsigned int heed = teaches(sieve->analysis, class) ? HEED_LEARN : 0;

	if (select_shows(sieve->analysis->select, class))
		heed |= HEED_SHOWN;
	if (sieve->where && where_takes(sieve->where, class))
		heed |= HEED_ASK;
	if (heed & HEED_SHOWN && may_be_routine(sieve, class))
		heed |= HEED_ROUTINE;
	/* No expression hides a loss. */
	if (class->role == EVENT_ROLE_LOST || (!sieve->where && (heed & HEED_SHOWN)))
		heed |= HEED_PASS;
	return (uint8_t)(heed == HEED_SHOWN ? 0 : heed);
}

int sieve_init(struct sieve *sieve, const struct analysis *analysis, struct where *where)
{
	*sieve = (struct sieve){
		.analysis = analysis,
		.where = where,
		.class_count = analysis->info->class_count,
		.open = !where && !analysis->select->by_cpu,
	};
	sieve->heed = calloc(sieve->class_count ?: 1, sizeof(*sieve->heed));
	if (!sieve->heed)
		return -ENOMEM;
	for (size_t i = 0; i < sieve->class_count; i++) {
		sieve->heed[i] = heed_class(sieve, analysis->info->classes[i]);
		sieve->brief |= sieve->heed[i] & HEED_ROUTINE;
	}
	return 0;
}

void sieve_fini(struct sieve *sieve)
{
	free(sieve->heed);
	free(sieve->taught);
	*sieve = (struct sieve){0};
}

static unsigned int heed_of(const struct sieve *sieve, const struct event *event)
{
	size_t index = event->class->index;

	return index < sieve->class_count ? sieve->heed[index] : 0;
}

/* The view follows the queues of disks, and what it derives, itself, with each event that it is given. */
static bool passes_all(struct sieve *sieve, const struct event *event, unsigned int heed)
{
	const struct analysis *analysis = sieve->analysis;
	bool passing = heed & HEED_PASS;

	if (heed & HEED_LEARN)
		analysis_learn_names(analysis, event);
	if ((heed & HEED_ASK) && where_holds(sieve->where, event, analysis->names))
		passing |= (heed & HEED_SHOWN) != 0;
	passing = passing && select_has_cpu(analysis->select, event) &&
		  !(heed & HEED_ROUTINE && is_routine(event));
	if (!passing && analysis->queues)
		disk_queues_follow(analysis->queues, event);
	if (!passing && analysis->derives)
		derive_view_follow(analysis->derives, event, analysis->select);
	return passing;
}

/* Most often only the expression has to be evaluated. */
static inline bool passes(struct sieve *sieve, const struct event *event, unsigned int heed)
{
	if (heed == (HEED_ASK | HEED_SHOWN) && !sieve->analysis->select->by_cpu)
		return where_holds(sieve->where, event, sieve->analysis->names);
	return passes_all(sieve, event, heed);
}

bool sieve_hides(const struct sieve *sieve, const struct event *event)
{
	return sieve->brief && heed_of(sieve, event) & HEED_ROUTINE && is_routine(event);
}

/* What is routine teaches nothing. */
static size_t pass_to_routine(const struct sieve *sieve, struct sieve_run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		if (!sieve_hides(sieve, &run->events[i]))
			continue;
		run->count = i;
		return i + 1;
	}
	return run->count;
}

size_t sieve_next(struct sieve *sieve, const struct event *events, size_t count,
		  struct sieve_run *run)
{
	size_t first, end;

	*run = (struct sieve_run){events, count};
	if (sieve->open && !sieve->brief)
		return count;
	if (sieve->open)
		return pass_to_routine(sieve, run);
	for (first = 0; first < count; first++) {
		unsigned int heed = heed_of(sieve, &events[first]);

		if (heed && passes(sieve, &events[first], heed))
			break;
	}
	*run = (struct sieve_run){events + first, 0};
	for (end = first + 1; end < count; end++) {
		unsigned int heed = heed_of(sieve, &events[end]);

		if (!heed || (heed & HEED_LEARN))
			break;
		if (!passes(sieve, &events[end], heed)) {
			run->count = end - first;
			return end + 1;
		}
	}
	end = end < count ? end : count;
	run->count = end - first;
	return end;
}

void sieve_learn(struct sieve *sieve, const struct event *events, size_t count)
{
	analysis_learn_batch(sieve->analysis, events, count);
	for (size_t i = 0; sieve->where && i < count; i++) {
		if (heed_of(sieve, &events[i]) & HEED_ASK)
			(void)where_holds(sieve->where, &events[i], sieve->analysis->names);
	}
}

/* The classes that matter for later events. Derived values need all of them. */
static int find_taught(struct sieve *sieve)
{
	const struct trace_info *info = sieve->analysis->info;

	sieve->taught = calloc(info->class_count ?: 1, sizeof(*sieve->taught));
	if (!sieve->taught)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		sieve->taught[i] = (sieve->where && sieve->where->derive) ||
				   analysis_teaches(sieve->analysis, info->classes[i]);
	return 0;
}

int sieve_seek_again(struct sieve *sieve, struct event_source *source)
{
	const struct select *select = sieve->analysis->select;
	int err = sieve->taught ? 0 : find_taught(sieve);
	const struct source_span span = {select->from_ns, select->to_ns, sieve->taught};

	return err ? err : source->ops->seek(source, &span);
}

int sieve_seek(struct sieve *sieve, struct event_source *source)
{
	const struct select *select = sieve->analysis->select;

	if (!source->ops->seek || !select->started || sieve->taught ||
	    (select->from_ns == INT64_MIN && select->to_ns == INT64_MAX))
		return 0;
	return sieve_seek_again(sieve, source);
}

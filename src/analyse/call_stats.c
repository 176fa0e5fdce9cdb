// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/call_stats.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/task_stats.h"
#include "schema/calls.h"
#include "schema/event.h"

#define MAX_ERRNO 4095 /* include/linux/err.h: returns above -4096 are errors */

bool call_fields_find(struct call_fields *fields, const struct event_class *class)
{
	*fields = (struct call_fields){
		.ends = !strcmp(class->name, CALLS_EXIT),
		.nr = event_class_find_number(class, "nr"),
		.compat = event_class_find_number(class, "compat"),
		.ret = event_class_find_number(class, "ret"),
	};
	if (fields->ends)
		return fields->nr >= 0 && fields->ret >= 0;
	return calls_is_entry(class);
}

/* The call of number @nr; that of all others where it is beyond those that have a name. */
static struct call_count *call_at(struct call_stats *stats, int64_t nr, bool compat)
{
	return &stats->calls[compat][(uint64_t)nr < CALL_NUMBERS ? (uint64_t)nr : CALL_NUMBERS];
}

struct call_end call_stats_count(struct call_stats *stats, const struct call_fields *fields,
				 struct task_count *task, uint32_t epoch, const struct event *event)
{
	int64_t nr = (int64_t)event_uint(event, (size_t)fields->nr), ret, ns;
	bool compat = fields->compat >= 0 && event_uint(event, (size_t)fields->compat);
	struct call_count *call = call_at(stats, nr, compat);
	bool began;

	if (!fields->ends) {
		call->enters += !stats->learning;
		task->enters += !stats->learning;
		if (task->tid >= 0) { /* ends of many tasks cannot be matched */
			call_begin(&task->call, epoch, event->time_ns, nr, compat);
			task->call.counted = !stats->learning;
		}
		return (struct call_end){0};
	}
	began = task->call.counted;
	ns = call_finish(&task->call, epoch, event->time_ns, nr, compat);
	if (stats->learning && !(ns >= 0 && began))
		return (struct call_end){0};
	if (ns >= 0 && !began) { /* its beginning counts with it */
		call->enters++;
		task->enters++;
	}
	call->exits++;
	ret = (int64_t)event_uint(event, (size_t)fields->ret);
	call->errors += ret < 0 && ret >= -MAX_ERRNO;
	task->exits++;
	if (ns < 0)
		return (struct call_end){0};
	call->matched++;
	call->total_ns += (uint64_t)ns;
	if ((uint64_t)ns > call->max_ns)
		call->max_ns = (uint64_t)ns;
	return (struct call_end){call, (uint64_t)ns};
}

struct ranked_call *call_stats_list(const struct call_stats *stats, size_t *count)
{
	struct ranked_call *list = calloc(2 * (CALL_NUMBERS + 1), sizeof(*list));
	size_t nr;
	int compat;

	*count = 0;
	if (!list)
		return NULL;
	for (compat = 0; compat < 2; compat++)
		for (nr = 0; nr <= CALL_NUMBERS; nr++) {
			const struct call_count *call = &stats->calls[compat][nr];

			if (call_count_calls(call))
				list[(*count)++] = (struct ranked_call){
					call, nr == CALL_NUMBERS ? -1 : (int64_t)nr, compat};
		}
	return list;
}

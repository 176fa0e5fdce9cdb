// SPDX-License-Identifier: BSD-2-Clause
#include "view/call_stats.h"

#include "view/task_stats.h"

#define MAX_ERRNO 4095 /* include/linux/err.h: returns above -4096 are errors */

static struct call_count *call_at(struct call_stats *stats, int64_t nr, bool compat)
{
	return &stats->calls[compat][(uint64_t)nr < NAMES_CALLS ? (uint64_t)nr : NAMES_CALLS];
}

void call_stats_enter(struct call_stats *stats, struct task_count *task, uint32_t epoch,
		      int64_t time_ns, int64_t nr, bool compat)
{
	call_at(stats, nr, compat)->enters++;
	if (!task)
		return;
	task->enter_ns = time_ns;
	task->enter_nr = (int32_t)nr;
	task->enter_compat = compat;
	task->enter_epoch = epoch;
}

void call_stats_exit(struct call_stats *stats, struct task_count *task, uint32_t epoch,
		     int64_t time_ns, int64_t nr, bool compat, int64_t ret)
{
	struct call_count *call = call_at(stats, nr, compat);
	uint64_t ns;

	call->exits++;
	call->errors += ret < 0 && ret >= -MAX_ERRNO;
	if (!task)
		return;
	if (task->enter_epoch == epoch && task->enter_nr == (int32_t)nr &&
	    task->enter_compat == compat && time_ns >= task->enter_ns) {
		ns = (uint64_t)(time_ns - task->enter_ns);
		call->matched++;
		call->total_ns += ns;
		if (ns > call->max_ns)
			call->max_ns = ns;
	}
	task->enter_epoch = 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/wait_pair.h"

void call_begin(struct call_begun *begun, uint32_t epoch, int64_t time_ns, int64_t nr, bool compat)
{
	*begun = (struct call_begun){
		.time_ns = time_ns, .nr = (int32_t)nr, .epoch = epoch, .compat = compat};
}

int64_t call_finish(struct call_begun *begun, uint32_t epoch, int64_t time_ns, int64_t nr,
		    bool compat)
{
	bool known = begun->epoch == epoch && begun->nr == (int32_t)nr && begun->compat == compat &&
		     time_ns >= begun->time_ns;

	begun->epoch = 0;
	return known ? (int64_t)((uint64_t)time_ns - (uint64_t)begun->time_ns) : -1;
}

static enum task_place place_of(const struct task_where *where, uint32_t epoch)
{
	return where->epoch == epoch ? where->place : TASK_PLACE_UNKNOWN;
}

static void put(struct task_where *where, uint32_t epoch, int64_t time_ns, enum task_place place)
{
	where->place = place;
	where->since_ns = time_ns;
	where->epoch = epoch;
}

void task_wakes(struct task_where *where, uint32_t epoch, int64_t time_ns, bool second)
{
	where->was_woken = true;
	switch (place_of(where, epoch)) {
	case TASK_PLACE_UNKNOWN:
		if (second) /* the wait began with the first one, which is not there */
			break;
		/* fallthrough */
	case TASK_PLACE_ASLEEP:
		put(where, epoch, time_ns, TASK_PLACE_WOKEN);
		break;
	case TASK_PLACE_CPU: /* it was about to sleep, and runs on */
	case TASK_PLACE_WOKEN: /* sched.waking came before sched.wakeup */
	case TASK_PLACE_PREEMPTED:
	default:
		break;
	}
}

void task_leaves(struct task_where *where, uint32_t epoch, int64_t time_ns, bool preempted)
{
	put(where, epoch, time_ns, preempted ? TASK_PLACE_PREEMPTED : TASK_PLACE_ASLEEP);
}

enum task_place task_comes(struct task_where *where, uint32_t epoch, int64_t time_ns, bool filtered,
			   uint64_t *ns)
{
	enum task_place place = place_of(where, epoch);
	int64_t since_ns = where->since_ns;

	put(where, epoch, time_ns, TASK_PLACE_CPU);
	if (place != TASK_PLACE_WOKEN && place != TASK_PLACE_PREEMPTED)
		return TASK_PLACE_UNKNOWN;
	if (time_ns < since_ns || (place == TASK_PLACE_PREEMPTED && filtered && !where->was_woken))
		return TASK_PLACE_UNKNOWN;
	*ns = (uint64_t)time_ns - (uint64_t)since_ns;
	return place;
}

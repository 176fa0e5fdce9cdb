/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * budget: which measurements are disabled, and when enabled again, so that recording stays within
 * a share of the machine's CPU time. Decisions only, from an account (cost.h) and a time that the caller gives.
 *
 * Two windows in a row over the limit, and the dearest measurement goes off; so on until it is kept. After 5
 * seconds it is tried again, if the budget is kept by then; where that takes it over the limit once
 * more, a single window is enough, and the next try is after twice as long, at most 5 minutes.
 */
#ifndef SONDE_RECORD_BUDGET_H
#define SONDE_RECORD_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cost;
struct cost_row;

#define BUDGET_WAIT_FIRST_NS 5000000000u
#define BUDGET_WAIT_LAST_NS 300000000000u
#define BUDGET_CALM_NS 60000000000u /* on for so long: the next wait is the first again */

/* One measurement. */
struct budget_item {
	bool held; /* off, for the budget's sake */
	bool on_trial; /* on again, and not yet seen to fit */
	uint64_t changed_ns; /* when it went off, or on again */
	uint64_t wait_ns; /* how long it stays off; 0: it never went off */
	uint64_t held_ns; /* all times before this one */
	unsigned int times; /* that it went off */
	double share; /* of the machine, with those that share its programs, when it last went off */
};

struct budget {
	double limit; /* of the machine's CPU time: 1.0 is all CPUs */
	struct budget_item *items; /* by class.index */
	size_t count;
	bool was_over; /* the window before, with what is on now */
};

enum budget_verdict {
	BUDGET_KEEP, /* nothing changes */
	BUDGET_WATCH, /* over: look again soon */
	BUDGET_OFF,
	BUDGET_ON,
};

/* -ENOMEM. */
int budget_init(struct budget *budget, double limit, size_t measurements);
void budget_fini(struct budget *budget);

/*
 * After a window, at @now_ns. BUDGET_OFF and BUDGET_ON: the measurements to turn off or on are set
 * in @which, by class.index, all others cleared. @switchable: which may be turned off.
 */
enum budget_verdict budget_judge(struct budget *budget, uint64_t now_ns, const struct cost *cost,
				 const bool *switchable, bool *which);
/* Somebody has turned @i on or off himself: it is his business until the budget is next exceeded. */
void budget_release(struct budget *budget, uint64_t now_ns, size_t i);
/* Whether anything was off for its sake. */
bool budget_was_exceeded(const struct budget *budget);
/* How long @i was off for the budget's sake, up to @now_ns. */
uint64_t budget_held_ns(const struct budget *budget, uint64_t now_ns, size_t i);

#endif /* SONDE_RECORD_BUDGET_H */

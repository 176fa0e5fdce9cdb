/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_history: what msmod turns on and off while iscan runs, and when. Events come a while after they
 * happened: the state at that time decides.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_HISTORY_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_format/meas/meas_switch.h"

struct event;

/* Of more, none of which is due, the latest takes the place of the one before. */
#define MEAS_CHANGES_MAX 64u

struct meas_history {
	int dir; /* where meas_switch has its file */
	uint64_t seen[3]; /* which file that was when it was read: inode, time, length */
	struct meas_change changes[MEAS_CHANGES_MAX]; /* what is on, then what is to come */
	size_t count;
};

/* What is on now. Borrows @dir. 0 or -errno. */
int meas_history_init(struct meas_history *history, int dir);
/* Checks for a change: 0 or -errno, and no change then. */
int meas_history_look(struct meas_history *history);
/* By id: the measurements that are on for the events that are due. */
const bool *meas_history_on(const struct meas_history *history);
/* How many of the events, which are in order, go by what is on. 0: the next change is due, and what is
 * on has changed; ask again. */
size_t meas_history_span(struct meas_history *history, const struct event *events, size_t count);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_HISTORY_H */

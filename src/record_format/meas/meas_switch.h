/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_switch: which measurements msmod has turned on: a file in the directory of the control sockets,
 * a name a line, which iscan obeys. It stands for the switches that HP-UX had in its kernel: they stay
 * as they are, whether anybody collects or not, until the machine is booted again.
 *
 * Events reach iscan some time after they happened. So behind the names the file has the latest
 * changes, a line each: '@', the time in ns since the epoch, and the names of what is on from then on.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_SWITCH_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEAS_SWITCH_FILE "measurements.on"
#define MEAS_SWITCHES 256u /* more than any id */
#define MEAS_NEEDS_MAX 64u
#define MEAS_CHANGES_KEPT 32u /* in the file */

struct meas_change {
	int64_t time_ns; /* since the epoch; 0 = no file */
	bool on[MEAS_SWITCHES]; /* by id, from then on */
};

/* By id. All are off if the file does not exist; unknown names are skipped. 0 or -errno. */
int meas_switch_load(int dir, bool on[MEAS_SWITCHES]);
/* The latest changes in order; the last is what is on. How many, from 1 to MEAS_CHANGES_KEPT, or -errno. A file
 * that was written by hand was changed when it was written. */
int meas_switch_changes(int dir, struct meas_change ret[MEAS_CHANGES_KEPT]);
/* One more change. The whole file, or it stays as it was. */
int meas_switch_store(int dir, const struct meas_change *change);
/* Marks what @word names: a name, a pattern of names, or a number. -ENOENT: nothing. */
int meas_switch_mark(const char *word, bool which[MEAS_SWITCHES]);
/* Our measurements of which those are made, each once, borrowed forever: how many. */
size_t meas_switch_needs(const bool on[MEAS_SWITCHES], const char *needs[MEAS_NEEDS_MAX]);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_SWITCH_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * series_set: the series of a picture while they are collected: for each group of events (a connection, a task)
 * one of each field that was picked; and when events were lost.
 *
 * Its memory is bounded: SERIES_SET_GROUPS groups, and the more there are, the fewer bins each has. Groups
 * beyond are counted. Sets of parts of a trace can be merged, and are what one set of all would be.
 */
#ifndef SONDE_GRAPH_SERIES_SET_H
#define SONDE_GRAPH_SERIES_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "graph/field_pick.h"
#include "graph/group.h"
#include "graph/series.h"

struct conn_pick;
struct derive;
struct syscalls;
struct analysis;

#define SERIES_SET_GROUPS 4096u
#define SERIES_SET_PICKS 16u

/* What is collected. All borrowed until the set is gone. */
struct series_request {
	const struct field_pick *picks; /* bound; SERIES_SET_PICKS at most */
	size_t pick_count;
	const struct conn_pick *conns; /* only these connections */
	size_t conn_count; /* 0 = all */
	struct group_choice by;
};

struct series_group {
	struct group_key key;
	struct conn_id conn; /* of connections */
	bool has_addresses;
	char label[GROUP_LABEL_BYTES];
	struct series *series; /* one for each pick */
	uint64_t limitless; /* values that stand for no limit: they are not in it */
};

/* What is to be done with the events of one class. */
struct series_place;

struct series_set {
	const struct analysis *analysis;
	struct series_request request;
	struct series_place *places; /* by event_class.index */
	struct derive *derive; /* NULL: nothing needs it */
	struct syscalls *calls; /* NULL: no group is one of system calls */
	struct map index; /* of groups, by key */
	struct series_group **groups;
	size_t group_count;
	struct series_group *last; /* most events are of the group that the one before was of */
	uint32_t bins; /* that each series may have */
	struct series losses; /* how many, each time */
	uint64_t left_out; /* events of groups beyond the limit */
};

/* 0 or -ENOMEM; series_set_fini is due in both cases. Borrows @analysis. */
int series_set_init(struct series_set *set, const struct analysis *analysis,
		    const struct series_request *request);
void series_set_fini(struct series_set *set);
/* What follows from several events has to be asked of each event, in order. */
bool series_set_derives(const struct series_set *set);
/* Each event that view_takes, and the losses; with series_set_derives all others too, with @shown
 * false. 0 or -ENOMEM. */
int series_set_take(struct series_set *set, const struct event *event, bool shown);
/* -ENOMEM; -E2BIG: there are too many groups for the whole to be what one set would be. */
int series_set_merge(struct series_set *into, const struct series_set *from);
/* No more will be taken: every label is known, no series has more bins than another may have. */
void series_set_end(struct series_set *set);

/* Which of the connections that were asked for the group is: its number, from 0 up; -1 = none. Without any
 * that were asked for all groups are 0. */
int series_set_wanted(const struct series_set *set, const struct series_group *group);

#endif /* SONDE_GRAPH_SERIES_SET_H */

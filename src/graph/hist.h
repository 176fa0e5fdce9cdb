/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hist: how the values of a field are spread, of all events or of each group of them, while they are
 * collected. hist_draw makes the picture.
 *
 * Its memory is bounded: HIST_GROUPS groups, or fewer; values of those beyond are counted, no more. graph/heat has
 * more of each group.
 */
#ifndef SONDE_GRAPH_HIST_H
#define SONDE_GRAPH_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "graph/measure.h"
#include "graph/spread.h"

struct syscalls;

#define HIST_GROUPS 1024u

struct hist_group {
	size_t number; /* in the order in which they came */
	struct group_key key;
	struct conn_id conn; /* of connections */
	bool has_addresses;
	char label[GROUP_LABEL_BYTES];
	struct spread spread;
};

struct hist {
	struct measure measure;
	struct syscalls *calls; /* groups may be of one */
	struct map index; /* of groups, by key */
	struct hist_group **groups; /* once ended, those with most events first */
	size_t group_count, group_max;
	struct hist_group *last; /* most events are of the group that the one before was of */
	uint64_t left_out; /* events of groups beyond the limit */
};

/* 0 or -ENOMEM; hist_fini is due in both cases. Borrows @analysis. @group_max: up to HIST_GROUPS. */
int hist_init(struct hist *hist, const struct analysis *analysis,
	      const struct measure_request *request, size_t group_max);
void hist_fini(struct hist *hist);
/* As measure_take. 0 or -ENOMEM. The group of what was taken is `last`, and @ret, if not NULL, its value; a value that was
 * not taken leaves *@ret as it is. */
int hist_take(struct hist *hist, const struct event *event, bool shown, double *ret);
/* Adds what @from has of another part of the same source. 0, -ENOMEM, or -E2BIG: there are more groups
 * than are kept, and which of them are depends on the order. */
int hist_merge(struct hist *into, const struct hist *from);
/* NULL: there is none. */
struct hist_group *hist_find(const struct hist *hist, const struct group_key *key);
/* No more will be taken. */
void hist_end(struct hist *hist);

#endif /* SONDE_GRAPH_HIST_H */

// SPDX-License-Identifier: BSD-2-Clause
#include "graph/hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "schema/syscalls.h"

/* The names of system calls, if the trace has them. */
static struct syscalls *read_calls(const struct trace_info *info)
{
	const struct trace_env *native = trace_info_env(info, "syscalls");

	return syscalls_new(native ? native->text : NULL, NULL);
}

int hist_init(struct hist *hist, const struct analysis *analysis,
	      const struct measure_request *request, size_t group_max)
{
	*hist = (struct hist){.calls = read_calls(analysis->info), .group_max = group_max};
	map_init(&hist->index, sizeof(struct group_key), sizeof(struct hist_group *), HIST_GROUPS);
	hist->groups = calloc(group_max, sizeof(*hist->groups));
	if (measure_init(&hist->measure, analysis, request) || !hist->groups || !hist->calls)
		return -ENOMEM;
	return 0;
}

void hist_fini(struct hist *hist)
{
	for (size_t i = 0; i < hist->group_count; i++) {
		spread_fini(&hist->groups[i]->spread);
		free(hist->groups[i]);
	}
	free(hist->groups);
	syscalls_free(hist->calls);
	map_fini(&hist->index);
	measure_fini(&hist->measure);
}

static struct hist_group *new_group(struct hist *hist, const struct measure_place *place,
				    const struct event *event, const struct group_key *key)
{
	struct hist_group *group = calloc(1, sizeof(*group));
	struct hist_group **slot = group ? map_at(&hist->index, key) : NULL;

	if (!slot) {
		free(group);
		return NULL;
	}
	group->key = *key;
	group->number = hist->group_count;
	group->has_addresses = place->group.has_addresses;
	group_label(&place->group, event, hist->measure.analysis, &hist->measure.facts, hist->calls,
		    group->label);
	*slot = hist->groups[hist->group_count++] = group;
	return group;
}

/* -E2BIG: there are too many; -ENOMEM. */
static int find_group(struct hist *hist, const struct measure_place *place,
		      const struct event *event, const struct group_key *key)
{
	struct hist_group **slot = map_get(&hist->index, key);

	if (!slot && hist->group_count == hist->group_max)
		return -E2BIG;
	hist->last = slot ? *slot : new_group(hist, place, event, key);
	return hist->last ? 0 : -ENOMEM;
}

struct hist_group *hist_find(const struct hist *hist, const struct group_key *key)
{
	struct hist_group *const *slot = map_get(&hist->index, key);

	return slot ? *slot : NULL;
}

int hist_take(struct hist *hist, const struct event *event, bool shown, double *ret)
{
	const struct measure_place *place;
	struct event owned = *event;
	struct group_key key;
	double value;
	int err = 0;

	place = measure_take(&hist->measure, event, shown, &value);
	owned.tid = hist->measure.tid;
	event = &owned;
	if (!place || !group_key_get(&place->group, event, hist->measure.analysis,
				     &hist->measure.facts, &key))
		return 0;
	if (!hist->last || hist->last->key.kind != key.kind || hist->last->key.value != key.value)
		err = find_group(hist, place, event, &key);
	if (err == -E2BIG) {
		hist->left_out++;
		return 0;
	}
	if (err)
		return err;
	if (place->group.by == GROUP_CONN)
		group_learn_conn(&place->group, event, &hist->last->conn);
	err = spread_add(&hist->last->spread, value);
	if (!err && ret)
		*ret = value;
	return err;
}

static struct hist_group *merged_group(struct hist *into, const struct hist_group *from)
{
	struct hist_group **slot = map_at(&into->index, &from->key), *group;

	if (!slot || *slot)
		return slot ? *slot : NULL;
	group = calloc(1, sizeof(*group));
	if (!group) {
		map_remove(&into->index, &from->key);
		return NULL;
	}
	group->key = from->key;
	group->number = into->group_count;
	group->has_addresses = from->has_addresses;
	memcpy(group->label, from->label, sizeof(group->label));
	*slot = into->groups[into->group_count++] = group;
	return group;
}

static int merge_group(struct hist *into, const struct hist_group *from)
{
	struct hist_group *group;

	if (into->group_count == into->group_max && !map_get(&into->index, &from->key))
		return -E2BIG;
	group = merged_group(into, from);
	if (!group)
		return -ENOMEM;
	/* Both may know the ends of a connection; groups without ports know none. */
	if (!group->conn.lport || !group->conn.rport)
		group->conn = from->conn.lport || from->conn.rport ? from->conn : group->conn;
	return spread_merge(&group->spread, &from->spread);
}

int hist_merge(struct hist *into, const struct hist *from)
{
	int err = into->left_out || from->left_out ? -E2BIG : 0;

	for (size_t i = 0; i < from->group_count && !err; i++)
		err = merge_group(into, from->groups[i]);
	if (!err)
		measure_merge(&into->measure, &from->measure);
	return err;
}

static void label_group(const struct hist *hist, struct hist_group *group)
{
	if (group->key.kind == GROUP_CONN)
		group_label_conn(&group->conn, group->has_addresses, group->label);
	else if (group->key.kind == GROUP_TID || group->key.kind == GROUP_PID)
		group_label_task(hist->measure.analysis, (uint32_t)group->key.value, group->label);
}

static int compare(const void *a, const void *b)
{
	const struct hist_group *one = *(struct hist_group *const *)a;
	const struct hist_group *other = *(struct hist_group *const *)b;

	if (one->spread.count != other->spread.count)
		return one->spread.count < other->spread.count ? 1 : -1;
	/* Runs of the same trace give the same picture. */
	return (one->key.value > other->key.value) - (one->key.value < other->key.value);
}

void hist_end(struct hist *hist)
{
	for (size_t i = 0; i < hist->group_count; i++)
		label_group(hist, hist->groups[i]);
	qsort(hist->groups, hist->group_count, sizeof(*hist->groups), compare);
}

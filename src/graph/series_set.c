// SPDX-License-Identifier: BSD-2-Clause
#include "graph/series_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/derive.h"
#include "graph/conn_pick.h"
#include "schema/lost.h"
#include "schema/syscalls.h"

#define BINS_ALL (1u << 21) /* of all series: 100 MB */
#define BINS_MIN 256u

struct series_place {
	bool wanted; /* there is anything to draw in these events */
	bool derives; /* derive_event needs them */
	struct group_place group;
	struct field_place fields[SERIES_SET_PICKS];
};

static void find_place(const struct series_set *set, const struct event_class *class,
		       struct series_place *place)
{
	const struct series_request *request = &set->request;

	for (size_t i = 0; i < request->pick_count; i++) {
		place->fields[i] = field_pick_place(&request->picks[i], class);
		place->wanted |= place->fields[i].kind != PLACE_NONE;
	}
	place->wanted = place->wanted && select_shows(set->analysis->select, class) &&
			group_place_find(&request->by, class, &place->group);
	/* An event of no connection is of none that was asked for. */
	if (request->conn_count && place->group.by != GROUP_CONN)
		place->wanted = false;
	place->derives = set->derive && derive_takes(set->derive, class);
}

static uint32_t needs_of(const struct series_request *request, const struct trace_info *info)
{
	uint32_t needs = group_choice_needs(&request->by, info);

	for (size_t i = 0; i < request->pick_count; i++)
		if (!request->picks[i].field)
			needs |= 1u << request->picks[i].derived;
	return needs;
}

/* Its groups are system calls: they are known by their names. */
static bool needs_calls(const struct series_place *place)
{
	const struct group_place *group = &place->group;

	return place->wanted && group->by == GROUP_FIELD &&
	       group->class->fields[group->field].show == FIELD_SHOW_SYSCALL;
}

/* Without memory for them, numbers will do. */
static struct syscalls *read_calls(const struct trace_info *info)
{
	const struct trace_env *native = trace_info_env(info, "syscalls");

	return syscalls_new(native ? native->text : NULL, NULL);
}

int series_set_init(struct series_set *set, const struct analysis *analysis,
		    const struct series_request *request)
{
	const struct trace_info *info = analysis->info;
	uint32_t needs = needs_of(request, info);

	*set = (struct series_set){.analysis = analysis, .request = *request, .bins = SERIES_BINS};
	map_init(&set->index, sizeof(struct group_key), sizeof(struct series_group *),
		 SERIES_SET_GROUPS);
	if (needs) {
		set->derive = derive_new(info, needs);
		if (!set->derive)
			return -ENOMEM;
	}
	set->places = calloc(info->class_count ?: 1, sizeof(*set->places));
	set->groups = calloc(SERIES_SET_GROUPS, sizeof(*set->groups));
	if (!set->places || !set->groups)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++) {
		find_place(set, info->classes[i], &set->places[i]);
		if (needs_calls(&set->places[i]) && !set->calls)
			set->calls = read_calls(info);
	}
	return 0;
}

static void free_group(struct series_group *group, size_t picks)
{
	for (size_t i = 0; group->series && i < picks; i++)
		series_fini(&group->series[i]);
	free(group->series);
	free(group);
}

void series_set_fini(struct series_set *set)
{
	for (size_t i = 0; i < set->group_count; i++)
		free_group(set->groups[i], set->request.pick_count);
	series_fini(&set->losses);
	map_fini(&set->index);
	derive_free(set->derive);
	syscalls_free(set->calls);
	free(set->groups);
	free(set->places);
}

bool series_set_derives(const struct series_set *set)
{
	return set->derive != NULL;
}

/* The more series, the fewer bins. */
static void share_bins(struct series_set *set)
{
	size_t series = set->group_count * set->request.pick_count;
	size_t bins = BINS_ALL / (series ? series : 1);

	set->bins = bins > SERIES_BINS ? SERIES_BINS : bins < BINS_MIN ? BINS_MIN : (uint32_t)bins;
}

/* The group of @key, made where it was not there. -E2BIG: there are too many; -ENOMEM. */
static int group_at(struct series_set *set, const struct group_key *key, struct series_group **ret)
{
	struct series_group **slot = map_get(&set->index, key), *group;

	if (slot) {
		*ret = *slot;
		return 0;
	}
	if (set->group_count == SERIES_SET_GROUPS)
		return -E2BIG;
	group = calloc(1, sizeof(*group));
	if (group)
		group->series = calloc(set->request.pick_count, sizeof(*group->series));
	slot = group && group->series ? map_at(&set->index, key) : NULL;
	if (!slot) {
		if (group)
			free_group(group, set->request.pick_count);
		return -ENOMEM;
	}
	group->key = *key;
	*slot = *ret = set->groups[set->group_count++] = group;
	share_bins(set);
	return 0;
}

static int find_group(struct series_set *set, const struct series_place *place,
		      const struct event *event, const struct event_facts *facts,
		      const struct group_key *key, struct series_group **ret)
{
	size_t before = set->group_count;
	int err = group_at(set, key, ret);

	if (!err && set->group_count > before) {
		group_label(&place->group, event, set->analysis, facts, set->calls, (*ret)->label);
		(*ret)->has_addresses = place->group.has_addresses;
	}
	return err;
}

static int add_value(struct series_set *set, struct series *series, int64_t time_ns, double value)
{
	int err = series_add(series, time_ns, value);

	if (__builtin_expect(series->count > set->bins, 0))
		series_shrink(series, set->bins);
	return err;
}

static int add_values(struct series_set *set, const struct series_place *place,
		      struct series_group *group, const struct event *event,
		      const struct event_facts *facts)
{
	int err = 0;

	for (size_t i = 0; i < set->request.pick_count && !err; i++) {
		const struct field_place *field = &place->fields[i];
		double value;

		if (field_place_get(field, event, facts, &value))
			err = add_value(set, &group->series[i], event->time_ns, value);
		else if (field->none && (!field->optional || event_has(event, field->index)))
			group->limitless++;
	}
	return err;
}

static int take_values(struct series_set *set, const struct series_place *place,
		       const struct event *event, const struct event_facts *facts)
{
	struct series_group *group = set->last;
	struct group_key key;
	int err = 0;

	if (!group_key_get(&place->group, event, set->analysis, facts, &key))
		return 0;
	if (!group || group->key.kind != key.kind || group->key.value != key.value)
		err = find_group(set, place, event, facts, &key, &group);
	if (err == -E2BIG) {
		set->left_out++;
		return 0;
	}
	if (err)
		return err;
	set->last = group;
	if (place->group.by == GROUP_CONN)
		group_learn_conn(&place->group, event, &group->conn);
	return add_values(set, place, group, event, facts);
}

int series_set_take(struct series_set *set, const struct event *event, bool shown)
{
	const struct series_place *place = &set->places[event->class->index];
	struct event_facts facts;
	struct event owned;

	facts.has = 0;
	if (place->derives)
		derive_event(set->derive, event, &facts);
	/* A wait or a request is its own task's, whichever task ran when it ended. */
	if (facts.has & FACTS_OWNER) {
		owned = *event;
		owned.tid = owner_of_event(&facts, event->tid);
		event = &owned;
	}
	if (place->wanted && shown)
		return take_values(set, place, event, &facts);
	if (event->class->role != EVENT_ROLE_LOST)
		return 0;
	return series_add(&set->losses, event->time_ns, (double)event_uint(event, LOST_COUNT));
}

static int merge_group(struct series_set *into, const struct series_group *from)
{
	size_t before = into->group_count;
	struct series_group *group;
	int err = group_at(into, &from->key, &group);

	if (!err && into->group_count > before) {
		memcpy(group->label, from->label, sizeof(group->label));
		group->has_addresses = from->has_addresses;
	}
	/* Of two parts of one connection both may know its ends; groups without ports know none. */
	if (!err && (!group->conn.lport || !group->conn.rport) &&
	    (from->conn.lport || from->conn.rport))
		group->conn = from->conn;
	if (!err)
		group->limitless += from->limitless;
	for (size_t i = 0; !err && i < into->request.pick_count; i++)
		err = series_merge(&group->series[i], &from->series[i]);
	return err;
}

int series_set_merge(struct series_set *into, const struct series_set *from)
{
	int err = from->left_out || into->left_out ? -E2BIG : 0;

	for (size_t i = 0; i < from->group_count && !err; i++)
		err = merge_group(into, from->groups[i]);
	return err ? err : series_merge(&into->losses, &from->losses);
}

/* What is known of it now that all has been read. */
static void label_group(const struct series_set *set, struct series_group *group)
{
	if (group->key.kind == GROUP_CONN)
		group_label_conn(&group->conn, group->has_addresses, group->label);
	else if (group->key.kind == GROUP_TID || group->key.kind == GROUP_PID)
		group_label_task(set->analysis, (uint32_t)group->key.value, group->label);
}

void series_set_end(struct series_set *set)
{
	for (size_t i = 0; i < set->group_count; i++) {
		struct series_group *group = set->groups[i];

		label_group(set, group);
		for (size_t k = 0; k < set->request.pick_count; k++)
			series_shrink(&group->series[k], set->bins);
	}
}

int series_set_wanted(const struct series_set *set, const struct series_group *group)
{
	const struct series_request *request = &set->request;

	if (!request->conn_count)
		return 0;
	for (size_t i = 0; i < request->conn_count; i++)
		if (conn_pick_matches(&request->conns[i], &group->conn))
			return (int)i;
	return -1;
}

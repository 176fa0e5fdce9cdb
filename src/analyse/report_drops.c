// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_drops.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/net_fields.h"
#include "analyse/report_events.h"

#define FIRST_ROOM 16u

/* Of enum skb_drop_reason: what is left of a connection or a socket that is closed, and what was for another host. */
static const char *const harmless[] = {
	"QUEUE_PURGE", "SOCKET_CLOSE",	      "TCP_CLOSE",	 "TCP_OLD_ACK",
	"OTHERHOST",   "TCP_RFC7323_TW_PAWS", "UNIX_DISCONNECT",
};

/* Ports, owner: what the trace has of these. */
static const char *const flow_keys[] = {"reason", "location", "protocol", "saddr",
					"sport",  "daddr",    "dport",	  "comm"};
#define FLOW_KEYS (sizeof(flow_keys) / sizeof(flow_keys[0]))

static const struct report_measure flow_measured[] = {
	{"bytes", "net.drop", "size", "size > 0", MEASURE_SUM},
};
static const struct report_measures flow_measures = {
	.events = "net.drop",
	.counts = "packets",
	.list = flow_measured,
	.count = 1,
};

struct drops_class {
	struct net_fields fields;
	const struct field *reasons; /* which labels them; NULL: none */
	int location; /* -1 = none */
};

/* NULL: too many, or no memory. */
static struct drop_row *row_of(struct drops_report *dr, const struct drop_key *key)
{
	const size_t before = dr->index.count;
	uint32_t *at = map_at(&dr->index, key);

	if (!at || dr->index.count == before)
		return at ? &dr->rows[*at] : NULL;
	if (before == dr->room) {
		const size_t room = dr->room ? dr->room * 2 : FIRST_ROOM;
		struct drop_row *rows = reallocarray(dr->rows, room, sizeof(*rows));

		if (!rows) {
			map_remove(&dr->index, key);
			return NULL;
		}
		dr->rows = rows;
		dr->room = room;
	}
	*at = (uint32_t)before;
	dr->rows[before] = (struct drop_row){.key = *key};
	return &dr->rows[before];
}

static void add(struct drop_row *row, const struct net_now *now)
{
	if (!row->packets++)
		row->first_ns = now->time_ns;
	row->last_ns = now->time_ns;
	row->bytes += now->size > 0 ? (uint64_t)now->size : 0;
}

static void name_reason(struct drop_row *row, const struct field *reasons)
{
	row->reason = field_label(reasons, row->key.reason);
	for (size_t i = 0; row->reason && i < sizeof(harmless) / sizeof(harmless[0]); i++)
		row->harmless |= !strcmp(row->reason, harmless[i]);
}

static void count_drop(struct drops_report *dr, const struct drops_class *class,
		       const struct event *event)
{
	struct drop_key key = {.reason = -1};
	struct drop_row *row;
	struct net_now now;

	net_fields_read(&class->fields, event, &now);
	key.protocol = now.protocol;
	if (class->fields.reason >= 0)
		key.reason = now.reason;
	if (class->location >= 0)
		key.location = event_uint(event, (size_t) class->location);
	add(&dr->all, &now);
	row = row_of(dr, &key);
	if (!row) {
		dr->others++;
		return;
	}
	if (!row->packets && class->reasons)
		name_reason(row, class->reasons);
	dr->harmless += row->harmless;
	add(row, &now);
}

static void drops_batch(struct report *report, const struct event *events, size_t count)
{
	struct drops_report *dr = (struct drops_report *)report;

	if (dr->flows)
		dr->flows->ops->batch(dr->flows, events, count);
	for (size_t i = 0; i < count; i++) {
		const struct drops_class *class = &dr->classes[events[i].class->index];

		if (class->fields.crossing != NET_DROPPED)
			continue;
		count_drop(dr, class, &events[i]);
		dr->report.events++;
	}
}

/* Whose an event is follows from others, too. */
static void drops_learn(struct report *report, const struct event *events, size_t count)
{
	struct drops_report *dr = (struct drops_report *)report;

	if (dr->flows)
		dr->flows->ops->learn(dr->flows, events, count);
}

/* Harmless ones apart, behind all others. */
static int compare(const void *left, const void *right)
{
	const struct drop_row *a = left, *b = right;

	if (a->harmless != b->harmless)
		return a->harmless ? 1 : -1;
	if (a->packets != b->packets)
		return a->packets > b->packets ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

/* What the trace says of addresses is known in the end. The index is of no use behind this. */
static void drops_end(struct report *report, const struct report_span *span)
{
	struct drops_report *dr = (struct drops_report *)report;
	struct symbols *symbols = report->analysis->info->symbols;

	(void)span;
	for (size_t i = 0; i < dr->index.count; i++) {
		struct drop_row *row = &dr->rows[i];

		if (!symbols || !row->key.location ||
		    !symbols_find(symbols, 0, row->last_ns, row->key.location, &row->place))
			row->place = (struct symbol_place){0};
	}
	if (dr->rows)
		qsort(dr->rows, dr->index.count, sizeof(*dr->rows), compare);
}

static void drops_free(struct report *report)
{
	struct drops_report *dr = (struct drops_report *)report;

	if (dr->flows)
		dr->flows->ops->free(dr->flows);
	map_fini(&dr->index);
	free(dr->rows);
	free(dr->classes);
	free(dr);
}

static const struct report_ops drops_ops = {
	.batch = drops_batch,
	.learn = drops_learn,
	.end = drops_end,
	.free = drops_free,
};

static void find_class(struct drops_class *entry, const struct event_class *class)
{
	net_fields_find(&entry->fields, class);
	entry->location = event_class_find_number(class, "location");
	if (entry->fields.crossing == NET_DROPPED && entry->fields.reason >= 0)
		entry->reasons = &class->fields[entry->fields.reason];
}

static bool any_has(const struct analysis *analysis, const char *name)
{
	for (size_t i = 0; i < analysis->info->class_count; i++) {
		const struct event_class *class = analysis->info->classes[i];

		if (!strcmp(class->name, "net.drop") && select_shows(analysis->select, class) &&
		    event_class_find_any(class, name) >= 0)
			return true;
	}
	return false;
}

/* By as much of the flow as drops have. Without any, there are none. */
static int add_flows(struct drops_report *dr)
{
	const struct analysis *analysis = dr->report.analysis;
	struct report_grouping grouping = {
		.report = "drops", .by = dr->flow_by, .measures = &flow_measures};

	if (!any_has(analysis, "sport"))
		return 0;
	for (size_t i = 0; i < FLOW_KEYS; i++) {
		if (any_has(analysis, flow_keys[i]) || !strcmp(flow_keys[i], "comm"))
			dr->flow_by[grouping.by_count++] = flow_keys[i];
	}
	return report_events_new(analysis, &grouping, &dr->flows, NULL);
}

struct report *report_drops_new(const struct analysis *analysis)
{
	const struct trace_info *info = analysis->info;
	struct drops_report *dr = calloc(1, sizeof(*dr));

	if (!dr)
		return NULL;
	dr->report = (struct report){.ops = &drops_ops, .analysis = analysis};
	map_init(&dr->index, sizeof(struct drop_key), sizeof(uint32_t), REPORT_DROPS_LIMIT);
	dr->classes = calloc(info->class_count ?: 1, sizeof(*dr->classes));
	if (!dr->classes) {
		drops_free(&dr->report);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++) {
		dr->classes[i].fields.crossing = NET_NONE;
		if (select_shows(analysis->select, info->classes[i]))
			find_class(&dr->classes[i], info->classes[i]);
	}
	if (add_flows(dr)) {
		drops_free(&dr->report);
		return NULL;
	}
	return &dr->report;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_drops.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/net_fields.h"

#define FIRST_ROOM 16u

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
		row->reason = field_label(class->reasons, key.reason);
	add(row, &now);
}

static void drops_batch(struct report *report, const struct event *events, size_t count)
{
	struct drops_report *dr = (struct drops_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct drops_class *class = &dr->classes[events[i].class->index];

		if (class->fields.crossing != NET_DROPPED)
			continue;
		count_drop(dr, class, &events[i]);
		dr->report.events++;
	}
}

static int compare(const void *left, const void *right)
{
	const struct drop_row *a = left, *b = right;

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

	map_fini(&dr->index);
	free(dr->rows);
	free(dr->classes);
	free(dr);
}

static const struct report_ops drops_ops = {
	.batch = drops_batch,
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
	return &dr->report;
}

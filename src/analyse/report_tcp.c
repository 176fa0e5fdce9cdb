// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_tcp.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/gap.h"

#define FIRST_ROOM 64u

struct tcp_class {
	struct gap_fields gap;
	struct tcp_fields fields;
};

/* Where it has no room for its own distributions it shares those of the others. */
static struct tcp_conn *make_conn(struct tcp_report *tr)
{
	struct tcp_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->spread = &tr->others_spread;
	if (tr->spreads < REPORT_TCP_SPREADS) {
		struct tcp_spread *spread = calloc(1, sizeof(*spread));

		tr->spreads += spread != NULL;
		conn->spread = spread ?: conn->spread;
	}
	return conn;
}

static struct tcp_conn *add_conn(struct tcp_report *tr)
{
	struct tcp_conn **more;

	if (tr->count == tr->room) {
		size_t room = tr->room ? tr->room * 2 : FIRST_ROOM;

		more = reallocarray(tr->conns, room, sizeof(*more));
		if (!more)
			return NULL;
		tr->conns = more;
		tr->room = room;
	}
	tr->conns[tr->count] = make_conn(tr);
	return tr->conns[tr->count] ? tr->conns[tr->count++] : NULL;
}

/* One lookup for a run of events of the same connection. NULL: it is beyond the limit. */
static struct tcp_conn *find_conn(struct tcp_report *tr, uint64_t key)
{
	size_t before = tr->index.count;
	uint32_t *at;

	if (tr->found && tr->last_key == key)
		return tr->last;
	at = map_at(&tr->index, &key);
	if (at && tr->index.count > before) {
		*at = (uint32_t)tr->count;
		if (!add_conn(tr)) {
			map_remove(&tr->index, &key);
			at = NULL;
		}
	}
	tr->found = true;
	tr->last_key = key;
	tr->last = at ? tr->conns[*at] : NULL;
	return tr->last;
}

static void count_event(struct tcp_report *tr, const struct tcp_fields *fields,
			const struct event *event)
{
	struct tcp_conn *conn = find_conn(tr, conn_id_key(&fields->id, event));

	tr->report.events++;
	if (!conn) {
		tr->others++;
		return;
	}
	tcp_conn_count(conn, fields, event, conn->epoch == tr->epoch);
	conn->epoch = tr->epoch;
}

static void tcp_batch(struct report *report, const struct event *events, size_t count)
{
	struct tcp_report *tr = (struct tcp_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct tcp_class *entry = &tr->classes[events[i].class->index];

		if (entry->fields.kind != TCP_NONE)
			count_event(tr, &entry->fields, &events[i]);
		else if (gap_fields_any(&entry->gap) &&
			 gap_is_here(&entry->gap, &events[i], "tcp."))
			tr->epoch++;
	}
}

static void tcp_end(struct report *report, const struct report_span *span)
{
	struct tcp_report *tr = (struct tcp_report *)report;

	(void)span;
	for (size_t i = 0; i < tr->count; i++) {
		tcp_conn_merge(&tr->all, tr->conns[i]);
		if (report_tcp_has_spread(tr, tr->conns[i]))
			tcp_spread_merge(&tr->all_spread, tr->conns[i]->spread);
		tr->listeners += tr->conns[i]->listens;
	}
	tcp_spread_merge(&tr->all_spread, &tr->others_spread);
	tr->all.spread = &tr->all_spread;
}

static int compare(const void *left, const void *right)
{
	const struct tcp_conn *a = *(const struct tcp_conn *const *)left;
	const struct tcp_conn *b = *(const struct tcp_conn *const *)right;
	uint64_t a_bytes = a->sent.grown + a->received.grown;
	uint64_t b_bytes = b->sent.grown + b->received.grown;

	if (a_bytes != b_bytes)
		return a_bytes > b_bytes ? -1 : 1;
	if (a->sent.grown != b->sent.grown)
		return a->sent.grown > b->sent.grown ? -1 : 1;
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	return a->id.cookie < b->id.cookie ? -1 : a->id.cookie > b->id.cookie;
}

const struct tcp_conn **report_tcp_rank(const struct tcp_report *tr, size_t *count)
{
	const struct tcp_conn **list = calloc(tr->count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < tr->count; i++) {
		if (!tr->conns[i]->listens)
			list[(*count)++] = tr->conns[i];
	}
	if (list)
		qsort(list, *count, sizeof(*list), compare);
	return list;
}

static void tcp_free(struct report *report)
{
	struct tcp_report *tr = (struct tcp_report *)report;

	for (size_t i = 0; i < tr->count; i++) {
		if (report_tcp_has_spread(tr, tr->conns[i]))
			free(tr->conns[i]->spread);
		free(tr->conns[i]);
	}
	free(tr->conns);
	map_fini(&tr->index);
	free(tr->classes);
	free(tr);
}

static const struct report_ops tcp_ops = {
	tcp_batch,
	NULL,
	tcp_end,
	tcp_free,
};

struct report *report_tcp_new(const struct analysis *analysis)
{
	struct tcp_report *tr = calloc(1, sizeof(*tr));
	bool acks = false, sends = false;

	if (!tr)
		return NULL;
	tr->report = (struct report){.ops = &tcp_ops, .analysis = analysis};
	map_init(&tr->index, sizeof(uint64_t), sizeof(uint32_t), REPORT_TCP_LIMIT);
	tr->classes = calloc(analysis->info->class_count ?: 1, sizeof(*tr->classes));
	if (!tr->classes) {
		tcp_free(&tr->report);
		return NULL;
	}
	for (size_t i = 0; i < analysis->info->class_count; i++) {
		const struct event_class *class = analysis->info->classes[i];

		gap_fields_find(&tr->classes[i].gap, class);
		if (!select_shows(analysis->select, class))
			continue;
		tcp_fields_find(&tr->classes[i].fields, class);
		tr->cwnd_bytes |= tr->classes[i].fields.cwnd_bytes;
		acks |= !strcmp(class->name, "tcp.ack");
		sends |= !strcmp(class->name, "tcp.send");
	}
	tr->whole = acks && sends;
	return &tr->report;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_rx.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "schema/event.h"

#define FIELDS_MAX 8

enum rx_kind {
	RX_NONE,
	RX_ROUND,
	RX_SILENCE,
	RX_COUNTED,
	RX_CALLED,
	RX_KNOWN,
};

enum { ROUND_SERVER, ROUND_NUMBER, ROUND_WAITING, ROUND_IDLE, ROUND_CALLS, ROUND_BEGUN };
enum { SILENCE_SERVER, SILENCE_MISSED, SILENCE_NUMBER };
enum { COUNTED_SERVER, COUNTED_SENT, COUNTED_RESENT };
enum { CALLED_SERVER, CALLED_PEER, CALLED_PORT, CALLED_WAITS };
enum {
	KNOWN_SERVER,
	KNOWN_PEER,
	KNOWN_PORT,
	KNOWN_BYTES_SENT,
	KNOWN_BYTES_RECEIVED,
	KNOWN_SENT,
	KNOWN_RESENT,
	KNOWN_RTT,
};

/* What a report needs of each class, the server first. */
static const struct {
	const char *class;
	const char *fields[FIELDS_MAX];
} kinds[] = {
	[RX_NONE] = {"", {NULL}},
	[RX_ROUND] = {"rx.stats",
		      {"server", "round", "waiting", "idle_threads", "calls_executed", "begun"}},
	[RX_SILENCE] = {"rx.silent", {"server", "missed", "round"}},
	[RX_COUNTED] = {"rx.counters", {"server", "data_sent", "data_resent"}},
	[RX_CALLED] = {"rx.call", {"server", "peer", "peer_port", "waits_for"}},
	[RX_KNOWN] = {"rx.peer",
		      {"server", "peer", "peer_port", "bytes_sent", "bytes_received",
		       "packets_sent", "packets_resent", "rtt_us"}},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(*kinds))

struct rx_report_class {
	enum rx_kind kind;
	size_t fields[FIELDS_MAX];
};

static bool is_text(const struct field *field)
{
	return field->kind == FIELD_TEXT || field->kind == FIELD_STRING;
}

static bool is_address(const struct field *field)
{
	return field->kind == FIELD_INT && field->count == 16 && field->bits == 8 &&
	       field->offset_bits % 8 == 0;
}

static bool find_field(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find(class, name);

	if (i < 0)
		return false;
	*ret = (size_t)i;
	if (!strcmp(name, "server"))
		return is_text(&class->fields[i]);
	if (!strcmp(name, "peer"))
		return is_address(&class->fields[i]);
	return event_class_find_number(class, name) == i;
}

/* A class that has the name but not the fields is not one of Sonde's. */
static void find_class(const struct event_class *class, struct rx_report_class *ret)
{
	for (size_t kind = RX_ROUND; kind < KIND_COUNT; kind++) {
		bool whole = !strcmp(class->name, kinds[kind].class);

		for (size_t i = 0; whole && i < FIELDS_MAX && kinds[kind].fields[i]; i++)
			whole = find_field(class, kinds[kind].fields[i], &ret->fields[i]);
		if (whole)
			ret->kind = (enum rx_kind)kind;
	}
}

static void grow(struct rx_growth *growth, uint64_t value)
{
	if (growth->known && value > growth->last)
		growth->grown += value - growth->last;
	growth->last = value;
	growth->known = true;
}

/* Room for one more row behind @count; NULL = no memory, and the rows stay. */
static void *room_for(void *rows, size_t *room, size_t count, size_t bytes)
{
	size_t more = *room ? 2 * *room : 16;
	void *grown;

	if (count < *room)
		return rows;
	grown = reallocarray(rows, more, bytes);
	if (grown)
		*room = more;
	return grown;
}

/* The map's value is 1 + the index of the row. */
static struct rx_server_row *server_of(struct rx_report *rr, const char *name, size_t len)
{
	char key[REPORT_RX_SERVER_BYTES] = {0};
	struct rx_server_row *rows;
	uint32_t *slot;

	memcpy(key, name, len < sizeof(key) ? len : sizeof(key) - 1);
	slot = map_at(&rr->servers, key);
	if (!slot)
		return NULL;
	if (*slot)
		return &rr->server_rows[*slot - 1];
	rows = room_for(rr->server_rows, &rr->server_room, rr->servers.count - 1, sizeof(*rows));
	if (!rows) {
		map_remove(&rr->servers, key);
		return NULL;
	}
	rr->server_rows = rows;
	*slot = (uint32_t)rr->servers.count;
	rows[*slot - 1] = (struct rx_server_row){.idle_least = INT64_MAX};
	memcpy(rows[*slot - 1].name, key, sizeof(key));
	return &rows[*slot - 1];
}

static struct rx_peer_row *peer_of(struct rx_report *rr, const struct rx_peer_key *key)
{
	uint32_t *slot = map_at(&rr->peers, key);
	struct rx_peer_row *rows;

	if (!slot)
		return NULL;
	if (*slot)
		return &rr->peer_rows[*slot - 1];
	rows = room_for(rr->peer_rows, &rr->peer_room, rr->peers.count - 1, sizeof(*rows));
	if (!rows) {
		map_remove(&rr->peers, key);
		return NULL;
	}
	rr->peer_rows = rows;
	*slot = (uint32_t)rr->peers.count;
	rows[*slot - 1] = (struct rx_peer_row){.key = *key};
	return &rows[*slot - 1];
}

/* The rounds between the last one that was given up and this one were too late, and are missed. */
static void take_round(struct rx_server_row *row, const struct event *event, const size_t *fields)
{
	uint64_t round = event_uint(event, fields[ROUND_NUMBER]);
	int64_t waiting = (int64_t)event_uint(event, fields[ROUND_WAITING]);
	int64_t idle = (int64_t)event_uint(event, fields[ROUND_IDLE]);

	row->missed += row->silent;
	if (row->silent && round > row->silent_round)
		row->missed += round - row->silent_round - 1;
	row->silent = 0;
	if (!row->rounds++)
		row->first_ns = event->time_ns;
	row->last_ns = event->time_ns;
	if (waiting > 0) {
		row->waiting_total += (uint64_t)waiting;
		row->waiting_rounds++;
	}
	if (waiting > row->waiting_most) {
		row->waiting_most = waiting;
		row->waiting_most_ns = event->time_ns;
	}
	if (idle < row->idle_least)
		row->idle_least = idle;
	row->begun = event_uint(event, fields[ROUND_BEGUN]);
	grow(&row->calls, event_uint(event, fields[ROUND_CALLS]));
}

static void take_server(struct rx_server_row *row, enum rx_kind kind, const struct event *event,
			const size_t *fields)
{
	switch (kind) {
	case RX_ROUND:
		take_round(row, event, fields);
		break;
	case RX_SILENCE:
		row->silent = event_uint(event, fields[SILENCE_MISSED]);
		row->silent_round = event_uint(event, fields[SILENCE_NUMBER]);
		break;
	default: /* RX_COUNTED */
		grow(&row->sent, event_uint(event, fields[COUNTED_SENT]));
		grow(&row->resent, event_uint(event, fields[COUNTED_RESENT]));
	}
}

static void take_peer(struct rx_peer_row *row, enum rx_kind kind, const struct event *event,
		      const size_t *fields)
{
	if (kind == RX_CALLED) {
		row->blocked += event_uint(event, fields[CALLED_WAITS]) != 0;
		return;
	}
	row->seen++;
	grow(&row->bytes_sent, event_uint(event, fields[KNOWN_BYTES_SENT]));
	grow(&row->bytes_received, event_uint(event, fields[KNOWN_BYTES_RECEIVED]));
	grow(&row->sent, event_uint(event, fields[KNOWN_SENT]));
	grow(&row->resent, event_uint(event, fields[KNOWN_RESENT]));
	row->rtt_us = event_uint(event, fields[KNOWN_RTT]);
}

static void take(struct rx_report *rr, const struct rx_report_class *class,
		 const struct event *event)
{
	struct rx_server_row *server;
	struct rx_peer_key key = {0};
	struct rx_peer_row *peer;
	const char *name;
	size_t len;

	name = event_text(event, class->fields[ROUND_SERVER], &len);
	if (class->kind != RX_CALLED && class->kind != RX_KNOWN) {
		server = server_of(rr, name, len);
		if (server)
			take_server(server, class->kind, event, class->fields);
		rr->left_out += !server;
		return;
	}
	memcpy(key.server, name, len < sizeof(key.server) ? len : sizeof(key.server) - 1);
	memcpy(key.address, event_bytes(event, class->fields[CALLED_PEER]), sizeof(key.address));
	key.port = (uint32_t)event_uint(event, class->fields[CALLED_PORT]);
	peer = peer_of(rr, &key);
	if (peer)
		take_peer(peer, class->kind, event, class->fields);
	rr->left_out += !peer;
}

static void rx_batch(struct report *report, const struct event *events, size_t count)
{
	struct rx_report *rr = (struct rx_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct rx_report_class *class = &rr->classes[events[i].class->index];

		if (class->kind == RX_NONE)
			continue;
		take(rr, class, &events[i]);
		rr->report.events++;
	}
}

static void rx_end(struct report *report, const struct report_span *span)
{
	struct rx_report *rr = (struct rx_report *)report;

	(void)span;
	for (size_t i = 0; i < rr->servers.count; i++)
		rr->server_rows[i].missed += rr->server_rows[i].silent;
}

/* Those on which the most calls waited come first. */
static int compare_servers(const void *left, const void *right)
{
	const struct rx_server_row *a = *(const struct rx_server_row *const *)left;
	const struct rx_server_row *b = *(const struct rx_server_row *const *)right;

	if (a->waiting_total != b->waiting_total)
		return a->waiting_total > b->waiting_total ? -1 : 1;
	if (a->missed != b->missed)
		return a->missed > b->missed ? -1 : 1;
	return memcmp(a->name, b->name, sizeof(a->name));
}

static uint64_t bytes_of(const struct rx_peer_row *row)
{
	return row->bytes_sent.grown + row->bytes_received.grown;
}

/* Those with the most bytes come first. */
static int compare_peers(const void *left, const void *right)
{
	const struct rx_peer_row *a = *(const struct rx_peer_row *const *)left;
	const struct rx_peer_row *b = *(const struct rx_peer_row *const *)right;

	if (bytes_of(a) != bytes_of(b))
		return bytes_of(a) > bytes_of(b) ? -1 : 1;
	if (a->blocked != b->blocked)
		return a->blocked > b->blocked ? -1 : 1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

/* Pointers to rows, ranked; the caller frees them. NULL = no memory. */
static const void **rank(const void *rows, size_t count, size_t bytes,
			 int (*compare)(const void *left, const void *right))
{
	const void **ranked = calloc(count + 1, sizeof(*ranked));

	for (size_t i = 0; ranked && i < count; i++)
		ranked[i] = (const char *)rows + i * bytes;
	if (ranked)
		qsort(ranked, count, sizeof(*ranked), compare);
	return ranked;
}

const void **report_rx_rank_servers(const struct rx_report *rr, size_t *count)
{
	*count = rr->servers.count;
	return rank(rr->server_rows, *count, sizeof(*rr->server_rows), compare_servers);
}

const void **report_rx_rank_peers(const struct rx_report *rr, size_t *count)
{
	*count = rr->peers.count;
	return rank(rr->peer_rows, *count, sizeof(*rr->peer_rows), compare_peers);
}

static void rx_free(struct report *report)
{
	struct rx_report *rr = (struct rx_report *)report;

	map_fini(&rr->servers);
	map_fini(&rr->peers);
	free(rr->server_rows);
	free(rr->peer_rows);
	free(rr->classes);
	free(rr);
}

static const struct report_ops rx_ops = {
	rx_batch,
	NULL,
	rx_end,
	rx_free,
};

struct report *report_rx_new(const struct analysis *analysis)
{
	struct rx_report *rr = calloc(1, sizeof(*rr));

	if (!rr)
		return NULL;
	rr->report = (struct report){.ops = &rx_ops, .analysis = analysis};
	map_init(&rr->servers, REPORT_RX_SERVER_BYTES, sizeof(uint32_t), REPORT_RX_SERVERS);
	map_init(&rr->peers, sizeof(struct rx_peer_key), sizeof(uint32_t), REPORT_RX_PEERS);
	rr->classes = calloc(analysis->info->class_count ?: 1, sizeof(*rr->classes));
	if (!rr->classes) {
		rx_free(&rr->report);
		return NULL;
	}
	for (size_t i = 0; i < analysis->info->class_count; i++) {
		if (select_shows(analysis->select, analysis->info->classes[i]))
			find_class(analysis->info->classes[i], &rr->classes[i]);
	}
	return &rr->report;
}

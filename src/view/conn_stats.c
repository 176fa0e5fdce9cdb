// SPDX-License-Identifier: BSD-2-Clause
#include "view/conn_stats.h"

#include <string.h>

static int find_address(const struct event_class *class, const char *name)
{
	int i = event_class_find(class, name);

	if (i >= 0 && (class->fields[i].kind != FIELD_INT || class->fields[i].count != 16 ||
		       class->fields[i].bits != 8))
		return -1;
	return i;
}

/* The first of several names; a change of state tells the new one, which is the later. */
static int find_state(const struct event_class *class)
{
	static const char *const names[] = {"new_state", "newstate", "new", "state"};
	size_t i;
	int field;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		field = event_class_find_number(class, names[i]);
		if (field >= 0)
			return field;
	}
	return -1;
}

bool conn_fields_find(struct conn_fields *fields, const struct event_class *class)
{
	const char *unit;

	*fields = (struct conn_fields){
		.cookie = event_class_find_number(class, "cookie"),
		.saddr = find_address(class, "saddr"),
		.daddr = find_address(class, "daddr"),
		.lport = event_class_find_number(class, "lport"),
		.rport = event_class_find_number(class, "rport"),
		.bytes_acked = event_class_find_number(class, "bytes_acked"),
		.bytes_received = event_class_find_number(class, "bytes_received"),
		.total_retrans = event_class_find_number(class, "total_retrans"),
		.srtt = event_class_find_number(class, "srtt_us"),
		.cwnd = event_class_find_number(class, "snd_cwnd"),
		.state = find_state(class),
		.srtt_unit_ns = 125, /* the kernel keeps eighths of a microsecond */
	};
	if (fields->srtt >= 0) {
		unit = class->fields[fields->srtt].unit;
		if (unit && !strcmp(unit, "us"))
			fields->srtt_unit_ns = 1000;
	}
	return fields->saddr >= 0 && fields->daddr >= 0 && fields->lport >= 0 && fields->rport >= 0;
}

void conn_stats_init(struct conn_stats *stats)
{
	*stats = (struct conn_stats){0};
	map_init(&stats->map, sizeof(uint64_t), sizeof(struct conn_count), CONN_STATS_LIMIT);
}

void conn_stats_fini(struct conn_stats *stats)
{
	map_fini(&stats->map);
}

static uint64_t get(const struct event *event, int field)
{
	return field >= 0 ? event_uint(event, (size_t)field) : 0;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; i < len; i++) /* FNV-1a, 64 bits */
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

static uint64_t make_key(const struct conn_fields *fields, const struct event *event)
{
	uint64_t cookie = get(event, fields->cookie), hash = 0xcbf29ce484222325u;
	uint64_t ports;

	if (cookie)
		return cookie;
	ports = get(event, fields->lport) << 16 | get(event, fields->rport);
	hash = mix(hash, event_bytes(event, (size_t)fields->saddr), 16);
	hash = mix(hash, event_bytes(event, (size_t)fields->daddr), 16);
	hash = mix(hash, &ports, sizeof(ports));
	return hash | 1ull << 63; /* cookies count from 1: they never come that far */
}

/* One lookup for a run of events of the same connection, which is how they come. */
static struct conn_count *find(struct conn_stats *stats, uint64_t key)
{
	if (stats->last && stats->last_key == key)
		return stats->last;
	stats->last_key = key;
	stats->last = map_at(&stats->map, &key);
	return stats->last;
}

/* A socket has no port before it is bound or connected, and none again once it is closed. */
static void identify(struct conn_count *conn, const struct conn_fields *fields,
		     const struct event *event)
{
	uint64_t lport = get(event, fields->lport), rport = get(event, fields->rport);

	if (conn->events && (conn->lport || !lport) && (conn->rport || !rport))
		return;
	memcpy(conn->saddr, event_bytes(event, (size_t)fields->saddr), sizeof(conn->saddr));
	memcpy(conn->daddr, event_bytes(event, (size_t)fields->daddr), sizeof(conn->daddr));
	conn->lport = (uint16_t)lport;
	conn->rport = (uint16_t)rport;
	conn->cookie = get(event, fields->cookie);
}

/* Counters of the kernel only rise: the largest is the last, whatever order events come in. */
static void raise_to(uint64_t *value, uint64_t seen)
{
	if (seen > *value)
		*value = seen;
}

static void count_srtt(struct conn_count *conn, uint64_t srtt_ns)
{
	if (!srtt_ns) /* not measured yet */
		return;
	conn->srtt_ns = srtt_ns;
	if (!conn->srtt_count || srtt_ns < conn->srtt_min_ns)
		conn->srtt_min_ns = srtt_ns;
	conn->srtt_sum_ns += srtt_ns;
	conn->srtt_count++;
}

void conn_stats_count(struct conn_stats *stats, const struct conn_fields *fields,
		      const struct event *event)
{
	struct conn_count *conn = find(stats, make_key(fields, event));

	if (!conn) {
		stats->others++;
		return;
	}
	identify(conn, fields, event);
	conn->events++;
	raise_to(&conn->bytes_acked, get(event, fields->bytes_acked));
	raise_to(&conn->bytes_received, get(event, fields->bytes_received));
	raise_to(&conn->total_retrans, get(event, fields->total_retrans));
	count_srtt(conn, get(event, fields->srtt) * fields->srtt_unit_ns);
	if (fields->cwnd >= 0)
		conn->cwnd = (uint32_t)get(event, fields->cwnd);
	if (fields->state >= 0) {
		conn->state_field = &event->class->fields[fields->state];
		conn->state = (int64_t)get(event, fields->state);
	}
}

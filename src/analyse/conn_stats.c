// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/conn_stats.h"

#include <string.h>

#include "base/clock.h"

/* The first of several names; a change of state has the new one, which is the later. */
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
	*fields = (struct conn_fields){
		.bytes_acked = event_class_find_number(class, "bytes_acked"),
		.bytes_received = event_class_find_number(class, "bytes_received"),
		.total_retrans = event_class_find_number(class, "total_retrans"),
		.srtt = event_class_find_number(class, "srtt_us"),
		.cwnd = event_class_find_number(class, "snd_cwnd"),
		.state = find_state(class),
	};
	return conn_id_find(&fields->id, class);
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

/* One lookup for a run of events of the same connection, which is how they come. */
static struct conn_count *find(struct conn_stats *stats, uint64_t key)
{
	if (stats->last && stats->last_key == key)
		return stats->last;
	stats->last_key = key;
	stats->last = map_at(&stats->map, &key);
	return stats->last;
}

static void count(struct kernel_counter *counter, const struct event *event, int field)
{
	if (field >= 0)
		(void)kernel_counter_take(counter, event_uint(event, (size_t)field));
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
	struct conn_count *conn = find(stats, conn_id_key(&fields->id, event));

	if (!conn) {
		stats->others++;
		return;
	}
	conn_id_learn(&conn->id, &fields->id, event);
	conn->events++;
	count(&conn->sent, event, fields->bytes_acked);
	count(&conn->received, event, fields->bytes_received);
	count(&conn->resent_segments, event, fields->total_retrans);
	count_srtt(conn, get(event, fields->srtt) * NS_PER_US);
	if (fields->cwnd >= 0)
		conn->cwnd = (uint32_t)get(event, fields->cwnd);
	if (fields->state >= 0) {
		conn->state_field = &event->class->fields[fields->state];
		conn->state = (int64_t)get(event, fields->state);
	}
}

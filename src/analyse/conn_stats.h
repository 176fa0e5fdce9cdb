/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conn_stats: what the statistics keep of each connection. Bounded: connections beyond the limit are
 * counted as one.
 */
#ifndef SONDE_ANALYSE_CONN_STATS_H
#define SONDE_ANALYSE_CONN_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/conn_id.h"
#include "analyse/kernel_counter.h"
#include "base/map.h"
#include "schema/event.h"

#define CONN_STATS_LIMIT 65536u

/* Where one class has what; -1 = nowhere. Looked up once. */
struct conn_fields {
	struct conn_id_fields id;
	int bytes_acked, bytes_received, total_retrans, srtt, cwnd, state;
};

struct conn_count {
	struct conn_id id;
	uint64_t events;
	struct kernel_counter sent; /* as in struct tcp_conn */
	struct kernel_counter received;
	struct kernel_counter resent_segments;
	uint64_t srtt_ns;
	uint64_t srtt_min_ns;
	uint64_t srtt_sum_ns;
	uint64_t srtt_count; /* snapshots with a measured round-trip time */
	uint32_t cwnd; /* last */
	const struct field *state_field; /* which labels the state; NULL = not known */
	int64_t state;
};

struct conn_stats {
	struct map map;
	uint64_t last_key;
	struct conn_count *last; /* of last_key; NULL = none */
	uint64_t others; /* events of connections beyond the limit */
};

/* Whether events of @class are about a connection. */
bool conn_fields_find(struct conn_fields *fields, const struct event_class *class);

void conn_stats_init(struct conn_stats *stats);
void conn_stats_fini(struct conn_stats *stats);
void conn_stats_count(struct conn_stats *stats, const struct conn_fields *fields,
		      const struct event *event);

#endif /* SONDE_ANALYSE_CONN_STATS_H */

// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_tcp_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/report_tcp.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/json_field.h"
#include "output/latency_write.h"
#include "output/report_kind.h"

static const char *const causes[TCP_CAUSE_COUNT] = {"fast", "rto", "tlp", "syn"};
static const char *const ca_states[TCP_CA_COUNT] = {"open", "disorder", "cwr", "recovery", "loss"};

/* The number, and its name where the trace has one. */
static void put_labelled(struct json_writer *json, const char *key, const struct field *field,
			 int64_t value)
{
	json_writer_int(json, key, value);
	json_field_label(json, key, field_label(field, value));
}

static void put_resent(struct json_writer *json, const struct tcp_conn *conn)
{
	json_writer_object(json, "retransmissions");
	json_writer_uint(json, "segments", conn->resent_segments.grown);
	json_writer_uint(json, "failed", conn->resent_failed);
	for (size_t i = 0; i < TCP_CAUSE_COUNT; i++) {
		json_writer_object(json, causes[i]);
		json_writer_uint(json, "times", conn->resent[i].times);
		json_writer_uint(json, "segments", conn->resent[i].segments);
		json_writer_uint(json, "bytes", conn->resent[i].bytes);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_losses(struct json_writer *json, const struct tcp_conn *conn)
{
	json_writer_object(json, "congestion");
	for (size_t i = 0; i < TCP_CA_COUNT; i++) {
		json_writer_object(json, ca_states[i]);
		json_writer_uint(json, "entered", conn->entered[i]);
		json_writer_uint(json, "time_ns", conn->ca_ns[i]);
		json_writer_end(json);
	}
	json_writer_end(json);
	json_writer_uint(json, "loss_episodes", conn->episodes);
}

static void put_waits(struct json_writer *json, const struct tcp_conn *conn)
{
	json_writer_object(json, "waited_ns");
	for (enum tcp_wait i = 0; i < TCP_WAIT_COUNT; i++)
		json_writer_uint(json, tcp_wait_name(i), conn->wait_ns[i]);
	json_writer_end(json);
	json_writer_uint(json, "unknown_ns", conn->unknown_ns);
}

static void put_spread(struct json_writer *json, const struct tcp_spread *spread)
{
	latency_write_object(&spread->srtt, "srtt", json);
	latency_write_object(&spread->episodes, "episodes", json);
	level_write_json(&spread->cwnd, "cwnd", json);
	level_write_json(&spread->receive_queue, "receive_queue", json);
	level_write_json(&spread->send_queue, "send_queue", json);
}

/* What both one connection and all of them have. */
static void put_counts(struct json_writer *json, const struct tcp_conn *conn)
{
	json_writer_uint(json, "events", conn->events);
	json_writer_uint(json, "sent_bytes", conn->sent.grown);
	json_writer_uint(json, "received_bytes", conn->received.grown);
	put_resent(json, conn);
	put_losses(json, conn);
	put_waits(json, conn);
	json_writer_uint(json, "resets_sent", conn->resets_sent);
	json_writer_uint(json, "resets_received", conn->resets_received);
}

static void put_life(struct json_writer *json, const struct tcp_conn *conn)
{
	json_writer_int(json, "begin", conn->first_ns);
	json_writer_int(json, "end", conn->last_ns);
	json_writer_bool(json, "opened", conn->opened);
	json_writer_bool(json, "closed", conn->closed);
	if (conn->state_field)
		put_labelled(json, "state", conn->state_field, conn->state);
	json_writer_array(json, "states");
	for (size_t i = 0; i < conn->change_count; i++) {
		json_writer_object(json, NULL);
		json_writer_int(json, "time", conn->changes[i].time_ns);
		put_labelled(json, "state", conn->state_field, conn->changes[i].state);
		json_writer_end(json);
	}
	json_writer_end(json);
	if (conn->handshake_ns)
		json_writer_uint(json, "handshake_ns", conn->handshake_ns);
}

/* At the last snapshot; the totals are of its whole life. */
static void put_last(struct json_writer *json, const struct tcp_conn *conn)
{
	json_writer_uint(json, "acked_total_bytes", conn->sent.last);
	json_writer_uint(json, "received_total_bytes", conn->received.last);
	json_writer_uint(json, "srtt_last_ns", conn->srtt_ns);
	json_writer_uint(json, "mdev_last_ns", conn->mdev_ns);
	json_writer_uint(json, "rto_last_ns", conn->rto_ns);
	json_writer_uint(json, "rto_max_ns", conn->rto_max_ns);
}

static void put_rate(struct json_writer *json, const char *key, double rate)
{
	json_writer_real(json, key, rate, 0);
}

static void put_conn(struct json_writer *json, const struct tcp_report *tr,
		     const struct tcp_conn *conn)
{
	json_writer_object(json, NULL);
	conn_id_json(json, &conn->id);
	if (conn->snapshots)
		json_writer_uint(json, "netns", conn->netns);
	put_life(json, conn);
	put_rate(json, "sent_bytes_per_s", tcp_conn_rate(conn, conn->sent.grown));
	put_rate(json, "received_bytes_per_s", tcp_conn_rate(conn, conn->received.grown));
	if (conn->snapshots)
		put_last(json, conn);
	put_counts(json, conn);
	if (conn->reason_field)
		put_labelled(json, "reset_reason", conn->reason_field, conn->reason);
	if (report_tcp_has_spread(tr, conn))
		put_spread(json, conn->spread);
	json_writer_end(json);
}

int report_tcp_json(const struct report *report, const struct report_options *options,
		    struct json_writer *json)
{
	const struct tcp_report *tr = (const struct tcp_report *)report;
	size_t count;
	const struct tcp_conn **list = report_tcp_rank(tr, &count);

	if (!list)
		return -ENOMEM;
	json_writer_uint(json, "connections", count);
	json_writer_uint(json, "listeners", tr->listeners);
	json_writer_uint(json, "other_connection_events", tr->others);
	json_writer_bool(json, "waits_exact", tr->whole);
	if (tr->cwnd_bytes)
		json_writer_bool(json, "cwnd_in_bytes", true);
	put_counts(json, &tr->all);
	put_spread(json, &tr->all_spread);
	json_writer_array(json, "by_connection");
	for (size_t i = 0; i < report_shown(options, count); i++)
		put_conn(json, tr, list[i]);
	json_writer_end(json);
	free(list);
	return 0;
}

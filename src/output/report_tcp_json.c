// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_tcp_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json_member.h"
#include "output/latency_write.h"
#include "output/report_tcp.h"

static const char *const causes[TCP_CAUSE_COUNT] = {"fast", "rto", "tlp", "syn"};
static const char *const ca_states[TCP_CA_COUNT] = {"open", "disorder", "cwr", "recovery", "loss"};

static void put_bool(struct buffer *out, const char *key, bool value)
{
	json_member_key(out, ",", key);
	buffer_string(out, value ? "true" : "false");
}

/* The number, and its name where the trace has one. */
static void put_labelled(struct buffer *out, const char *before, const char *key,
			 const struct field *field, int64_t value)
{
	const char *label = field_label(field, value);

	json_member_int(out, before, key, value);
	if (!label)
		return;
	buffer_string(out, ",\"");
	buffer_string(out, key);
	buffer_string(out, "_name\":\"");
	buffer_json_text(out, label, strlen(label));
	buffer_char(out, '"');
}

static void put_distribution(struct buffer *out, const char *key, const struct latency *latency)
{
	json_member_key(out, ",", key);
	buffer_char(out, '{');
	latency_write_json(latency, out);
	buffer_char(out, '}');
}

static void put_resent(struct buffer *out, const struct tcp_conn *conn)
{
	json_member_key(out, ",", "retransmissions");
	json_member_uint(out, "{", "segments", conn->resent_segments.grown);
	json_member_uint(out, ",", "failed", conn->resent_failed);
	for (size_t i = 0; i < TCP_CAUSE_COUNT; i++) {
		json_member_key(out, ",", causes[i]);
		json_member_uint(out, "{", "times", conn->resent[i].times);
		json_member_uint(out, ",", "segments", conn->resent[i].segments);
		json_member_uint(out, ",", "bytes", conn->resent[i].bytes);
		buffer_char(out, '}');
	}
	buffer_char(out, '}');
}

static void put_losses(struct buffer *out, const struct tcp_conn *conn)
{
	json_member_key(out, ",", "congestion");
	for (size_t i = 0; i < TCP_CA_COUNT; i++) {
		json_member_key(out, i ? "," : "{", ca_states[i]);
		json_member_uint(out, "{", "entered", conn->entered[i]);
		json_member_uint(out, ",", "time_ns", conn->ca_ns[i]);
		buffer_char(out, '}');
	}
	buffer_char(out, '}');
	json_member_uint(out, ",", "loss_episodes", conn->episodes);
}

static void put_waits(struct buffer *out, const struct tcp_conn *conn)
{
	json_member_key(out, ",", "waited_ns");
	for (enum tcp_wait i = 0; i < TCP_WAIT_COUNT; i++)
		json_member_uint(out, i ? "," : "{", tcp_wait_name(i), conn->wait_ns[i]);
	buffer_char(out, '}');
	json_member_uint(out, ",", "unknown_ns", conn->unknown_ns);
}

static void put_spread(struct buffer *out, const struct tcp_spread *spread)
{
	put_distribution(out, "srtt", &spread->srtt);
	put_distribution(out, "episodes", &spread->episodes);
	level_write_json(&spread->cwnd, "cwnd", out);
	level_write_json(&spread->receive_queue, "receive_queue", out);
	level_write_json(&spread->send_queue, "send_queue", out);
}

/* What both one connection and all of them have. */
static void put_counts(struct buffer *out, const struct tcp_conn *conn)
{
	json_member_uint(out, ",", "events", conn->events);
	json_member_uint(out, ",", "sent_bytes", conn->sent.grown);
	json_member_uint(out, ",", "received_bytes", conn->received.grown);
	put_resent(out, conn);
	put_losses(out, conn);
	put_waits(out, conn);
	json_member_uint(out, ",", "resets_sent", conn->resets_sent);
	json_member_uint(out, ",", "resets_received", conn->resets_received);
}

static void put_life(struct buffer *out, const struct tcp_conn *conn)
{
	json_member_int(out, ",", "begin", conn->first_ns);
	json_member_int(out, ",", "end", conn->last_ns);
	put_bool(out, "opened", conn->opened);
	put_bool(out, "closed", conn->closed);
	if (conn->state_field)
		put_labelled(out, ",", "state", conn->state_field, conn->state);
	json_member_key(out, ",", "states");
	buffer_char(out, '[');
	for (size_t i = 0; i < conn->change_count; i++) {
		json_member_int(out, i ? ",{" : "{", "time", conn->changes[i].time_ns);
		put_labelled(out, ",", "state", conn->state_field, conn->changes[i].state);
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
	if (conn->handshake_ns)
		json_member_uint(out, ",", "handshake_ns", conn->handshake_ns);
}

/* At the last snapshot; the totals are of its whole life. */
static void put_last(struct buffer *out, const struct tcp_conn *conn)
{
	json_member_uint(out, ",", "acked_total_bytes", conn->sent.last);
	json_member_uint(out, ",", "received_total_bytes", conn->received.last);
	json_member_uint(out, ",", "srtt_last_ns", conn->srtt_ns);
	json_member_uint(out, ",", "mdev_last_ns", conn->mdev_ns);
	json_member_uint(out, ",", "rto_last_ns", conn->rto_ns);
	json_member_uint(out, ",", "rto_max_ns", conn->rto_max_ns);
}

static void put_rate(struct buffer *out, const char *key, double rate)
{
	json_member_key(out, ",", key);
	buffer_format(out, "%.0f", rate);
}

static void put_conn(struct buffer *out, const struct tcp_report *tr, const struct tcp_conn *conn)
{
	conn_id_json(out, "{", &conn->id);
	if (conn->snapshots)
		json_member_uint(out, ",", "netns", conn->netns);
	put_life(out, conn);
	put_rate(out, "sent_bytes_per_s", tcp_conn_rate(conn, conn->sent.grown));
	put_rate(out, "received_bytes_per_s", tcp_conn_rate(conn, conn->received.grown));
	if (conn->snapshots)
		put_last(out, conn);
	put_counts(out, conn);
	if (conn->reason_field)
		put_labelled(out, ",", "reset_reason", conn->reason_field, conn->reason);
	if (report_tcp_has_spread(tr, conn))
		put_spread(out, conn->spread);
	buffer_char(out, '}');
}

int report_tcp_json(const struct report *report, const struct report_options *options,
		    struct buffer *out)
{
	const struct tcp_report *tr = (const struct tcp_report *)report;
	size_t count;
	const struct tcp_conn **list = report_tcp_rank(tr, &count);

	if (!list)
		return -ENOMEM;
	json_member_uint(out, "{", "connections", count);
	json_member_uint(out, ",", "listeners", tr->listeners);
	json_member_uint(out, ",", "other_connection_events", tr->others);
	put_bool(out, "waits_exact", tr->whole);
	if (tr->cwnd_bytes)
		put_bool(out, "cwnd_in_bytes", true);
	put_counts(out, &tr->all);
	put_spread(out, &tr->all_spread);
	json_member_key(out, ",", "by_connection");
	buffer_char(out, '[');
	for (size_t i = 0; i < report_rows(options, count); i++) {
		if (i)
			buffer_char(out, ',');
		put_conn(out, tr, list[i]);
	}
	buffer_string(out, "]}");
	free(list);
	return 0;
}

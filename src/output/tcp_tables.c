// SPDX-License-Identifier: BSD-2-Clause
/*
 * tcp_tables: the report "tcp": what each connection did: bytes, round trips, losses, what its sender waited for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/report_tcp.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/latency_write.h"
#include "output/report_kind.h"

#define LINE_BYTES 100u
#define COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

static const struct report_column change_columns[] = {
	{.key = "time"},
	{.key = "state"},
	{.key = "state_name"},
};

static void fill_change(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct tcp_conn *conn = rows->parent;
	const struct tcp_change *change = from;

	report_row_int(row, change->time_ns);
	report_row_label(row, conn->state_field, change->state);
}

static const struct report_table change_table = {"states", false, COLUMNS(change_columns),
						 fill_change};

static int change_rows(const struct report_rows *rows, const void *from, struct report_rows *ret)
{
	const struct tcp_conn *conn = from;

	(void)rows;
	ret->list = conn->changes;
	ret->bytes = sizeof(conn->changes[0]);
	ret->count = conn->change_count;
	return 0;
}

static const struct report_nest states = {&change_table, change_rows};

/* All that is known of a connection: for programs. The tables for people show a part of it each. */
static const struct report_column conn_columns[] = {
	{.key = "saddr"},
	{.key = "lport"},
	{.key = "daddr"},
	{.key = "rport"},
	{.key = "cookie"},
	{.key = "netns"},
	{.key = "begin"},
	{.key = "end"},
	{.key = "opened"},
	{.key = "closed"},
	{.key = "state"},
	{.key = "state_name"},
	{.key = "states", .nest = &states},
	{.key = "handshake_ns"},
	{.key = "sent_bytes_per_s"},
	{.key = "received_bytes_per_s"},
	{.key = "acked_total_bytes"},
	{.key = "received_total_bytes"},
	{.key = "srtt_last_ns"},
	{.key = "mdev_last_ns"},
	{.key = "rto_last_ns"},
	{.key = "rto_max_ns"},
	{.key = "events"},
	{.key = "sent_bytes"},
	{.key = "received_bytes"},
	{.key = "retransmissions.segments"},
	{.key = "retransmissions.failed"},
	{.key = "retransmissions.fast.times"},
	{.key = "retransmissions.fast.segments"},
	{.key = "retransmissions.fast.bytes"},
	{.key = "retransmissions.rto.times"},
	{.key = "retransmissions.rto.segments"},
	{.key = "retransmissions.rto.bytes"},
	{.key = "retransmissions.tlp.times"},
	{.key = "retransmissions.tlp.segments"},
	{.key = "retransmissions.tlp.bytes"},
	{.key = "retransmissions.syn.times"},
	{.key = "retransmissions.syn.segments"},
	{.key = "retransmissions.syn.bytes"},
	{.key = "congestion.open.entered"},
	{.key = "congestion.open.time_ns"},
	{.key = "congestion.disorder.entered"},
	{.key = "congestion.disorder.time_ns"},
	{.key = "congestion.cwr.entered"},
	{.key = "congestion.cwr.time_ns"},
	{.key = "congestion.recovery.entered"},
	{.key = "congestion.recovery.time_ns"},
	{.key = "congestion.loss.entered"},
	{.key = "congestion.loss.time_ns"},
	{.key = "loss_episodes"},
	{.key = "waited_ns.idle"},
	{.key = "waited_ns.acknowledgement"},
	{.key = "waited_ns.send_buffer"},
	{.key = "waited_ns.cwnd"},
	{.key = "waited_ns.receiver_window"},
	{.key = "waited_ns.other"},
	{.key = "unknown_ns"},
	{.key = "resets_sent"},
	{.key = "resets_received"},
	{.key = "reset_reason"},
	{.key = "reset_reason_name"},
	{.key = "srtt", .use = REPORT_SPREAD},
	{.key = "episodes", .use = REPORT_SPREAD},
	{.key = "cwnd.time_ns"},
	{.key = "cwnd.min"},
	{.key = "cwnd.avg"},
	{.key = "cwnd.p50"},
	{.key = "cwnd.p90"},
	{.key = "cwnd.p99"},
	{.key = "cwnd.max"},
	{.key = "receive_queue.time_ns"},
	{.key = "receive_queue.min"},
	{.key = "receive_queue.avg"},
	{.key = "receive_queue.p50"},
	{.key = "receive_queue.p90"},
	{.key = "receive_queue.p99"},
	{.key = "receive_queue.max"},
	{.key = "send_queue.time_ns"},
	{.key = "send_queue.min"},
	{.key = "send_queue.avg"},
	{.key = "send_queue.p50"},
	{.key = "send_queue.p90"},
	{.key = "send_queue.p99"},
	{.key = "send_queue.max"},
};
#define COLUMNS_OF_ONE 22u /* the first ones: all connections together have no such thing */
#define COLUMNS_OF_SPREAD 23u /* the last ones */

_Static_assert(TCP_CAUSE_FAST == 0 && TCP_CAUSE_RTO == 1 && TCP_CAUSE_TLP == 2 &&
		       TCP_CAUSE_SYN == 3,
	       "columns of what was sent again are in this order");
_Static_assert(TCP_CA_OPEN == 0 && TCP_CA_DISORDER == 1 && TCP_CA_CWR == 2 &&
		       TCP_CA_RECOVERY == 3 && TCP_CA_LOSS == 4,
	       "columns of congestion are in this order");
_Static_assert(TCP_WAIT_IDLE == 0 && TCP_WAIT_ACK == 1 && TCP_WAIT_BUFFER == 2 &&
		       TCP_WAIT_CWND == 3 && TCP_WAIT_RWND == 4 && TCP_WAIT_OTHER == 5,
	       "columns of what was waited for are in this order");

static void put_life(const struct tcp_conn *conn, struct report_row *row)
{
	report_row_conn(row, &conn->id);
	report_row_count_if(row, conn->netns, conn->snapshots);
	report_row_int(row, conn->first_ns);
	report_row_int(row, conn->last_ns);
	report_row_bool(row, conn->opened);
	report_row_bool(row, conn->closed);
	report_row_label(row, conn->state_field, conn->state);
	report_row_nest(row);
	report_row_time_if(row, conn->handshake_ns, conn->handshake_ns);
	report_row_real(row, tcp_conn_rate(conn, conn->sent.grown), 0);
	report_row_real(row, tcp_conn_rate(conn, conn->received.grown), 0);
}

/* At the last snapshot; the totals are of its whole life. */
static void put_last(const struct tcp_conn *conn, struct report_row *row)
{
	report_row_size_if(row, conn->sent.last, conn->snapshots);
	report_row_size_if(row, conn->received.last, conn->snapshots);
	report_row_time_if(row, conn->srtt_ns, conn->snapshots);
	report_row_time_if(row, conn->mdev_ns, conn->snapshots);
	report_row_time_if(row, conn->rto_ns, conn->snapshots);
	report_row_time_if(row, conn->rto_max_ns, conn->snapshots);
}

/* What both one connection and all of them have. */
static void put_counts(const struct tcp_conn *conn, struct report_row *row)
{
	report_row_count(row, conn->events);
	report_row_size(row, conn->sent.grown);
	report_row_size(row, conn->received.grown);
	report_row_count(row, conn->resent_segments.grown);
	report_row_count(row, conn->resent_failed);
	for (size_t i = 0; i < TCP_CAUSE_COUNT; i++) {
		report_row_count(row, conn->resent[i].times);
		report_row_count(row, conn->resent[i].segments);
		report_row_size(row, conn->resent[i].bytes);
	}
	for (size_t i = 0; i < TCP_CA_COUNT; i++) {
		report_row_count(row, conn->entered[i]);
		report_row_time(row, conn->ca_ns[i]);
	}
	report_row_count(row, conn->episodes);
	for (size_t i = 0; i < TCP_WAIT_COUNT; i++)
		report_row_time(row, conn->wait_ns[i]);
	report_row_time(row, conn->unknown_ns);
	report_row_count(row, conn->resets_sent);
	report_row_count(row, conn->resets_received);
}

static void fill_conn(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct tcp_report *tr = rows->owner;
	const struct tcp_conn *conn = from;
	const bool one = from != rows->all;

	if (one) {
		put_life(conn, row);
		put_last(conn, row);
	} else {
		report_row_skip(row, COLUMNS_OF_ONE);
	}
	put_counts(conn, row);
	report_row_label(row, one ? conn->reason_field : NULL, conn->reason);
	if (one && !report_tcp_has_spread(tr, conn)) {
		report_row_skip(row, COLUMNS_OF_SPREAD);
		return;
	}
	report_row_latency(row, &conn->spread->srtt);
	report_row_latency(row, &conn->spread->episodes);
	report_row_level(row, &conn->spread->cwnd);
	report_row_level(row, &conn->spread->receive_queue);
	report_row_level(row, &conn->spread->send_queue);
}

static const struct report_table conns = {"by_connection", false, COLUMNS(conn_columns), fill_conn};

/* The first column of those for people. */
static void put_name(const struct report_rows *rows, const struct tcp_conn *conn,
		     struct report_row *row)
{
	if (conn == rows->all)
		report_row_text(row, "(all)");
	else
		report_row_format(row, "%s%s", conn_id_text(&conn->id).text,
				  report_tcp_has_spread(rows->owner, conn) ? "" : " *");
}

/* NULL: no trace has labels. */
static const char *label_of(const struct field *field, int64_t value)
{
	return field ? field_label(field, value) ?: "?" : NULL;
}

static void put_rate(const struct tcp_conn *conn, uint64_t bytes, struct report_row *row)
{
	double rate = tcp_conn_rate(conn, bytes);

	report_row_size_if(row, (uint64_t)rate, rate >= 1);
}

static const struct report_column byte_columns[] = {
	{.title = "connection by bytes"},
	{.title = "state"},
	{.title = "lasted"},
	{.title = "handshake"},
	{.title = "sent"},
	{.title = "received"},
	{.title = "sent/s"},
	{.title = "received/s"},
};

/* All together have no first and last. */
static void fill_bytes(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct tcp_conn *conn = from;

	put_name(rows, conn, row);
	report_row_text(row, label_of(conn->state_field, conn->state));
	report_row_time_or_blank(row, tcp_conn_lasted(conn));
	report_row_time_or_blank(row, conn->handshake_ns);
	report_row_size(row, conn->sent.grown);
	report_row_size(row, conn->received.grown);
	put_rate(conn, conn->sent.grown, row);
	put_rate(conn, conn->received.grown, row);
}

static const struct report_column trip_columns[] = {
	{.title = "round trips and window"},
	{.title = "srtt p50"},
	{.title = "p90"},
	{.title = "p99"},
	{.title = "longest"},
	{.title = "rto"},
	{.title = "cwnd min"},
	{.title = "p50"},
	{.title = "max"},
};

static void fill_trips(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const unsigned int permilles[] = {500, 900, 990, 1000};
	const struct tcp_conn *conn = from;
	const struct latency *cwnd = &conn->spread->cwnd.spread;

	put_name(rows, conn, row);
	report_row_permilles(row, &conn->spread->srtt, permilles, 4);
	report_row_time_or_blank(row, conn->rto_ns);
	report_row_count_or_blank(row, cwnd->count ? cwnd->min_ns : 0);
	report_row_count_or_blank(row, latency_percentile(cwnd, 500));
	report_row_count_or_blank(row, cwnd->max_ns);
}

static const struct report_column loss_columns[] = {
	{.title = "sent again"}, {.title = "resent"}, {.title = "RTO"},	   {.title = "fast"},
	{.title = "TLP"},	 {.title = "SYN"},    {.title = "losses"}, {.title = "longest"},
	{.title = "Recovery"},	 {.title = "Loss"},
};

static void fill_losses(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const enum tcp_cause shown[] = {TCP_CAUSE_RTO, TCP_CAUSE_FAST, TCP_CAUSE_TLP,
					       TCP_CAUSE_SYN};
	const struct tcp_conn *conn = from;

	put_name(rows, conn, row);
	report_row_count_or_blank(row, conn->resent_segments.grown);
	for (size_t i = 0; i < TCP_CAUSE_COUNT; i++)
		report_row_count_or_blank(row, conn->resent[shown[i]].times);
	report_row_count_or_blank(row, conn->episodes);
	report_row_time_if(row, conn->spread->episodes.max_ns, conn->spread->episodes.count);
	report_row_time_or_blank(row, conn->ca_ns[TCP_CA_RECOVERY]);
	report_row_time_or_blank(row, conn->ca_ns[TCP_CA_LOSS]);
}

static uint64_t waited(const struct tcp_conn *conn)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < TCP_WAIT_COUNT; i++)
		ns += conn->wait_ns[i];
	return ns;
}

static const struct report_column wait_columns[] = {
	{.title = "sender waited for"},
	{.title = "time"},
	{.title = "cwnd"},
	{.title = "receiver"},
	{.title = "buffer"},
	{.title = "acks"},
	{.title = "idle"},
	{.title = "other"},
};

static void fill_waits(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const enum tcp_wait shown[] = {TCP_WAIT_CWND, TCP_WAIT_RWND, TCP_WAIT_BUFFER,
					      TCP_WAIT_ACK,  TCP_WAIT_IDLE, TCP_WAIT_OTHER};
	const struct tcp_conn *conn = from;

	put_name(rows, conn, row);
	report_row_time(row, waited(conn));
	for (size_t i = 0; i < TCP_WAIT_COUNT; i++)
		report_row_share_or_blank(row, conn->wait_ns[shown[i]], waited(conn));
}

static const struct report_column queue_columns[] = {
	{.title = "queues"},	  {.title = "received p50"}, {.title = "p99"},	{.title = "most"},
	{.title = "to send p50"}, {.title = "p99"},	     {.title = "most"},
};

static void put_level(const struct level *level, struct report_row *row)
{
	const struct latency *spread = &level->spread;

	report_row_size_if(row, latency_percentile(spread, 500), spread->max_ns);
	report_row_size_if(row, latency_percentile(spread, 990), spread->max_ns);
	report_row_size_if(row, spread->max_ns, spread->max_ns);
}

static void fill_queues(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct tcp_conn *conn = from;

	put_name(rows, conn, row);
	put_level(&conn->spread->receive_queue, row);
	put_level(&conn->spread->send_queue, row);
}

static const struct report_column reset_columns[] = {
	{.title = "resets"},
	{.title = "received"},
	{.title = "sent"},
	{.title = "reason"},
};

static void fill_resets(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct tcp_conn *conn = from;

	put_name(rows, conn, row);
	report_row_count_or_blank(row, conn->resets_received);
	report_row_count_or_blank(row, conn->resets_sent);
	report_row_text(row, label_of(conn->reason_field, conn->reason));
}

static const struct report_table bytes = {NULL, false, COLUMNS(byte_columns), fill_bytes},
				 trips = {NULL, false, COLUMNS(trip_columns), fill_trips},
				 losses = {NULL, false, COLUMNS(loss_columns), fill_losses},
				 waits = {NULL, false, COLUMNS(wait_columns), fill_waits},
				 queues = {NULL, false, COLUMNS(queue_columns), fill_queues},
				 resets = {NULL, false, COLUMNS(reset_columns), fill_resets};

static bool is_any(const struct tcp_conn *conn)
{
	(void)conn;
	return true;
}

/* Other formats may know one without the other. */
static bool has_trips(const struct tcp_conn *conn)
{
	return conn->spread->srtt.count || conn->spread->cwnd.spread.max_ns;
}

static bool has_losses(const struct tcp_conn *conn)
{
	uint64_t times = conn->episodes;

	for (size_t i = 0; i < TCP_CAUSE_COUNT; i++)
		times += conn->resent[i].times;
	return times || conn->resent_segments.grown;
}

static bool has_waits(const struct tcp_conn *conn)
{
	return waited(conn) > 0 && conn->sent.grown;
}

static bool has_queues(const struct tcp_conn *conn)
{
	return conn->spread->receive_queue.spread.max_ns || conn->spread->send_queue.spread.max_ns;
}

static bool has_resets(const struct tcp_conn *conn)
{
	return conn->resets_sent || conn->resets_received;
}

/* The connections by bytes that have something for a table. @sums: a row for all of them makes sense. */
static int pick(const struct report *report, struct report_rows *ret,
		bool (*has)(const struct tcp_conn *conn), bool sums)
{
	const struct tcp_report *tr = (const struct tcp_report *)report;
	size_t count;
	const struct tcp_conn **list = report_tcp_rank(tr, &count);

	ret->list = ret->owned = list;
	for (size_t i = 0; list && i < count; i++) {
		if (has(list[i]))
			list[ret->count++] = list[i];
	}
	ret->hidden = !ret->count;
	ret->all = sums && ret->count > 1 ? &tr->all : NULL;
	return list ? 0 : -ENOMEM;
}

static int conn_rows(const struct report *report, struct report_rows *ret)
{
	int err = pick(report, ret, is_any, false);

	ret->hidden = true;
	return err;
}

static int byte_rows(const struct report *report, struct report_rows *ret)
{
	return pick(report, ret, is_any, true);
}

static int trip_rows(const struct report *report, struct report_rows *ret)
{
	return pick(report, ret, has_trips, true);
}

static int loss_rows(const struct report *report, struct report_rows *ret)
{
	return pick(report, ret, has_losses, true);
}

static int wait_rows(const struct report *report, struct report_rows *ret)
{
	return pick(report, ret, has_waits, false);
}

static int queue_rows(const struct report *report, struct report_rows *ret)
{
	return pick(report, ret, has_queues, false);
}

static int reset_rows(const struct report *report, struct report_rows *ret)
{
	return pick(report, ret, has_resets, false);
}

/* Each state that it came into, and how long it stayed there. */
static void write_states(const struct tcp_conn *conn, struct buffer *out)
{
	size_t start;

	if (!conn->change_count)
		return;
	buffer_string(out, conn_id_text(&conn->id).text);
	buffer_string(out, "\n   ");
	start = out->len;
	for (size_t i = 0; i < conn->change_count; i++) {
		const struct tcp_change *change = &conn->changes[i];
		bool last = i + 1 == conn->change_count;

		if (out->len - start > LINE_BYTES - 30) {
			buffer_string(out, "\n   ");
			start = out->len;
		}
		buffer_char(out, ' ');
		buffer_string(out,
			      escape_name(label_of(conn->state_field, change->state) ?: "?").text);
		if (!last)
			buffer_format(
				out, " %s,",
				amount_time((uint64_t)(change[1].time_ns - change->time_ns)).text);
	}
	buffer_char(out, '\n');
}

static void write_all_states(const struct tcp_conn *const *list, size_t shown, struct buffer *out)
{
	size_t changes = 0;

	for (size_t i = 0; i < shown; i++)
		changes += list[i]->change_count;
	if (changes)
		buffer_string(out, "\nstates, and time in each\n");
	for (size_t i = 0; i < shown; i++)
		write_states(list[i], out);
}

static void write_notes(const struct tcp_report *tr, size_t count, struct buffer *out)
{
	if (tr->count > tr->spreads)
		buffer_string(out, "* round trips and queues of these are known together only\n");
	if (tr->others)
		buffer_format(out, "%s events of other connections\n",
			      amount_count(tr->others).text);
	if (tr->all.unknown_ns)
		buffer_format(out,
			      "%s of the connections' time is not counted: events are missing\n",
			      amount_time(tr->all.unknown_ns).text);
	if (tr->cwnd_bytes)
		buffer_string(out, "Congestion windows are in bytes: the source has no "
				   "segments\n");
	if (count && waited(&tr->all) && !tr->whole)
		buffer_string(out, "What senders waited for is not exact without both tcp.ack and "
				   "tcp.send\n");
}

/* Below the last table, whether it is shown or not. */
static void below(const struct report *report, const struct report_options *options,
		  const struct report_rows *rows, struct buffer *out)
{
	const struct tcp_report *tr = (const struct tcp_report *)report;
	size_t count, shown;
	const struct tcp_conn **list = report_tcp_rank(tr, &count);

	(void)rows;
	if (!list) {
		out->err = -ENOMEM;
		return;
	}
	shown = report_shown(options, count);
	write_notes(tr, count, out);
	write_all_states(list, shown, out);
	latency_write_titled("smoothed round-trip time, all connections", &tr->all_spread.srtt,
			     out);
	for (size_t i = 0; options->histograms && i < shown; i++) {
		if (report_tcp_has_spread(tr, list[i]))
			latency_write_titled(conn_id_text(&list[i]->id).text,
					     &list[i]->spread->srtt, out);
	}
	free(list);
}

static int tcp_summary(const struct report *report, const struct report_options *options,
		       struct buffer *out)
{
	const struct tcp_report *tr = (const struct tcp_report *)report;
	const size_t count = tr->count - tr->listeners;

	(void)options;
	buffer_format(out, "TCP: %s connection%s, %s sent, %s received", amount_count(count).text,
		      count == 1 ? "" : "s", amount_size(tr->all.sent.grown).text,
		      amount_size(tr->all.received.grown).text);
	if (tr->listeners)
		buffer_format(out, "; %s listener%s", amount_count(tr->listeners).text,
			      tr->listeners == 1 ? "" : "s");
	buffer_char(out, '\n');
	return 0;
}

static int tcp_members(const struct report *report, const struct report_options *options,
		       struct json_writer *json)
{
	const struct tcp_report *tr = (const struct tcp_report *)report;
	const struct report_rows all = {.owner = tr, .all = &tr->all};

	(void)options;
	json_writer_uint(json, "connections", tr->count - tr->listeners);
	json_writer_uint(json, "listeners", tr->listeners);
	json_writer_uint(json, "other_connection_events", tr->others);
	json_writer_bool(json, "waits_exact", tr->whole);
	if (tr->cwnd_bytes)
		json_writer_bool(json, "cwnd_in_bytes", true);
	report_row_json(&conns, &all, all.all, json);
	return 0;
}

static const struct report_part parts[] = {
	{&conns, conn_rows, NULL},    {&bytes, byte_rows, NULL}, {&trips, trip_rows, NULL},
	{&losses, loss_rows, NULL},   {&waits, wait_rows, NULL}, {&queues, queue_rows, NULL},
	{&resets, reset_rows, below},
};

static const struct report_measure measured[] = {
	{"retransmissions", "tcp.retransmit", NULL, NULL, MEASURE_COUNT},
	{"srtt_us", "tcp.*", "srtt_us", NULL, MEASURE_AVG | MEASURE_MAX},
	{"snd_cwnd", "tcp.*", "snd_cwnd", NULL, MEASURE_MIN | MEASURE_AVG},
};

static const struct report_measures measures = {
	.events = "tcp.*",
	.counts = "events",
	.list = measured,
	.count = sizeof(measured) / sizeof(measured[0]),
};

const struct report_kind report_kind_tcp = {
	.name = "tcp",
	.events = "tcp.*",
	.group = "tcp.",
	.new = report_tcp_new,
	.summary = tcp_summary,
	.members = tcp_members,
	.measures = &measures,
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
};

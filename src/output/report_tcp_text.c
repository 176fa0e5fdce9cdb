// SPDX-License-Identifier: BSD-2-Clause
/*
 * report_tcp_text: the report "tcp" as text; report_tcp_json writes the same as JSON.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/report_tcp.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "output/latency_write.h"
#include "output/report_kind.h"
#include "output/report_tcp_json.h"
#include "output/table.h"

#define LABEL_BYTES 40u
#define LINE_BYTES 100u

struct label_text {
	char text[LABEL_BYTES * ESCAPE_FACTOR + 1];
};

/* One table: which connections have something for it, and their cells behind the first. */
struct tcp_table {
	const char *titles[TABLE_COLUMNS + 1];
	bool (*has)(const struct tcp_conn *conn);
	void (*add)(struct table *table, const struct tcp_conn *conn);
	bool sums; /* a row for all of them makes sense */
};

/* Names come from the trace: they may be anything. */
static struct label_text label_of(const struct field *field, int64_t value)
{
	const char *label = field ? field_label(field, value) : NULL;
	struct label_text text = {"?"};

	if (label)
		*escape_terminal(text.text, label, strnlen(label, LABEL_BYTES)) = '\0';
	return text;
}

static void add_size(struct table *table, uint64_t bytes, bool known)
{
	table_add(table, "%s", known ? amount_size(bytes).text : "");
}

static void add_rate(struct table *table, const struct tcp_conn *conn, uint64_t bytes)
{
	double rate = tcp_conn_rate(conn, bytes);

	table_add(table, "%s", rate >= 1 ? amount_size((uint64_t)rate).text : "");
}

static bool is_any(const struct tcp_conn *conn)
{
	(void)conn;
	return true;
}

/* All together have no first and last. */
static void add_bytes(struct table *table, const struct tcp_conn *conn)
{
	uint64_t ns = tcp_conn_lasted(conn);

	table_add(table, "%s",
		  conn->state_field ? label_of(conn->state_field, conn->state).text : "");
	table_add(table, "%s", amount_time_or_blank(ns, ns).text);
	table_add(table, "%s", amount_time_or_blank(conn->handshake_ns, conn->handshake_ns).text);
	add_size(table, conn->sent.grown, true);
	add_size(table, conn->received.grown, true);
	add_rate(table, conn, conn->sent.grown);
	add_rate(table, conn, conn->received.grown);
}

/* Other formats may know one without the other. */
static bool has_srtt(const struct tcp_conn *conn)
{
	return conn->spread->srtt.count || conn->spread->cwnd.spread.max_ns;
}

static void add_round_trips(struct table *table, const struct tcp_conn *conn)
{
	const struct latency *srtt = &conn->spread->srtt, *cwnd = &conn->spread->cwnd.spread;
	bool known = srtt->count;

	table_add(table, "%s", amount_time_or_blank(latency_percentile(srtt, 500), known).text);
	table_add(table, "%s", amount_time_or_blank(latency_percentile(srtt, 900), known).text);
	table_add(table, "%s", amount_time_or_blank(latency_percentile(srtt, 990), known).text);
	table_add(table, "%s", amount_time_or_blank(srtt->max_ns, known).text);
	table_add(table, "%s", amount_time_or_blank(conn->rto_ns, conn->rto_ns).text);
	table_add(table, "%s", amount_count_or_blank(cwnd->count ? cwnd->min_ns : 0).text);
	table_add(table, "%s", amount_count_or_blank(latency_percentile(cwnd, 500)).text);
	table_add(table, "%s", amount_count_or_blank(cwnd->max_ns).text);
}

static bool has_losses(const struct tcp_conn *conn)
{
	uint64_t times = conn->episodes;

	for (size_t i = 0; i < TCP_CAUSE_COUNT; i++)
		times += conn->resent[i].times;
	return times || conn->resent_segments.grown;
}

static void add_losses(struct table *table, const struct tcp_conn *conn)
{
	static const enum tcp_cause shown[] = {TCP_CAUSE_RTO, TCP_CAUSE_FAST, TCP_CAUSE_TLP,
					       TCP_CAUSE_SYN};
	const uint64_t *ca_ns = conn->ca_ns;

	table_add(table, "%s", amount_count_or_blank(conn->resent_segments.grown).text);
	for (size_t i = 0; i < TCP_CAUSE_COUNT; i++)
		table_add(table, "%s", amount_count_or_blank(conn->resent[shown[i]].times).text);
	table_add(table, "%s", amount_count_or_blank(conn->episodes).text);
	table_add(table, "%s",
		  amount_time_or_blank(conn->spread->episodes.max_ns, conn->spread->episodes.count)
			  .text);
	table_add(table, "%s",
		  amount_time_or_blank(ca_ns[TCP_CA_RECOVERY], ca_ns[TCP_CA_RECOVERY]).text);
	table_add(table, "%s", amount_time_or_blank(ca_ns[TCP_CA_LOSS], ca_ns[TCP_CA_LOSS]).text);
}

static uint64_t waited(const struct tcp_conn *conn)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < TCP_WAIT_COUNT; i++)
		ns += conn->wait_ns[i];
	return ns;
}

static bool has_waited(const struct tcp_conn *conn)
{
	return waited(conn) > 0 && conn->sent.grown;
}

static void add_waits(struct table *table, const struct tcp_conn *conn)
{
	static const enum tcp_wait shown[] = {TCP_WAIT_CWND, TCP_WAIT_RWND, TCP_WAIT_BUFFER,
					      TCP_WAIT_ACK,  TCP_WAIT_IDLE, TCP_WAIT_OTHER};
	uint64_t total = waited(conn);

	table_add(table, "%s", amount_time(total).text);
	for (size_t i = 0; i < TCP_WAIT_COUNT; i++) {
		uint64_t ns = conn->wait_ns[shown[i]];

		if (ns)
			table_add(table, "%.1f %%", 100.0 * (double)ns / (double)total);
		else
			table_add(table, "%s", "");
	}
}

static bool has_queues(const struct tcp_conn *conn)
{
	return conn->spread->receive_queue.spread.max_ns || conn->spread->send_queue.spread.max_ns;
}

static void add_level(struct table *table, const struct level *level)
{
	const struct latency *spread = &level->spread;
	bool known = spread->max_ns;

	add_size(table, latency_percentile(spread, 500), known);
	add_size(table, latency_percentile(spread, 990), known);
	add_size(table, spread->max_ns, known);
}

static void add_queues(struct table *table, const struct tcp_conn *conn)
{
	add_level(table, &conn->spread->receive_queue);
	add_level(table, &conn->spread->send_queue);
}

static bool has_resets(const struct tcp_conn *conn)
{
	return conn->resets_sent || conn->resets_received;
}

static void add_resets(struct table *table, const struct tcp_conn *conn)
{
	table_add(table, "%s", amount_count_or_blank(conn->resets_received).text);
	table_add(table, "%s", amount_count_or_blank(conn->resets_sent).text);
	table_add(table, "%s",
		  conn->reason_field ? label_of(conn->reason_field, conn->reason).text : "");
}

static const struct tcp_table tables[] = {
	{{"connection by bytes", "state", "lasted", "handshake", "sent", "received", "sent/s",
	  "received/s"},
	 is_any,
	 add_bytes,
	 true},
	{{"round trips and window", "srtt p50", "p90", "p99", "longest", "rto", "cwnd min", "p50",
	  "max"},
	 has_srtt,
	 add_round_trips,
	 true},
	{{"sent again", "resent", "RTO", "fast", "TLP", "SYN", "losses", "longest", "Recovery",
	  "Loss"},
	 has_losses,
	 add_losses,
	 true},
	{{"sender waited for", "time", "cwnd", "receiver", "buffer", "acks", "idle", "other"},
	 has_waited,
	 add_waits,
	 false},
	{{"queues", "received p50", "p99", "most", "to send p50", "p99", "most"},
	 has_queues,
	 add_queues,
	 false},
	{{"resets", "received", "sent", "reason"}, has_resets, add_resets, false},
};

static bool shares(const struct tcp_report *tr, const struct tcp_conn *conn)
{
	return !report_tcp_has_spread(tr, conn);
}

static void write_table(const struct tcp_report *tr, const struct tcp_table *what,
			const struct tcp_conn *const *list, size_t count,
			const struct report_options *options, struct buffer *out)
{
	size_t i, having = 0, shown = 0;
	struct table table;

	for (i = 0; i < count; i++)
		having += what->has(list[i]);
	if (!having)
		return;
	table_init(&table, what->titles);
	if (what->sums && having > 1) {
		table_add(&table, "(all)");
		what->add(&table, &tr->all);
	}
	for (i = 0; i < count && shown < report_shown(options, having); i++) {
		if (!what->has(list[i]))
			continue;
		table_add(&table, "%s%s", conn_id_text(&list[i]->id).text,
			  shares(tr, list[i]) ? " *" : "");
		what->add(&table, list[i]);
		shown++;
	}
	table_finish(&table, out, shown, having);
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
		buffer_string(out, label_of(conn->state_field, change->state).text);
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

static void write_histograms(const struct tcp_report *tr, const struct tcp_conn *const *list,
			     size_t shown, struct buffer *out)
{
	for (size_t i = 0; i < shown; i++) {
		if (!shares(tr, list[i]))
			latency_write_titled(conn_id_text(&list[i]->id).text,
					     &list[i]->spread->srtt, out);
	}
}

static void write_summary(const struct tcp_report *tr, size_t count, struct buffer *out)
{
	buffer_format(out, "TCP: %s connection%s, %s sent, %s received", amount_count(count).text,
		      count == 1 ? "" : "s", amount_size(tr->all.sent.grown).text,
		      amount_size(tr->all.received.grown).text);
	if (tr->listeners)
		buffer_format(out, "; %s listener%s", amount_count(tr->listeners).text,
			      tr->listeners == 1 ? "" : "s");
	buffer_char(out, '\n');
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

static int tcp_text(const struct report *report, const struct report_options *options,
		    struct buffer *out)
{
	const struct tcp_report *tr = (const struct tcp_report *)report;
	size_t count, shown;
	const struct tcp_conn **list = report_tcp_rank(tr, &count);

	if (!list)
		return -ENOMEM;
	shown = report_shown(options, count);
	write_summary(tr, count, out);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		write_table(tr, &tables[i], list, count, options, out);
	write_notes(tr, count, out);
	write_all_states(list, shown, out);
	latency_write_titled("smoothed round-trip time, all connections", &tr->all_spread.srtt,
			     out);
	if (options->histograms)
		write_histograms(tr, list, shown, out);
	free(list);
	return 0;
}

const struct report_kind report_kind_tcp = {
	.name = "tcp",
	.events = "tcp.*",
	.group = "tcp.",
	.new = report_tcp_new,
	.summary = tcp_text,
	.members = report_tcp_json,
};

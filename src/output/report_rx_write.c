// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_rx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/emit.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/table.h"

struct shown_text {
	char text[ESCAPE_FACTOR * REPORT_RX_SERVER_BYTES + EMIT_ADDRESS_BYTES + 8];
};

/* Names come from a file: they may be anything. */
static struct shown_text shown_name(const char *name)
{
	struct shown_text shown;

	*escape_terminal(shown.text, name, strnlen(name, REPORT_RX_SERVER_BYTES)) = '\0';
	return shown;
}

static struct shown_text shown_peer(const struct rx_peer_key *key)
{
	struct shown_text shown;
	char *end = emit_address(shown.text, key->address, 1);

	snprintf(end, 8, ":%u", key->port & UINT16_MAX);
	return shown;
}

static double rate_of(const struct rx_server_row *row)
{
	double seconds = (double)(row->last_ns - row->first_ns) / (double)NS_PER_SEC;

	return seconds > 0 ? (double)row->calls.grown / seconds : 0;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
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

static const void **rank_servers(const struct rx_report *rr)
{
	return rank(rr->server_rows, rr->servers.count, sizeof(*rr->server_rows), compare_servers);
}

static const void **rank_peers(const struct rx_report *rr)
{
	return rank(rr->peer_rows, rr->peers.count, sizeof(*rr->peer_rows), compare_peers);
}

static void add_share(struct table *table, uint64_t part, uint64_t whole)
{
	if (part)
		table_add(table, "%.1f %%", percent(part, whole));
	else
		table_add(table, "%s", "");
}

static void add_server(struct table *table, const struct rx_server_row *row)
{
	table_add(table, "%s", shown_name(row->name).text);
	table_add(table, "%s", amount_count(row->rounds).text);
	table_add(table, "%s", amount_count_or_blank(row->missed).text);
	table_add(table, "%s", amount_count_or_blank(row->begun).text);
	if (row->waiting_total)
		table_add(table, "%.2f", (double)row->waiting_total / (double)row->rounds);
	else
		table_add(table, "%s", "");
	table_add(table, "%s", amount_count_or_blank((uint64_t)row->waiting_most).text);
	add_share(table, row->waiting_rounds, row->rounds);
	if (row->rounds)
		table_add(table, "%lld", (long long)row->idle_least);
	else
		table_add(table, "%s", "");
	table_add(table, "%.1f", rate_of(row));
	add_share(table, row->resent.grown, row->sent.grown + row->resent.grown);
}

static int write_servers(const struct rx_report *rr, const struct report_options *options,
			 struct buffer *out)
{
	static const char *const titles[] = {"server",	"rounds", "missed",    "restarts",
					     "waiting", "most",	  "in rounds", "idle least",
					     "calls/s", "resent", NULL};
	const void **rows = rank_servers(rr);
	size_t shown = report_rows(options, rr->servers.count);
	struct table table;

	if (!rows)
		return -ENOMEM;
	table_init(&table, titles);
	for (size_t i = 0; i < shown; i++)
		add_server(&table, rows[i]);
	table_finish(&table, out, shown, rr->servers.count);
	free(rows);
	return 0;
}

static void add_peer(struct table *table, const struct rx_peer_row *row)
{
	table_add(table, "%s", shown_peer(&row->key).text);
	table_add(table, "%s", shown_name(row->key.server).text);
	table_add(table, "%s", amount_size(row->bytes_sent.grown).text);
	table_add(table, "%s", amount_size(row->bytes_received.grown).text);
	table_add(table, "%s", amount_count(row->sent.grown).text);
	add_share(table, row->resent.grown, row->sent.grown + row->resent.grown);
	table_add(table, "%s", amount_time_or_blank(row->rtt_us * NS_PER_US, row->rtt_us).text);
	table_add(table, "%s", amount_count_or_blank(row->blocked).text);
}

static int write_peers(const struct rx_report *rr, const struct report_options *options,
		       struct buffer *out)
{
	static const char *const titles[] = {"peer",	"of server", "bytes to it",
					     "from it", "packets",   "resent",
					     "rtt",	"blocked",   NULL};
	size_t shown = report_rows(options, rr->peers.count);
	const void **rows;
	struct table table;

	if (!rr->peers.count)
		return 0;
	rows = rank_peers(rr);
	if (!rows)
		return -ENOMEM;
	table_init(&table, titles);
	for (size_t i = 0; i < shown; i++)
		add_peer(&table, rows[i]);
	table_finish(&table, out, shown, rr->peers.count);
	free(rows);
	return 0;
}

int report_rx_text(const struct report *report, const struct report_options *options,
		   struct buffer *out)
{
	const struct rx_report *rr = (const struct rx_report *)report;
	uint64_t rounds = 0, missed = 0;

	for (size_t i = 0; i < rr->servers.count; i++) {
		rounds += rr->server_rows[i].rounds;
		missed += rr->server_rows[i].missed;
	}
	buffer_format(out, "Rx servers: %s, asked %s times", amount_count(rr->servers.count).text,
		      amount_count(rounds + missed).text);
	if (missed)
		buffer_format(out, ", %s without an answer", amount_count(missed).text);
	buffer_char(out, '\n');
	if (rr->left_out)
		buffer_format(out, "%s events of more servers and peers are left out.\n",
			      amount_count(rr->left_out).text);
	return write_servers(rr, options, out) ?: write_peers(rr, options, out);
}

static void put_server(const struct rx_server_row *row, struct json_writer *json)
{
	json_writer_object(json, NULL);
	json_writer_text(json, "server", row->name, strnlen(row->name, sizeof(row->name)));
	json_writer_uint(json, "rounds", row->rounds);
	json_writer_uint(json, "missed", row->missed);
	json_writer_uint(json, "begun", row->begun);
	json_writer_uint(json, "waiting_total", row->waiting_total);
	json_writer_uint(json, "waiting_rounds", row->waiting_rounds);
	json_writer_int(json, "waiting_most", row->waiting_most);
	if (row->waiting_most)
		json_writer_int(json, "waiting_most_time", row->waiting_most_ns);
	if (row->rounds)
		json_writer_int(json, "idle_least", row->idle_least);
	json_writer_uint(json, "calls", row->calls.grown);
	json_writer_int(json, "duration_ns", row->last_ns - row->first_ns);
	json_writer_uint(json, "data_sent", row->sent.grown);
	json_writer_uint(json, "data_resent", row->resent.grown);
	json_writer_end(json);
}

static void put_peer(const struct rx_peer_row *row, struct json_writer *json)
{
	char address[EMIT_ADDRESS_BYTES];
	size_t len = (size_t)(emit_address(address, row->key.address, 0) - address);

	json_writer_object(json, NULL);
	json_writer_text(json, "peer", address, len);
	json_writer_uint(json, "peer_port", row->key.port);
	json_writer_text(json, "server", row->key.server,
			 strnlen(row->key.server, sizeof(row->key.server)));
	json_writer_uint(json, "seen", row->seen);
	json_writer_uint(json, "bytes_sent", row->bytes_sent.grown);
	json_writer_uint(json, "bytes_received", row->bytes_received.grown);
	json_writer_uint(json, "packets_sent", row->sent.grown);
	json_writer_uint(json, "packets_resent", row->resent.grown);
	json_writer_uint(json, "rtt_us", row->rtt_us);
	json_writer_uint(json, "blocked", row->blocked);
	json_writer_end(json);
}

int report_rx_json(const struct report *report, const struct report_options *options,
		   struct json_writer *json)
{
	const struct rx_report *rr = (const struct rx_report *)report;
	const void **servers = rank_servers(rr), **peers = rank_peers(rr);

	if (servers && peers) {
		json_writer_uint(json, "left_out", rr->left_out);
		json_writer_array(json, "servers");
		for (size_t i = 0; i < report_rows(options, rr->servers.count); i++)
			put_server(servers[i], json);
		json_writer_end(json);
		json_writer_array(json, "peers");
		for (size_t i = 0; i < report_rows(options, rr->peers.count); i++)
			put_peer(peers[i], json);
		json_writer_end(json);
	}
	free(servers);
	free(peers);
	return servers && peers ? 0 : -ENOMEM;
}

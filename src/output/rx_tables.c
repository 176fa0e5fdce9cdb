// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_tables: the report "rx": the state of Rx servers (AFS) that a recorder asked, and their busiest peers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/report_rx.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/emit.h"
#include "base/json_writer.h"
#include "output/report_kind.h"

static double rate_of(const struct rx_server_row *row)
{
	double seconds = (double)(row->last_ns - row->first_ns) / (double)NS_PER_SEC;

	return seconds > 0 ? (double)row->calls.grown / seconds : 0;
}

static const struct report_column server_columns[] = {
	{.key = "server", .title = "server"},
	{.key = "rounds", .title = "rounds"},
	{.key = "missed", .title = "missed"},
	{.key = "begun", .title = "restarts"},
	{.key = "waiting_total"},
	{.title = "waiting"},
	{.key = "waiting_rounds"},
	{.key = "waiting_most", .title = "most"},
	{.key = "waiting_most_time"},
	{.title = "in rounds"},
	{.key = "idle_least", .title = "idle least"},
	{.key = "calls"},
	{.key = "duration_ns"},
	{.title = "calls/s"},
	{.key = "data_sent"},
	{.key = "data_resent"},
	{.title = "resent"},
};

static void fill_server(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct rx_server_row *server = from;

	(void)rows;
	report_row_chars(row, server->name, strnlen(server->name, sizeof(server->name)));
	report_row_count(row, server->rounds);
	report_row_count_or_blank(row, server->missed);
	report_row_count_or_blank(row, server->begun);
	report_row_count(row, server->waiting_total);
	if (server->waiting_total)
		report_row_real(row, (double)server->waiting_total / (double)server->rounds, 2);
	else
		report_row_none(row);
	report_row_count(row, server->waiting_rounds);
	report_row_count_or_blank(row, (uint64_t)server->waiting_most);
	report_row_int_if(row, server->waiting_most_ns, server->waiting_most);
	report_row_share_or_blank(row, server->waiting_rounds, server->rounds);
	report_row_int_if(row, server->idle_least, server->rounds);
	report_row_count(row, server->calls.grown);
	report_row_int(row, server->last_ns - server->first_ns);
	report_row_real(row, rate_of(server), 1);
	report_row_count(row, server->sent.grown);
	report_row_count(row, server->resent.grown);
	report_row_share_or_blank(row, server->resent.grown,
				  server->sent.grown + server->resent.grown);
}

static const struct report_table servers = {
	.key = "servers",
	.columns = server_columns,
	.column_count = sizeof(server_columns) / sizeof(server_columns[0]),
	.fill = fill_server,
};

static const struct report_column peer_columns[] = {
	{.key = "peer"},
	{.key = "peer_port"},
	{.title = "peer"},
	{.key = "server", .title = "of server"},
	{.key = "seen"},
	{.key = "bytes_sent", .title = "bytes to it"},
	{.key = "bytes_received", .title = "from it"},
	{.key = "packets_sent", .title = "packets"},
	{.key = "packets_resent"},
	{.title = "resent"},
	{.key = "rtt_us"},
	{.title = "rtt"},
	{.key = "blocked", .title = "blocked"},
};

static void fill_peer(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct rx_peer_row *peer = from;
	char address[EMIT_ADDRESS_BYTES];
	size_t len = (size_t)(emit_address(address, peer->key.address, 0) - address);

	(void)rows;
	report_row_format(row, "%.*s", (int)len, address);
	report_row_count(row, peer->key.port);
	len = (size_t)(emit_address(address, peer->key.address, 1) - address);
	report_row_format(row, "%.*s:%u", (int)len, address, peer->key.port & UINT16_MAX);
	report_row_chars(row, peer->key.server,
			 strnlen(peer->key.server, sizeof(peer->key.server)));
	report_row_count(row, peer->seen);
	report_row_size(row, peer->bytes_sent.grown);
	report_row_size(row, peer->bytes_received.grown);
	report_row_count(row, peer->sent.grown);
	report_row_count(row, peer->resent.grown);
	report_row_share_or_blank(row, peer->resent.grown, peer->sent.grown + peer->resent.grown);
	report_row_count(row, peer->rtt_us);
	report_row_time_if(row, peer->rtt_us * NS_PER_US, peer->rtt_us);
	report_row_count_or_blank(row, peer->blocked);
}

static const struct report_table peers = {
	.key = "peers",
	.columns = peer_columns,
	.column_count = sizeof(peer_columns) / sizeof(peer_columns[0]),
	.fill = fill_peer,
};

static int server_rows(const struct report *report, struct report_rows *ret)
{
	ret->list = ret->owned =
		report_rx_rank_servers((const struct rx_report *)report, &ret->count);
	return ret->list ? 0 : -ENOMEM;
}

static int peer_rows(const struct report *report, struct report_rows *ret)
{
	ret->list = ret->owned =
		report_rx_rank_peers((const struct rx_report *)report, &ret->count);
	ret->hidden = !ret->count;
	return ret->list ? 0 : -ENOMEM;
}

static int rx_summary(const struct report *report, const struct report_options *options,
		      struct buffer *out)
{
	const struct rx_report *rr = (const struct rx_report *)report;
	uint64_t rounds = 0, missed = 0;

	(void)options;
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
	return 0;
}

static int rx_members(const struct report *report, const struct report_options *options,
		      struct json_writer *json)
{
	(void)options;
	json_writer_uint(json, "left_out", ((const struct rx_report *)report)->left_out);
	return 0;
}

static const struct report_part parts[] = {
	{&servers, server_rows, NULL},
	{&peers, peer_rows, NULL},
};

static const struct report_measure measured[] = {
	{"waiting", "rx.stats", "waiting", NULL, MEASURE_AVG | MEASURE_MAX},
};

static const struct report_measures measures = {
	.events = "rx.*",
	.counts = "events",
	.list = measured,
	.count = sizeof(measured) / sizeof(measured[0]),
};

const struct report_kind report_kind_rx = {
	.name = "rx",
	.events = "rx.stats and rx.peer",
	.group = "rx.",
	.new = report_rx_new,
	.summary = rx_summary,
	.members = rx_members,
	.measures = &measures,
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
};

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "cli/rx_target.h"
#include "cli/rxdebug_talkers.h"
#include "rx/rx_problem.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"

#define PROBLEMS 40u /* of one server */

struct problem_lines {
	const char *before; /* in front of each */
	bool totals; /* those alone, or what is now alone */
	struct buffer *out;
	size_t count;
};

static void put_problem(void *ctx, enum rx_problem_kind kind, const char *text)
{
	struct problem_lines *lines = ctx;

	if (rx_problem_is_total(kind) != lines->totals || lines->count++ >= PROBLEMS)
		return;
	buffer_format(lines->out, "%s%-10s  %s\n", lines->before, rx_problem_name(kind), text);
}

static size_t put_problems(const char *before, bool totals, const struct rx_report *report,
			   int64_t now_s, struct buffer *out)
{
	struct problem_lines lines = {before, totals, out, 0};
	struct buffer text;

	buffer_init(&text);
	rx_problem_find(report, now_s, &text, put_problem, &lines);
	buffer_fini(&text);
	if (lines.count > PROBLEMS)
		buffer_format(out, "%s... and %zu more\n", before, lines.count - PROBLEMS);
	return lines.count;
}

/* The text is the server's: it is escaped for a terminal. */
static void put_version(const struct rx_report *report, struct buffer *out)
{
	char text[RX_VERSION_BYTES];

	snprintf(text, sizeof(text), "%s", report->has_version ? report->version : "-");
	escape_blank(text);
	buffer_string(out, text);
}

static double share(uint64_t part, uint64_t rest)
{
	return part ? 100.0 * (double)part / (double)(part + rest) : 0;
}

static void put_us(uint64_t us, struct buffer *out)
{
	char text[32];

	buffer_string(out, duration_format(text, sizeof(text), us * NS_PER_US));
}

static uint64_t us_at(const struct sonde_rx_stats *stats, enum sonde_rx_stat which)
{
	return stats->words[which] * 1000000ull + stats->words[which + 1];
}

static void put_load(const struct sonde_rx_basic *basic, const struct rx_report *report,
		     struct buffer *out)
{
	buffer_format(out, "Calls         %d executed", basic->calls_executed);
	if (rx_basic_has(basic, RX_VERSION_WAITING))
		buffer_format(out, ", %d wait for a thread", basic->waiting);
	if (rx_basic_has(basic, RX_VERSION_IDLE))
		buffer_format(out, ", %d threads idle", basic->idle_threads);
	if (rx_basic_has(basic, RX_VERSION_WAITED))
		buffer_format(out, ", %d have waited", basic->waited);
	if (report->has_stats && rx_basic_has(basic, RX_VERSION_WAITED))
		buffer_format(out, ", %u rejected as busy",
			      report->stats.words[SONDE_RX_STAT_BUSIES]);
	buffer_format(out, "\nBuffers       %d packets free", basic->free_packets);
	if (rx_basic_has(basic, RX_VERSION_PACKETS))
		buffer_format(out, " of %d", basic->packets);
	buffer_format(out, ", %d reclaimed\n", basic->packet_reclaims);
}

/* Servers that are little-endian have swapped its bytes once too often, and do not say whether they are. */
static void put_bogus_host(uint32_t host, struct buffer *out)
{
	if (host) {
		buffer_string(out, ", the last from ");
		rx_words_host(__builtin_bswap32(host), out);
		buffer_string(out, " or ");
		rx_words_host(host, out);
	}
	buffer_char(out, '\n');
}

static void put_stats(const struct sonde_rx_stats *stats, struct buffer *out)
{
	const uint32_t *w = stats->words;

	buffer_format(out,
		      "Data          %u packets in (%u twice, %u spurious), %u out, %u sent again "
		      "(%.1f %%)\n",
		      w[SONDE_RX_STAT_DATA_READ], w[SONDE_RX_STAT_DUPLICATE_READ],
		      w[SONDE_RX_STAT_SPURIOUS_READ], w[SONDE_RX_STAT_DATA_SENT],
		      w[SONDE_RX_STAT_DATA_RESENT],
		      share(w[SONDE_RX_STAT_DATA_RESENT], w[SONDE_RX_STAT_DATA_SENT]));
	buffer_format(out,
		      "Failures      %u sends, %u fatal, %u packets without a buffer, %u too short",
		      w[SONDE_RX_STAT_SEND_FAILURES], w[SONDE_RX_STAT_FATAL_ERRORS],
		      w[SONDE_RX_STAT_NO_BUFFER], w[SONDE_RX_STAT_BOGUS_PACKETS]);
	put_bogus_host(w[SONDE_RX_STAT_BOGUS_HOST], out);
	if (w[SONDE_RX_STAT_RTT_SAMPLES]) {
		buffer_string(out, "Round trips   average ");
		put_us(us_at(stats, SONDE_RX_STAT_TOTAL_RTT) / w[SONDE_RX_STAT_RTT_SAMPLES], out);
		buffer_string(out, ", from ");
		put_us(us_at(stats, SONDE_RX_STAT_MIN_RTT), out);
		buffer_string(out, " to ");
		put_us(us_at(stats, SONDE_RX_STAT_MAX_RTT), out);
		buffer_format(out, ", %u samples\n", w[SONDE_RX_STAT_RTT_SAMPLES]);
	}
	buffer_format(out,
		      "Tables        %u server and %u client connections, %u peers, %u calls (%u "
		      "free)\n",
		      w[SONDE_RX_STAT_SERVER_CONNS], w[SONDE_RX_STAT_CLIENT_CONNS],
		      w[SONDE_RX_STAT_PEERS], w[SONDE_RX_STAT_CALLS], w[SONDE_RX_STAT_FREE_CALLS]);
}

/* Ends a column: the text written since @start, filled up to @width. */
static void end_column(struct buffer *out, size_t start, size_t width)
{
	size_t len = out->len - start;

	buffer_pad(out, ' ', len < width ? width - len + 2 : 2);
}

static void put_place(uint32_t host, uint16_t port, struct buffer *out)
{
	size_t start = out->len;

	buffer_string(out, "  ");
	rx_words_host(host, out);
	buffer_format(out, ":%u", port);
	end_column(out, start, 23);
}

static void put_calls(const struct sonde_rx_conn *conn, struct buffer *out)
{
	const char *before = "";

	for (size_t i = 0; i < SONDE_RX_CALLS; i++) {
		const struct sonde_rx_call *call = &conn->calls[i];

		if (call->state == SONDE_RX_CALL_NONE)
			continue;
		buffer_format(out, "%s#%d %s", before, call->number,
			      rx_words_call_state(call->state));
		if (call->mode != SONDE_RX_MODE_NONE)
			buffer_format(out, " %s", rx_words_call_mode(call->mode));
		if (call->flags) {
			buffer_char(out, ' ');
			rx_words_call_flags(call->flags, out);
		}
		if (call->other)
			buffer_format(out, " +%s%s",
				      call->other & SONDE_RX_CALL_HAS_INPUT ? "in" : "",
				      call->other & SONDE_RX_CALL_HAS_OUTPUT ? "out" : "");
		before = "; ";
	}
}

static void put_conn(const struct sonde_rx_conn *conn, struct buffer *out)
{
	size_t start;

	put_place(conn->host, conn->port, out);
	start = out->len;
	buffer_format(out, "%x/%x", conn->epoch, conn->cid);
	end_column(out, start, 17);
	buffer_format(out, "%-6s  ", conn->type ? "server" : "client");
	start = out->len;
	rx_words_security(conn, out);
	end_column(out, start, 11);
	put_calls(conn, out);
	buffer_char(out, '\n');
}

static void put_conns(const struct rx_list *list, struct buffer *out)
{
	const struct sonde_rx_conn *conns = rx_list_conns(list);

	buffer_format(out, "\nConnections: %zu%s\n", list->count,
		      list->what == RX_DEBUG_CONN ? " with something under way" : "");
	if (list->count)
		buffer_string(
			out,
			"  HOST:PORT              EPOCH/ID           IS      SECURITY     CALLS\n");
	for (size_t i = 0; i < list->count; i++)
		put_conn(&conns[i], out);
}

static void put_ms(int32_t value, unsigned int shift, bool known, struct buffer *out)
{
	if (known)
		buffer_format(out, "%8.1f  ", (double)value / (double)(1u << shift));
	else
		buffer_format(out, "%8s  ", "-");
}

static void put_peer(const struct sonde_rx_peer *peer, struct buffer *out)
{
	char bytes[2][32];

	put_place(peer->host, peer->port, out);
	put_ms(peer->rtt, 3, rx_words_has_rtt(peer), out);
	put_ms(peer->rtt_dev, 2, rx_words_has_rtt(peer), out);
	buffer_format(out, "%10u  %6.1f  %10s  %10s  %5u  %6u\n", peer->sent,
		      share(peer->resent, peer->sent),
		      size_format(bytes[0], sizeof(bytes[0]), peer->bytes_sent),
		      size_format(bytes[1], sizeof(bytes[1]), peer->bytes_received), peer->mtu,
		      peer->cwind);
}

static void put_peers(const struct rx_list *list, struct buffer *out)
{
	const struct sonde_rx_peer *peers = rx_list_peers(list);

	buffer_format(out, "\nPeers: %zu\n", list->count);
	if (list->count)
		buffer_string(out,
			      "  HOST:PORT                RTT ms    DEV ms     PACKETS  AGAIN%  "
			      "  BYTES OUT    BYTES IN    MTU  WINDOW\n");
	for (size_t i = 0; i < list->count; i++)
		put_peer(&peers[i], out);
}

void rxdebug_text_lists(const struct rx_report *report, bool conns, struct buffer *out)
{
	if (conns && report->conns.what)
		put_conns(&report->conns, out);
	if (report->peers.what)
		put_peers(&report->peers, out);
}

void rxdebug_text_one(const struct rx_target *target, const struct rx_report *report, int64_t now_s,
		      struct buffer *out)
{
	size_t at;

	buffer_format(out, "%s  ", target->name);
	if (report->has_basic) {
		put_version(report, out);
		buffer_format(out, "  (protocol %c, answered in ",
			      report->basic.version > ' ' && report->basic.version < 0x7f ?
				      report->basic.version :
				      '?');
		put_us(report->took_ns / NS_PER_US, out);
		buffer_char(out, ')');
	}
	buffer_string(out, "\n\nProblems\n");
	if (!put_problems("  ", false, report, now_s, out))
		buffer_string(out, "  none\n");
	if (!report->has_basic)
		return;
	at = out->len;
	buffer_string(out, "\nTotals since it began\n");
	if (!put_problems("  ", true, report, now_s, out) && !buffer_error(out))
		out->len = at;
	buffer_char(out, '\n');
	put_load(&report->basic, report, out);
	if (report->has_stats)
		put_stats(&report->stats, out);
	rxdebug_text_lists(report, true, out);
	rxdebug_talkers_text(report, 1, out);
}

void rxdebug_text_head(struct buffer *out)
{
	buffer_string(
		out,
		"SERVER                          WAIT   IDLE    WAITED      CALLS  CONNS  PEERS "
		" AGAIN%  BUSY  VERSION\n");
}

static void put_number(bool known, int64_t value, int width, struct buffer *out)
{
	if (known)
		buffer_format(out, "%*lld  ", width, (long long)value);
	else
		buffer_format(out, "%*s  ", width, "-");
}

void rxdebug_text_line(const struct rx_target *target, const struct rx_report *report,
		       struct buffer *out)
{
	const struct sonde_rx_basic *basic = &report->basic;
	const uint32_t *w = report->stats.words;

	buffer_format(out, "%-29s  ", target->name);
	if (!report->has_basic) {
		buffer_string(out, report->err ? "no answer\n" : "-\n");
		return;
	}
	put_number(rx_basic_has(basic, RX_VERSION_WAITING), basic->waiting, 5, out);
	put_number(rx_basic_has(basic, RX_VERSION_IDLE), basic->idle_threads, 5, out);
	put_number(rx_basic_has(basic, RX_VERSION_WAITED), basic->waited, 8, out);
	put_number(true, basic->calls_executed, 9, out);
	put_number(report->has_stats,
		   (int64_t)w[SONDE_RX_STAT_SERVER_CONNS] + w[SONDE_RX_STAT_CLIENT_CONNS], 5, out);
	put_number(report->has_stats, w[SONDE_RX_STAT_PEERS], 5, out);
	if (report->has_stats)
		buffer_format(out, "%6.1f  ",
			      share(w[SONDE_RX_STAT_DATA_RESENT], w[SONDE_RX_STAT_DATA_SENT]));
	else
		buffer_format(out, "%6s  ", "-");
	put_number(report->has_stats && rx_basic_has(basic, RX_VERSION_WAITED),
		   w[SONDE_RX_STAT_BUSIES], 4, out);
	put_version(report, out);
	buffer_char(out, '\n');
}

void rxdebug_text_problems(const struct rx_target *target, bool totals,
			   const struct rx_report *report, int64_t now_s, struct buffer *out)
{
	char before[300];

	snprintf(before, sizeof(before), "%-29s  ", target->name);
	(void)put_problems(before, totals, report, now_s, out);
}

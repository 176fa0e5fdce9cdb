// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/rx_target.h"
#include "rx/rx_problem.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"

/* Members are separated by what the last byte is. */
static void put_name(struct buffer *out, const char *name)
{
	char last = out->len ? out->data[out->len - 1] : '{';

	buffer_format(out, "%s\"%s\":", last == '{' ? "" : ",", name);
}

static void put_int(struct buffer *out, const char *name, int64_t value)
{
	put_name(out, name);
	buffer_int(out, value);
}

static void put_uint(struct buffer *out, const char *name, uint64_t value)
{
	put_name(out, name);
	buffer_uint(out, value);
}

static void put_int_if(struct buffer *out, const char *name, bool known, int64_t value)
{
	put_name(out, name);
	if (known)
		buffer_int(out, value);
	else
		buffer_string(out, "null");
}

static void put_bool(struct buffer *out, const char *name, bool value)
{
	put_name(out, name);
	buffer_string(out, value ? "true" : "false");
}

static void put_text(struct buffer *out, const char *name, const char *text)
{
	put_name(out, name);
	if (!text) {
		buffer_string(out, "null");
		return;
	}
	buffer_char(out, '"');
	buffer_json_text(out, text, strlen(text));
	buffer_char(out, '"');
}

static void put_quoted_host(struct buffer *out, uint32_t host)
{
	buffer_char(out, '"');
	rx_words_host(host, out);
	buffer_char(out, '"');
}

static void put_host(struct buffer *out, const char *name, uint32_t host)
{
	put_name(out, name);
	put_quoted_host(out, host);
}

static void put_basic(struct buffer *out, const struct sonde_rx_basic *basic)
{
	put_name(out, "basic");
	buffer_char(out, '{');
	put_int(out, "free_packets", basic->free_packets);
	put_int_if(out, "packets", rx_basic_has(basic, RX_VERSION_PACKETS), basic->packets);
	put_int(out, "packet_reclaims", basic->packet_reclaims);
	put_int(out, "calls_executed", basic->calls_executed);
	put_bool(out, "waiting_for_packets", basic->waiting_for_packets);
	put_uint(out, "used_fds", basic->used_fds);
	put_int_if(out, "waiting", rx_basic_has(basic, RX_VERSION_WAITING), basic->waiting);
	put_int_if(out, "idle_threads", rx_basic_has(basic, RX_VERSION_IDLE), basic->idle_threads);
	put_int_if(out, "waited", rx_basic_has(basic, RX_VERSION_WAITED), basic->waited);
	buffer_char(out, '}');
}

static void put_time(struct buffer *out, const char *name, const struct sonde_rx_stats *stats,
		     enum sonde_rx_stat which)
{
	put_int_if(out, name, stats->words[SONDE_RX_STAT_RTT_SAMPLES],
		   (int64_t)stats->words[which] * 1000000 + stats->words[which + 1]);
}

static void put_stats(struct buffer *out, const struct rx_report *report)
{
	const struct sonde_rx_stats *stats = &report->stats;
	uint32_t bogus = stats->words[SONDE_RX_STAT_BOGUS_HOST];

	put_name(out, "stats");
	buffer_char(out, '{');
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++) {
		if (rx_words_stat(i))
			put_int_if(out, rx_words_stat(i), rx_report_has_stat(report, i),
				   stats->words[i]);
	}
	put_name(out, "bogus_hosts");
	buffer_char(out, '[');
	/* In either order of bytes: the reply does not say which one the server has. */
	if (bogus) {
		put_quoted_host(out, __builtin_bswap32(bogus));
		buffer_char(out, ',');
		put_quoted_host(out, bogus);
	}
	buffer_char(out, ']');
	put_time(out, "rtt_total_us", stats, SONDE_RX_STAT_TOTAL_RTT);
	put_time(out, "rtt_min_us", stats, SONDE_RX_STAT_MIN_RTT);
	put_time(out, "rtt_max_us", stats, SONDE_RX_STAT_MAX_RTT);
	buffer_char(out, '}');
}

static void put_flags(struct buffer *out, const char *name, uint8_t flags,
		      void (*words)(uint8_t flags, struct buffer *out))
{
	put_name(out, name);
	buffer_char(out, '[');
	for (unsigned int i = 0, count = 0; i < 8; i++) {
		if (!(flags & 1u << i))
			continue;
		buffer_string(out, count++ ? ",\"" : "\"");
		words((uint8_t)(1u << i), out);
		buffer_char(out, '"');
	}
	buffer_char(out, ']');
}

static void put_calls(struct buffer *out, const struct sonde_rx_conn *conn)
{
	put_name(out, "calls");
	for (size_t i = 0; i < SONDE_RX_CALLS; i++) {
		const struct sonde_rx_call *call = &conn->calls[i];

		buffer_string(out, i ? ",{" : "[{");
		put_int(out, "number", call->number);
		put_text(out, "state", rx_words_call_state(call->state));
		put_text(out, "mode", rx_words_call_mode(call->mode));
		put_flags(out, "flags", call->flags, rx_words_call_flags);
		put_bool(out, "has_input", call->other & SONDE_RX_CALL_HAS_INPUT);
		put_bool(out, "has_output", call->other & SONDE_RX_CALL_HAS_OUTPUT);
		put_text(out, "blocked", rx_hold_text(rx_hold_find(conn, i)));
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
}

static void put_security(struct buffer *out, const struct sonde_rx_conn *conn)
{
	const struct sonde_rx_security *security = &conn->security;
	struct buffer text;

	put_name(out, "security");
	buffer_char(out, '{');
	put_uint(out, "index", conn->security_index);
	buffer_init(&text);
	rx_words_security(conn, &text);
	buffer_char(&text, '\0');
	put_text(out, "name", buffer_error(&text) ? NULL : text.data);
	buffer_fini(&text);
	put_uint(out, "type", security->type);
	put_uint(out, "level", security->level);
	put_uint(out, "flags", security->flags);
	put_uint(out, "expires", security->expires);
	put_uint(out, "packets_received", security->packets_received);
	put_uint(out, "packets_sent", security->packets_sent);
	put_uint(out, "bytes_received", security->bytes_received);
	put_uint(out, "bytes_sent", security->bytes_sent);
	buffer_char(out, '}');
}

static void put_conn(struct buffer *out, const struct sonde_rx_conn *conn)
{
	buffer_char(out, '{');
	put_host(out, "host", conn->host);
	put_uint(out, "port", conn->port);
	put_uint(out, "epoch", conn->epoch);
	put_uint(out, "cid", conn->cid);
	put_text(out, "role", conn->type ? "server" : "client");
	put_int(out, "serial", conn->serial);
	put_int(out, "error", conn->error);
	put_flags(out, "flags", conn->flags, rx_words_conn_flags);
	put_int(out, "nat_mtu", conn->nat_mtu);
	put_security(out, conn);
	put_calls(out, conn);
	buffer_char(out, '}');
}

static void put_peer(struct buffer *out, const struct sonde_rx_peer *peer)
{
	buffer_char(out, '{');
	put_host(out, "host", peer->host);
	put_uint(out, "port", peer->port);
	put_int_if(out, "rtt_us", rx_words_has_rtt(peer), (int64_t)peer->rtt * 1000 / 8);
	put_int_if(out, "rtt_dev_us", rx_words_has_rtt(peer), (int64_t)peer->rtt_dev * 1000 / 4);
	put_uint(out, "packets_sent", peer->sent);
	put_uint(out, "packets_resent", peer->resent);
	put_uint(out, "bytes_sent", peer->bytes_sent);
	put_uint(out, "bytes_received", peer->bytes_received);
	put_uint(out, "mtu", peer->mtu);
	put_uint(out, "if_mtu", peer->if_mtu);
	put_uint(out, "nat_mtu", peer->nat_mtu);
	put_uint(out, "max_mtu", peer->max_mtu);
	put_uint(out, "cwind", peer->cwind);
	put_uint(out, "idle_when", peer->idle_when);
	put_uint(out, "ref_count", peer->ref_count);
	put_uint(out, "datagram_packets", peer->datagram_packets);
	put_uint(out, "if_datagram_packets", peer->if_datagram_packets);
	put_uint(out, "max_datagram_packets", peer->max_datagram_packets);
	buffer_char(out, '}');
}

static const char *error_name(int err)
{
	return err == -EINTR	 ? "interrupted" :
	       err == -E2BIG	 ? "too many" :
	       err == -ENOTSUP	 ? "not supported" :
	       err == -ETIMEDOUT ? "no answer" :
				   strerror(-err);
}

static void begin_list(struct buffer *out, const char *name, const struct rx_list *list)
{
	put_name(out, name);
	buffer_char(out, '{');
	put_bool(out, "complete", !list->err);
	put_text(out, "error", list->err ? error_name(list->err) : NULL);
	put_uint(out, "met_twice", list->twice);
	put_name(out, "list");
	buffer_char(out, '[');
}

static void put_lists(struct buffer *out, const struct rx_report *report)
{
	const struct sonde_rx_conn *conns = rx_list_conns(&report->conns);
	const struct sonde_rx_peer *peers = rx_list_peers(&report->peers);

	if (report->conns.what) {
		begin_list(out, "connections", &report->conns);
		for (size_t i = 0; i < report->conns.count; i++) {
			buffer_string(out, i ? "," : "");
			put_conn(out, &conns[i]);
		}
		buffer_string(out, "]}");
	}
	if (report->peers.what) {
		begin_list(out, "peers", &report->peers);
		for (size_t i = 0; i < report->peers.count; i++) {
			buffer_string(out, i ? "," : "");
			put_peer(out, &peers[i]);
		}
		buffer_string(out, "]}");
	}
}

struct problem_list {
	struct buffer *out;
	bool totals; /* those alone, or what is now alone */
};

static void put_problem(void *ctx, enum rx_problem_kind kind, const char *text)
{
	const struct problem_list *list = ctx;
	struct buffer *out = list->out;

	if (rx_problem_is_total(kind) != list->totals)
		return;
	buffer_string(out, out->data[out->len - 1] == '[' ? "{" : ",{");
	put_text(out, "kind", rx_problem_name(kind));
	put_text(out, "text", text);
	buffer_char(out, '}');
}

static void put_problems(struct buffer *out, const char *name, bool totals,
			 const struct rx_report *report, int64_t now_s)
{
	struct problem_list list = {out, totals};
	struct buffer text;

	put_name(out, name);
	buffer_char(out, '[');
	buffer_init(&text);
	if (!buffer_error(out))
		rx_problem_find(report, now_s, &text, put_problem, &list);
	buffer_fini(&text);
	buffer_char(out, ']');
}

void rxdebug_json_report(const struct rx_target *target, const struct rx_report *report,
			 int64_t now_s, struct buffer *out)
{
	const char version[2] = {(char)report->basic.version, '\0'};

	buffer_char(out, '{');
	put_text(out, "server", target->name);
	put_name(out, "address");
	buffer_char(out, '"');
	rx_address_host(&report->server, out);
	buffer_char(out, '"');
	put_uint(out, "port", rx_address_port(&report->server));
	put_bool(out, "answered", !report->err);
	put_text(out, "error", report->err ? error_name(report->err) : NULL);
	put_int_if(out, "took_ns", !report->err, (int64_t)report->took_ns);
	put_text(out, "version", report->has_version ? report->version : NULL);
	put_text(out, "protocol", report->has_basic ? version : NULL);
	if (report->has_basic)
		put_basic(out, &report->basic);
	if (report->has_stats)
		put_stats(out, report);
	put_lists(out, report);
	put_problems(out, "problems", false, report, now_s);
	put_problems(out, "totals", true, report, now_s);
	buffer_char(out, '}');
}

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "cli/rx_target.h"
#include "rx/rx_problem.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"

static void put_int_if(struct json_writer *json, const char *key, bool known, int64_t value)
{
	if (known)
		json_writer_int(json, key, value);
	else
		json_writer_null(json, key);
}

void rxdebug_json_host(struct json_writer *json, const char *key, uint32_t host)
{
	json_writer_key(json, key);
	buffer_char(json->out, '"');
	rx_words_host(host, json->out);
	buffer_char(json->out, '"');
}

static void put_basic(struct json_writer *json, const struct sonde_rx_basic *basic)
{
	json_writer_object(json, "basic");
	json_writer_int(json, "free_packets", basic->free_packets);
	put_int_if(json, "packets", rx_basic_has(basic, RX_VERSION_PACKETS), basic->packets);
	json_writer_int(json, "packet_reclaims", basic->packet_reclaims);
	json_writer_int(json, "calls_executed", basic->calls_executed);
	json_writer_bool(json, "waiting_for_packets", basic->waiting_for_packets);
	json_writer_uint(json, "used_fds", basic->used_fds);
	put_int_if(json, "waiting", rx_basic_has(basic, RX_VERSION_WAITING), basic->waiting);
	put_int_if(json, "idle_threads", rx_basic_has(basic, RX_VERSION_IDLE), basic->idle_threads);
	put_int_if(json, "waited", rx_basic_has(basic, RX_VERSION_WAITED), basic->waited);
	json_writer_end(json);
}

static void put_time(struct json_writer *json, const char *key, const struct sonde_rx_stats *stats,
		     enum sonde_rx_stat which)
{
	put_int_if(json, key, stats->words[SONDE_RX_STAT_RTT_SAMPLES],
		   (int64_t)stats->words[which] * 1000000 + stats->words[which + 1]);
}

static void put_stats(struct json_writer *json, const struct rx_report *report)
{
	const struct sonde_rx_stats *stats = &report->stats;
	uint32_t bogus = stats->words[SONDE_RX_STAT_BOGUS_HOST];

	json_writer_object(json, "stats");
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++) {
		if (rx_words_stat(i))
			put_int_if(json, rx_words_stat(i), rx_report_has_stat(report, i),
				   stats->words[i]);
	}
	json_writer_array(json, "bogus_hosts");
	/* In either order of bytes: the reply does not say which one the server has. */
	if (bogus) {
		rxdebug_json_host(json, NULL, __builtin_bswap32(bogus));
		rxdebug_json_host(json, NULL, bogus);
	}
	json_writer_end(json);
	put_time(json, "rtt_total_us", stats, SONDE_RX_STAT_TOTAL_RTT);
	put_time(json, "rtt_min_us", stats, SONDE_RX_STAT_MIN_RTT);
	put_time(json, "rtt_max_us", stats, SONDE_RX_STAT_MAX_RTT);
	json_writer_end(json);
}

static void put_flags(struct json_writer *json, const char *key, uint8_t flags,
		      void (*words)(uint8_t flags, struct buffer *out))
{
	json_writer_array(json, key);
	for (unsigned int i = 0; i < 8; i++) {
		if (!(flags & 1u << i))
			continue;
		json_writer_key(json, NULL);
		buffer_char(json->out, '"');
		words((uint8_t)(1u << i), json->out);
		buffer_char(json->out, '"');
	}
	json_writer_end(json);
}

static void put_calls(struct json_writer *json, const struct sonde_rx_conn *conn)
{
	json_writer_array(json, "calls");
	for (size_t i = 0; i < SONDE_RX_CALLS; i++) {
		const struct sonde_rx_call *call = &conn->calls[i];

		json_writer_object(json, NULL);
		json_writer_int(json, "number", call->number);
		json_writer_string(json, "state", rx_words_call_state(call->state));
		json_writer_string(json, "mode", rx_words_call_mode(call->mode));
		put_flags(json, "flags", call->flags, rx_words_call_flags);
		json_writer_bool(json, "has_input", call->other & SONDE_RX_CALL_HAS_INPUT);
		json_writer_bool(json, "has_output", call->other & SONDE_RX_CALL_HAS_OUTPUT);
		json_writer_string(json, "blocked", rx_hold_text(rx_hold_find(conn, i)));
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_security(struct json_writer *json, const struct sonde_rx_conn *conn)
{
	const struct sonde_rx_security *security = &conn->security;
	struct buffer text;

	json_writer_object(json, "security");
	json_writer_uint(json, "index", conn->security_index);
	buffer_init(&text);
	rx_words_security(conn, &text);
	buffer_char(&text, '\0');
	json_writer_string(json, "name", buffer_error(&text) ? NULL : text.data);
	buffer_fini(&text);
	json_writer_uint(json, "type", security->type);
	json_writer_uint(json, "level", security->level);
	json_writer_uint(json, "flags", security->flags);
	json_writer_uint(json, "expires", security->expires);
	json_writer_uint(json, "packets_received", security->packets_received);
	json_writer_uint(json, "packets_sent", security->packets_sent);
	json_writer_uint(json, "bytes_received", security->bytes_received);
	json_writer_uint(json, "bytes_sent", security->bytes_sent);
	json_writer_end(json);
}

static void put_conn(struct json_writer *json, const struct sonde_rx_conn *conn)
{
	json_writer_object(json, NULL);
	rxdebug_json_host(json, "host", conn->host);
	json_writer_uint(json, "port", conn->port);
	json_writer_uint(json, "epoch", conn->epoch);
	json_writer_uint(json, "cid", conn->cid);
	json_writer_string(json, "role", conn->type ? "server" : "client");
	json_writer_int(json, "serial", conn->serial);
	json_writer_int(json, "error", conn->error);
	put_flags(json, "flags", conn->flags, rx_words_conn_flags);
	json_writer_int(json, "nat_mtu", conn->nat_mtu);
	put_security(json, conn);
	put_calls(json, conn);
	json_writer_end(json);
}

static void put_peer(struct json_writer *json, const struct sonde_rx_peer *peer)
{
	json_writer_object(json, NULL);
	rxdebug_json_host(json, "host", peer->host);
	json_writer_uint(json, "port", peer->port);
	put_int_if(json, "rtt_us", rx_words_has_rtt(peer), (int64_t)peer->rtt * 1000 / 8);
	put_int_if(json, "rtt_dev_us", rx_words_has_rtt(peer), (int64_t)peer->rtt_dev * 1000 / 4);
	json_writer_uint(json, "packets_sent", peer->sent);
	json_writer_uint(json, "packets_resent", peer->resent);
	json_writer_uint(json, "bytes_sent", peer->bytes_sent);
	json_writer_uint(json, "bytes_received", peer->bytes_received);
	json_writer_uint(json, "mtu", peer->mtu);
	json_writer_uint(json, "if_mtu", peer->if_mtu);
	json_writer_uint(json, "nat_mtu", peer->nat_mtu);
	json_writer_uint(json, "max_mtu", peer->max_mtu);
	json_writer_uint(json, "cwind", peer->cwind);
	json_writer_uint(json, "idle_when", peer->idle_when);
	json_writer_uint(json, "ref_count", peer->ref_count);
	json_writer_uint(json, "datagram_packets", peer->datagram_packets);
	json_writer_uint(json, "if_datagram_packets", peer->if_datagram_packets);
	json_writer_uint(json, "max_datagram_packets", peer->max_datagram_packets);
	json_writer_end(json);
}

static const char *error_name(int err)
{
	return err == -EINTR	 ? "interrupted" :
	       err == -E2BIG	 ? "too many" :
	       err == -ENOTSUP	 ? "not supported" :
	       err == -ETIMEDOUT ? "no answer" :
				   strerror(-err);
}

static void begin_list(struct json_writer *json, const char *key, const struct rx_list *list)
{
	json_writer_object(json, key);
	json_writer_bool(json, "complete", !list->err);
	json_writer_string(json, "error", list->err ? error_name(list->err) : NULL);
	json_writer_uint(json, "met_twice", list->twice);
	json_writer_array(json, "list");
}

static void end_list(struct json_writer *json)
{
	json_writer_end(json);
	json_writer_end(json);
}

static void put_lists(struct json_writer *json, const struct rx_report *report)
{
	if (report->conns.what) {
		begin_list(json, "connections", &report->conns);
		for (size_t i = 0; i < report->conns.count; i++)
			put_conn(json, &rx_list_conns(&report->conns)[i]);
		end_list(json);
	}
	if (report->peers.what) {
		begin_list(json, "peers", &report->peers);
		for (size_t i = 0; i < report->peers.count; i++)
			put_peer(json, &rx_list_peers(&report->peers)[i]);
		end_list(json);
	}
}

struct problem_list {
	struct json_writer *json;
	bool totals; /* those alone, or what is now alone */
};

static void put_problem(void *ctx, enum rx_problem_kind kind, const char *text)
{
	const struct problem_list *list = ctx;

	if (rx_problem_is_total(kind) != list->totals)
		return;
	json_writer_object(list->json, NULL);
	json_writer_string(list->json, "kind", rx_problem_name(kind));
	json_writer_string(list->json, "text", text);
	json_writer_end(list->json);
}

static void put_problems(struct json_writer *json, const char *key, bool totals,
			 const struct rx_report *report, int64_t now_s)
{
	struct problem_list list = {json, totals};
	struct buffer text;

	json_writer_array(json, key);
	buffer_init(&text);
	rx_problem_find(report, now_s, &text, put_problem, &list);
	buffer_fini(&text);
	json_writer_end(json);
}

void rxdebug_json_report(const struct rx_target *target, const struct rx_report *report,
			 int64_t now_s, struct json_writer *json)
{
	const char version[2] = {(char)report->basic.version, '\0'};

	json_writer_string(json, "server", target->name);
	json_writer_key(json, "address");
	buffer_char(json->out, '"');
	rx_address_host(&report->server, json->out);
	buffer_char(json->out, '"');
	json_writer_uint(json, "port", rx_address_port(&report->server));
	json_writer_bool(json, "answered", !report->err);
	json_writer_string(json, "error", report->err ? error_name(report->err) : NULL);
	put_int_if(json, "took_ns", !report->err, (int64_t)report->took_ns);
	json_writer_string(json, "version", report->has_version ? report->version : NULL);
	json_writer_string(json, "protocol", report->has_basic ? version : NULL);
	if (report->has_basic)
		put_basic(json, &report->basic);
	if (report->has_stats)
		put_stats(json, report);
	put_lists(json, report);
	put_problems(json, "problems", false, report, now_s);
	put_problems(json, "totals", true, report, now_s);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_prometheus.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/rx_target.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"
#include "view/escape.h"

struct metrics {
	const struct rx_target *targets;
	const struct rx_report *reports;
	size_t count;
	struct buffer *out;
};

/* One number of how an endpoint is, since that version. */
struct basic_metric {
	const char *name;
	const char *type;
	const char *help;
	char since;
	size_t offset; /* of an int32_t */
};

static const struct basic_metric basic_metrics[] = {
	{"rx_calls_waiting", "gauge", "Calls that wait for a thread.", RX_VERSION_WAITING,
	 offsetof(struct sonde_rx_basic, waiting)},
	{"rx_threads_idle", "gauge", "Threads without a call.", RX_VERSION_IDLE,
	 offsetof(struct sonde_rx_basic, idle_threads)},
	{"rx_calls_waited_total", "counter", "Calls that had to wait for a thread.",
	 RX_VERSION_WAITED, offsetof(struct sonde_rx_basic, waited)},
	{"rx_calls_executed_total", "counter", "Calls.", RX_VERSION_SECURITY,
	 offsetof(struct sonde_rx_basic, calls_executed)},
	{"rx_packet_buffers_free", "gauge", "Packet buffers that are free.", RX_VERSION_SECURITY,
	 offsetof(struct sonde_rx_basic, free_packets)},
	{"rx_packet_buffers", "gauge", "Packet buffers.", RX_VERSION_PACKETS,
	 offsetof(struct sonde_rx_basic, packets)},
};

static void put_head(const struct metrics *m, const char *name, const char *type, const char *help)
{
	buffer_format(m->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A label's value: quotes and backslashes are escaped, what a terminal might obey is gone. */
static void put_label(const struct metrics *m, const char *name, const char *value)
{
	char text[300];

	snprintf(text, sizeof(text), "%s", value);
	escape_blank(text);
	buffer_format(m->out, "%s=\"", name);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			buffer_char(m->out, '\\');
		buffer_char(m->out, *c);
	}
	buffer_char(m->out, '"');
}

static void begin_sample(const struct metrics *m, const char *name, size_t i)
{
	buffer_format(m->out, "%s{", name);
	put_label(m, "server", m->targets[i].name);
}

static void put_up(const struct metrics *m)
{
	put_head(m, "rx_up", "gauge", "Whether it answers.");
	for (size_t i = 0; i < m->count; i++) {
		begin_sample(m, "rx_up", i);
		buffer_format(m->out, "} %d\n", !m->reports[i].err);
	}
	put_head(m, "rx_answer_seconds", "gauge", "How long it took to answer.");
	for (size_t i = 0; i < m->count; i++) {
		if (m->reports[i].err)
			continue;
		begin_sample(m, "rx_answer_seconds", i);
		buffer_format(m->out, "} %.9f\n", (double)m->reports[i].took_ns / 1e9);
	}
	put_head(m, "rx_info", "gauge", "The version of the program.");
	for (size_t i = 0; i < m->count; i++) {
		if (!m->reports[i].has_version)
			continue;
		begin_sample(m, "rx_info", i);
		buffer_char(m->out, ',');
		put_label(m, "version", m->reports[i].version);
		buffer_string(m->out, "} 1\n");
	}
}

static void put_basic(const struct metrics *m, const struct basic_metric *metric)
{
	bool counts = !strcmp(metric->type, "counter");

	put_head(m, metric->name, metric->type, metric->help);
	for (size_t i = 0; i < m->count; i++) {
		const struct sonde_rx_basic *basic = &m->reports[i].basic;
		int32_t value;

		if (!m->reports[i].has_basic || !rx_basic_has(basic, metric->since))
			continue;
		memcpy(&value, (const char *)basic + metric->offset, sizeof(value));
		begin_sample(m, metric->name, i);
		/* Counters wrap at 32 bits; below 0 they would be none. */
		buffer_format(m->out, "} %lld\n", counts ? (long long)(uint32_t)value : value);
	}
}

static void put_stat(const struct metrics *m, size_t word)
{
	char name[64];

	snprintf(name, sizeof(name), "rx_%s%s", rx_words_stat(word),
		 rx_words_stat_is_gauge(word) ? "" : "_total");
	put_head(m, name, rx_words_stat_is_gauge(word) ? "gauge" : "counter",
		 "As struct rx_statistics has it.");
	for (size_t i = 0; i < m->count; i++) {
		if (!m->reports[i].has_stats)
			continue;
		begin_sample(m, name, i);
		buffer_format(m->out, "} %u\n", m->reports[i].stats.words[word]);
	}
}

enum peer_metric {
	PEER_RTT,
	PEER_SENT,
	PEER_RESENT,
	PEER_BYTES_SENT,
	PEER_BYTES_RECEIVED,
	PEER_METRIC_COUNT,
};

static void put_peer_value(enum peer_metric which, const struct sonde_rx_peer *peer,
			   struct buffer *out)
{
	switch (which) {
	case PEER_RTT:
		buffer_format(out, "%.6f", (double)peer->rtt / 8000);
		break;
	case PEER_SENT:
		buffer_uint(out, peer->sent);
		break;
	case PEER_RESENT:
		buffer_uint(out, peer->resent);
		break;
	case PEER_BYTES_SENT:
		buffer_uint(out, peer->bytes_sent);
		break;
	default:
		buffer_uint(out, peer->bytes_received);
	}
}

static void put_peers(const struct metrics *m, enum peer_metric which)
{
	static const char *const names[PEER_METRIC_COUNT] = {
		"rx_peer_rtt_seconds", "rx_peer_packets_sent_total", "rx_peer_packets_resent_total",
		"rx_peer_sent_bytes_total", "rx_peer_received_bytes_total"};

	put_head(m, names[which], which == PEER_RTT ? "gauge" : "counter",
		 which == PEER_RTT ? "Smoothed round-trip time." : "With this peer.");
	for (size_t i = 0; i < m->count; i++) {
		const struct sonde_rx_peer *peers = rx_list_peers(&m->reports[i].peers);

		for (size_t j = 0; peers && j < m->reports[i].peers.count; j++) {
			if (which == PEER_RTT && peers[j].rtt == 16000)
				continue; /* no sample yet */
			begin_sample(m, names[which], i);
			buffer_string(m->out, ",peer=\"");
			rx_words_host(peers[j].host, m->out);
			buffer_format(m->out, ":%u\"} ", peers[j].port);
			put_peer_value(which, &peers[j], m->out);
			buffer_char(m->out, '\n');
		}
	}
}

void rxdebug_prometheus(const struct rx_target *targets, const struct rx_report *reports,
			size_t count, struct buffer *out)
{
	const struct metrics m = {targets, reports, count, out};

	put_up(&m);
	for (size_t i = 0; i < sizeof(basic_metrics) / sizeof(basic_metrics[0]); i++)
		put_basic(&m, &basic_metrics[i]);
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++) {
		if (rx_words_stat(i) && i != SONDE_RX_STAT_BOGUS_HOST &&
		    i != SONDE_RX_STAT_SOCKET_GREEDY)
			put_stat(&m, i);
	}
	for (enum peer_metric i = 0; i < PEER_METRIC_COUNT; i++) {
		if (reports[0].peers.what)
			put_peers(&m, i);
	}
}

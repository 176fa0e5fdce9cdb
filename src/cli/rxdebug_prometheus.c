// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_prometheus.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "cli/rx_target.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"

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
	{"rx_calls_executed_total", "counter", "Calls that it was asked for and has run.",
	 RX_VERSION_SECURITY, offsetof(struct sonde_rx_basic, calls_executed)},
	{"rx_packet_buffers_free", "gauge", "Packet buffers that are free.", RX_VERSION_SECURITY,
	 offsetof(struct sonde_rx_basic, free_packets)},
	{"rx_packet_buffers", "gauge", "Packet buffers that it has.", RX_VERSION_PACKETS,
	 offsetof(struct sonde_rx_basic, packets)},
	{"rx_packet_reclaims_total", "counter", "Packet buffers that were taken back from calls.",
	 RX_VERSION_SECURITY, offsetof(struct sonde_rx_basic, packet_reclaims)},
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

/* Packets of one type, of which there are as many counters, are one metric with a label. */
static const char *packet_type(size_t word, const char **ret_name)
{
	static const char *const prefixes[] = {"packets_read_", "packets_sent_"};
	const char *name = rx_words_stat(word);

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t len = strlen(prefixes[i]);

		*ret_name = i ? "rx_packets_sent_total" : "rx_packets_read_total";
		if (!strncmp(name, prefixes[i], len))
			return name + len;
	}
	return NULL;
}

static void put_stat(const struct metrics *m, size_t word)
{
	bool gauge = rx_words_stat_is_gauge(word);
	const char *name, *type = packet_type(word, &name);
	char text[64];

	if (!type) {
		snprintf(text, sizeof(text), "rx_%s%s", rx_words_stat(word), gauge ? "" : "_total");
		name = text;
	}
	/* Of those with labels, before the first. */
	if (!type || word == SONDE_RX_STAT_READ || word == SONDE_RX_STAT_SENT)
		put_head(m, name, gauge ? "gauge" : "counter", rx_words_stat_help(word));
	for (size_t i = 0; i < m->count; i++) {
		if (!m->reports[i].has_stats)
			continue;
		begin_sample(m, name, i);
		if (type)
			buffer_format(m->out, ",type=\"%s\"", type);
		buffer_format(m->out, "} %u\n", m->reports[i].stats.words[word]);
	}
}

static double seconds_at(const struct sonde_rx_stats *stats, enum sonde_rx_stat which)
{
	return stats->words[which] + stats->words[which + 1] / 1e6;
}

/* The average over any time is what the sum grew by what the count grew. */
static void put_rtt(const struct metrics *m)
{
	put_head(m, "rx_rtt_seconds", "summary", "Round-trip times, of all peers.");
	for (size_t i = 0; i < m->count; i++) {
		const struct sonde_rx_stats *stats = &m->reports[i].stats;

		if (!m->reports[i].has_stats)
			continue;
		begin_sample(m, "rx_rtt_seconds_sum", i);
		buffer_format(m->out, "} %.6f\n", seconds_at(stats, SONDE_RX_STAT_TOTAL_RTT));
		begin_sample(m, "rx_rtt_seconds_count", i);
		buffer_format(m->out, "} %u\n", stats->words[SONDE_RX_STAT_RTT_SAMPLES]);
	}
}

/* A list that breaks off, or is too long, is not taken for a short one. */
static void put_complete(const struct metrics *m)
{
	put_head(m, "rx_peers_complete", "gauge", "Whether all of its peers are here.");
	for (size_t i = 0; i < m->count; i++) {
		if (!m->reports[i].has_basic)
			continue;
		begin_sample(m, "rx_peers_complete", i);
		buffer_format(m->out, "} %d\n", !m->reports[i].peers.err);
	}
}

enum peer_metric {
	PEER_RTT,
	PEER_RTT_DEVIATION,
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
	case PEER_RTT_DEVIATION:
		buffer_format(out, "%.6f", (double)peer->rtt_dev / 4000);
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
	static const struct {
		const char *name;
		const char *help;
	} forms[PEER_METRIC_COUNT] = {
		{"rx_peer_rtt_seconds", "Smoothed round-trip time."},
		{"rx_peer_rtt_deviation_seconds", "Mean deviation of the round-trip time."},
		{"rx_peer_packets_sent_total", "Data packets sent to it, each once."},
		{"rx_peer_packets_resent_total", "Data packets sent to it again."},
		{"rx_peer_sent_bytes_total", "Payload sent to it."},
		{"rx_peer_received_bytes_total", "Payload received from it."},
	};
	const char *name = forms[which].name;
	bool time = which == PEER_RTT || which == PEER_RTT_DEVIATION;

	put_head(m, name, time ? "gauge" : "counter", forms[which].help);
	for (size_t i = 0; i < m->count; i++) {
		const struct sonde_rx_peer *peers = rx_list_peers(&m->reports[i].peers);

		for (size_t j = 0; peers && j < m->reports[i].peers.count; j++) {
			if (time && !rx_words_has_rtt(&peers[j]))
				continue;
			begin_sample(m, name, i);
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
		    i != SONDE_RX_STAT_SOCKET_GREEDY && i != SONDE_RX_STAT_RTT_SAMPLES)
			put_stat(&m, i);
	}
	put_rtt(&m);
	if (reports[0].peers.what)
		put_complete(&m);
	for (enum peer_metric i = 0; i < PEER_METRIC_COUNT; i++) {
		if (reports[0].peers.what)
			put_peers(&m, i);
	}
}

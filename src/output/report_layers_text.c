// SPDX-License-Identifier: BSD-2-Clause
/*
 * report_layers_text: the report "layers" as text; report_layers_json writes the same as JSON.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/report_layers.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "output/cell.h"
#include "output/latency_write.h"
#include "output/report_kind.h"
#include "output/report_layers_json.h"
#include "output/table.h"

#define NAME_BYTES 64u

struct shown_name {
	char text[NAME_BYTES * ESCAPE_FACTOR + 1];
};

static const char *const end_texts[WAY_ENDS] = {
	[WAY_READ] = "read by the application",
	[WAY_KEPT] = "taken by the kernel",
	[WAY_LEFT] = "left for where nothing is recorded",
	[WAY_DROPPED] = "dropped",
	[WAY_VANISHED] = "vanished",
	[WAY_INCOMPLETE] = "not seen from beginning to end",
};

/* Names come from the trace: they may be anything. */
static struct shown_name name_of(const char *name, int64_t number)
{
	struct shown_name shown;

	if (name)
		*escape_terminal(shown.text, name, strnlen(name, NAME_BYTES)) = '\0';
	else
		(void)snprintf(shown.text, sizeof(shown.text), "%lld", (long long)number);
	return shown;
}

static struct shown_name netns_of(const struct layers_report *lr, uint32_t netns)
{
	return netns ? name_of(report_layers_netns(lr, netns), netns) : (struct shown_name){"?"};
}

static struct shown_name reason_of(const struct layers_report *lr, int64_t reason)
{
	return name_of(report_layers_reason(lr, reason), reason);
}

static struct shown_name protocol_of(uint16_t protocol)
{
	const char *name = net_protocol_name((uint8_t)protocol);
	struct shown_name shown = {"other"};

	if (name)
		return name_of(name, 0);
	if (protocol)
		(void)snprintf(shown.text, sizeof(shown.text), "protocol %u", protocol);
	return shown;
}

/* "net.ip_send -> net.dev_xmit" where something between them is not recorded. */
static void add_layer_name(struct table *table, const char *indent, enum net_crossing from,
			   enum net_crossing to, uint8_t protocol)
{
	const char *name = net_layer_name(from, to);

	if (name)
		table_add(table, "%s%s", indent, name);
	else
		table_add(table, "%s%s -> %s", indent, net_crossing_name(from, protocol),
			  net_crossing_name(to, protocol));
}

static void add_times(struct table *table, const struct latency *latency)
{
	static const unsigned int asked[] = {500, 900, 990};

	table_add(table, "%s", amount_count(latency->count).text);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		table_add(table, "%s", amount_time(latency_percentile(latency, asked[i])).text);
	table_add(table, "%s", amount_time(latency->max_ns).text);
}

static void write_table(const struct layers_report *lr, const struct layer_direction *direction,
			struct buffer *out)
{
	char title[2 * sizeof(struct shown_name) + 32];
	const char *const titles[] = {title, "packets", "p50", "p90", "p99", "longest", NULL};
	enum net_crossing from, to;
	struct table table;
	size_t at = 0;

	(void)snprintf(title, sizeof(title), "%s, %s -> %s", protocol_of(direction->protocol).text,
		       netns_of(lr, direction->from_netns).text,
		       netns_of(lr, direction->to_netns).text);
	table_init(&table, titles);
	while (layer_stats_next(direction, &at, &from, &to)) {
		add_layer_name(&table, "", from, to, direction->protocol);
		add_times(&table, direction->layers[from][to]);
	}
	for (enum way_end i = 0; i < WAY_INCOMPLETE; i++) {
		if (!direction->totals[i].count)
			continue;
		table_add(&table, "in all, %s", end_texts[i]);
		add_times(&table, &direction->totals[i]);
	}
	table_finish(&table, out, 0, 0);
}

/* "12 packets" */
static void write_packets(struct buffer *out, uint64_t count)
{
	buffer_format(out, "%s packet%s", amount_count(count).text, count == 1 ? "" : "s");
}

static void write_gone(const struct layers_report *lr, const struct layer_direction *direction,
		       struct buffer *out)
{
	size_t i;

	for (i = 0; i < direction->drop_count; i++) {
		const struct layer_drops *drops = &direction->drops[i];

		write_packets(out, drops->count);
		buffer_format(out, " dropped after %s: %s\n",
			      net_crossing_name(drops->last, direction->protocol),
			      reason_of(lr, drops->reason).text);
	}
	if (direction->other_drops) {
		write_packets(out, direction->other_drops);
		buffer_string(out, " dropped for other reasons\n");
	}
	for (i = 0; i < NET_CROSSINGS; i++) {
		if (!direction->vanished[i])
			continue;
		write_packets(out, direction->vanished[i]);
		buffer_format(out, " vanished after %s\n",
			      net_crossing_name((enum net_crossing)i, direction->protocol));
	}
	if (direction->ends[WAY_INCOMPLETE]) {
		write_packets(out, direction->ends[WAY_INCOMPLETE]);
		buffer_format(out, " %s\n", end_texts[WAY_INCOMPLETE]);
	}
	if (direction->again) {
		write_packets(out, direction->again);
		buffer_string(out, " with bytes that had been sent before\n");
	}
}

static void write_layer_histograms(const struct layer_direction *direction, struct buffer *out)
{
	enum net_crossing from, to;
	char title[128];
	size_t at = 0;

	while (layer_stats_next(direction, &at, &from, &to)) {
		const char *name = net_layer_name(from, to);

		(void)snprintf(title, sizeof(title), "%s%s%s",
			       name ?: net_crossing_name(from, direction->protocol),
			       name ? "" : " -> ",
			       name ? "" : net_crossing_name(to, direction->protocol));
		latency_write_titled(title, direction->layers[from][to], out);
	}
}

static void write_direction(const struct layers_report *lr, const struct layer_direction *direction,
			    const struct report_options *options, struct buffer *out)
{
	char title[128];

	write_table(lr, direction, out);
	write_gone(lr, direction, out);
	if (options->histograms)
		write_layer_histograms(direction, out);
	for (enum way_end i = 0; i < WAY_DROPPED; i++) {
		(void)snprintf(title, sizeof(title), "in all, %s", end_texts[i]);
		latency_write_titled(title, &direction->totals[i], out);
	}
}

/* "TCP 40000 -> 80, seq 17, 152 bytes, a -> b: dropped, NO_SOCKET" */
static void write_way_title(const struct layers_report *lr, const struct packet_way *way,
			    struct buffer *out)
{
	buffer_format(out, "\n%s", protocol_of(way->key.protocol).text);
	if (way->sport || way->dport)
		buffer_format(out, " %u -> %u", way->sport, way->dport);
	if (lr->by_id)
		buffer_format(out, ", id %u", way->key.ip_id);
	else if (way->key.protocol == NET_PROTOCOL_TCP)
		buffer_format(out, ", seq %u", way->key.seq);
	buffer_format(out, ", %s bytes, %s -> %s: %s",
		      amount_count(way->size > 0 ? (uint64_t)way->size : 0).text,
		      netns_of(lr, way->from_netns).text, netns_of(lr, way->to_netns).text,
		      end_texts[way->end]);
	if (way->end == WAY_DROPPED)
		buffer_format(out, ", %s", reason_of(lr, way->reason).text);
	buffer_string(out, way->again ? " (sent again)" : "");
}

static void write_way(const struct layers_report *lr, const struct packet_way *way,
		      struct buffer *out)
{
	static const char *const titles[] = {"crossing", "after", "took",  "bytes",
					     "CPU",	 "task",  "layer", NULL};
	uint8_t protocol = (uint8_t)way->key.protocol;
	struct table table;

	write_way_title(lr, way, out);
	table_init(&table, titles);
	for (size_t i = 0; i < way->count; i++) {
		const struct way_step *step = &way->steps[i];
		enum net_crossing crossing = (enum net_crossing)step->crossing;
		int64_t after_ns = step->time_ns - way->steps[0].time_ns;

		table_add(&table, "%s", net_crossing_name(crossing, protocol));
		table_add(&table, "%s", amount_time(after_ns > 0 ? (uint64_t)after_ns : 0).text);
		table_add(&table, "%s",
			  amount_time_or_blank(i ? packet_way_took(way, i) : 0, i).text);
		table_add(&table, "%d", step->size);
		table_add(&table, "%d", step->cpu);
		table_add(&table, "%s", cell_text_task(lr->report.analysis->names, step->tid).text);
		if (i && crossing < NET_CROSSINGS)
			add_layer_name(&table, "", (enum net_crossing)way->steps[i - 1].crossing,
				       crossing, protocol);
		else
			table_add(&table, "%s", i ? "dropped" : "");
	}
	table_finish(&table, out, 0, 0);
}

static int write_ways(const struct layers_report *lr, const struct report_options *options,
		      struct buffer *out)
{
	size_t count;
	const struct packet_way **ways =
		report_layers_ways(lr, options->packets_given ? &options->packets : NULL, &count);

	if (!ways)
		return -ENOMEM;
	if (count == 1 && lr->sample.seen > 1)
		buffer_string(out, "\nthe one that took longest\n");
	else if (count && count < lr->sample.seen)
		buffer_format(out, "\nthe %zu that took longest\n", count);
	for (size_t i = 0; i < count; i++)
		write_way(lr, ways[i], out);
	free(ways);
	return 0;
}

static void write_summary(const struct layers_report *lr, struct buffer *out)
{
	const char *before = ": ";

	buffer_string(out, "Layers: ");
	write_packets(out, lr->sample.seen);
	for (enum way_end i = 0; i < WAY_ENDS; i++) {
		if (!lr->ends[i])
			continue;
		buffer_format(out, "%s%s %s", before, amount_count(lr->ends[i]).text, end_texts[i]);
		before = ", ";
	}
	buffer_char(out, '\n');
}

static void write_note(struct buffer *out, uint64_t count, const char *text)
{
	if (count)
		buffer_format(out, "%s: %s\n", text, amount_count(count).text);
}

static void write_notes(const struct layers_report *lr, struct buffer *out)
{
	const struct packet_paths *paths = &lr->paths;

	write_note(out, paths->evicted, "packets given up, as too many were on their way at once");
	write_note(out, paths->sends.refused, "sends not kept, as too much was not sent yet");
	write_note(out, paths->unmatched, "reads of packets whose way was not seen");
	write_note(out, paths->unseen_drops, "drops of packets whose way was over, or not seen");
	if (lr->by_id)
		buffer_string(out, "Only the IP id distinguishes these packets: which were lost is "
				   "not known\n");
	write_note(out, paths->others, "crossings of packets that are not IP");
	write_note(out, lr->stats.failed, "times of packets not kept, for want of memory");
}

static int layers_text(const struct report *report, const struct report_options *options,
		       struct buffer *out)
{
	const struct layers_report *lr = (const struct layers_report *)report;

	write_summary(lr, out);
	write_notes(lr, out);
	for (size_t i = 0; i < report_shown(options, lr->stats.count); i++)
		write_direction(lr, lr->stats.directions[i], options, out);
	if (report_shown(options, lr->stats.count) < lr->stats.count)
		buffer_format(out, "\n... and %zu more directions\n",
			      lr->stats.count - report_shown(options, lr->stats.count));
	return write_ways(lr, options, out);
}

const struct report_kind report_kind_layers = {
	.name = "layers",
	.events = "net.*",
	.group = "net.",
	.new = report_layers_new,
	.summary = layers_text,
	.members = report_layers_json,
};

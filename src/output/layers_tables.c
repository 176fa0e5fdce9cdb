// SPDX-License-Identifier: BSD-2-Clause
/*
 * layers_tables: the report "layers": how long packets took through the layers of the network stack, for each
 * protocol and direction, which of them were lost, and the ways of some.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/report_layers.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/latency_write.h"
#include "output/report_kind.h"

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

static const char *const end_texts[WAY_ENDS] = {
	[WAY_READ] = "read by the application",
	[WAY_KEPT] = "taken by the kernel",
	[WAY_LEFT] = "left for where nothing is recorded",
	[WAY_DROPPED] = "dropped",
	[WAY_VANISHED] = "vanished",
	[WAY_INCOMPLETE] = "not seen from beginning to end",
};

/* From crossing to crossing, or, if @end is not WAY_ENDS, the whole ways that ended so. */
struct layer_row {
	enum net_crossing from, to;
	enum way_end end;
	const struct latency *latency;
};

struct title {
	char text[64];
};

/* Two; nothing where it was not sent here, or not received. */
static void put_netns(const struct layers_report *lr, uint32_t netns, struct report_row *row)
{
	report_row_count_if(row, netns, netns);
	report_row_copy(row, netns ? report_layers_netns(lr, netns) : NULL);
}

/* Two. */
static void put_protocol(uint8_t protocol, struct report_row *row)
{
	report_row_count(row, protocol);
	report_row_text(row, net_protocol_name(protocol));
}

/* Two. */
static void put_reason(const struct layers_report *lr, int64_t reason, struct report_row *row)
{
	report_row_int(row, reason);
	report_row_text(row, report_layers_reason(lr, reason));
}

/* "net.ip_send -> net.dev_xmit" where something between them is not recorded. */
static struct title layer_title(enum net_crossing from, enum net_crossing to, uint8_t protocol)
{
	const char *name = net_layer_name(from, to);
	struct title title;

	(void)snprintf(title.text, sizeof(title.text), "%s%s%s",
		       name ?: net_crossing_name(from, protocol), name ? "" : " -> ",
		       name ? "" : net_crossing_name(to, protocol));
	return title;
}

static const struct report_column layer_columns[] = {
	{.title = "layer"},
	{.key = "from"},
	{.key = "to"},
	{.key = "name"},
	{.key = "", .use = REPORT_SPREAD},
	{.title = "packets"},
	{.title = "p50"},
	{.title = "p90"},
	{.title = "p99"},
	{.title = "longest"},
};

static void fill_layer(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const unsigned int permilles[] = {500, 900, 990, 1000};
	const struct layer_direction *direction = rows->parent;
	const struct layer_row *layer = from;

	if (layer->end != WAY_ENDS) {
		report_row_format(row, "in all, %s", end_texts[layer->end]);
		report_row_skip(row, 3);
	} else {
		report_row_copy(row, layer_title(layer->from, layer->to, direction->protocol).text);
		report_row_text(row, net_crossing_name(layer->from, direction->protocol));
		report_row_text(row, net_crossing_name(layer->to, direction->protocol));
		report_row_text(row, net_layer_name(layer->from, layer->to));
	}
	report_row_latency(row, layer->latency);
	report_row_count(row, layer->latency->count);
	report_row_permilles(row, layer->latency, permilles, 4);
}

static const struct report_table layer_table = {"layers", false, COLUMNS(layer_columns),
						fill_layer};

/* @totals: the whole ways, too. */
static int list_layers(const struct layer_direction *direction, bool totals,
		       struct report_rows *ret)
{
	struct layer_row *list = calloc(NET_CROSSINGS * NET_CROSSINGS + WAY_ENDS, sizeof(*list));
	struct layer_row row = {.end = WAY_ENDS};
	size_t at = 0;

	ret->list = ret->owned = list;
	ret->bytes = sizeof(*list);
	while (list && layer_stats_next(direction, &at, &row.from, &row.to)) {
		row.latency = direction->layers[row.from][row.to];
		list[ret->count++] = row;
	}
	for (row.end = 0; list && totals && row.end < WAY_INCOMPLETE; row.end++) {
		row.latency = &direction->totals[row.end];
		if (row.latency->count)
			list[ret->count++] = row;
	}
	return list ? 0 : -ENOMEM;
}

static int layer_rows(const struct report_rows *rows, const void *from, struct report_rows *ret)
{
	(void)rows;
	return list_layers(from, false, ret);
}

static const struct report_nest layers = {&layer_table, layer_rows};

static const struct report_column vanished_columns[] = {
	{.key = "crossing"},
	{.key = "packets"},
};

static void fill_vanished(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct layer_direction *direction = rows->parent;
	const struct layer_drops *drops = from;

	report_row_text(row, net_crossing_name(drops->last, direction->protocol));
	report_row_count(row, drops->count);
}

static const struct report_table vanished_table = {"vanished_after", false,
						   COLUMNS(vanished_columns), fill_vanished};

static int vanished_rows(const struct report_rows *rows, const void *from, struct report_rows *ret)
{
	const struct layer_direction *direction = from;
	struct layer_drops *list = calloc(NET_CROSSINGS, sizeof(*list));

	(void)rows;
	ret->list = ret->owned = list;
	ret->bytes = sizeof(*list);
	for (enum net_crossing i = 0; list && i < NET_CROSSINGS; i++) {
		if (direction->vanished[i])
			list[ret->count++] = (struct layer_drops){
				.last = i,
				.count = direction->vanished[i],
			};
	}
	return list ? 0 : -ENOMEM;
}

static const struct report_nest vanished = {&vanished_table, vanished_rows};

static const struct report_column dropped_columns[] = {
	{.key = "crossing"},
	{.key = "reason"},
	{.key = "reason_name"},
	{.key = "packets"},
};

static void fill_dropped(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct layer_direction *direction = rows->parent;
	const struct layer_drops *drops = from;

	report_row_text(row, net_crossing_name(drops->last, direction->protocol));
	put_reason(rows->owner, drops->reason, row);
	report_row_count(row, drops->count);
}

static const struct report_table dropped_table = {"dropped_after", false, COLUMNS(dropped_columns),
						  fill_dropped};

static int dropped_rows(const struct report_rows *rows, const void *from, struct report_rows *ret)
{
	const struct layer_direction *direction = from;

	(void)rows;
	ret->list = direction->drops;
	ret->bytes = sizeof(direction->drops[0]);
	ret->count = direction->drop_count;
	return 0;
}

static const struct report_nest dropped = {&dropped_table, dropped_rows};

static const struct report_column direction_columns[] = {
	{.key = "protocol"},
	{.key = "protocol_name"},
	{.key = "from_netns"},
	{.key = "from_netns_name"},
	{.key = "to_netns"},
	{.key = "to_netns_name"},
	{.key = "packets"},
	{.key = "retransmissions"},
	{.key = "read"},
	{.key = "kept"},
	{.key = "left"},
	{.key = "dropped"},
	{.key = "vanished"},
	{.key = "incomplete"},
	{.key = "layers", .nest = &layers},
	{.key = "totals.read", .use = REPORT_SPREAD},
	{.key = "totals.kept", .use = REPORT_SPREAD},
	{.key = "totals.left", .use = REPORT_SPREAD},
	{.key = "totals.dropped", .use = REPORT_SPREAD},
	{.key = "totals.vanished", .use = REPORT_SPREAD},
	{.key = "vanished_after", .nest = &vanished},
	{.key = "dropped_after", .nest = &dropped},
	{.key = "dropped_for_other_reasons"},
};

static void fill_direction(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct layer_direction *direction = from;

	put_protocol(direction->protocol, row);
	put_netns(rows->owner, direction->from_netns, row);
	put_netns(rows->owner, direction->to_netns, row);
	report_row_count(row, direction->packets);
	report_row_count(row, direction->again);
	for (size_t i = 0; i < WAY_ENDS; i++)
		report_row_count(row, direction->ends[i]);
	report_row_nest(row);
	for (size_t i = 0; i < WAY_INCOMPLETE; i++)
		report_row_latency(row, &direction->totals[i]);
	report_row_nest(row);
	report_row_nest(row);
	report_row_count(row, direction->other_drops);
}

static const struct report_table directions = {"directions", false, COLUMNS(direction_columns),
					       fill_direction};

static int direction_rows(const struct report *report, struct report_rows *ret)
{
	const struct layers_report *lr = (const struct layers_report *)report;

	ret->list = lr->stats.directions;
	ret->count = lr->stats.count;
	ret->hidden = true;
	return 0;
}

static const struct report_column step_columns[] = {
	{.key = "crossing", .title = "crossing"},
	{.key = "time"},
	{.title = "after"},
	{.key = "took_ns", .title = "took"},
	{.key = "size", .title = "bytes"},
	{.key = "cpu"},
	{.title = "CPU"},
	{.key = "tid"},
	{.key = "comm"},
	{.title = "task"},
	{.title = "layer"},
};

static void fill_step(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct layers_report *lr = rows->owner;
	const struct task_names *names = lr->report.analysis->names;
	const struct packet_way *way = rows->parent;
	const struct way_step *step = from;
	const size_t i = (size_t)(step - way->steps);
	const enum net_crossing crossing = (enum net_crossing)step->crossing;
	const uint8_t protocol = (uint8_t)way->key.protocol;
	const int64_t after_ns = step->time_ns - way->steps[0].time_ns;

	report_row_text(row, net_crossing_name(crossing, protocol));
	report_row_int(row, step->time_ns);
	report_row_time(row, after_ns > 0 ? (uint64_t)after_ns : 0);
	report_row_time_if(row, i ? packet_way_took(way, i) : 0, i);
	report_row_int(row, step->size);
	report_row_int_if(row, step->cpu, step->cpu >= 0);
	report_row_int(row, step->cpu);
	report_row_int_if(row, step->tid, step->tid >= 0);
	report_row_comm(row, names, step->tid);
	report_row_task(row, names, step->tid);
	if (i && crossing < NET_CROSSINGS)
		report_row_copy(
			row,
			layer_title((enum net_crossing)step[-1].crossing, crossing, protocol).text);
	else
		report_row_text(row, i ? "dropped" : "");
}

static const struct report_table step_table = {"way", false, COLUMNS(step_columns), fill_step};

static int step_rows(const struct report_rows *rows, const void *from, struct report_rows *ret)
{
	const struct packet_way *way = from;

	(void)rows;
	ret->list = way->steps;
	ret->bytes = sizeof(way->steps[0]);
	ret->count = way->count;
	return 0;
}

static const struct report_nest steps = {&step_table, step_rows};

static const struct report_column packet_columns[] = {
	{.key = "protocol"},
	{.key = "protocol_name"},
	{.key = "sport"},
	{.key = "dport"},
	{.key = "from_netns"},
	{.key = "from_netns_name"},
	{.key = "to_netns"},
	{.key = "to_netns_name"},
	{.key = "seq"},
	{.key = "ip_id"},
	{.key = "packet"},
	{.key = "retransmission"},
	{.key = "end"},
	{.key = "reason"},
	{.key = "reason_name"},
	{.key = "total_ns"},
	{.key = "way", .nest = &steps},
};

static void fill_packet(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct layers_report *lr = rows->owner;
	const struct packet_way *way = from;

	put_protocol((uint8_t)way->key.protocol, row);
	report_row_count(row, way->sport);
	report_row_count(row, way->dport);
	put_netns(lr, way->from_netns, row);
	put_netns(lr, way->to_netns, row);
	report_row_count_if(row, way->key.seq, way->key.protocol == NET_PROTOCOL_TCP && !lr->by_id);
	report_row_count(row, way->key.ip_id);
	report_row_count_if(row, way->key.packet, !lr->by_id);
	report_row_bool(row, way->again);
	report_row_text(row, way_end_name(way->end));
	if (way->end == WAY_DROPPED)
		put_reason(lr, way->reason, row);
	else
		report_row_skip(row, 2);
	report_row_time(row, packet_way_total(way));
	report_row_nest(row);
}

static const struct report_table packets = {"packets", false, COLUMNS(packet_columns), fill_packet};

/* Those that are shown one by one, however many rows were asked for. */
static int packet_rows(const struct report *report, struct report_rows *ret)
{
	const struct report_options *options = ret->options;

	ret->list = ret->owned =
		report_layers_ways((const struct layers_report *)report,
				   options->packets_given ? &options->packets : NULL, &ret->count);
	ret->most = 0;
	ret->hidden = true;
	return ret->list ? 0 : -ENOMEM;
}

/* "TCP, web -> 4026532246" */
static void write_ends(const struct layers_report *lr, uint32_t netns, const char *before,
		       struct buffer *out)
{
	const char *name = netns ? report_layers_netns(lr, netns) : "?";

	buffer_string(out, before);
	if (name)
		buffer_string(out, escape_name(name).text);
	else
		buffer_uint(out, netns);
}

static void write_protocol(uint8_t protocol, struct buffer *out)
{
	const char *name = protocol ? net_protocol_name(protocol) : "other";

	if (name)
		buffer_string(out, name);
	else
		buffer_format(out, "protocol %u", protocol);
}

static void write_reason(const struct layers_report *lr, int64_t reason, struct buffer *out)
{
	const char *name = report_layers_reason(lr, reason);

	if (name)
		buffer_string(out, escape_name(name).text);
	else
		buffer_int(out, reason);
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
		buffer_format(out, " dropped after %s: ",
			      net_crossing_name(drops->last, direction->protocol));
		write_reason(lr, drops->reason, out);
		buffer_char(out, '\n');
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

static int write_direction(const struct layers_report *lr, const struct layer_direction *direction,
			   const struct report_options *options, struct buffer *out)
{
	struct report_rows rows = {.parent = direction};
	int err = list_layers(direction, true, &rows);
	const struct layer_row *list = rows.list;
	struct buffer title;

	if (err)
		return err;
	buffer_init(&title);
	write_protocol(direction->protocol, &title);
	write_ends(lr, direction->from_netns, ", ", &title);
	write_ends(lr, direction->to_netns, " -> ", &title);
	buffer_char(&title, '\0');
	rows.shown = rows.count;
	rows.title = title.data;
	report_table_text(&layer_table, &rows, out);
	buffer_fini(&title);
	write_gone(lr, direction, out);
	for (size_t i = 0; i < rows.count; i++) {
		struct title of = layer_title(list[i].from, list[i].to, direction->protocol);

		if (list[i].end != WAY_ENDS)
			(void)snprintf(of.text, sizeof(of.text), "in all, %s",
				       end_texts[list[i].end]);
		if (list[i].end == WAY_ENDS ? options->histograms : list[i].end < WAY_DROPPED)
			latency_write_titled(of.text, list[i].latency, out);
	}
	free(rows.owned);
	return 0;
}

/* "TCP 40000 -> 80, seq 17, 152 bytes, a -> b: dropped, NO_SOCKET" */
static void write_way_title(const struct layers_report *lr, const struct packet_way *way,
			    struct buffer *out)
{
	buffer_char(out, '\n');
	write_protocol((uint8_t)way->key.protocol, out);
	if (way->sport || way->dport)
		buffer_format(out, " %u -> %u", way->sport, way->dport);
	if (lr->by_id)
		buffer_format(out, ", id %u", way->key.ip_id);
	else if (way->key.protocol == NET_PROTOCOL_TCP)
		buffer_format(out, ", seq %u", way->key.seq);
	buffer_format(out, ", %s bytes",
		      amount_count(way->size > 0 ? (uint64_t)way->size : 0).text);
	write_ends(lr, way->from_netns, ", ", out);
	write_ends(lr, way->to_netns, " -> ", out);
	buffer_format(out, ": %s", end_texts[way->end]);
	if (way->end == WAY_DROPPED) {
		buffer_string(out, ", ");
		write_reason(lr, way->reason, out);
	}
	buffer_string(out, way->again ? " (sent again)" : "");
}

static int write_ways(const struct layers_report *lr, const struct report_options *options,
		      struct buffer *out)
{
	struct report_rows ways = {.options = options};
	int err = packet_rows(&lr->report, &ways);
	const struct packet_way *const *list = ways.list;

	if (ways.count == 1 && lr->sample.seen > 1)
		buffer_string(out, "\nthe one that took longest\n");
	else if (ways.count && ways.count < lr->sample.seen)
		buffer_format(out, "\nthe %zu that took longest\n", ways.count);
	for (size_t i = 0; !err && i < ways.count; i++) {
		struct report_rows rows = {.owner = lr, .parent = list[i]};

		(void)step_rows(&ways, list[i], &rows);
		rows.shown = rows.count;
		write_way_title(lr, list[i], out);
		report_table_text(&step_table, &rows, out);
	}
	free(ways.owned);
	return err;
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

/* A table for each direction, and for each packet: the parts below are for programs. */
static int layers_summary(const struct report *report, const struct report_options *options,
			  struct buffer *out)
{
	const struct layers_report *lr = (const struct layers_report *)report;
	const size_t shown = report_shown(options, lr->stats.count);
	int err = 0;

	write_summary(lr, out);
	write_notes(lr, out);
	for (size_t i = 0; i < shown && !err; i++)
		err = write_direction(lr, lr->stats.directions[i], options, out);
	if (shown < lr->stats.count)
		buffer_format(out, "\n... and %zu more directions\n", lr->stats.count - shown);
	return err ?: write_ways(lr, options, out);
}

static int layers_members(const struct report *report, const struct report_options *options,
			  struct json_writer *json)
{
	const struct layers_report *lr = (const struct layers_report *)report;

	(void)options;
	for (enum way_end i = 0; i < WAY_ENDS; i++)
		json_writer_uint(json, way_end_name(i), lr->ends[i]);
	json_writer_uint(json, "evicted", lr->paths.evicted);
	json_writer_uint(json, "unmatched_reads", lr->paths.unmatched);
	json_writer_uint(json, "unmatched_drops", lr->paths.unseen_drops);
	json_writer_uint(json, "sends_not_kept", lr->paths.sends.refused);
	json_writer_uint(json, "other_crossings", lr->paths.others);
	return 0;
}

static const struct report_part parts[] = {
	{&directions, direction_rows, NULL},
	{&packets, packet_rows, NULL},
};

static const struct report_measure measured[] = {
	{"dropped", "net.drop", NULL, NULL, MEASURE_COUNT},
	{"bytes", "net.*", "size", "size > 0", MEASURE_SUM | MEASURE_AVG},
};

static const struct report_measures measures = {
	.events = "net.*",
	.counts = "crossings",
	.list = measured,
	.count = sizeof(measured) / sizeof(measured[0]),
};

const struct report_kind report_kind_layers = {
	.name = "layers",
	.events = "net.*",
	.group = "net.",
	.new = report_layers_new,
	.summary = layers_summary,
	.members = layers_members,
	.measures = &measures,
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
};

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

struct direction_row {
	const struct layers_report *lr;
	const struct layer_direction *direction;
};

/* From crossing to crossing, or, if @end is not WAY_ENDS, the whole ways that ended so. */
struct layer_row {
	const struct layer_direction *direction;
	enum net_crossing from, to;
	enum way_end end;
	const struct latency *latency;
};

/* Packets that were dropped for a reason, or vanished, after a crossing. */
struct gone_row {
	const struct layer_direction *direction;
	enum way_end end;
	struct layer_drops drops;
};

struct way_row {
	const struct layers_report *lr;
	const struct packet_way *way;
	size_t number; /* from 1 */
};

struct step_row {
	struct way_row packet;
	size_t i;
};

struct title {
	char text[64];
};

/* What is nested in the row of another; frees @list. */
static void put_table(const struct report_table *table, struct report_rows rows, void *list,
		      struct json_writer *json)
{
	rows.list = list;
	rows.shown = rows.count;
	if (list)
		report_table_json(table, &rows, json);
	else
		json->out->err = -ENOMEM;
	free(list);
}

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

/* Three, which say in CSV of which direction it is. */
static void put_direction(const struct layer_direction *direction, struct report_row *row)
{
	report_row_count(row, direction->protocol);
	report_row_count_if(row, direction->from_netns, direction->from_netns);
	report_row_count_if(row, direction->to_netns, direction->to_netns);
}

/* Two. */
static void put_reason(const struct layers_report *lr, int64_t reason, bool dropped,
		       struct report_row *row)
{
	report_row_int_if(row, reason, dropped);
	report_row_text(row, dropped ? report_layers_reason(lr, reason) : NULL);
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
	{.key = "protocol", .use = REPORT_FLAT},
	{.key = "from_netns", .use = REPORT_FLAT},
	{.key = "to_netns", .use = REPORT_FLAT},
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
	const struct layer_row *layer = from;
	const uint8_t protocol = layer->direction->protocol;

	(void)rows;
	put_direction(layer->direction, row);
	if (layer->end != WAY_ENDS) {
		report_row_format(row, "in all, %s", end_texts[layer->end]);
		report_row_skip(row, 3);
	} else {
		report_row_copy(row, layer_title(layer->from, layer->to, protocol).text);
		report_row_text(row, net_crossing_name(layer->from, protocol));
		report_row_text(row, net_crossing_name(layer->to, protocol));
		report_row_text(row, net_layer_name(layer->from, layer->to));
	}
	report_row_latency(row, layer->latency);
	report_row_count(row, layer->latency->count);
	report_row_permilles(row, layer->latency, permilles, 4);
}

static const struct report_table layers = {"layers", true, COLUMNS(layer_columns), fill_layer};

/* NULL: no memory. @totals: the whole ways of each direction, too. */
static struct layer_row *list_layers(struct layer_direction *const *directions, size_t count,
				     bool totals, size_t *ret)
{
	struct layer_row *list =
		calloc(count * (NET_CROSSINGS * NET_CROSSINGS + WAY_ENDS) + 1, sizeof(*list));

	*ret = 0;
	for (size_t d = 0; list && d < count; d++) {
		const struct layer_direction *direction = directions[d];
		struct layer_row row = {.direction = direction, .end = WAY_ENDS};
		size_t at = 0;

		while (layer_stats_next(direction, &at, &row.from, &row.to)) {
			row.latency = direction->layers[row.from][row.to];
			list[(*ret)++] = row;
		}
		for (row.end = 0; totals && row.end < WAY_INCOMPLETE; row.end++) {
			row.latency = &direction->totals[row.end];
			if (row.latency->count)
				list[(*ret)++] = row;
		}
	}
	return list;
}

static int layer_rows(const struct report *report, struct report_rows *ret)
{
	const struct layers_report *lr = (const struct layers_report *)report;

	ret->list = ret->owned =
		list_layers(lr->stats.directions, lr->stats.count, false, &ret->count);
	ret->bytes = sizeof(struct layer_row);
	ret->hidden = true;
	return ret->list ? 0 : -ENOMEM;
}

static void put_layers(const void *from, const char *key, struct json_writer *json)
{
	const struct direction_row *row = from;
	struct layer_direction *direction = (struct layer_direction *)row->direction;
	struct report_rows rows = {.bytes = sizeof(struct layer_row)};
	struct layer_row *list = list_layers(&direction, 1, false, &rows.count);

	(void)key;
	put_table(&layers, rows, list, json);
}

static const struct report_column gone_columns[] = {
	{.key = "protocol", .use = REPORT_FLAT},
	{.key = "from_netns", .use = REPORT_FLAT},
	{.key = "to_netns", .use = REPORT_FLAT},
	{.key = "end", .use = REPORT_FLAT},
	{.key = "crossing"},
	{.key = "reason"},
	{.key = "reason_name"},
	{.key = "packets"},
};

static void fill_gone(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct gone_row *gone = from;

	put_direction(gone->direction, row);
	report_row_text(row, way_end_name(gone->end));
	report_row_text(row, net_crossing_name(gone->drops.last, gone->direction->protocol));
	put_reason(rows->owner, gone->drops.reason, gone->end == WAY_DROPPED, row);
	report_row_count(row, gone->drops.count);
}

static const struct report_table vanished = {"vanished_after", true, COLUMNS(gone_columns),
					     fill_gone},
				 dropped = {"dropped_after", true, COLUMNS(gone_columns),
					    fill_gone};

/* Appended to @list. */
static size_t list_gone(const struct layer_direction *direction, enum way_end end,
			struct gone_row *list)
{
	size_t count = 0;

	for (size_t i = 0; end == WAY_DROPPED && i < direction->drop_count; i++)
		list[count++] = (struct gone_row){direction, end, direction->drops[i]};
	for (size_t i = 0; end == WAY_VANISHED && i < NET_CROSSINGS; i++) {
		struct layer_drops drops = {.last = (enum net_crossing)i};

		drops.count = direction->vanished[i];
		if (drops.count)
			list[count++] = (struct gone_row){direction, end, drops};
	}
	return count;
}

static int gone_rows(const struct report *report, struct report_rows *ret)
{
	const struct layers_report *lr = (const struct layers_report *)report;
	struct gone_row *list =
		calloc(lr->stats.count * (LAYER_REASONS + NET_CROSSINGS) + 1, sizeof(*list));

	ret->list = ret->owned = list;
	ret->bytes = sizeof(*list);
	ret->hidden = true;
	for (size_t i = 0; list && i < lr->stats.count; i++) {
		ret->count += list_gone(lr->stats.directions[i], WAY_DROPPED, list + ret->count);
		ret->count += list_gone(lr->stats.directions[i], WAY_VANISHED, list + ret->count);
	}
	return list ? 0 : -ENOMEM;
}

static void put_gone(const struct direction_row *row, enum way_end end,
		     const struct report_table *table, struct json_writer *json)
{
	struct report_rows rows = {.owner = row->lr, .bytes = sizeof(struct gone_row)};
	struct gone_row *list = calloc(LAYER_REASONS + NET_CROSSINGS, sizeof(*list));

	rows.count = list ? list_gone(row->direction, end, list) : 0;
	put_table(table, rows, list, json);
}

static void put_vanished(const void *from, const char *key, struct json_writer *json)
{
	(void)key;
	put_gone(from, WAY_VANISHED, &vanished, json);
}

static void put_dropped(const void *from, const char *key, struct json_writer *json)
{
	(void)key;
	put_gone(from, WAY_DROPPED, &dropped, json);
}

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
	{.key = "layers", .use = REPORT_NESTED},
	{.key = "totals.read", .use = REPORT_SPREAD},
	{.key = "totals.kept", .use = REPORT_SPREAD},
	{.key = "totals.left", .use = REPORT_SPREAD},
	{.key = "totals.dropped", .use = REPORT_SPREAD},
	{.key = "totals.vanished", .use = REPORT_SPREAD},
	{.key = "vanished_after", .use = REPORT_NESTED},
	{.key = "dropped_after", .use = REPORT_NESTED},
	{.key = "dropped_for_other_reasons"},
};

static void fill_direction(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct direction_row *of = from;
	const struct layer_direction *direction = of->direction;

	(void)rows;
	put_protocol(direction->protocol, row);
	put_netns(of->lr, direction->from_netns, row);
	put_netns(of->lr, direction->to_netns, row);
	report_row_count(row, direction->packets);
	report_row_count(row, direction->again);
	for (size_t i = 0; i < WAY_ENDS; i++)
		report_row_count(row, direction->ends[i]);
	report_row_nested(row, put_layers, of);
	for (size_t i = 0; i < WAY_INCOMPLETE; i++)
		report_row_latency(row, &direction->totals[i]);
	report_row_nested(row, put_vanished, of);
	report_row_nested(row, put_dropped, of);
	report_row_count(row, direction->other_drops);
}

static const struct report_table directions = {"directions", false, COLUMNS(direction_columns),
					       fill_direction};

static int direction_rows(const struct report *report, struct report_rows *ret)
{
	const struct layers_report *lr = (const struct layers_report *)report;
	struct direction_row *list = calloc(lr->stats.count + 1, sizeof(*list));

	ret->list = ret->owned = list;
	ret->bytes = sizeof(*list);
	ret->hidden = true;
	for (; list && ret->count < lr->stats.count; ret->count++)
		list[ret->count] = (struct direction_row){lr, lr->stats.directions[ret->count]};
	return list ? 0 : -ENOMEM;
}

static const struct report_column step_columns[] = {
	{.key = "number", .use = REPORT_FLAT},
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
	const struct step_row *at = from;
	const struct packet_way *way = at->packet.way;
	const struct task_names *names = at->packet.lr->report.analysis->names;
	const struct way_step *step = &way->steps[at->i];
	const enum net_crossing crossing = (enum net_crossing)step->crossing;
	const uint8_t protocol = (uint8_t)way->key.protocol;
	const int64_t after_ns = step->time_ns - way->steps[0].time_ns;

	(void)rows;
	report_row_count(row, at->packet.number);
	report_row_text(row, net_crossing_name(crossing, protocol));
	report_row_int(row, step->time_ns);
	report_row_time(row, after_ns > 0 ? (uint64_t)after_ns : 0);
	report_row_time_if(row, at->i ? packet_way_took(way, at->i) : 0, at->i);
	report_row_int(row, step->size);
	report_row_int_if(row, step->cpu, step->cpu >= 0);
	report_row_int(row, step->cpu);
	report_row_int_if(row, step->tid, step->tid >= 0);
	report_row_comm(row, names, step->tid);
	report_row_task(row, names, step->tid);
	if (at->i && crossing < NET_CROSSINGS)
		report_row_copy(
			row,
			layer_title((enum net_crossing)step[-1].crossing, crossing, protocol).text);
	else
		report_row_text(row, at->i ? "dropped" : "");
}

static const struct report_table steps = {"way", true, COLUMNS(step_columns), fill_step};

static struct step_row *list_steps(const struct way_row *packets, size_t count, size_t *ret)
{
	struct step_row *list = calloc(count * WAY_STEPS + 1, sizeof(*list));

	*ret = 0;
	for (size_t p = 0; list && p < count; p++)
		for (size_t i = 0; i < packets[p].way->count; i++)
			list[(*ret)++] = (struct step_row){packets[p], i};
	return list;
}

static void put_steps(const void *from, const char *key, struct json_writer *json)
{
	struct report_rows rows = {.bytes = sizeof(struct step_row)};
	struct step_row *list = list_steps(from, 1, &rows.count);

	(void)key;
	put_table(&steps, rows, list, json);
}

static const struct report_column packet_columns[] = {
	{.key = "number", .use = REPORT_FLAT},
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
	{.key = "way", .use = REPORT_NESTED},
};

static void fill_packet(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct way_row *packet = from;
	const struct layers_report *lr = packet->lr;
	const struct packet_way *way = packet->way;

	(void)rows;
	report_row_count(row, packet->number);
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
	put_reason(lr, way->reason, way->end == WAY_DROPPED, row);
	report_row_time(row, packet_way_total(way));
	report_row_nested(row, put_steps, packet);
}

static const struct report_table packets = {"packets", false, COLUMNS(packet_columns), fill_packet};

/* Those that are shown one by one. NULL: no memory. */
static struct way_row *list_packets(const struct layers_report *lr,
				    const struct report_options *options, size_t *count)
{
	const struct packet_way **ways =
		report_layers_ways(lr, options->packets_given ? &options->packets : NULL, count);
	struct way_row *list = ways ? calloc(*count + 1, sizeof(*list)) : NULL;

	for (size_t i = 0; list && i < *count; i++)
		list[i] = (struct way_row){lr, ways[i], i + 1};
	free(ways);
	return list;
}

static int packet_rows(const struct report *report, struct report_rows *ret)
{
	const struct layers_report *lr = (const struct layers_report *)report;

	ret->list = ret->owned = list_packets(lr, ret->options, &ret->count);
	ret->bytes = sizeof(struct way_row);
	ret->most = 0;
	ret->hidden = true;
	return ret->list ? 0 : -ENOMEM;
}

static int step_rows(const struct report *report, struct report_rows *ret)
{
	const struct layers_report *lr = (const struct layers_report *)report;
	size_t count;
	struct way_row *list = list_packets(lr, ret->options, &count);

	ret->list = ret->owned = list ? list_steps(list, count, &ret->count) : NULL;
	ret->bytes = sizeof(struct step_row);
	ret->most = 0;
	ret->hidden = true;
	free(list);
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

static int write_direction(const struct layers_report *lr, struct layer_direction *direction,
			   const struct report_options *options, struct buffer *out)
{
	struct report_rows rows = {.bytes = sizeof(struct layer_row)};
	struct layer_row *list = list_layers(&direction, 1, true, &rows.count);
	struct buffer title;

	if (!list)
		return -ENOMEM;
	buffer_init(&title);
	write_protocol(direction->protocol, &title);
	write_ends(lr, direction->from_netns, ", ", &title);
	write_ends(lr, direction->to_netns, " -> ", &title);
	buffer_char(&title, '\0');
	rows.list = list;
	rows.shown = rows.count;
	rows.title = title.data;
	report_table_text(&layers, &rows, out);
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
	free(list);
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

static void write_ways(const struct layers_report *lr, const struct way_row *list, size_t count,
		       struct buffer *out)
{
	if (count == 1 && lr->sample.seen > 1)
		buffer_string(out, "\nthe one that took longest\n");
	else if (count && count < lr->sample.seen)
		buffer_format(out, "\nthe %zu that took longest\n", count);
	for (size_t i = 0; i < count; i++) {
		struct report_rows rows = {.bytes = sizeof(struct step_row)};
		struct step_row *at = list_steps(&list[i], 1, &rows.count);

		if (!at)
			out->err = -ENOMEM;
		rows.list = at;
		rows.shown = rows.count;
		write_way_title(lr, list[i].way, out);
		report_table_text(&steps, &rows, out);
		free(at);
	}
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
	struct way_row *list;
	size_t count;
	int err = 0;

	write_summary(lr, out);
	write_notes(lr, out);
	for (size_t i = 0; i < shown && !err; i++)
		err = write_direction(lr, lr->stats.directions[i], options, out);
	if (shown < lr->stats.count)
		buffer_format(out, "\n... and %zu more directions\n", lr->stats.count - shown);
	list = list_packets(lr, options, &count);
	if (list)
		write_ways(lr, list, count, out);
	free(list);
	return list ? err : -ENOMEM;
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
	{&directions, direction_rows, NULL}, {&layers, layer_rows, NULL},
	{&dropped, gone_rows, NULL},	     {&packets, packet_rows, NULL},
	{&steps, step_rows, NULL},
};

const struct report_kind report_kind_layers = {
	.name = "layers",
	.events = "net.*",
	.group = "net.",
	.new = report_layers_new,
	.summary = layers_summary,
	.members = layers_members,
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
};

// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_layers_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json_member.h"
#include "output/latency_write.h"
#include "output/report_layers.h"
#include "output/view.h"

static void put_text(struct buffer *out, const char *before, const char *key, const char *text)
{
	if (text)
		json_member_text(out, before, key, text, strlen(text));
}

static void put_crossing(struct buffer *out, const char *before, const char *key,
			 enum net_crossing crossing, uint8_t protocol)
{
	put_text(out, before, key, net_crossing_name(crossing, protocol));
}

/* 0 is left out: it was not sent here, or not received. */
static void put_netns(const struct layers_report *lr, const char *key, uint32_t netns,
		      struct buffer *out)
{
	const char *name = netns ? report_layers_netns(lr, netns) : NULL;

	if (netns)
		json_member_uint(out, ",", key, netns);
	if (!name)
		return;
	buffer_string(out, ",\"");
	buffer_string(out, key);
	buffer_string(out, "_name\":\"");
	buffer_json_text(out, name, strlen(name));
	buffer_char(out, '"');
}

static void put_protocol(struct buffer *out, const char *before, uint8_t protocol)
{
	json_member_uint(out, before, "protocol", protocol);
	put_text(out, ",", "protocol_name", net_protocol_name(protocol));
}

static void put_reason(const struct layers_report *lr, int64_t reason, struct buffer *out)
{
	json_member_int(out, ",", "reason", reason);
	put_text(out, ",", "reason_name", report_layers_reason(lr, reason));
}

static void put_ends(struct buffer *out, const char *before, const uint64_t ends[WAY_ENDS])
{
	for (enum way_end i = 0; i < WAY_ENDS; i++) {
		json_member_uint(out, before, way_end_name(i), ends[i]);
		before = ",";
	}
}

static void put_layers(const struct layer_direction *direction, struct buffer *out)
{
	enum net_crossing from, to;
	const char *before = "";
	size_t at = 0;

	json_member_key(out, ",", "layers");
	buffer_char(out, '[');
	while (layer_stats_next(direction, &at, &from, &to)) {
		buffer_string(out, before);
		put_crossing(out, "{", "from", from, direction->protocol);
		put_crossing(out, ",", "to", to, direction->protocol);
		put_text(out, ",", "name", net_layer_name(from, to));
		buffer_char(out, ',');
		latency_write_json(direction->layers[from][to], out);
		buffer_char(out, '}');
		before = ",";
	}
	buffer_char(out, ']');
}

static void put_totals(const struct layer_direction *direction, struct buffer *out)
{
	json_member_key(out, ",", "totals");
	for (enum way_end i = 0; i < WAY_INCOMPLETE; i++) {
		json_member_key(out, i ? "," : "{", way_end_name(i));
		buffer_char(out, '{');
		latency_write_json(&direction->totals[i], out);
		buffer_char(out, '}');
	}
	buffer_char(out, '}');
}

static void put_gone(const struct layers_report *lr, const struct layer_direction *direction,
		     struct buffer *out)
{
	const char *before = "{";
	size_t i;

	json_member_key(out, ",", "vanished_after");
	buffer_char(out, '[');
	for (i = 0; i < NET_CROSSINGS; i++) {
		if (!direction->vanished[i])
			continue;
		put_crossing(out, before, "crossing", (enum net_crossing)i, direction->protocol);
		json_member_uint(out, ",", "packets", direction->vanished[i]);
		buffer_char(out, '}');
		before = ",{";
	}
	json_member_key(out, "],", "dropped_after");
	buffer_char(out, '[');
	for (i = 0; i < direction->drop_count; i++) {
		const struct layer_drops *drops = &direction->drops[i];

		put_crossing(out, i ? ",{" : "{", "crossing", drops->last, direction->protocol);
		put_reason(lr, drops->reason, out);
		json_member_uint(out, ",", "packets", drops->count);
		buffer_char(out, '}');
	}
	json_member_uint(out, "],", "dropped_for_other_reasons", direction->other_drops);
}

static void put_direction(const struct layers_report *lr, const struct layer_direction *direction,
			  struct buffer *out)
{
	put_protocol(out, "{", direction->protocol);
	put_netns(lr, "from_netns", direction->from_netns, out);
	put_netns(lr, "to_netns", direction->to_netns, out);
	json_member_uint(out, ",", "packets", direction->packets);
	json_member_uint(out, ",", "retransmissions", direction->again);
	put_ends(out, ",", direction->ends);
	put_layers(direction, out);
	put_totals(direction, out);
	put_gone(lr, direction, out);
	buffer_char(out, '}');
}

static void put_step(const struct layers_report *lr, const struct packet_way *way, size_t i,
		     struct buffer *out)
{
	const struct way_step *step = &way->steps[i];
	const struct task_name *name;

	put_crossing(out, i ? ",{" : "{", "crossing", (enum net_crossing)step->crossing,
		     (uint8_t)way->key.protocol);
	json_member_int(out, ",", "time", step->time_ns);
	if (i)
		json_member_uint(out, ",", "took_ns", packet_way_took(way, i));
	json_member_int(out, ",", "size", step->size);
	if (step->cpu >= 0)
		json_member_int(out, ",", "cpu", step->cpu);
	if (step->tid >= 0) {
		json_member_int(out, ",", "tid", step->tid);
		name = task_names_get(lr->report.view->analysis.names, NULL, step->tid);
		if (name->len)
			json_member_text(out, ",", "comm", name->text, TASK_NAME_LEN(name));
	}
	buffer_char(out, '}');
}

static void put_way(const struct layers_report *lr, const struct packet_way *way,
		    struct buffer *out)
{
	put_protocol(out, "{", (uint8_t)way->key.protocol);
	json_member_uint(out, ",", "sport", way->sport);
	json_member_uint(out, ",", "dport", way->dport);
	put_netns(lr, "from_netns", way->from_netns, out);
	put_netns(lr, "to_netns", way->to_netns, out);
	if (way->key.protocol == NET_PROTOCOL_TCP && !lr->by_id)
		json_member_uint(out, ",", "seq", way->key.seq);
	json_member_uint(out, ",", "ip_id", way->key.ip_id);
	if (!lr->by_id)
		json_member_uint(out, ",", "packet", way->key.packet);
	json_member_key(out, ",", "retransmission");
	buffer_string(out, way->again ? "true" : "false");
	put_text(out, ",", "end", way_end_name(way->end));
	if (way->end == WAY_DROPPED)
		put_reason(lr, way->reason, out);
	json_member_uint(out, ",", "total_ns", packet_way_total(way));
	json_member_key(out, ",", "way");
	buffer_char(out, '[');
	for (size_t i = 0; i < way->count; i++)
		put_step(lr, way, i, out);
	buffer_string(out, "]}");
}

static void put_counts(const struct layers_report *lr, struct buffer *out)
{
	put_ends(out, "{", lr->ends);
	json_member_uint(out, ",", "evicted", lr->paths.evicted);
	json_member_uint(out, ",", "unmatched_reads", lr->paths.unmatched);
	json_member_uint(out, ",", "unmatched_drops", lr->paths.unseen_drops);
	json_member_uint(out, ",", "sends_not_kept", lr->paths.sends.refused);
	json_member_uint(out, ",", "other_crossings", lr->paths.others);
}

int report_layers_json(const struct report *report, const struct report_options *options,
		       struct buffer *out)
{
	const struct layers_report *lr = (const struct layers_report *)report;
	size_t i, count;
	const struct packet_way **ways = report_layers_ways(lr, options, &count);

	if (!ways)
		return -ENOMEM;
	put_counts(lr, out);
	json_member_key(out, ",", "directions");
	buffer_char(out, '[');
	for (i = 0; i < lr->stats.count; i++) {
		if (i)
			buffer_char(out, ',');
		put_direction(lr, lr->stats.directions[i], out);
	}
	json_member_key(out, "],", "packets");
	buffer_char(out, '[');
	for (i = 0; i < count; i++) {
		if (i)
			buffer_char(out, ',');
		put_way(lr, ways[i], out);
	}
	buffer_string(out, "]}");
	free(ways);
	return 0;
}

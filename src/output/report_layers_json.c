// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_layers_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/report_layers.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/json_field.h"
#include "output/latency_write.h"
#include "output/report_kind.h"

static void put_text(struct json_writer *json, const char *key, const char *text)
{
	if (text)
		json_writer_string(json, key, text);
}

static void put_crossing(struct json_writer *json, const char *key, enum net_crossing crossing,
			 uint8_t protocol)
{
	put_text(json, key, net_crossing_name(crossing, protocol));
}

/* 0 is left out: it was not sent here, or not received. */
static void put_netns(const struct layers_report *lr, const char *key, uint32_t netns,
		      struct json_writer *json)
{
	const char *name = netns ? report_layers_netns(lr, netns) : NULL;

	if (netns)
		json_writer_uint(json, key, netns);
	json_field_label(json, key, name);
}

static void put_protocol(struct json_writer *json, uint8_t protocol)
{
	json_writer_uint(json, "protocol", protocol);
	put_text(json, "protocol_name", net_protocol_name(protocol));
}

static void put_reason(const struct layers_report *lr, int64_t reason, struct json_writer *json)
{
	json_writer_int(json, "reason", reason);
	json_field_label(json, "reason", report_layers_reason(lr, reason));
}

static void put_ends(struct json_writer *json, const uint64_t ends[WAY_ENDS])
{
	for (enum way_end i = 0; i < WAY_ENDS; i++)
		json_writer_uint(json, way_end_name(i), ends[i]);
}

static void put_layers(const struct layer_direction *direction, struct json_writer *json)
{
	enum net_crossing from, to;
	size_t at = 0;

	json_writer_array(json, "layers");
	while (layer_stats_next(direction, &at, &from, &to)) {
		json_writer_object(json, NULL);
		put_crossing(json, "from", from, direction->protocol);
		put_crossing(json, "to", to, direction->protocol);
		put_text(json, "name", net_layer_name(from, to));
		latency_write_json(direction->layers[from][to], json);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_totals(const struct layer_direction *direction, struct json_writer *json)
{
	json_writer_object(json, "totals");
	for (enum way_end i = 0; i < WAY_INCOMPLETE; i++)
		latency_write_object(&direction->totals[i], way_end_name(i), json);
	json_writer_end(json);
}

static void put_gone(const struct layers_report *lr, const struct layer_direction *direction,
		     struct json_writer *json)
{
	size_t i;

	json_writer_array(json, "vanished_after");
	for (i = 0; i < NET_CROSSINGS; i++) {
		if (!direction->vanished[i])
			continue;
		json_writer_object(json, NULL);
		put_crossing(json, "crossing", (enum net_crossing)i, direction->protocol);
		json_writer_uint(json, "packets", direction->vanished[i]);
		json_writer_end(json);
	}
	json_writer_end(json);
	json_writer_array(json, "dropped_after");
	for (i = 0; i < direction->drop_count; i++) {
		const struct layer_drops *drops = &direction->drops[i];

		json_writer_object(json, NULL);
		put_crossing(json, "crossing", drops->last, direction->protocol);
		put_reason(lr, drops->reason, json);
		json_writer_uint(json, "packets", drops->count);
		json_writer_end(json);
	}
	json_writer_end(json);
	json_writer_uint(json, "dropped_for_other_reasons", direction->other_drops);
}

static void put_direction(const struct layers_report *lr, const struct layer_direction *direction,
			  struct json_writer *json)
{
	json_writer_object(json, NULL);
	put_protocol(json, direction->protocol);
	put_netns(lr, "from_netns", direction->from_netns, json);
	put_netns(lr, "to_netns", direction->to_netns, json);
	json_writer_uint(json, "packets", direction->packets);
	json_writer_uint(json, "retransmissions", direction->again);
	put_ends(json, direction->ends);
	put_layers(direction, json);
	put_totals(direction, json);
	put_gone(lr, direction, json);
	json_writer_end(json);
}

static void put_step(const struct layers_report *lr, const struct packet_way *way, size_t i,
		     struct json_writer *json)
{
	const struct way_step *step = &way->steps[i];
	const struct task_name *name;

	json_writer_object(json, NULL);
	put_crossing(json, "crossing", (enum net_crossing)step->crossing,
		     (uint8_t)way->key.protocol);
	json_writer_int(json, "time", step->time_ns);
	if (i)
		json_writer_uint(json, "took_ns", packet_way_took(way, i));
	json_writer_int(json, "size", step->size);
	if (step->cpu >= 0)
		json_writer_int(json, "cpu", step->cpu);
	if (step->tid >= 0) {
		json_writer_int(json, "tid", step->tid);
		name = task_names_get(lr->report.analysis->names, NULL, step->tid);
		if (name->len)
			json_writer_text(json, "comm", name->text, TASK_NAME_LEN(name));
	}
	json_writer_end(json);
}

static void put_way(const struct layers_report *lr, const struct packet_way *way,
		    struct json_writer *json)
{
	json_writer_object(json, NULL);
	put_protocol(json, (uint8_t)way->key.protocol);
	json_writer_uint(json, "sport", way->sport);
	json_writer_uint(json, "dport", way->dport);
	put_netns(lr, "from_netns", way->from_netns, json);
	put_netns(lr, "to_netns", way->to_netns, json);
	if (way->key.protocol == NET_PROTOCOL_TCP && !lr->by_id)
		json_writer_uint(json, "seq", way->key.seq);
	json_writer_uint(json, "ip_id", way->key.ip_id);
	if (!lr->by_id)
		json_writer_uint(json, "packet", way->key.packet);
	json_writer_bool(json, "retransmission", way->again);
	put_text(json, "end", way_end_name(way->end));
	if (way->end == WAY_DROPPED)
		put_reason(lr, way->reason, json);
	json_writer_uint(json, "total_ns", packet_way_total(way));
	json_writer_array(json, "way");
	for (size_t i = 0; i < way->count; i++)
		put_step(lr, way, i, json);
	json_writer_end(json);
	json_writer_end(json);
}

static void put_counts(const struct layers_report *lr, struct json_writer *json)
{
	put_ends(json, lr->ends);
	json_writer_uint(json, "evicted", lr->paths.evicted);
	json_writer_uint(json, "unmatched_reads", lr->paths.unmatched);
	json_writer_uint(json, "unmatched_drops", lr->paths.unseen_drops);
	json_writer_uint(json, "sends_not_kept", lr->paths.sends.refused);
	json_writer_uint(json, "other_crossings", lr->paths.others);
}

int report_layers_json(const struct report *report, const struct report_options *options,
		       struct json_writer *json)
{
	const struct layers_report *lr = (const struct layers_report *)report;
	size_t i, count;
	const struct packet_way **ways =
		report_layers_ways(lr, options->packets_given ? &options->packets : NULL, &count);

	if (!ways)
		return -ENOMEM;
	put_counts(lr, json);
	json_writer_array(json, "directions");
	for (i = 0; i < lr->stats.count; i++)
		put_direction(lr, lr->stats.directions[i], json);
	json_writer_end(json);
	json_writer_array(json, "packets");
	for (i = 0; i < count; i++)
		put_way(lr, ways[i], json);
	json_writer_end(json);
	free(ways);
	return 0;
}

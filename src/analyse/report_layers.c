// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_layers.h"

#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/gap.h"

/* A trace with no more packets shows all their ways; of a larger one so many. */
#define FEW_WAYS WAY_SAMPLE_FIRST
#define SOME_WAYS 3u

struct layers_class {
	struct gap_fields gap;
	struct net_fields fields;
};

static void take_way(void *owner, const struct packet_way *way)
{
	struct layers_report *lr = owner;
	struct packet_way known = *way;

	if (lr->by_id && known.end == WAY_VANISHED)
		known.end = WAY_INCOMPLETE;
	lr->ends[known.end]++;
	layer_stats_add(&lr->stats, &known);
	way_sample_add(&lr->sample, &known);
}

static void count_event(struct layers_report *lr, const struct net_fields *fields,
			const struct event *event)
{
	struct net_now now;

	lr->report.events++;
	net_fields_read(fields, event, &now);
	packet_paths_count(&lr->paths, &now);
}

static void note_gap(struct layers_report *lr, const struct gap_fields *gap,
		     const struct event *event)
{
	int all = gap_all(gap, event);

	if (all >= 0)
		packet_paths_whole(&lr->paths, all);
	else if (gap_is_here(gap, event, "net."))
		packet_paths_lose(&lr->paths);
}

static void layers_batch(struct report *report, const struct event *events, size_t count)
{
	struct layers_report *lr = (struct layers_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct layers_class *entry = &lr->classes[events[i].class->index];

		if (entry->fields.crossing != NET_NONE)
			count_event(lr, &entry->fields, &events[i]);
		else if (gap_fields_any(&entry->gap))
			note_gap(lr, &entry->gap, &events[i]);
	}
}

static void layers_end(struct report *report, const struct report_span *span)
{
	struct layers_report *lr = (struct layers_report *)report;

	if (span->end_ns > lr->paths.end_ns)
		lr->paths.end_ns = span->end_ns;
	packet_paths_end(&lr->paths);
	layer_stats_sort(&lr->stats);
}

const struct packet_way **report_layers_ways(const struct layers_report *lr, const size_t *packets,
					     size_t *count)
{
	size_t few = FEW_WAYS, most = SOME_WAYS;

	if (packets)
		few = most = *packets;
	return way_sample_choose(&lr->sample, few, most, count);
}

const char *report_layers_reason(const struct layers_report *lr, int64_t reason)
{
	return lr->reasons ? field_label(lr->reasons, reason) : NULL;
}

const char *report_layers_netns(const struct layers_report *lr, uint32_t netns)
{
	struct known *known = lr->report.analysis->known;

	return known ? known_get(known, NULL, NAME_NETNS, netns, 0, 0) : NULL;
}

static void layers_free(struct report *report)
{
	struct layers_report *lr = (struct layers_report *)report;

	packet_paths_fini(&lr->paths);
	layer_stats_fini(&lr->stats);
	free(lr->classes);
	free(lr);
}

static const struct report_ops layers_ops = {
	layers_batch,
	NULL,
	layers_end,
	layers_free,
};

static void layers_class_init(struct layers_report *lr, const struct event_class *class)
{
	struct layers_class *entry = &lr->classes[class->index];

	gap_fields_find(&entry->gap, class);
	entry->fields.crossing = NET_NONE;
	if (!select_shows(lr->report.analysis->select, class))
		return;
	net_fields_find(&entry->fields, class);
	if (entry->fields.crossing == NET_NONE)
		return;
	lr->paths.records[entry->fields.crossing] = true;
	lr->by_id |= entry->fields.packet < 0;
	if (entry->fields.crossing == NET_DROPPED && entry->fields.reason >= 0)
		lr->reasons = &class->fields[entry->fields.reason];
}

struct report *report_layers_new(const struct analysis *analysis)
{
	struct layers_report *lr = calloc(1, sizeof(*lr));

	if (!lr)
		return NULL;
	lr->report = (struct report){.ops = &layers_ops, .analysis = analysis};
	layer_stats_init(&lr->stats);
	lr->classes = calloc(analysis->info->class_count ?: 1, sizeof(*lr->classes));
	if (packet_paths_init(&lr->paths, take_way, lr) || !lr->classes) {
		layers_free(&lr->report);
		return NULL;
	}
	for (size_t i = 0; i < analysis->info->class_count; i++)
		layers_class_init(lr, analysis->info->classes[i]);
	return &lr->report;
}

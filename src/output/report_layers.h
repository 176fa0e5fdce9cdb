/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_layers: how long packets spent in each layer of the network stack, and which did not come
 * through, from the crossings that net events are (packet_paths, layer_stats). report_layers_text
 * and report_layers_json write what is found here.
 */
#ifndef SONDE_OUTPUT_REPORT_LAYERS_H
#define SONDE_OUTPUT_REPORT_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/layer_stats.h"
#include "analyse/packet_paths.h"
#include "analyse/way_sample.h"
#include "output/report_kind.h"

struct layers_class; /* what a class of events means */
struct report_options;

struct layers_report {
	struct report report;
	struct layers_class *classes; /* by event_class.index */
	const struct field *reasons; /* which labels why packets were dropped; NULL = none */
	struct packet_paths paths;
	struct layer_stats stats;
	struct way_sample sample;
	bool by_id; /* only the IP id distinguishes packets: which are lost is not known */
	uint64_t ends[WAY_ENDS];
};

struct report *report_layers_new(const struct view *view);

/* The ways to be shown one by one, for the caller to free; NULL = no memory. */
const struct packet_way **report_layers_ways(const struct layers_report *lr,
					     const struct report_options *options, size_t *count);
/* Why a packet was dropped, or NULL: the number has no name. */
const char *report_layers_reason(const struct layers_report *lr, int64_t reason);
/* What a network namespace is called, or NULL. Borrowed until the next call. */
const char *report_layers_netns(const struct layers_report *lr, uint32_t netns);

#endif /* SONDE_OUTPUT_REPORT_LAYERS_H */

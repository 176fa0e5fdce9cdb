/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_layers: how long packets spent in each layer of the network stack, and which did not come
 * through, from the crossings that net events are (packet_paths, layer_stats).
 */
#ifndef SONDE_ANALYSE_REPORT_LAYERS_H
#define SONDE_ANALYSE_REPORT_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/layer_stats.h"
#include "analyse/packet_paths.h"
#include "analyse/report_model.h"
#include "analyse/way_sample.h"

struct layers_class; /* what a class of events means */

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

report_new_fn report_layers_new;

/* The ways to be shown one by one, *@packets at most (NULL: by how many there are), for the caller to free; NULL = no
 * memory. */
const struct packet_way **report_layers_ways(const struct layers_report *lr, const size_t *packets,
					     size_t *count);
/* Why a packet was dropped, or NULL: the number has no name. */
const char *report_layers_reason(const struct layers_report *lr, int64_t reason);
/* What a network namespace is called, or NULL. Borrowed until the next call. */
const char *report_layers_netns(const struct layers_report *lr, uint32_t netns);

#endif /* SONDE_ANALYSE_REPORT_LAYERS_H */

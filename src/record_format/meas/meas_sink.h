/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_sink: events as a measurement-system file: records are made of ours, and what was read from
 * such a file becomes the same records again.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_SINK_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/source.h"

struct trace_info;
struct analysis;
struct output;

/* Whether records are made of events of @class, or it has such records; losses are among them. */
bool meas_sink_holds(const struct event_class *class);
/* The release that the source of @info was a file of, or 0. */
uint16_t meas_sink_release_of(const struct trace_info *info);
/* NULL: no memory. Borrows @analysis and @out. All measurements of the release of its source are on; of a source
 * that has none, of @release. */
struct event_sink *meas_sink_new(const struct analysis *analysis, struct output *out,
				 uint16_t release);
/* From here on, records of our events with the id @id are made or not; @id below MEAS_IDS_MAX. */
void meas_sink_switch(struct event_sink *sink, uint16_t id, bool on);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_SINK_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_text: records as translate prints them: a line for each, the name of the measurement, then its
 * words as integers; or, wide, its values, however many bits they have.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_TEXT_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/source.h"

struct analysis;
struct output;

/* NULL: no memory. Borrows @analysis and @out. Only of sources that were read from such a file. */
struct event_sink *meas_text_new(const struct analysis *analysis, struct output *out, bool wide);
/* Processes whose number did not fit into 16 bits, of those that were printed. */
uint64_t meas_text_cut(const struct event_sink *sink);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_TEXT_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_layers_json: what report_layers found, as one JSON object.
 */
#ifndef SONDE_OUTPUT_REPORT_LAYERS_JSON_H
#define SONDE_OUTPUT_REPORT_LAYERS_JSON_H

#include "output/report_kind.h"

report_json_fn report_layers_json;

#endif /* SONDE_OUTPUT_REPORT_LAYERS_JSON_H */

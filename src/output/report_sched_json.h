/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_sched_json: what report_sched found, as one JSON object for programs.
 */
#ifndef SONDE_OUTPUT_REPORT_SCHED_JSON_H
#define SONDE_OUTPUT_REPORT_SCHED_JSON_H

#include "output/report_kind.h"

report_json_fn report_sched_json;

#endif /* SONDE_OUTPUT_REPORT_SCHED_JSON_H */

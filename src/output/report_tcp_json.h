/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_tcp_json: the report on TCP connections, as one JSON object.
 */
#ifndef SONDE_OUTPUT_REPORT_TCP_JSON_H
#define SONDE_OUTPUT_REPORT_TCP_JSON_H

#include "output/report_kind.h"

report_json_fn report_tcp_json;

#endif /* SONDE_OUTPUT_REPORT_TCP_JSON_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_tcp_json: the report on TCP connections, as one JSON object.
 */
#ifndef SONDE_VIEW_REPORT_TCP_JSON_H
#define SONDE_VIEW_REPORT_TCP_JSON_H

#include "view/report_kind.h"

report_write_fn report_tcp_json;

#endif /* SONDE_VIEW_REPORT_TCP_JSON_H */

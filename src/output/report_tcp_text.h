/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_tcp_text: the report on TCP connections, as tables.
 */
#ifndef SONDE_OUTPUT_REPORT_TCP_TEXT_H
#define SONDE_OUTPUT_REPORT_TCP_TEXT_H

#include "output/report_kind.h"

report_text_fn report_tcp_text;

#endif /* SONDE_OUTPUT_REPORT_TCP_TEXT_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_tcp_text: the report on TCP connections, as tables.
 */
#ifndef SONDE_VIEW_REPORT_TCP_TEXT_H
#define SONDE_VIEW_REPORT_TCP_TEXT_H

#include "view/report_kind.h"

report_write_fn report_tcp_text;

#endif /* SONDE_VIEW_REPORT_TCP_TEXT_H */
